"""The victim of `neighbours` is first measured when the drive has settled from the fill.

Predicted before the first run of these drives with the settling time: the first minute alone has the p99 of the last
one, after neighbours that only read, within the scatter of a minute. Without the settling time the five seconds after
a fill have a p99 of 4.5 ms on saber1000 and 2.5 ms on px02sm, several times that of later seconds.
"""

import pytest

from stend.devices import virtual
from stend.findings import look
from stend.findings.look.figures import listed
from stend.model.definition import Hold, Seconds
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.suite.neighbours import SETTLE_S
from tests.rehearsal import rehearsed

PHASE = "beside-reads"
PREDICTED = {"kc2000?scale=16": 1.25, "saber1000?scale=8": 1.5, "px02sm?scale=32": 1.5}
"""Most that the p99 of the first and the last minute alone may differ by, as a ratio."""


def ran(target: str) -> Run:
    settings = {"victims": ["reads"], "neighbours": ["read"], "depths": [1]}
    return Run(rehearsed(virtual.find(f"sim:{target}"), "neighbours", tests={"neighbours": settings}))


@pytest.mark.slow
@pytest.mark.parametrize("target", PREDICTED)
def test_the_first_minute_alone_is_not_slowed_by_the_fill(target: str) -> None:
    run = ran(target)
    first, last = (
        record.counts.read for record in look.records(run, "neighbours", PHASE) if not record.workload.beside
    )
    before_s, after_s = percentile_s(first, 99), percentile_s(last, 99)
    assert before_s
    assert after_s
    assert max(before_s / after_s, after_s / before_s) < PREDICTED[target]


def test_the_settling_time_is_recorded_and_counts_in_no_figure() -> None:
    run = ran("small")
    results = run.of("neighbours", PHASE)
    ramp = results[0].step
    assert isinstance(ramp, Hold)
    assert (ramp.ramp, ramp.amount, ramp.workload) == (True, Seconds(seconds=SETTLE_S), results[1].step.workload)
    assert results[0].counts.ios > 0
    alone = listed(run, "neighbours", PHASE)[0]
    assert alone.seconds == pytest.approx(sum(results[n].counts.seconds for n in (1, -1)))
