"""Choose the engine that loads a drive, and check that this host has it."""

from stend import store
from stend.base import extras, fio_features
from stend.base.errors import BadInput
from stend.devices import Device, null, virtual
from stend.engines import Engine
from stend.model.definition import Plan
from stend.runner.bench import Stopped
from stend.session.stopping import Stop

SLOW = (
    "This installation runs virtual drives in plain Python: the figures are the same, but the run takes about "
    "50 times as long as with `pip install 'stend[sim]'`"
)
HELD = 5
"""Minimum number of intervals per minute of the clause."""


def engine_for(device: Device, path: str, raw: store.Raw, plan: Plan, stop: Stop | None) -> Engine:
    """Return the engine that can load this drive. Intervals last a second, or less if minutes are short."""
    if isinstance(device, virtual.VirtualDevice):
        return simulated(device, plan, stop)
    interval_s, block = _interval_s(plan.profile.minute_s), plan.device.logical_bytes
    if isinstance(device, null.NullDevice):
        from stend.engines.replay import ReplayEngine

        return ReplayEngine("", traces=_traces(plan), block_bytes=block, interval_s=interval_s)
    from stend.engines import fio

    engine = fio.FioEngine(path, raw=raw, interval_s=interval_s)
    if not any(hold.workload.ours for test in plan.tests for hold in test.holds):
        return engine
    from stend.engines.either import EitherEngine
    from stend.engines.replay import ReplayEngine
    from stend.engines.survey import SurveyEngine
    from stend.engines.verify import VerifyEngine

    replay = ReplayEngine(path, traces=_traces(plan), block_bytes=block, interval_s=interval_s)
    verify = VerifyEngine(path, block_bytes=block, interval_s=interval_s)
    unit, turning = max(block, plan.device.physical_bytes), plan.device.rotational
    survey = SurveyEngine(path, unit_bytes=unit, rotational=turning, interval_s=interval_s)
    return EitherEngine(engine, replay, verify, survey, plan.sent_by_stend)


def simulated(device: virtual.VirtualDevice, plan: Plan, stop: Stop | None = None) -> Engine:
    """Return the engine of a virtual drive. Its kernels check `stop` also within an interval that takes long."""
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


def _traces(plan: Plan) -> dict[str, str]:
    """Return the files of the traces that a plan plays. Raise BadInput if one differs from the plan's."""
    files = {}
    for test in plan.tests:
        if test.traced:
            from stend.trace import playable

            path = test.profile.options["trace"]
            if playable.summarise(path).number != test.traced.number:
                raise BadInput(f"{path} is another trace than the one this run began with")
            files[test.traced.number] = playable.file_of(path)
    return files


def _interval_s(minute_s: float) -> float:
    return min(1.0, max(minute_s / HELD, 0.1))


def can_load(target: str) -> dict[str, str]:
    """Return fio's version and its IO engine for host.json, unless a virtual drive or none needs it.

    Raise Missing without a fio that can load the target. Called before anything is created or opened.
    """
    real = not (virtual.claims(target) or null.claims(target))
    return {"fio": str(fio_features.probe())} if real else {}


def slow(target: str) -> str:
    """Return the sentence that a virtual drive is slow because numba is not installed, or an empty string."""
    return SLOW if virtual.claims(target) and extras.missing("numba") else ""
