"""A meter beside a synthetic drive: watts that follow its load, and a state of less power after a rest."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from stend.model.definition import Idle
from stend.model.events import Event, MeterFacts, Reading, Result, Sample, Started
from stend.model.record import Run

IDLE_W, BUSY_W, SLEEP_W, SLEEPS_S = 1.5, 6.0, 0.05, 5
METER = MeterFacts(spec="own", name="the synthetic drive's own", error_pct=1.0)


def metered(events: Iterable[Event], past: Run) -> Iterator[Event]:
    """The events with the readings of a meter: one with each sample, one a second of a rest."""
    for event in events:
        match event:
            case Started():
                past.started[-1] = replace(event, meters=(METER,))
                yield past.started[-1]
                continue
            case Sample(counts=counts):
                share = counts.read.ios / 300_000 + counts.read.bytes / 2e9 + counts.write.ios / 40_000
                watts = IDLE_W + (BUSY_W - IDLE_W) * min(share / counts.seconds, 1)
                yield event
                yield past.add(Reading(t=event.t, quantity="watts", value=watts, seconds=counts.seconds))
                continue
            case Result(step=Idle(seconds=seconds)):
                for second in range(1, int(seconds) + 1):
                    watts, t = IDLE_W if second < SLEEPS_S else SLEEP_W, event.t - seconds + second
                    yield past.add(Reading(t=t, quantity="watts", value=watts, seconds=1.0))
        yield event
