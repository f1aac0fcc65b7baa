"""HdrHistogram logs, read back by that project's own reader: counts, times, and the error that they state."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import given
from hypothesis import strategies as st

from stend import report, store
from stend.base.errors import BadInput
from stend.base.units import GiB
from stend.findings.look.figures import figures
from stend.model.counts import added
from stend.model.record import Run
from stend.model.stats import BINS, bin_edges_ns, bin_index, percentile_s
from stend.model.tally import NS, Tally
from stend.report.hdr import histogram
from tests.imported import SAMPLES, imported, run_of
from tests.synthetic import Truth, made

STATED = 0.009


def intervals(path: Path) -> list[Any]:
    with closing(HistogramLogReader(str(path), HdrHistogram(1, 10**13, 3))) as reader:
        return list(iter(reader.get_next_interval_histogram, None))


def written(run: Run, into: Path) -> Path:
    (path,) = report.write([(into, run, {})], "hdr", into=into)
    return path


def test_every_record_is_an_interval_with_its_load_its_time_and_all_its_ios(tmp_path: Path) -> None:
    run = made("latency", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)
    told = intervals(written(run, tmp_path))
    ways = [(r, w) for r in run.results for w in ("read", "write") if getattr(r.counts, w).bins]
    assert len(told) == len(ways) > 20
    for one, (result, way) in zip(told, ways, strict=True):
        assert one.get_total_count() == sum(getattr(result.counts, way).bins.values())
        label = result.step.workload.label.replace(" ", "_")  # type: ignore[union-attr]
        assert one.get_tag() == f"{result.where.test}.{result.where.phase}.{label}.{way}"
        began_ms = (run.started[0].at + result.t - result.counts.seconds) * 1000
        assert one.get_start_time_stamp() == pytest.approx(began_ms, abs=2)


def test_intervals_of_one_load_add_up_to_the_figure_of_its_window(tmp_path: Path) -> None:
    run = made("latency", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)
    told = intervals(written(run, tmp_path))
    row = next(row for row in figures(run) if row.state == "window" and row.workload.read_pct == 0)
    place = run.of("latency", row.phase)
    tag = f"latency.{row.phase}.{row.workload.label.replace(' ', '_')}.write"
    own = [one for one in told if one.get_tag() == tag]
    assert len(own) == len([r for r in place if getattr(r.step, "workload", None) == row.workload])
    whole = HdrHistogram(1, 10**13, 3)
    for one in own:
        whole.add(one)
    counts = added(r.counts for r in place if getattr(r.step, "workload", None) == row.workload)
    for percent in (50, 99, 99.9):
        ours = percentile_s(counts.write, percent)
        assert ours is not None
        assert whole.get_value_at_percentile(percent) * NS == pytest.approx(ours, rel=2 * STATED)


@given(st.lists(st.integers(200, 10**10), min_size=1, max_size=40))
@pytest.mark.slow
def test_no_value_is_further_from_what_was_measured_than_is_said(measured_ns: list[int]) -> None:
    bins: dict[int, int] = {}
    for ns in measured_ns:
        bins[bin_index(ns)] = bins.get(bin_index(ns), 0) + 1
    tally = Tally(ios=len(measured_ns), bins=bins, max_ns=max(measured_ns))
    found = histogram(tally)
    assert found.get_total_count() == len(measured_ns)
    steps = [(one.value_iterated_to, one.count_added_in_this_iter_step) for one in found.get_recorded_iterator()]
    told = [found.get_highest_equivalent_value(value) for value, count in steps for _ in range(count)]
    for value, ns in zip(told, sorted(measured_ns), strict=True):
        assert abs(value - ns) <= STATED * ns + 1


def test_what_is_longer_than_any_bin_stands_as_the_longest_that_was_told() -> None:
    longest = 4.0 * bin_edges_ns(BINS - 1)[0]
    found = histogram(Tally(ios=3, bins={BINS - 1: 1, bin_index(1e6): 2}, max_ns=longest))
    assert found.get_max_value() == pytest.approx(longest, rel=0.001)


def test_a_run_without_bins_has_no_histogram_and_an_imported_one_with_bins_has(tmp_path: Path) -> None:
    place = imported(SAMPLES / "kdiskmark.txt", tmp_path)
    with pytest.raises(BadInput, match="has no latency bins"):
        written(store.load(place), place)
    assert not (place / "latency.hlog").exists()
    (one,) = intervals(written(run_of("fio-3.33-plus.json", tmp_path), tmp_path))
    assert one.get_tag() == "fio.rr.RND_4K_100/0_T1_Q4.read"
