"""Steps of a trace that are added up cover the same time and hold the same IOs."""

from itertools import pairwise
from pathlib import Path

import pytest

from stend.trace import folding, steps
from tests.traced import written


@pytest.mark.parametrize("seconds", [1, 3, 7, 100])
def test_added_steps_cover_the_same_time_and_hold_the_same_ios(tmp_path: Path, seconds: int) -> None:
    each = [*folding.steps(written(tmp_path).batches())]
    coarse = [*steps.coarser(each, seconds * steps.SECOND_NS)]
    assert len(coarse) == len({step.start_ns // (seconds * steps.SECOND_NS) for step in each})
    for whole, after in pairwise([*coarse, None]):
        parts = [step for step in each if whole and whole.start_ns <= step.start_ns]
        parts = [step for step in parts if after is None or step.start_ns < after.start_ns]
        assert whole
        assert whole.start_ns == parts[0].start_ns
        assert whole.start_ns + whole.length_ns == parts[-1].start_ns + parts[-1].length_ns
        assert whole.ios == sum(step.ios for step in parts)
        assert whole.idle_ns == sum(step.idle_ns or 0 for step in parts)
        assert sum(whole.depths.values()) == sum(sum(step.depths.values()) for step in parts)
    everything = steps.cumulative(each)
    assert [part.tally.ios for part in everything] == sorted((p.tally.ios for p in everything), reverse=True)
    assert sum(part.tally.ios for part in everything) == sum(step.ios for step in each)


def test_a_trace_has_at_most_so_many_steps_of_whole_seconds() -> None:
    second = steps.SECOND_NS
    for end_ns, seconds in ((0, 1), (1, 1), (steps.MOST * second, 1), (steps.MOST * second + 1, 2)):
        assert steps.length_of(end_ns) == seconds * second
    assert steps.length_of(2 * steps.MOST * second + 1) == 3 * second
