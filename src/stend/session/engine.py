"""Which engine loads a drive, and whether this host has it."""

from stend import store
from stend.base import extras, fio_features
from stend.base.errors import BadInput
from stend.devices import Device, null, virtual
from stend.engines import Engine
from stend.model.definition import Hold, Plan, Workload
from stend.runner.bench import Stopped
from stend.session.stopping import Stop

HELD = 5
"""A minute of the clause is told in at least this many intervals."""


def engine_for(device: Device, path: str, raw: store.Raw, plan: Plan, stop: Stop | None = None) -> Engine:
    """The engine that can load this drive by its open path, telling about once a second or faster at short minutes."""
    if isinstance(device, virtual.VirtualDevice):
        return simulated(device, plan, stop)
    interval_s, block = _interval_s(plan.profile.minute_s), plan.device.logical_bytes
    if isinstance(device, null.NullDevice):
        from stend.engines.replay import ReplayEngine

        return ReplayEngine("", traces=_traces(plan), block_bytes=block, interval_s=interval_s)
    from stend.engines import fio

    engine = fio.FioEngine(path, raw=raw, interval_s=interval_s)
    if not any(load.replay or load.streams for load in _loads(plan)):
        return engine
    from stend.engines.either import EitherEngine
    from stend.engines.replay import ReplayEngine

    own = ReplayEngine(path, traces=_traces(plan), block_bytes=block, interval_s=interval_s)
    return EitherEngine(engine, own)


def simulated(device: virtual.VirtualDevice, plan: Plan, stop: Stop | None = None) -> Engine:
    """Return what loads a virtual drive; its kernels notice a `stop` within an interval that takes them long."""
    from stend.engines.simulated import SimulatedEngine

    def mind() -> None:
        if stop is not None and stop():
            raise Stopped

    device.sim.drive.mind = mind

    return SimulatedEngine(
        device.sim.drive,
        interval_s=_interval_s(plan.profile.minute_s),
        traces=_traces(plan),
        block_bytes=plan.device.logical_bytes,
    )


def _loads(plan: Plan) -> list[Workload]:
    steps = (step for test in plan.tests for phase in test.phases for step in phase.round)
    return [step.workload for step in steps if isinstance(step, Hold)]


def _traces(plan: Plan) -> dict[str, str]:
    """The files of the traces that a plan plays. BadInput where one is not what the plan was drawn for."""
    found = {}
    for test in plan.tests:
        if test.traced:
            from stend.trace import playable

            path = test.profile.options["trace"]
            if playable.summarise(path).number != test.traced.number:
                raise BadInput(f"{path} is another trace than the one this run began with")
            found[test.traced.number] = playable.file_of(path)
    return found


def _interval_s(minute_s: float) -> float:
    return min(1.0, max(minute_s / HELD, 0.1))


def can_load(target: str) -> None:
    """Missing unless this host has what makes load on such a target; asked before anything is made or opened."""
    if virtual.claims(target):
        extras.need(f"the virtual drive {target}", "numba")
    elif not null.claims(target):
        fio_features.probe()
