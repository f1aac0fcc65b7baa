"""Service maps of drives that keep no limit, and of runs that were cut off: what was measured, and nothing else."""

from math import inf

import pytest

from stend import charts
from stend.base.units import GiB
from stend.model import service_map
from stend.model.definition import Workload
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.words import Language
from tests.synthetic import Truth, made
from tests.test_rare_sentences import Change, new, of, said
from tests.test_service_findings import changed, tally


@pytest.fixture(scope="module")
def mapped() -> Run:
    return made("service-map", truth=Truth(capacity_bytes=8 * GiB), interval_s=10.0, shorten=60)


def of_map(ms: float, unsent: int) -> Change:
    """Every read takes so long, and beside each that was sent, so many wait in the queue at the end."""

    def change(result: Result, load: Workload) -> Result:
        reads = result.counts.read.ios
        if not load.rate_iops or not reads:
            return result
        counts = new(result.counts, read=tally((reads, ms * 1e6)))
        return new(result, counts=counts, pace=Pace(sent=reads, unsent=unsent * reads))

    return change


@pytest.mark.parametrize(
    ("ms", "unsent", "writes", "key"),
    [
        (9.5, 0, True, ""),
        (30.0, 0, True, "never_least"),
        (30.0, 0, False, "never_alone"),
        (30.0, 1, True, "never"),
        (0.3, 0, False, "alone"),
    ],
)
def test_a_map_without_a_contour_says_what_was_measured(
    mapped: Run, ms: float, unsent: int, writes: bool, key: str
) -> None:
    """The highest limit is 10 ms. Times that no read had, as the unsent ones, are in no sentence and on no chart."""
    run = changed(mapped, of_map(ms, unsent))
    if not writes:
        kept = [r for r in run.results if r.where.phase != service_map.PHASE or not r.counts.write.ios]
        run = Run([*run.started, *kept])
    found, rare = of(run, "service_map"), {"never_least", "never_alone", "never", "alone"}
    assert found.keys() & rare == ({key} if key else set())
    cells = [cell for cell in service_map.cells(run, run.plan.tests[0]) if not cell.writes]
    drawn = [p for p in charts.of(run, run.plan.tests[0], "en", {}) if p.name == "service_map"]
    if key.startswith("never_"):
        assert (found[key].values["limit"], found[key].side) == (0.01, "con")
        assert found[key].values["reads"] == pytest.approx(min(cell.reads for cell in cells), rel=0.005)
        assert "It is 30.0 ms at 128,000 reads per second" in said(found[key]).replace("it is", "It is")
        assert [{row["ms"] for row in one.spec["datasets"]["rows"]} for one in drawn] == [{30.0}, {30.0}]
        assert [row["ms"] for row in drawn[0].spec["datasets"]["limit"]] == [10.0]
    elif key == "never":
        assert {cell.waits[99.0] for cell in cells} == {inf}
        assert not drawn
    elif key == "alone":
        half = service_map.axes(run, run.plan.tests[0]).writes / 2
        assert "reads" not in found
        assert found[key].values["written"] == pytest.approx(half)
        assert said(found[key]).endswith(f"{Language('en').show(half, 'mbs')} of writes.".replace("\u00a0", " "))


def test_reads_that_no_cell_beside_writes_kept_are_none_and_no_share_of_a_thousandth() -> None:
    """The column of half the writes is a few bytes beyond that half; a line to it from the reads gives no rate."""
    run = made(
        "service-map", truth=Truth(capacity_bytes=8 * GiB, read_iops=60, half_depth=0), interval_s=10.0, shorten=60
    )
    found = of(run, "service_map")
    assert "reads" not in found
    assert found["none_beside"].side == "con"
    assert said(found["none_beside"]).endswith("it exceeds that limit at every measured rate of reads.")
