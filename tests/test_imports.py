"""Results of other tools become runs: their numbers with the right units, their lacks told, and nothing half there."""

import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from stend import imports, report, store
from stend.base.errors import BadInput
from stend.base.units import MB, GiB, KiB, MiB
from stend.cli import main
from stend.findings.look.figures import figures
from stend.imports import folder as folders
from stend.imports.given import Given
from stend.many import read
from stend.many.compare import compared, outcome, side
from stend.words import Language
from tests.imported import FORMATS, SAMPLES, at, imported, loads, ods, run_of
from tests.synthetic import Truth, made


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_known_by_its_content_alone(name: str, tmp_path: Path) -> None:
    bare = tmp_path / "result"
    (shutil.copytree if (SAMPLES / name).is_dir() else shutil.copy)(SAMPLES / name, bare)
    assert imports.taken_from(bare)[1] == FORMATS[name]
    told = [known for known, reader in imports.readers().items() if reader.claims(imports.given(bare))]
    assert told == [FORMATS[name]]


@pytest.mark.parametrize(
    ("name", "load", "figures_told"),
    [
        ("diskspd.txt", "loads RND 8K 70/30 T2 Q16", (20_000, 163_840_000, 1.6e-3, 8e-3)),
        ("diskspd.xml", "loads RND 4K 100/0 T4 Q32", (200_000, 819_200_000, 0.64e-3, 2e-3)),
        ("kdiskmark.txt", "loads RND 4K 100/0 T1 Q32", (100_000, 409_600_000, 320e-6, None)),
        ("kdiskmark.txt", "loads RND 4K 70/30 T1 Q32", (60_000, 245_760_000, 530e-6, None)),
        ("crystaldiskmark.txt", "loads SEQ 1024K 0/100 T1 Q8", (1500, 1_572_864_000, 5.3e-3, None)),
        ("crystaldiskmark-5.txt", "loads RND 4K 0/100 T1 Q1", (24_000, 98_304_000, None, None)),
        ("ezfio.csv", "Sustained 4KB Random mixed 30% Write Tests by Threads RND 4K 70/30 T4 Q1",
         (50_000, 204_800_000, 79e-6, None)),
        ("elbencho.csv", "loads RND 4K 100/0 T4 Q8", (100_000, 409_600_000, 320e-6, None)),
        ("elbencho.csv", "loads RND 4K 50/50 T4 Q8", (60_000, 245_760_000, 500e-6, None)),
        ("iometer.csv", "4 KiB; 100% Read; 0% random SEQ 4K 100/0 T4 Q8", (80_000.5, 327_682_048, 400e-6, None)),
        ("iometer.csv", "All in one RND 33.333K 67/33 T4 Q1", (9000, 292.96875 * MiB, 3.5e-3, None)),
        ("tkperf.xml", "iops RND 4K 0/100 T2 Q16", (7062, 7062 * 4 * KiB, None, None)),
        ("tkperf.xml", "lat RND 8K 65/35 T1 Q1", (1 / 110e-6, 8 * KiB / 110e-6, 110e-6, None)),
        ("tkperf.xml", "tp SEQ 1024K 100/0 T2 Q16", (500_002 / 1024, 500_002 * KiB, None, None)),
        ("tkperf.xml", "writesat-end RND 4K 0/100 T2 Q16", (45_500, 45_500 * 4 * KiB, 350e-6, None)),
    ],
)  # fmt: skip
def test_a_load_has_the_numbers_that_its_tool_told(
    name: str, load: str, figures_told: tuple[Any, ...], tmp_path: Path
) -> None:
    found = at(loads(run_of(name, tmp_path))[load])
    assert found == pytest.approx(figures_told, rel=1e-5, nan_ok=False)


@pytest.mark.parametrize("name", ["fio-2.1.10.json", "fio-2.21.json", "fio-3.33.json", "fio-3.42.json"])
def test_units_of_every_fio_agree_by_littles_law(name: str, tmp_path: Path) -> None:
    """KiB for bytes is off by 1024, microseconds for nanoseconds by 1000; IOPS x mean is what was outstanding."""
    run = run_of(name, tmp_path)
    mix, sequential = figures(run)[0], figures(run)[-1]
    assert [mix.tally.bytes / mix.tally.ios, sequential.tally.bytes / sequential.tally.ios] == pytest.approx(
        [4 * KiB, 64 * KiB], rel=2e-3
    )
    assert mix.iops * mix.number("mean") == pytest.approx(8, rel=0.15)
    assert sequential.iops * sequential.number("mean") == pytest.approx(4, rel=0.15)
    if name != "fio-2.1.10.json":
        assert [mix.workload.label, sequential.workload.label] == ["RND 4K 70/30 T2 Q4", "SEQ 64K 0/100 T1 Q4"]


def test_fio_s_own_sums_are_the_record_s(tmp_path: Path) -> None:
    told = json.loads((SAMPLES / "fio-3.33.json").read_text())
    run, jobs = run_of("fio-3.33.json", tmp_path), [job for job in told["jobs"] if job["jobname"] == "mix"]
    assert len(jobs) == 2
    counts = run.results[0].counts
    assert counts.read.ios == sum(job["read"]["total_ios"] for job in jobs)
    assert counts.write.bytes == sum(job["write"]["io_bytes"] for job in jobs)
    assert counts.read.max_ns == max(job["read"]["lat_ns"]["max"] for job in jobs)


def test_percentiles_are_of_bins_where_those_are_told_and_else_as_told_but_never_merged(tmp_path: Path) -> None:
    bins = figures(run_of("fio-3.33-plus.json", tmp_path))[0]
    plus = json.loads((SAMPLES / "fio-3.33-plus.json").read_text())["jobs"][0]["read"]["lat_ns"]["percentile"]
    assert bins.number("p99") == pytest.approx(plus["99.000000"] / 1e9, rel=0.01)
    run = run_of("fio-3.33.json", tmp_path)
    own = {(row.workload.label, row.direction): row for row in figures(run)}
    sequential = json.loads((SAMPLES / "fio-3.33.json").read_text())["jobs"][-1]["write"]["clat_ns"]["percentile"]
    assert own["SEQ 64K 0/100 T1 Q4", "both"].value("p99") == sequential["99.000000"] / 1e9
    assert own["SEQ 64K 0/100 T1 Q4", "both"].value("p99.9") is None, "five IOs lie beyond"
    assert [own["RND 4K 70/30 T2 Q4", way].value("p99") for way in ("both", "read", "write")] == [None] * 3


def test_what_was_not_told_is_empty_and_never_nought(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = imported(SAMPLES / "crystaldiskmark-5.txt", tmp_path)
    (row, *_) = figures(store.load(place))
    assert [row.value(name) for name in ("mean", "max", "p50", "p99")] == [None] * 4
    main(["show", str(place)])
    shown = capsys.readouterr().out
    assert " 90k " in shown
    assert re.search(r" 90k +[\d.]+ +– +–\n", shown)
    (told, *_) = json.loads((report.write([(place, store.load(place), {})], "json", into=place)[0]).read_text())["runs"]
    assert told["records"][0]["read_mean_s"] is told["records"][0]["read_deviation_s"] is None


@pytest.mark.parametrize("name", FORMATS)
def test_each_says_on_every_screen_that_no_steady_state_was_proven(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = imported(SAMPLES / name, tmp_path)
    assert main(["show", str(place)]) == 0
    shown = capsys.readouterr().out
    assert "no steady state proven" in shown
    assert all(note.text in shown for note in store.load(place).notes)
    assert "not stated: " in shown
    assert {row.steady for row in figures(store.load(place))} == {None}
    assert {row.state for row in figures(store.load(place))} == {"unknown"}


@pytest.mark.parametrize("name", FORMATS)
def test_each_shows_up_in_compare_with_its_limits(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, other = imported(SAMPLES / name, tmp_path / "a"), imported(SAMPLES / "fio-3.33.json", tmp_path / "b")
    again = tmp_path / "again"
    handed, form, taken = imports.taken_from(SAMPLES / name)
    later = handed._replace(files=(*handed.files, ("another time", b"2")))
    first, second = (read.named([one]) for one in (place, folders.write(later, form, taken, again)))
    whole = compared(*read.with_names(first, second))
    assert whole.differences
    assert {one.verdict for one in whole.differences} <= {"close", "not comparable"}
    assert [note.key for note in whole.notes if note.key == "imported"] == ["imported"] * 2
    lacks = {note.values["text"] for note in whole.notes if note.key == "lack"}
    assert set(taken.notes) <= lacks
    if name != "fio-3.33.json":
        assert main(["compare", str(place), "--", str(other)]) == 0
        said = capsys.readouterr().out
        assert "a steady state was not proven" in said
        assert "makes figures incomparable" in said or FORMATS[name] == "fio"


@pytest.mark.parametrize("name", FORMATS)
def test_every_lack_is_told_in_russian_too(name: str, tmp_path: Path) -> None:
    run, words = run_of(name, tmp_path), Language("ru")
    said = [*(note.text for note in run.notes), *run.stamps]
    assert [text for text in said if not re.search("[А-Яа-я]", words.translated(text))] == []
    assert not [
        told for text in said if re.search(r"drive|steady|percentile|not told|queue", told := words.translated(text))
    ]


def test_words_around_and_several_documents_are_no_hindrance_and_are_told() -> None:
    plain = (SAMPLES / "fio-3.33.json").read_bytes()
    error = b"fio: pid=8281, err=84/file:io_u.c:2141, func=io_u error, error=Invalid or incomplete multibyte\n"
    handed = Given("a", (("a", error + plain + b"\n" + plain),))
    assert imports.readers()["fio"].claims(handed)
    taken = imports.understood(handed, "fio", "a")
    assert taken.loads == imports.understood(Given("a", (("a", plain),)), "fio", "a").loads
    assert [note[:30] for note in taken.notes[:2]] == [
        "fio printed: fio: pid=8281, er",
        "it holds 2 documents; the last",
    ]
    odd = plain.replace(b'"mean" : ', b'"mean" : -nan, "was" : ', 1)
    assert imports.understood(Given("a", (("a", odd),)), "fio", "a").loads


def test_text_of_windows_is_read_in_its_encoding() -> None:
    text = (SAMPLES / "diskspd.txt").read_text().replace("\n", "\r\n")
    told = imports.understood(Given("a", (("a", text.encode("utf-16")),)), "diskspd-text", "a")
    assert told.loads == imports.taken_from(SAMPLES / "diskspd.txt")[2].loads
    assert imports.readers()["diskspd-text"].claims(Given("a", (("a", text.encode("utf-16")),)))


def test_what_a_load_was_is_guessed_and_makes_it_incomparable(tmp_path: Path) -> None:
    handed, form, taken = imports.taken_from(SAMPLES / "fio-2.1.10.json")
    first, second = (
        read.named([folders.write(handed._replace(files=(("a", str(n).encode()),)), form, taken, tmp_path / str(n))])
        for n in (1, 2)
    )
    whole = compared(first, second)
    assert {one.verdict for one in whole.differences} == {"not comparable"}
    assert {why.key for one in whole.differences for why in one.why} == {"untold"}
    assert {one.verdict for one in compared(first, second, anyway=True).differences} == {"close"}


def test_a_run_of_stend_is_laid_beside_another_tools_load_and_told_why_it_is_not_comparable(tmp_path: Path) -> None:
    text = "KDiskMark (9): x\n[Read]\n  Random   4 KiB (Q= 32, T= 4):   409.600 MB/s [ 100000.0 IOPS] < 1280.0 us>\n"
    (tmp_path / "k.txt").write_text(text)
    own = made("iops", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)
    a, b = side("own", [outcome("own", own, {})]), read.named([imported(tmp_path / "k.txt", tmp_path)], "k")
    (rate,) = [one for one in compared(a, b).differences if one.quantity == "iops"]
    assert (rate.key.test, rate.key.load) == ("iops", "RND 4K 100/0 T4 Q32")
    assert rate.b == pytest.approx(100_000)
    assert rate.verdict == "not comparable"
    assert {"profile", "engine"} <= {why.values["name"] for why in rate.why if why.key == "setting"}
    (anyway,) = [one for one in compared(a, b, anyway=True).differences if one.quantity == "iops"]
    assert anyway.verdict == ("ahead" if rate.b > (rate.a or 0) else "behind")
    assert {why.key for why in anyway.warned} >= {"setting", "untold_state"}


def test_an_imported_run_has_data_formats_and_is_no_review(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = imported(SAMPLES / "fio-3.33-plus.json", tmp_path)
    for form in ("csv", "hdr", "json", "openmetrics", "parquet"):
        assert main(["report", str(place), "--format", form]) == 0
    assert main(["report", str(place)]) == 2
    assert "was imported and has no review" in capsys.readouterr().err
    assert main(["resume", str(place)]) == 2
    assert "and cannot be resumed" in capsys.readouterr().err


def test_ezfio_s_sheet_says_what_its_csv_says(tmp_path: Path) -> None:
    (tmp_path / "results.ods").write_bytes(ods((SAMPLES / "ezfio.csv").read_text()))
    _, form, taken = imports.taken_from(tmp_path / "results.ods")
    plain = imports.taken_from(SAMPLES / "ezfio.csv")[2]
    assert form == "ezfio"
    assert (taken.loads, taken.notes, taken.drive) == (plain.loads, plain.notes, plain.drive)
    assert taken.drive == {"target": "/dev/nvme1n1", "model": "EXAMPLE SSD 400", "serial": "EX0001",
                           "capacity_bytes": 372 * GiB}  # fmt: skip
    assert any("decimal comma" in note for note in taken.notes)


def test_counts_stand_for_the_seconds_that_were_told_and_else_for_a_minute(tmp_path: Path) -> None:
    told = loads(run_of("kdiskmark.txt", tmp_path))["loads RND 4K 100/0 T1 Q32"]
    assert (told.seconds, told.tally.ios, told.tally.bytes) == (5, 500_000, 500_000 * 4096)
    untold = loads(run_of("crystaldiskmark-5.txt", tmp_path))["loads RND 4K 100/0 T1 Q1"]
    assert (untold.seconds, untold.tally.ios) == (60, 480_000)


def test_a_table_that_ezfio_broke_off_says_so() -> None:
    handed = Given("e.csv", (("e.csv", (SAMPLES / "ezfio.csv").read_bytes() + b"ERROR\n"),))
    taken = imports.understood(handed, "ezfio", "e.csv")
    assert "ezFIO broke off in Sustained 4KB Random mixed 30% Write Tests by Threads" in taken.notes


def test_megabytes_of_kdiskmark_are_found_out(tmp_path: Path) -> None:
    """Versions of it write MiB/s, 1000 KiB/s and MB/s under the same two letters."""
    text = "KDiskMark (9): x\n[Read]\n  Random   4 KiB (Q=  1, T= 1): {:9.3f} MB/s [ 10000.0 IOPS] <  99.00 us>\n"
    for divisor, said in ((MB, ""), (1.024 * MB, "KiB/s ÷ 1000"), (MiB, "MiB/s")):
        handed = Given("k.txt", (("k.txt", text.format(10_000 * 4096 / divisor).encode()),))
        taken = imports.understood(handed, "diskmark", "k.txt")
        assert taken.loads[0].reported.read["throughput"] == 10_000 * 4096
        assert [note for note in taken.notes if said in note] if said else not any("units" in n for n in taken.notes)


def test_a_tree_with_two_targets_is_asked_for_one_by_one(tmp_path: Path) -> None:
    for drive in ("sda", "sdb"):
        shutil.copytree(SAMPLES / "bench-fio", tmp_path / "tree" / drive)
    with pytest.raises(BadInput, match="import the folder of each target by itself"):
        imports.taken_from(tmp_path / "tree")
    assert math.isclose(sum(row.iops > 0 for row in figures(run_of("bench-fio", tmp_path / "one"))), 4)


def test_a_cell_of_diskplorer_has_a_size_that_a_record_can_hold() -> None:
    huge = (SAMPLES / "diskplorer.json").read_text()
    document = json.loads(huge)
    for job in document["jobs"]:
        job["read"] |= {"io_bytes": 1 << 49, "total_ios": 1000}
    given = Given("result", (("result.json", json.dumps(document).encode()),), 1e9)
    taken = imports.understood(given, "diskplorer", "result")
    sizes = {stream.block_bytes for load in taken.loads for stream in load.workload.streams}
    assert max(sizes) == 1 * GiB


@pytest.mark.parametrize("extreme", ["1e308", "-1e308", "1e-308", "5e-324", "1e18", "0", "nan", "inf"])
@pytest.mark.parametrize("name", [name for name in FORMATS if name.endswith((".csv", ".txt", ".xml"))])
def test_a_figure_beyond_any_drive_is_refused_or_left_out_by_every_reader(
    name: str, extreme: str, tmp_path: Path
) -> None:
    text = (SAMPLES / name).read_text()
    for number in sorted(set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", text)))[::5]:
        file = tmp_path / name
        file.write_text(re.sub(rf"(?<![\w.]){re.escape(number)}(?![\w.])", extreme, text))
        try:
            taken = imports.taken_from(file)[2]
        except BadInput:
            continue
        counts = [load.counts for load in taken.loads]
        assert all(math.isfinite(c.read.bytes + c.write.bytes) for c in counts)


@pytest.mark.parametrize("kept", [True, False])
def test_a_result_of_tkperf_has_the_kernel_of_its_host_if_it_states_one(kept: bool, tmp_path: Path) -> None:
    text = (SAMPLES / "tkperf.xml").read_text()
    place = tmp_path / "result.xml"
    place.write_text(text if kept else re.sub("<kernel>.*?</kernel>", "", text))
    assert imports.taken_from(place)[2].host == ({"kernel": "Linux 6.1"} if kept else {})


@pytest.mark.parametrize(("name", "form"), [("fio-3.33.json", "fio"), ("diskplorer.json", "diskplorer")])
def test_a_load_that_lasts_longer_than_a_record_can_state_is_refused(name: str, form: str) -> None:
    document = json.loads((SAMPLES / name).read_text())
    for job in document["jobs"]:
        job["read"]["runtime"] = 10**14
    handed = Given(name, ((name, json.dumps(document).encode()),), 1e9)
    with pytest.raises(BadInput, match=r"cannot be imported as .*: a load of 1e\+11 s is impossible"):
        imports.understood(handed, form, name)
