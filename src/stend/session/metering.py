"""Read a meter while a run lasts: its values are written before the event at whose end they were read.

Neither the loop nor the engine knows the meter. A meter that ends or stalls leaves a note and a gap, and never fails a
run.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

import msgspec

from stend import meters
from stend.base.errors import BadInput, StendError
from stend.devices import Device
from stend.engines import Engine, Load
from stend.meters import Meter
from stend.model.definition import Plan, Workload
from stend.model.events import OWN, Ended, Event, Note, Reading, Started
from stend.model.record import Run
from stend.runner.bench import REST_SLICE_S

SPARSE_IOPS = 10.0
"""A load of fewer IOs per second is mostly rest."""


@contextmanager
def reading(spec: str | None, device: Device, plan: Plan) -> Iterator[Meter | None]:
    """Open the meter of a run; a drive's own one if a test needs a meter and none was chosen.

    Errors: BadInput if a test needs a meter and there is none.
    """
    required = [(test.name, quantity) for test in plan.tests for quantity in test.requires]
    if spec is None and not required:
        yield None
        return
    try:
        meter = meters.opened(spec or OWN, device)
    except StendError as error:
        if spec:
            raise
        raise BadInput(f"{required[0][0]} needs a meter of {required[0][1]}, and {error}") from error
    with closing(meter):
        for test, quantity in required:
            if quantity != meter.facts.quantity:
                raise BadInput(f"{test} needs a meter of {quantity}, and {spec} reads {meter.facts.quantity}")
        yield meter


def spec_of(past: Run) -> str | None:
    """Return how the meter of a run that is resumed was chosen, or None if it had none."""
    return next((meter.spec for started in past.started for meter in started.meters), None)


def quieted(engine: Engine, meter: Meter | None) -> Engine:
    """Return the engine, which informs the meter when the drive rests."""
    return _Quieted(engine, meter) if meter else engine


class _Quieted:
    """An engine whose rests a meter of the drive itself must not disturb."""

    def __init__(self, engine: Engine, meter: Meter) -> None:
        self._engine, self._meter = engine, meter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def start(self, workload: Workload, **given: Any) -> Load:
        """Start a workload. See `Engine.start`."""
        self._meter.quiet(0 < workload.rate_iops < SPARSE_IOPS)
        return self._engine.start(workload, **given)

    def idle(self, seconds: float) -> None:
        """Let time pass with nothing sent to the drive. A meter of the drive reads once at the end of a rest.

        A rest comes in slices of `REST_SLICE_S`, of which the last one is shorter.
        """
        self._meter.quiet(True)
        self._engine.idle(seconds)
        if seconds < REST_SLICE_S:
            self._meter.quiet(False)


def kept(events: Generator[Event, None, None], meter: Meter | None, engine: Engine) -> Generator[Event, None, None]:
    """Yield the events, each after the readings taken since the event before it."""
    if meter is None:
        yield from events
        return
    began, quantity = engine.now(), meter.facts.quantity
    with closing(events):
        for event in events:
            if isinstance(event, Started):
                began = engine.now()
                meter.read()
                yield msgspec.structs.replace(event, meters=(meter.facts,))
                continue
            if isinstance(event, Ended):
                meter.close()
                queries, seconds = meter.cost
                event = msgspec.structs.replace(event, queries=queries, queries_s=seconds)  # noqa: PLW2901
            now = getattr(event, "t", 0.0)
            for value in meter.read():
                if value.end - value.seconds >= began:
                    t = value.end - began
                    yield Reading(t=t, quantity=quantity, value=value.mean, seconds=value.seconds, most=value.most)
            yield from (Note(t=now, text=note) for note in meter.words())
            yield event
