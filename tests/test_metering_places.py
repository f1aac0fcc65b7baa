"""A meter beside a run: when it may query the drive, and which of its values belong to the run."""

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from stend.meters._types import Value
from stend.model.events import Ended, Event, MeterFacts, Note, Reading, Started
from stend.model.record import Run
from stend.session import metering
from stend.words import Sentence
from tests.still import StillEngine
from tests.test_progress_exact import TEN, WRITES, begun, phase


class Meter:
    """Values in the order in which they are read, and whether the drive was said to rest."""

    def __init__(self, *reads: list[Value], words: list[Sentence] | None = None) -> None:
        self.facts, self.cost = MeterFacts(spec="x", name="y"), (7, 0.5)
        self.reads, self.told, self.rests, self.closed = list(reads), words or [], list[bool](), False

    def read(self) -> list[Value]:
        return self.reads.pop(0) if self.reads else []

    def words(self) -> list[Sentence]:
        told, self.told = self.told, []
        return told

    def quiet(self, resting: bool) -> None:
        self.rests.append(resting)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("rate_iops", "rests"), [(0.0, False), (0.5, True), (9.9, True), (10.0, False), (1000.0, False)]
)
def test_a_load_of_less_than_ten_ios_a_second_is_a_rest(rate_iops: float, rests: bool) -> None:
    meter: Any = Meter()
    metering.quieted(StillEngine(), meter).start(replace(WRITES, rate_iops=rate_iops), seed=1)
    assert meter.rests == [rests]


@pytest.mark.parametrize(("seconds", "rests"), [(0.5, [True]), (0.4, [True, False])])
def test_a_meter_of_the_drive_reads_at_the_last_slice_of_a_rest(seconds: float, rests: list[bool]) -> None:
    meter: Any = Meter()
    engine = StillEngine()
    metering.quieted(engine, meter).idle(seconds)
    assert (meter.rests, engine.clock) == (rests, seconds)
    assert metering.quieted(engine, None) is engine


def yielded(*events: Event) -> Generator[Event, None, None]:
    yield from events


def test_values_since_the_beginning_are_written_before_the_event_at_whose_end_they_were_read() -> None:
    """The clock of the run begins at 100 s. A value of the time before that is none of the run."""
    values = [Value(100.5, 1.0, 9.0, 9.5), Value(101.0, 1.0, 5.0, 6.0), Value(102.0, 0.5, 7.0, 8.0)]
    meter: Any = Meter([Value(99.0, 1.0, 1.0, 1.0)], values, words=[Sentence("operator")])
    engine = StillEngine()
    engine.clock = 100.0
    end = Ended(t=3.0, outcome="complete")
    began, first, second, note, last = metering.kept(yielded(begun([phase(TEN)]), end), meter, engine)
    assert isinstance(began, Started)
    assert began.meters == (meter.facts,)
    assert first == Reading(t=1.0, quantity="watts", value=5.0, seconds=1.0, most=6.0)
    assert second == Reading(t=2.0, quantity="watts", value=7.0, seconds=0.5, most=8.0)
    assert note == Note(t=3.0, text=Sentence("operator"))
    assert last == replace(end, queries=7, queries_s=0.5)
    assert meter.closed
    assert metering.spec_of(Run([began])) == "x"
    assert metering.spec_of(Run([begun([phase(TEN)])])) is None


def test_a_run_without_a_meter_is_as_it_is() -> None:
    events = [begun([phase(TEN)]), Ended(t=3.0, outcome="complete")]
    assert list(metering.kept(yielded(*events), None, StillEngine())) == events


def test_no_meter_is_opened_unless_it_is_chosen_or_needed() -> None:
    start = begun([phase(TEN)])
    assert isinstance(start, Started)
    device: Any = SimpleNamespace()
    with metering.reading(None, device, start.plan) as meter:
        assert meter is None
