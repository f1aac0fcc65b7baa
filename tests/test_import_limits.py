"""Limits of what is imported: rates, percentiles, sizes of files, and names of what is kept."""

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.base.units import GiB, MiB
from stend.imports import folder, numbers, taken, xml
from stend.imports.given import Given
from stend.imports.taken import Load, Rates, Taken
from stend.model.counts import Counts
from stend.model.events import Ended, Note, Result, Source, Started, ToolFigures
from stend.model.tally import Tally
from stend.model.workload import Workload

given = import_module("stend.imports.given")  # which the function of this name hides
BLANK = Workload(random_pct=0, read_pct=100, block_bytes=512, threads=1, depth=1)


@pytest.mark.parametrize(
    ("seconds", "counted_s", "lacks"), [(0.0, 60.0, ("seconds",)), (0.0009, 60.0, ("seconds",)), (0.001, 0.001, ())]
)
def test_a_load_without_a_time_counts_as_a_minute(seconds: float, counted_s: float, lacks: tuple[str, ...]) -> None:
    load = taken.rated(BLANK, seconds, Rates(1000.0, 512_000.0, 1e-3, 2e-3), Rates(), "a")
    assert (load.counts.seconds, load.counts.cpu_s, load.reported.unknown) == (counted_s, 0, ("a", *lacks))
    ios = round(1000 * counted_s)
    assert load.counts.write == Tally()
    assert (load.counts.read.ios, load.counts.read.bytes, load.counts.read.latency_ns2) == (ios, 512 * ios, 0.0)
    assert (load.counts.read.latency_ns, load.counts.read.max_ns) == pytest.approx((ios * 1e6, 2e6))
    assert load.reported.both == load.reported.read == {"iops": 1000, "throughput": 512_000, "mean": 1e-3, "max": 2e-3}
    assert (load.reported.write, load.phase) == ({}, "loads")


def test_the_least_rate_is_one_io() -> None:
    load = taken.rated(BLANK, 1.0, Rates(0.001, 0.5), Rates(2.0, 1024.0))
    assert ([load.counts.read.ios, load.counts.write.ios], load.counts.ios) == ([1, 2], 3)
    assert load.reported.both == {"iops": 2.001, "throughput": 1024.5}
    assert taken.rated(BLANK, 1.0, Rates(0.0, 512.0, 1.0, 1.0), Rates()).counts == Counts(1.0, 0, Tally(), Tally())


def test_rates_that_are_not_stated_are_none_and_a_load_has_an_end() -> None:
    assert Rates() == (0.0, 0.0, None, None, {})
    with pytest.raises(BadInput, match=r"^a load of 1e\+10 s is impossible$"):
        taken.rated(BLANK, 1e10, Rates(), Rates())


def test_a_mix_shares_its_rates_and_neither_direction_has_its_response_times() -> None:
    mixed = Workload(random_pct=0, read_pct=75, block_bytes=512, threads=1, depth=1)
    load = taken.shared(mixed, 2.0, Rates(1000.0, 4000.0, 1e-3, 2e-3, {"p50": 1e-3, "p99.9": 1e-3}), "x")
    assert (load.counts.read, load.counts.write) == (Tally(1500, 6000), Tally(500, 2000))
    assert load.reported == ToolFigures(
        both={"iops": 1000, "throughput": 4000, "mean": 1e-3, "max": 2e-3, "p50": 1e-3}, unknown=("x",)
    )
    for reads in (0, 100):
        alone = Workload(random_pct=0, read_pct=reads, block_bytes=512, threads=1, depth=1)
        load = taken.shared(alone, 2.0, Rates(10.0, 40.0))
        assert (load.counts.read.ios, load.counts.write.ios) == ((20, 0) if reads else (0, 20))


@pytest.mark.parametrize(
    ("name", "ios", "shown"),
    [
        ("p50", 19, False), ("p50", 20, True), ("p99", 999, False), ("p99", 1000, True), ("p99.9", 9_999, False),
        ("p99.9", 10_000, True), ("p99.999", 999_999, False), ("p99.999", 1_000_000, True), ("max", 10**9, False),
    ],
)  # fmt: skip
def test_ten_ios_lie_beyond_a_percentile_that_is_shown(name: str, ios: int, shown: bool) -> None:
    assert taken.carried({name: 0.5}, ios) == ({name: 0.5} if shown else {})
    assert taken.carried({name: 0.0}, ios) == {}


@pytest.mark.parametrize(
    ("rates", "possible"),
    [
        (Rates(), True), (Rates(1e12), True), (Rates(math.nextafter(1e12, 1e13)), False), (Rates(-1.0), False),
        (Rates(1.0, 1e15), True), (Rates(1.0, math.nextafter(1e15, 1e16)), False), (Rates(1.0, 1.0, math.nan), False),
        (Rates(1.0, 1.0, -1.0), False), (Rates(1.0, 1.0, None, 1e6), True), (Rates(1.0, 1.0, 1e6), True),
        (Rates(1.0, 1.0, None, math.nextafter(1e6, 1e7)), False), (Rates(1.0, 1.0, None, None, {"p50": -1.0}), False),
        (Rates(1.0, math.inf), False),
    ],
)  # fmt: skip
def test_rates_that_no_drive_has_are_refused(rates: Rates, possible: bool) -> None:
    if possible:
        taken.possible(rates)
    else:
        with pytest.raises(BadInput, match=r"^it has impossible figures$"):
            taken.possible(rates)


def test_no_response_takes_longer_than_a_million_seconds() -> None:
    assert taken.carried({"p50": 1e6}, 100) == {"p50": 1e6}
    with pytest.raises(BadInput, match=r"^it has impossible figures$"):
        taken.carried({"p50": math.nextafter(1e6, 1e7)}, 100)


@pytest.mark.parametrize(("seconds", "possible"), [(0.0, True), (9.9e9, True), (1e10, False), (-1.0, False)])
def test_a_load_lasts_no_longer_than_a_record_can_state(seconds: float, possible: bool) -> None:
    if possible:
        taken.lasted(seconds)
    else:
        with pytest.raises(BadInput, match=r"^a load of .* s is impossible$"):
            taken.lasted(seconds)


# Numbers and tables


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01 00:00:00", 0.0), ("1970-01-01 00:00:01", 1.0), (" 1970-01-01 00:01:00 ", 60.0),
        ("1969-12-31 23:59:59", 0.0),
        ("2286-11-20 17:46:39", 9_999_999_999.0), ("2286-11-20 17:46:40", 0.0), ("x", 0.0), ("1970-01-02", 86_400.0),
    ],
)  # fmt: skip
def test_a_date_is_a_time_of_the_record_or_none(text: str, seconds: float) -> None:
    assert numbers.at(text, "%Y-%m-%d %H:%M:%S", "%Y-%m-%d") == seconds


def test_a_table_has_rows_as_many_as_a_result_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "MOST_ROWS", 3)
    assert list(numbers.rows("a\n" * 3)) == [["a"]] * 3
    with pytest.raises(BadInput, match=r"^it has more than 3 rows: it is too long for a result$"):
        list(numbers.rows("a\n" * 4))


@pytest.mark.parametrize(
    ("text", "rows", "kept", "note"),
    [
        ("a,b\n1,2\n", [["1", "2"]], [["1", "2"]], ""), ("a,b\n1,2", [["1", "2"]], [["1", ""]], "no_end"),
        ("a,b\n1,2\n3", [["1", "2"], ["3"]], [["1", "2"]], "cut_off"), ("", [], [], ""),
    ],
)  # fmt: skip
def test_a_row_without_a_line_end_may_be_cut_off(
    text: str, rows: list[list[str]], kept: list[list[str]], note: str
) -> None:
    found, notes = numbers.until_cut(text, ("a", "b"), rows)
    assert (found, [one.key for one in notes]) == (kept, [f"imported.{note}"] * bool(note))


@pytest.mark.parametrize(
    ("text", "unit", "value"), [("2", 1e-3, 2e-3), ("0", 1e-3, None), ("x", 1.0, None), (None, 1, None)]
)
def test_a_time_of_0_is_not_stated(text: str | None, unit: float, value: float | None) -> None:
    assert numbers.scaled(text, unit) == value


# Files


def test_a_text_a_file_and_an_xml_have_the_length_of_a_result(tmp_path: Path) -> None:
    assert len(given.text(b"a" * (8 * MiB))) == 8 * MiB
    with pytest.raises(BadInput, match=r"^it has more than 8 MiB of text$"):
        given.text(b"a" * (8 * MiB + 1))
    file = tmp_path / "a"
    for size, fits in ((64 * MiB, True), (64 * MiB + 1, False)):
        with file.open("wb") as made:
            made.truncate(size)
        if fits:
            assert len(given.given(file).files[0][1]) == size
        else:
            with pytest.raises(BadInput, match=r"/a has more than 64 MiB: it is too large for the result"):
                given.given(file)
    assert xml.tree(b"<a>" + b" " * (16 * MiB - 7) + b"</a>").tag == "a"
    with pytest.raises(BadInput, match=r"^it has more than 16 MiB of XML$"):
        xml.tree(b"<a>" + b" " * (16 * MiB - 6) + b"</a>")


def test_a_folder_has_the_length_and_the_files_of_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("a.json", 3), ("b.JSON", 4), ("c.log", 9)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "d.json").symlink_to("a.json")
    monkeypatch.setattr(given, "MOST_OF_FOLDER", 7)
    monkeypatch.setattr(given, "MOST_FILES", 4)
    whole = given.given(tmp_path)
    assert ([name for name, _ in whole.files], whole.left, whole.folder) == (["a.json", "b.JSON"], 1, True)
    assert (whole.name, whole.data, whole.changed_s) == (
        tmp_path.name,
        b"",
        max(p.stat().st_mtime for p in tmp_path.glob("[ab]*")),
    )
    monkeypatch.setattr(given, "MOST_OF_FOLDER", 6)
    with pytest.raises(BadInput, match=r"b\.JSON has more than 3 B"):
        given.given(tmp_path)
    monkeypatch.setattr(given, "MOST_FILES", 3)
    with pytest.raises(BadInput, match=r"has more than 3 files; import a folder of fewer$"):
        given.given(tmp_path)


# Folders of runs


def result(*loads: Load, **more: Any) -> Taken:
    return Taken("Tool", "1", loads, **more)


@pytest.mark.parametrize(
    ("name", "number", "kept"),
    [
        ("a b/c.json", None, "original-a_b_c.json"), ("...", None, "original-original"), ("x", 7, "original-00007-x"),
        ("y" * 200, None, "original-" + "y" * 120), ("z" * 200 + ".json", 0, "original-00000-" + "z" * 115 + ".json"),
    ],
)  # fmt: skip
def test_an_original_is_kept_under_the_end_of_its_name(name: str, number: int | None, kept: str) -> None:
    assert folder.kept_name(name, number) == kept


def test_the_name_of_a_run_has_its_time_tool_original_and_content(monkeypatch: pytest.MonkeyPatch) -> None:
    handed = Given("my result.v2.json", (("a", b"1"),), changed_s=86_400.0)
    monkeypatch.setenv("TZ", "UTC")
    stem = folder.name(handed, result())
    assert stem[8:] == "-000000-tool-my-result.v2-" + f"{folder.seed(handed):013x}" or "T" in stem
    assert folder.name(handed._replace(name="..."), result()).split("-")[3] == "result"
    long = folder.name(handed._replace(name="a" * 99), result())
    assert "a" * 60 in long
    assert "a" * 61 not in long
    assert len(folder.name(handed._replace(name="a" * 99), result()._replace(tool="t" * 99))) == 120
    two = Given("x", (("a", b"1"), ("b", b"2")))
    assert folder.seed(two) == folder.seed(two._replace(files=two.files[::-1])) != folder.seed(handed)
    assert folder.seed(two) < 1 << 52


@pytest.mark.parametrize(
    ("at", "changed_s", "when"), [(5.0, 9.0, 5.0), (0.0, 9.0, 9.0), (0.0, -9.0, 0.0), (0.0, 1e11, 1e10)]
)
def test_a_run_began_when_its_result_states_or_else_its_file_changed(at: float, changed_s: float, when: float) -> None:
    assert folder._at(Given("a", (), changed_s), result(at=at)) == when


def test_each_load_is_a_step_of_its_phase_in_the_order_of_the_result() -> None:
    counts = [Counts(float(n), 0, Tally(n, n * 512), Tally(n, n * 1024)) for n in (1, 2, 3)]
    known = Workload(random_pct=0, read_pct=50, block_bytes=512, threads=1, depth=1, range_bytes=4 * GiB)
    reported = ToolFigures(unknown=("block size", "seconds"))
    loads = [
        Load(BLANK, counts[0], reported, "a"),
        Load(known, counts[1], phase="b"),
        Load(BLANK, counts[2], phase="a"),
    ]
    whole = result(*loads, at=7.0, drive={"target": "/dev/x"})
    begun, *steps, ended = folder.events(
        Given("n", (("n", b""),)), whole, Source(tool="Tool", version="1", format="f", files=())
    )
    assert isinstance(begun, Started)
    assert isinstance(ended, Ended)
    assert (begun.at, begun.plan.longest_s, begun.plan.expected_s, begun.plan.range_bytes) == (7.0, 6.0, 6.0, 4 * GiB)
    assert (begun.plan.write_bytes, begun.plan.device.target, begun.plan.device.capacity_bytes) == (
        6 * 1024,
        "/dev/x",
        0,
    )
    assert [(phase.name, len(phase.round)) for phase in begun.plan.tests[0].phases] == [("a", 2), ("b", 1)]
    results: list[Any] = [step for step in steps if isinstance(step, Result)]
    assert [(r.where.phase, r.where.round, r.index, r.t, r.step.amount.seconds) for r in results] == [
        ("a", 1, 0, 1.0, 1.0), ("b", 1, 0, 3.0, 2.0), ("a", 1, 1, 6.0, 3.0),
    ]  # fmt: skip
    notes = [step for step in steps if isinstance(step, Note)]
    assert [(note.text.key, note.t) for note in notes] == [("imported.untold", 6.0), ("imported.of_loads", 6.0)]
    assert {name: notes[1].text.values[name] for name in ("n", "all")} == {"n": 1, "all": 3}
    assert (ended.t, ended.outcome, ended.reason, len(steps)) == (6.0, "imported", "n", 5)
    (undated,) = folder._notes(result(unknown=()))
    assert undated.key == "imported.undated"


@pytest.mark.parametrize("phases", [500, 501])
def test_a_result_has_phases_as_many_as_a_plan_has(phases: int) -> None:
    loads = [Load(BLANK, Counts(1.0), phase=str(n)) for n in range(phases)]
    source = Source(tool="Tool", version="1", format="f", files=())
    if phases <= 500:
        assert len(folder._plan("t", result(*loads), source).tests[0].phases) == phases
    else:
        with pytest.raises(BadInput, match=r"^it has more than 500 phases$"):
            folder._plan("t", result(*loads), source)
