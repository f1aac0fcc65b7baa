"""A percentile of a scaled virtual drive rests on ten simulated IOs, not on one that is counted many times.

The expectations were written down before the rule was changed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from stend import session, store, suite
from stend.findings.look.figures import listed
from stend.model.counts import Counts, added
from stend.model.definition import Hold, Idle, Workload
from stend.model.events import Position, Result
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND, percentile_s
from stend.model.tally import PERCENTS, Tally

SCALE = 64
COARSE = 0.02
"""Share by which a count of simulated IOs may differ: IOs in flight at the end of a step count once."""
TRACED = {"headroom": 2, "replay": 2}
"""Scales for tests whose trace is short."""


class Shown(NamedTuple):
    """A percentile of some IOs that were simulated, and whether it is shown."""

    place: str
    percent: float
    simulated: float
    shown: bool

    @property
    def beyond(self) -> float:
        return self.simulated * (100 - self.percent) / 100


def scale_of(load: Workload, scale: int) -> int:
    """A scaled drive simulates each of few reads at even times, which `wake` has."""
    single = load.arrivals == "even" and load.rate_iops and load.rate_iops <= 2000 and not load.writes
    return 1 if single and not load.beside else scale


def tallies(run: Run) -> Iterator[tuple[str, Workload, Tally]]:
    """All tallies that figures, charts and findings take percentiles of."""
    for test in run.plan.tests:
        for phase in test.phases:
            for row in listed(run, test.name, phase.name):
                yield f"{test.name} {phase.name} {row.workload.label} {row.direction}", row.workload, row.tally
    for result in run.results:
        if not isinstance(result.step, Hold):
            continue
        load = result.step.workload
        for n, counts in enumerate(result.every):
            yield f"{result.where} {n}", load, counts.both
        if result.pace:
            yield f"{result.where} flush", load, result.pace.flush
            yield f"{result.where} trim", load, result.pace.discard


@pytest.mark.parametrize("name", suite.names())
def test_a_percentile_is_shown_if_and_only_if_ten_simulated_ios_are_beyond_it(name: str, tmp_path: Path) -> None:
    scale = TRACED.get(name, SCALE)
    with session.start(
        session.Request([name], f"sim:x25e?scale={scale}", quick=True, into=str(tmp_path / "run"))
    ) as run:
        for _ in run:
            pass
    every = [
        Shown(place, percent, tally.ios / scale_of(load, scale), percentile_s(tally, percent) is not None)
        for place, load, tally in tallies(store.load(run.folder))
        for percent in PERCENTS.values()
    ]
    assert not [one for one in every if one.shown and one.beyond < MIN_BEYOND * (1 - COARSE)]
    assert not [one for one in every if not one.shown and one.beyond > MIN_BEYOND * (1 + COARSE)]
    assert any(one.shown for one in every) or name in ("inspect", "media")


def result(ios: int, weight: int) -> Result:
    """A step with so many observed IOs."""
    counted = ios * (weight or 1)
    counts, where = Counts(1, 0, Tally(ios=counted, bins={500: counted})), Position(test="t", phase="p", round=1)
    return Result(where=where, index=0, step=Idle(seconds=1), t=0, counts=counts, weight=weight)


@pytest.mark.parametrize(("ios", "shown"), [(999, False), (1000, True)])
@pytest.mark.parametrize("weight", [0, 1, 64, 1 << 20])
def test_a_p99_takes_a_thousand_observed_ios_whatever_each_counts_as(ios: int, shown: bool, weight: int) -> None:
    run = Run([result(ios, weight)])
    assert (percentile_s(run.results[0].counts.read, 99) is not None) == shown


def test_steps_add_up_to_a_sample_that_carries_more_and_the_heaviest_ios_decide() -> None:
    steps = [*Run([result(600, 64), result(600, 64)]).results, *Run([result(600 * 64, 1)]).results]
    counts = [step.counts for step in steps]
    assert percentile_s(counts[0].read, 99) is None
    assert percentile_s(counts[2].read, 99.9) is not None
    for both in (added(counts[:2]), counts[0] + counts[1]):
        assert percentile_s(both.read, 99) is not None
        assert percentile_s(both.read, 99.9) is None
    for mixed in (added(counts[1:]), counts[1] + counts[2]):  # 1,200 IOs of weight 64, as far as is known
        assert percentile_s(mixed.read, 99) is not None
        assert percentile_s(mixed.read, 99.9) is None
