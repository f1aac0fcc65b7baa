"""What is said of trims in continued runs, of drives that take one size only, and with coarse counters."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from stend import findings
from stend.findings import Finding
from stend.model.definition import Hold
from stend.model.events import Event, Result, Started, Telemetry
from stend.model.record import Run
from tests.synthetic import events

new = msgspec.structs.replace


@cache
def recorded(**settings: Any) -> tuple[Event, ...]:
    return tuple(events(["trim"], interval_s=10.0, shorten=60, rounds=6, **settings))


def read(every: tuple[Event, ...], copies: Callable[[str], float], unit: int = 1) -> list[Event]:
    """The record with counters after each result, which grow by `copies` bytes for each byte written in a phase."""
    whole: list[Event] = []
    host = nand = 0.0
    for event in every:
        whole += [] if isinstance(event, Telemetry) else [event]
        if isinstance(event, Result):
            host += event.counts.write.bytes
            nand += event.counts.write.bytes * copies(event.where.phase)
            values = {"host_write_bytes": int(host), "nand_write_bytes": int(nand) // unit * unit}
            whole.append(Telemetry(t=event.t + 0.01, values=values, took_s=0.001))
    return whole


def cleaned(phase: str) -> float:
    return {"half-full": 4.0, "half-trimmed": 2.0}.get(phase, 1.0)


def half(run: Run) -> Finding:
    return [found for found in findings.find(run) if found.name == "trim"][-1]


@pytest.mark.parametrize("begins_s", [30.0, None], ids=["another clock", "a clock with the same seconds"])
def test_the_amplification_of_a_continued_run_is_of_the_clock_of_its_phase(begins_s: float | None) -> None:
    every = read(recorded(), cleaned)
    place = next(n for n, e in enumerate(every) if isinstance(e, Result) and e.where.phase == "fill-trimmed")
    (started,) = (event for event in every if isinstance(event, Started))
    begun = every[place]
    assert isinstance(begun, Result)
    earlier = 280.0 if begins_s is None else begun.t - begins_s
    rest = [new(event, t=event.t - earlier) for event in every[place:] if not isinstance(event, Started)]
    found = half(Run([*every[:place], new(started, continues=begun.where), *rest]))
    assert found.key == "no_gain_amplified"
    assert found.values["amplified_full"] == pytest.approx(4.0, rel=0.01)
    assert found.values["amplified"] == pytest.approx(2.0, rel=0.01)


def test_counters_that_did_not_grow_show_no_amplification() -> None:
    found = half(Run(read(recorded(), lambda phase: 1.0, unit=1 << 60)))
    assert found.key == "no_gain"


@pytest.mark.parametrize(("trimmed", "key"), [(1.0, "no_cleaning"), (1.5, "no_gain_amplified")])
def test_a_drive_that_copied_data_in_one_case_did_so(trimmed: float, key: str) -> None:
    found = half(Run(read(recorded(), lambda phase: trimmed if phase == "half-trimmed" else 1.0)))
    assert found.key == key


def test_few_writes_show_no_gain_and_no_amplification() -> None:
    """A drive of 61 TB whose short rounds write 2 GB cleans one block of 24 GB in one phase and none in the other."""
    every = read(recorded(), cleaned)
    (started,) = (event for event in every if isinstance(event, Started))
    huge = new(started.plan, device=new(started.plan.device, capacity_bytes=61_440_000_000_000))
    found = half(Run([new(started, plan=huge) if event is started else event for event in every]))
    assert (found.key, found.confidence) == ("few", "can't tell")
    assert "amplified" not in found.values


@pytest.mark.parametrize("depths", [[1], [1, 32]])
def test_trims_of_one_size_have_their_rate_once(depths: list[int]) -> None:
    every = events(
        ["trim"], interval_s=10.0, shorten=60, rounds=6, tests={"trim": {"blocks_kib": [4], "depths": depths}}
    )
    assert [found.values["depth"] for found in findings.find(Run(every)) if found.key == "rate"] == depths[-1:]


def test_a_few_reads_beside_trims_are_not_compared() -> None:
    """A mean of nine reads of a slow disk says nothing."""

    def few(event: Event) -> Event:
        if not isinstance(event, Result) or event.where.phase != "reads" or not isinstance(event.step, Hold):
            return event
        read = new(event.counts.read, ios=9, latency_ns=9 * (9e6 if event.step.workload.trim_pct else 6e6))
        return new(event, counts=new(event.counts, read=read))

    found = [found for found in findings.find(Run([few(event) for event in recorded()])) if found.name == "trim"]
    assert [one.confidence for one in found if one.key == "reads_few"] == ["can't tell"]
    assert not any(one.key in ("reads", "reads_unmoved", "reads_covered") for one in found)
