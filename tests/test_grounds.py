"""Preconditions of conclusions, on stretches of hand-written records: two phases, a purge, and what was written."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.findings.look import grounds
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Phase, Purge, Seconds, Steady
from stend.model.tally import Tally
from stend.suite._clauses import random

CAPACITY = 1_000_000
LOAD = random(0, 4, 1, 1)
PHASES = (Phase(name="one", until=(Steady(track=(LOAD,)),)), Phase(name="two", until=(Steady(track=(LOAD,)),)))
WHOLE = slice(None)
SECOND = Seconds(seconds=1.0)
STEADY, MOVING = SimpleNamespace(verdicts=(1,), steady=True), SimpleNamespace(verdicts=(1,), steady=False)
FOUR_CAPACITIES = SimpleNamespace(verdicts=(2,), steady=False)
"""The last judgement of a saturation that ended by its limit of writes, as its clause has it."""


def written(phase: str, share: float, amount: Any = SECOND) -> Any:
    """A record of a phase that wrote this share of the capacity."""
    counts = Counts(1.0, 0.0, Tally(), Tally(ios=1, bytes=round(share * CAPACITY)))
    step = Hold(workload=LOAD, amount=amount)
    result = SimpleNamespace(where=SimpleNamespace(phase=phase), step=step, counts=counts)
    return SimpleNamespace(result=result, counts=counts)


def purged(phase: str) -> Any:
    return SimpleNamespace(result=SimpleNamespace(where=SimpleNamespace(phase=phase), step=Purge(), counts=Counts()))


def ground(records: list[Any], judged: dict[str, list[Any]] | None = None, stretch: slice = WHOLE) -> grounds.Ground:
    test: Any = SimpleNamespace(name="t", phases=PHASES, shared={})
    results = [record.result for record in records]
    run: Any = SimpleNamespace(
        judgements={("t", phase): every for phase, every in (judged or {}).items()},
        of=lambda test, phase: [result for result in results if result.where.phase == phase],
        plan=SimpleNamespace(device=SimpleNamespace(capacity_bytes=CAPACITY)),
        saturated=(FOUR_CAPACITIES,),
    )
    return grounds.Ground(run, test, [record for record in records[stretch] if hasattr(record, "counts")])


@pytest.mark.parametrize(
    ("judged", "phases", "met"),
    [
        ({"one": [STEADY], "two": [STEADY]}, ["one", "two"], True),
        ({"one": [STEADY], "two": [MOVING]}, ["one", "two"], False),
        ({"one": [MOVING], "two": [STEADY]}, ["two"], True),
        ({"one": [MOVING], "two": [STEADY]}, ["one"], False),
        ({"one": [MOVING, STEADY]}, ["one"], True),
        ({"one": [STEADY, MOVING]}, ["one"], False),
        ({"one": [MOVING, FOUR_CAPACITIES]}, ["one"], True),
        ({}, ["one"], False),
    ],
)
def test_only_the_phases_of_a_stretch_must_be_steady(
    judged: dict[str, list[Any]], phases: list[str], met: bool
) -> None:
    why = grounds.ruled(ground([written(phase, 1.0) for phase in phases], judged))
    assert (why.key if why else "") == ("" if met else "unruled")


@pytest.mark.parametrize(("share", "met"), [(0.5, False), (0.98, False), (0.995, True), (1.0, True), (1.2, True)])
def test_a_fill_is_whole_but_for_a_hundredth(share: float, met: bool) -> None:
    why = grounds.fully_written(ground([written("one", share, Bytes(bytes=CAPACITY)), written("one", 0.0)]))
    assert (why.values if why else {}) == ({} if met else {"share": pytest.approx(share)})


@pytest.mark.parametrize(
    ("shares", "stretch", "fills"),
    [
        ([1.0, 0.9], WHOLE, 1.9),
        ([1.0, 1.0], WHOLE, None),
        ([1.5, 0.6], WHOLE, None),
        ([1.5, None, 0.5, 0.4], WHOLE, 0.9),  # from the last purge on
        ([1.0, 0.5, 1.0], slice(0, 2), 1.5),  # to the end of the stretch
    ],
)
def test_levels_last_after_two_capacities_since_the_purge(
    shares: list[float | None], stretch: slice, fills: float | None
) -> None:
    records = [purged("one") if share is None else written("one", share) for share in shares]
    why = grounds.overwritten(ground(records, stretch=stretch))
    assert (why.values if why else None) == (None if fills is None else {"fills": pytest.approx(fills), "wanted": 2.0})
