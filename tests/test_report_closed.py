"""Small forms of a report from made-up figures: tables of charts, settings of other software, histograms, names."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.base.units import KiB
from stend.base.version import __version__
from stend.charts import Picture
from stend.findings.look.figures import Figures
from stend.model.definition import Hold, Seconds, Workload
from stend.model.stats import BINS, bin_edges_ns, bin_index
from stend.model.tally import Tally
from stend.report import hdr, tuning
from stend.report.parts import fallback, records
from stend.report.parts.marked_down import escape
from stend.words import Language
from tests.sides import row
from tests.synthetic import made

EN = Language("en")


def picture(rows: list[dict[str, Any]], **sets: Any) -> Picture:
    x, y = {"field": "n", "title": "Queue"}, {"field": "iops", "title": "IOPS"}
    more = [{"field": "again", "title": "IOPS"}, {"field": "drive", "title": " "}, {"field": "bare"}, {"title": "x"}]
    spec = {"datasets": {"rows": rows, **sets}, "layer": [{"encoding": {"x": x, "y": y}}, {"tooltip": more}]}
    return Picture("chart", "Title", spec, "says")


def one(n: int, iops: float | None, **more: Any) -> dict[str, Any]:
    return {"n": n, "hidden": 1, "iops": iops, "drive": "A", **more}


def test_the_table_of_a_chart_has_the_fields_that_it_names_with_their_titles() -> None:
    table = fallback.table_of(picture([one(1, 1234.5), one(32, None), one(4, 0.11)]), EN)
    assert table
    assert table.title == "Title"
    assert table.head == ("Queue", "IOPS", EN("compare.drive"))
    assert table.rows == (("1", "1,234", "A"), ("32", "–", "A"), ("4", "0.110", "A"))
    assert table.numeric == (0, 1)


def test_of_fields_on_one_axis_the_first_is_shown_and_figures_as_given_have_no_zeros() -> None:
    table = fallback.table_of(picture([one(1, 1.5, again=7.0), one(2, 20.0, again=8.0)]), EN)
    assert table
    assert table.head == ("Queue", "IOPS", EN("compare.drive"))
    assert [cells[1] for cells in table.rows] == ["1.5", "20"], "of three digits at most"
    table = fallback.table_of(picture([one(1, 1235.0), one(2, 0.1)]), EN)
    assert table
    assert [cells[1] for cells in table.rows] == ["1,235", "0.1"], "or whole"
    other = fallback.table_of(picture([{"n": 1, "what": "x"}]), EN)
    assert other
    assert other.head == ("Queue",)


@pytest.mark.parametrize(("count", "shown"), [(0, False), (1, True), (40, True), (41, False)])
def test_forty_rows_are_a_table_and_more_are_data(count: int, shown: bool) -> None:
    assert (fallback.table_of(picture([one(n, 1.0) for n in range(count)]), EN) is not None) is shown


def test_a_chart_without_titles_has_no_table() -> None:
    assert fallback.table_of(Picture("x", "X", {"datasets": {"rows": [{"other": 1}]}}, ""), EN) is None
    assert fallback.table_of(Picture("x", "X", {}, ""), EN) is None


def test_a_published_range_is_in_the_column_that_it_does_not_name() -> None:
    published = [{"n": 8, "drive": "B", "from": 1000.0, "to": 2000.0}, {"n": 8, "from": 1.0, "to": 2.0}]
    table = fallback.table_of(picture([one(1, 1234.5)], published=published), EN)
    assert table
    assert table.rows[1:] == (("8", "1,000 … 2,000", "B"),)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b *c*", r"a\_b \*c\*"),
        ("a\nb", "a b"),
        ("a  b", "a  b"),
        ("[x](y) | `z`", r"\[x\](y) \| \`z\`"),
        ("1 & 2!", r"1 \& 2\!"),
    ],
)  # fmt: skip
def test_text_in_markdown_is_plain_text(text: str, shown: str) -> None:
    assert escape(text) == shown


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["/a/x", "/b/y"], ["x", "y"]), (["/a/x", "/b/x"], ["a/x", "b/x"]), (["/a/1/x", "/a/2/x"], ["1/x", "2/x"]),
        (["/a/1/x", "/a/2/x", "/a/1/y"], ["1/x", "2/x", "1/y"]), ([], []),
    ],
)  # fmt: skip
def test_runs_are_named_by_their_folders_as_far_as_needed(folders: list[str], names: list[str]) -> None:
    assert records.names([(Path(folder), None, None) for folder in folders]) == names


def figure(
    random_pct: int, read_pct: int, kib: int, iops: float, *, steady: bool | None = True, **more: Any
) -> Figures:
    load = Workload(random_pct=random_pct, read_pct=read_pct, block_bytes=kib * KiB, threads=2, depth=16, **more)
    return row(load, iops, steady=steady)


def test_a_setting_is_the_highest_figure_of_its_kind_unless_that_was_not_steady() -> None:
    slow, fast = figure(100, 100, 4, 1000.0), figure(100, 100, 4, 3000.0)
    unsteady, unjudged = figure(100, 100, 4, 9000.0, steady=False), figure(100, 100, 4, 5000.0, steady=None)
    others = [figure(100, 100, 8, 99e3), figure(0, 100, 4, 99e3), figure(100, 0, 4, 99e3), figure(100, 50, 4, 99e3)]
    assert tuning.READS.best([slow, fast, unsteady, *others]) is fast
    assert tuning.READS.best([slow, unjudged, unsteady, fast]) is unjudged
    assert tuning.READS.best([unsteady, *others]) is unsteady
    assert tuning.READS.best(others) is None
    large = [figure(0, 100, 32, 9000.0), figure(0, 100, 64, 100.0), figure(0, 100, 128, 99.0)]
    assert tuning.READ_BYTES.best(large) is large[2], "12.7 MB/s beside 6.6"
    assert tuning.READ_BYTES.best(large[:2]) is large[1], "64 KiB is the smallest size of a bandwidth"
    assert tuning.READ_BYTES.best(large[:1]) is None
    assert tuning.READS.best([figure(100, 100, 4, 9000.0, rate_iops=100.0), slow]) is slow, "no open loop"
    assert tuning.READS.best([figure(100, 100, 4, 9000.0, block_mix=((4096, 50), (8192, 50))), slow]) is slow


def test_settings_of_other_software_are_a_text_that_can_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [figure(100, 100, 4, 3000.0), figure(100, 0, 4, 1000.4, steady=False), figure(0, 0, 128, 100.0, steady=None)]
    monkeypatch.setattr(tuning, "lasting", lambda run: rows)
    device = SimpleNamespace(model="M", serial="S", virtual=True, rotational=False)
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=device), stamps=["quick"])
    lacks = "not measured in a lasting state"
    head = [f"# M S, run one, stend {__version__}", "# quick", f"# {EN('stamp.virtual')}", ""]
    reads, writes = "iops, rounds, random reads 4K T2 Q16, steady", "iops, rounds, random writes 4K T2 Q16, not steady"
    stream = "iops, rounds, sequential writes 128K T2 Q16, window"
    lines = list(tuning.lines("one", run))
    assert lines == [
        *head,
        "# Linux, /sys/fs/cgroup/io.cost.model: MAJ:MIN of the drive is in `lsblk`; what is left out keeps its value",
        f"#   rbps: {lacks} (sequential reads of 64 KiB or more)", f"#   rseqiops: {lacks} (sequential reads of 4 KiB)",
        f"#   rrandiops: {reads}", f"#   wbps: {stream}", f"#   wseqiops: {lacks} (sequential writes of 4 KiB)",
        f"#   wrandiops: {writes}", "MAJ:MIN ctrl=user model=linear rrandiops=3000 wbps=13107200 wrandiops=1000", "",
        "# Seastar (ScyllaDB, Redpanda), io_properties.yaml: set the mount point; all four values are needed",
        f"#   read_iops: {reads}", f"#   read_bandwidth: {lacks} (sequential reads of 64 KiB or more)",
        f"#   write_iops: {writes}", f"#   write_bandwidth: {stream}", "",
        "# Ceph: an upper bound, because BlueStore writes more than its client; N is the number of the OSD",
        f"#   osd_mclock_max_capacity_iops_ssd: {writes}",
        "ceph config set osd.N osd_mclock_max_capacity_iops_ssd 1000", "",
    ]  # fmt: skip
    rows.append(figure(0, 100, 1024, 200.0))
    device.virtual, device.rotational = False, True
    lines = list(tuning.lines("one", run))
    assert lines[lines.index("disks:") :][:6] == [
        "disks:", "  - mountpoint: /var/lib/data", "    read_iops: 3000", "    read_bandwidth: 209715200",
        "    write_iops: 1000", "    write_bandwidth: 13107200",
    ]  # fmt: skip
    assert "ceph config set osd.N osd_mclock_max_capacity_iops_hdd 1000" in lines
    rows.clear()
    assert not [line for line in tuning.lines("one", run) if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("value", "longest", "recorded"),
    [
        (0.0, 0, 1), (100.0, 0, 100), (1000.0, 0, 1003), (1000.0, 2000, 1003), (1000.0, 1001, 1001),
        (1000.0, 900, 1000),
    ],
)  # fmt: skip
def test_a_time_in_a_histogram_is_the_middle_of_its_bin_or_the_longest(
    value: float, longest: int, recorded: int
) -> None:
    """fio has 64 bins for each power of two: from 512 ns on they are 8 ns wide, and 1000 to 1007 is one of them."""
    assert hdr._value(Tally(ios=1, max_ns=longest), bin_index(value)) == recorded


def test_a_time_in_the_last_bin_is_the_longest_one() -> None:
    assert hdr._value(Tally(ios=1, max_ns=20 * 10**9), BINS - 1) == 20 * 10**9

    assert hdr._value(Tally(ios=1), BINS - 1) == bin_edges_ns(BINS - 1)[1] - 1, "of which none was reported"


@pytest.mark.parametrize("max_ns", [0, 2_097_152])
def test_no_time_is_beyond_its_histogram(max_ns: int) -> None:
    """Powers of two begin a new range of its counters; single nanoseconds are kept apart below 2,048."""
    bins = {bin_index(100.0): 2, bin_index(2_097_152.0): 1}
    histogram = hdr.histogram(Tally(ios=3, max_ns=max_ns, bins=bins))
    assert histogram.get_total_count() == 3
    assert (histogram.get_value_at_percentile(50), histogram.get_min_value()) == (100, 100)
    assert histogram.highest_trackable_value == 2_097_153
    least = hdr.histogram(Tally(ios=1, bins={0: 1}))
    assert (least.get_max_value(), least.highest_trackable_value) == (1, 3), "at least twice the smallest"


def test_logs_are_files_named_after_their_runs_where_there_are_several(tmp_path: Path) -> None:
    run = made("wake", interval_s=60.0)
    one: Any = [(tmp_path / "a/x", run, {})]
    assert hdr.write(one, "en", "", tmp_path) == [tmp_path / "latency.hlog"]
    lines = (tmp_path / "latency.hlog").read_text().splitlines()
    head = list(hdr._head(run))
    assert lines[: len(head)] == head
    assert lines[len(head) :] == list(hdr._intervals(run))
    assert f"StartTime: {run.started[0].at:.3f} (seconds since epoch)" in "\n".join(head)
    two: Any = [*one, (tmp_path / "b/x", run, {})]
    assert [path.name for path in hdr.write(two, "en", "", tmp_path)] == ["latency-a-x.hlog", "latency-b-x.hlog"]
    bare: Any = [(tmp_path / "c", SimpleNamespace(results=[]), {})]
    with pytest.raises(BadInput, match=r"/c has no latency bins to make a histogram from"):
        hdr.write(bare, "en", "", tmp_path)
    assert tuning.write(two, "en", "", tmp_path) == [tmp_path / "tuning.txt"]
    expected = [line for name in ("a/x", "b/x") for line in tuning.lines(name, run)]
    assert (tmp_path / "tuning.txt").read_text().split("\n") == expected


def test_an_interval_begins_at_the_start_of_its_load() -> None:
    load = Workload(random_pct=100, read_pct=65, block_bytes=4 * KiB, threads=4, depth=32)
    tally = Tally(ios=3, bytes=12_288, max_ns=2_500_000, bins={bin_index(1000.0): 2, bin_index(2_500_000.0): 1})
    where = SimpleNamespace(test="iops", phase="rounds")

    def result(t: float, read: Tally, write: Tally) -> Any:
        counts = SimpleNamespace(seconds=2.0, read=read, write=write)
        return SimpleNamespace(step=Hold(workload=load, amount=Seconds(seconds=2)), t=t, counts=counts, where=where)

    run: Any = SimpleNamespace(results=[result(5.25, tally, Tally()), result(1.5, Tally(), tally)])
    lines = [line.rpartition(",")[0] for line in hdr._intervals(run)]
    assert lines == [
        "Tag=iops.rounds.RND_4K_65/35_T4_Q32.read,3.250,2.000,2.500",
        "Tag=iops.rounds.RND_4K_65/35_T4_Q32.write,0.000,2.000,2.500",
    ]
    histogram = hdr.histogram(tally)
    assert histogram.get_total_count() == 3
    assert histogram.get_value_at_percentile(50) == pytest.approx(1003, rel=1e-3)
    assert histogram.get_max_value() == pytest.approx(2_500_000, rel=0.009)
