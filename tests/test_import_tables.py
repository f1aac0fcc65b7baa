"""Every figure of a result in a table, a text or a matrix is read where its tool wrote it."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from stend.base.errors import BadInput
from stend.base.units import GiB, KiB, MiB
from stend.imports import diskmark, elbencho, ezfio, iometer, tkperf, understood
from stend.imports.given import Given
from stend.imports.taken import Rates, Taken
from stend.model.workload import Workload

BLANK = Workload(random_pct=0, read_pct=100, block_bytes=512, threads=1, depth=1)


def of(text: str, name: str = "a") -> Given:
    return Given(name, ((name, text.encode()),))


def keys(result: Taken) -> list[str]:
    return [note.key.removeprefix("imported.") for note in result.notes]


# KDiskMark and CrystalDiskMark

FOOT = "Test: 1 GiB (x3) [Measure: 5 sec]\nDate: 1970-01-02 00:00:00\nOS: x\n"


@pytest.mark.parametrize(
    ("line", "label", "rate", "notes"),
    [
        ("SEQ 1MiB (Q= 8, T= 2): 5.000 MB/s", "SEQ 1024K 100/0 T2 Q8", 5e6 / MiB, []),
        ("RND 1024MiB (Q= 1, T= 1): 2000.0 MB/s", "RND 1048576K 100/0 T1 Q1", 2e9 / GiB, []),
        ("RND 4KiB (Q= 1, T= 1): 4.096 MB/s [1024.0 IOPS]", "RND 4K 100/0 T1 Q1", 1024, []),
        ("RND 4KiB (Q= 1, T= 1): 5.000 MB/s [1280.0 IOPS]", "RND 4K 100/0 T1 Q1", 1280, ["megabytes"]),
        ("RND 4KiB (Q= 1, T= 1): 5.243 MB/s [1280.0 IOPS]", "RND 4K 100/0 T1 Q1", 1280, []),
        ("RND 4KiB (Q= 1, T= 1): 4.999 MB/s [1280.0 IOPS]", "RND 4K 100/0 T1 Q1", 1280, []),
        ("RND 4KiB (Q= 1, T= 1): 0.000 MB/s [1280.0 IOPS]", "RND 4K 100/0 T1 Q1", 1280, []),
        ("RND 4KiB (Q= 1, T= 1): 40.96 MB/s [0.0 IOPS]", "RND 4K 100/0 T1 Q1", 10_000, []),
    ],
)
def test_a_rate_of_diskmark_is_its_iops_or_else_its_bytes(line: str, label: str, rate: float, notes: list[str]) -> None:
    """At 5 MB/s and more a unit can be told by IOPS x block size: 1280 IOPS of 4096 B are 5.24 MB/s or 5 MiB/s."""
    taken = diskmark.read(of(f"CrystalDiskMark 8.0\n[Read]\n{line}\n{FOOT}"))
    (load,) = taken.loads
    assert load.workload.label == label
    assert (load.reported.both["iops"], load.counts.seconds) == pytest.approx((rate, 5.0))
    assert keys(taken) == [*notes, "best", "mark_lacks", "zone"]
    assert (taken.tool, taken.version, taken.at, taken.host) == ("CrystalDiskMark", "8.0", 86400.0, {"system": "x"})


@pytest.mark.parametrize(
    ("line", "label", "unknown"),
    [
        ("RND 4KiB (Q= 1, T= 1): 4.096 MB/s", "RND 4K 100/0 T1 Q1", ()),
        ("Random Write : 4.096 MB/s", "RND 4K 0/100 T1 Q1", ("block size",)),
        ("Sequential Read : 4.096 MB/s", "SEQ 1024K 100/0 T1 Q1", ("block size",)),
    ],
)
def test_a_line_of_diskmark_without_a_size_has_the_usual_one(line: str, label: str, unknown: tuple[str, ...]) -> None:
    (load,) = diskmark.read(of(f"CrystalDiskMark 3\n{line}\n{FOOT}")).loads
    assert (load.workload.label, load.reported.unknown) == (label, unknown)


def test_a_block_of_diskmark_above_a_gibibyte_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^it has a block size that no IO can have$"):
        diskmark.read(of("CrystalDiskMark 8\n[Read]\nRND 1025MiB (Q= 1, T= 1): 1.0 MB/s\n"))


def test_a_rate_of_diskmark_that_is_no_number_is_none() -> None:
    (load,) = diskmark.read(of("CrystalDiskMark 8\n[Read]\nRND 4KiB (Q= 1, T= 1): 1.2.3 MB/s\n")).loads
    assert load.counts.ios == 0


@pytest.mark.parametrize(
    ("foot", "notes"),
    [
        ("", ["mark_seconds", "mark_lacks", "no_foot"]),
        ("OS: x\n", ["mark_seconds", "mark_lacks"]),
        ("Test: 1 GiB\nOS: x\n", ["mark_seconds", "best_of", "mark_lacks"]),
        ("Test: 1 GiB (x5)\nTime: Measure 5 sec\nDate: 1970/01/02 00:00:00\n", ["best", "mark_lacks", "zone"]),
        ("RND 4KiB (Q= 1, T= 1) : 1 MB/s MB/s\nOS: x\n", ["unread", "mark_seconds", "mark_lacks"]),
    ],
)
def test_a_text_of_diskmark_has_a_note_on_each_thing_that_it_lacks(foot: str, notes: list[str]) -> None:
    text = f"KDiskMark (3.2.0.): x\n[Read]\nRND 4KiB (Q= 1, T= 1): 9.0 MB/s\n{foot}"
    result = diskmark.read(of(text))
    assert (keys(result), result.version) == (notes, "3.2.0")
    assert {note.key: note.values for note in result.notes}.get("imported.best", {"n": 5}) == {"n": 5}


@pytest.mark.parametrize(
    ("settings", "seconds", "span"),
    [
        ({}, 0.0, 0),
        ({"Test": "512 MiB (x5)", "Time": "Measure 7 sec"}, 7.0, 512 * MiB),
        ({"Test": "2 GB [Measure: 30 sec]"}, 30.0, 2 * GiB),
        ({"Test": "0 MiB", "Time": "Measure 86400 sec"}, 86_400.0, 0),
        ({"Time": "Measure 999999 sec"}, 86_400.0, 0),
        ({"Test": "x"}, 0.0, 0),
    ],
)
def test_the_foot_of_diskmark_has_its_seconds_and_its_range(
    settings: dict[str, str], seconds: float, span: int
) -> None:
    assert (diskmark._seconds(settings), diskmark._range(settings)) == (seconds, span)


def test_a_text_of_diskmark_is_read_as_far_as_a_result_is_long() -> None:
    lines = diskmark._lines("\n".join(["a" * 400] * 10_002))
    assert (len(lines), {*map(len, lines)}) == (10_000, {300})
    assert diskmark.claims(of("-\n" * 990 + "CrystalDiskMark 8\nMB/s"))
    assert not diskmark.claims(of("-\n" * 1001 + "CrystalDiskMark 8\nMB/s"))
    assert not diskmark.claims(of("CrystalDiskMark 8\n"))
    assert not diskmark.claims(of("CrystalDiskMark 8\nMB/s")._replace(folder=True))


# Iometer

SPEC = "'Access specification name,default\n{name},2\n'size,% of size\n{lines}\n'End\n"
COLUMNS = ("Access Specification Name", "# Workers", "Queue Depth", "Read IOps", "Write IOps", "Read MBps",
           "Write MBps", "Average Read Response Time", "Maximum Read Response Time")  # fmt: skip


def rows(*cells: str, specs: str = "", columns: tuple[str, ...] = COLUMNS) -> Given:
    return of(f"{specs}'Results\n'Target Type,Target Name,{','.join(columns)}\nALL,All,{','.join(cells)}\n")


def test_a_row_of_iometer_has_binary_megabytes_and_milliseconds() -> None:
    (load,) = iometer.read(rows("a", "2", "3", "200", "56", "1", "2", "4", "9")).loads
    assert load.reported.both == {"iops": 256, "throughput": 3 * MiB}
    assert load.reported.read == pytest.approx({"iops": 200, "throughput": MiB, "mean": 0.004, "max": 0.009})
    assert load.reported.write == {"iops": 56, "throughput": 2 * MiB}
    assert (load.reported.unknown, load.phase) == (("random or sequential", "seconds"), "a")
    assert (load.counts.seconds, load.counts.read.ios, load.counts.read.max_ns) == pytest.approx((60.0, 12_000, 9e6))
    assert load.workload.label == "SEQ 12K 78/22 T2 Q3"


@pytest.mark.parametrize(
    ("name", "unit"),
    [("MBps (Decimal)", 10**6), ("MiBps (Binary)", MiB), ("MBps (Binary)", MiB), ("MBps", MiB), ("x", 0)],
)
def test_units_of_iometer_are_in_the_names_of_its_columns(name: str, unit: int) -> None:
    row = {"read iops": "1", f"read {name}".lower(): "3"}
    assert iometer._rates(row, "read") == Rates(1.0, 3.0 * unit)


@pytest.mark.parametrize(
    ("lines", "label", "unknown", "notes"),
    [
        ("8192,100,20,60,0,1", "60%RND 8K 20/80 T1 Q1", (), []),
        ("8192,50,20,60,0\n4096,50,90,1,0", "60%RND 4K 20/80 T1 Q1", ("block size",), ["sizes"]),
        ("8192,100,20", "SEQ 4K 100/0 T1 Q1", ("random or sequential",), ["spec"]),
        ("x,100,20,60", "SEQ 4K 100/0 T1 Q1", ("random or sequential",), ["spec"]),
    ],
)
def test_a_specification_of_iometer_has_four_numbers(
    lines: str, label: str, unknown: tuple[str, ...], notes: list[str]
) -> None:
    result = iometer.read(rows("a", "1", "1", "256", "0", "1", "0", "", "", specs=SPEC.format(name="a", lines=lines)))
    (load,) = result.loads
    assert (load.workload.label, load.reported.unknown) == (label, (*unknown, "seconds"))
    assert keys(result) == [*notes, "ticks", "wide", "zones"]


@pytest.mark.parametrize("more", [0, 1])
def test_a_specification_that_is_cut_off_is_none(more: int) -> None:
    table = [[iometer.SPECS], ["a"], ["'size"], ["512", "1", "2", "3"]]
    assert [*iometer._specs(table[: 3 + more])] == [("a", iometer.Spec(512, 2, 3, 1))] * more


@pytest.mark.parametrize(
    ("workers", "depth", "shape", "known"),
    [("2", "3", "T2 Q3", True), ("0", "3", "T1 Q3", False), ("2", "0", "T2 Q1", False), ("", "", "T1 Q1", False)],
)
def test_threads_and_depths_that_iometer_does_not_state_are_unknown(
    workers: str, depth: str, shape: str, known: bool
) -> None:
    (load,) = iometer.read(rows("", workers, depth, "256", "0", "1", "0", "", "")).loads
    assert load.workload.label == f"SEQ 4K 100/0 {shape}"
    assert ("threads and queue depth" not in load.reported.unknown, load.phase) == (known, "loads")


def test_a_row_of_iometer_without_ios_is_left_out() -> None:
    result = understood(rows("a", "1", "1", "256", "0", "1", "0", "", "")._replace(name="x"), "iometer", "x")
    assert len(result.loads) == 1
    with pytest.raises(BadInput, match=r"^x cannot be imported as iometer: it holds no IO$"):
        understood(rows("a", "1", "1", "0", "0", "0", "0", "", ""), "iometer", "x")


# elbencho


@pytest.mark.parametrize(
    ("first", "claimed"),
    [
        ("ISO date,label,operation", True), ("iso date,label,phase\nx", True), ("ISO date,label", False),
        ("date,operation", False), ("ISO date,label\noperation", False),
    ],
)  # fmt: skip
def test_the_first_line_of_elbencho_names_its_columns(first: str, claimed: bool) -> None:
    assert elbencho.claims(of(first)) == claimed
    assert not elbencho.claims(of(first)._replace(folder=True))


def test_what_a_table_of_elbencho_states_of_itself() -> None:
    head = "ISO date,operation,block size,iops [last],time ms [last],direct io,random,version,command\n"
    row = '{at},READ,4096,100,500,{direct},0,3.0,"""elbencho"" ""{path}"""\n'
    for at, seconds in (
        ("1970-01-01T00:01:00", 60.0), ("1970-01-01T00:01:00.5", 60.5), ("1970-01-01T01:01:00+0100", 60.0),
        ("1970-01-01T01:01:00.25+0100", 60.25), ("x", 0.0),
    ):  # fmt: skip
        result = elbencho.read(of(head + row.format(at=at, direct=1, path="/dev/x")))
        assert (result.at, result.version, result.drive) == (seconds, "3.0", {"target": "/dev/x"})
        assert keys(result) == ["slowest", "no_table"]
        assert (result.loads[0].counts.seconds, result.loads[0].counts.ios) == (0.5, 50)
    both = row.format(at="x", direct=1, path="x") + "\n" + row.format(at="x", direct=0, path="/x")
    result = elbencho.read(of(head + both))
    assert (len(result.loads), result.drive, keys(result)) == (2, {}, ["slowest", "no_table", "undirect"])
    with pytest.raises(
        BadInput, match=r"^it is elbencho's live progress, not its results; import what --csvfile wrote$"
    ):
        elbencho.read(of("ISO Date,Label,Phase,RuntimeMS\n"))


@pytest.mark.parametrize(("block", "per_s"), [(4096, 100 * 4096.0), (0, 7.0 * MiB)])
def test_a_rate_of_elbencho_is_its_ios_of_a_block_or_else_its_mebibytes(block: int, per_s: float) -> None:
    row = {"iops": "100", "mib/s": "7", "io lat us [avg]": "3", "io lat us [max]": "4"}
    assert elbencho._rates(row, block) == Rates(100.0, per_s, 3 * 1e-6, 4 * 1e-6)


# ezFIO

HEADER = ",".join(ezfio.HEADER) + ",Bandwidth (MB/s),Read Latency (us),Write Latency (us)\n"


@pytest.mark.parametrize(
    ("row", "label", "ways"),
    [
        ("Rand,30,4096,4,8,1000,4,70,100", "RND 4K 70/30 T4 Q8", ((700, 70e-6), (300, 100e-6))),
        ("Seq,100,4096,1,1,1000,4,70,100", "SEQ 4K 0/100 T1 Q1", ((0, None), (1000, 100e-6))),
        ("Seq,0,4096,1,1,1000,4,0,0", "SEQ 4K 100/0 T1 Q1", ((1000, None), (0, None))),
    ],
)
def test_a_row_of_ezfio_is_a_load_of_a_minute(row: str, label: str, ways: Any) -> None:
    (load,) = ezfio.read(of(f"{HEADER}{row}\n")).loads
    assert (load.workload.label, load.phase, load.counts.seconds) == (label, "tests", 60.0)
    for reported, tally, (rate, mean_s) in zip(
        (load.reported.read, load.reported.write), (load.counts.read, load.counts.write), ways, strict=True
    ):
        assert (reported.get("iops", 0), reported.get("throughput", 0)) == pytest.approx((rate, rate * 4096))
        assert (reported.get("mean"), tally.ios) == (mean_s and pytest.approx(mean_s), 60 * rate)


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ("Rand,30,4096,4,8,,4,70,100", "unmeasured"), ("Rand,,4096,4,8,1,4,70,100", "unmeasured"),
        ("Rand,30,0,4,8,1,4,70,100", "unmeasured"), ("Rand,30,4096,0,8,1,4,70,100", "unmeasured"),
        ("Rand,30,4096,4,0,1,4,70,100", "unmeasured"), ("Rand,30,4096,4,8,1,4,70,100,9", "shifted"),
        ("ERROR", "broken"),
    ],
)  # fmt: skip
def test_a_row_of_ezfio_without_its_numbers_has_a_note(row: str, note: str) -> None:
    result = ezfio.read(of(f"{HEADER}Reads\n{row}\n"))
    assert (keys(result), result.notes[0].values) == (
        [note, "ez_seconds", "ez_rounded", "ez_lacks"],
        {"phase": "Reads"},
    )
    assert (result.loads, result.version) == ((), "")


@pytest.mark.parametrize("row", ["Rand,101,4096,4,8,1", "Rand,30,4096,1025,8,1", "Rand,-1,4096,4,8,1"])
def test_an_impossible_load_of_ezfio_is_refused(row: str) -> None:
    with pytest.raises(BadInput, match=r"^a row of tests has an impossible load$"):
        ezfio.read(of(f"{HEADER}{row}\n"))


@pytest.mark.parametrize(
    ("capacity", "size"),
    [("1", GiB), ("0", None), ("1073741823", (2**30 - 1) * GiB), ("1073741824", None), ("x", None)],
)
def test_facts_of_a_drive_are_above_the_table_of_ezfio(capacity: str, size: int | None) -> None:
    facts = (
        f"Drive,/dev/x\nModel,FASTPRECOND-M\nAvailCapacity,{capacity},GiB\nCPU,c\nOS,o\nFIOVersion,fio-3.33\nalone\n"
    )
    result = ezfio.read(of(facts + HEADER))
    expected = {"target": "/dev/x", "model": "M"} | ({"capacity_bytes": size} if size else {})
    assert (result.drive, result.host, result.version) == (expected, {"cpu": "c", "kernel": "o"}, "(fio 3.33)")
    assert (keys(result)[-1], result.notes[-1].values) == ("ez_stamp", {"stamp": "FASTPRECOND"})
    with pytest.raises(BadInput, match=r"^it has no table of tests"):
        ezfio.read(of(facts))


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        ([("a", 1), ("b", 2), ("", 3)], ["a", "b", "b"]),
        ([("", 1), ("b", 0)], ["", "b"]),
        ([("a", 63), ("b", 9), ("c", 1)], ["a"] * 63 + ["b"]),
        ([("", 1000)], []),
    ],
)
def test_repeated_cells_of_a_sheet_are_written_out_as_far_as_a_row_is_wide(
    cells: list[tuple[str, int]], row: list[str]
) -> None:
    made = ElementTree.Element(f"{ezfio.TABLE}table-row")
    for words, times in cells:
        cell = ElementTree.SubElement(
            made, f"{ezfio.TABLE}table-cell", {f"{ezfio.TABLE}number-columns-repeated": str(times)}
        )
        ElementTree.SubElement(cell, f"{ezfio.TEXT}p").text = words
    assert ezfio._row(made) == row


# TKperf


def plot(name: str, **fields: Any) -> Given:
    words = "".join(f"<{key}>{json.dumps(value)}</{key}>" for key, value in fields.items())
    return of(f"<plot><ioperfversion>1</ioperfversion><{name}>{words}</{name}></plot>")


def test_a_write_saturation_of_tkperf_is_the_mean_of_its_last_fifth() -> None:
    matrix = [[1, 2, 3, 4, 5, 6, 7, 8, 100, 300], [[1, 9, 5]] * 8 + [[1, 20, 10], [1, 50, 30]]]
    (load,) = tkperf.read(plot("writesat", roundmat=matrix)).loads
    assert load.reported.write == pytest.approx({"iops": 200, "throughput": 200 * 4 * KiB, "mean": 20e-6, "max": 50e-6})
    assert (load.phase, load.workload.label, load.counts.seconds) == ("writesat-end", "RND 4K 0/100 T1 Q1", 60.0)
    (load,) = tkperf.read(plot("writesat", roundmat=[[1, 2, 3, 4], [[1, 1, 1]] * 3 + [[2, 9, 4]]], runtime=7)).loads
    assert (load.reported.write["iops"], load.reported.write["mean"], load.counts.seconds) == (4, 4e-6, 7.0)


@pytest.mark.parametrize(
    ("name", "matrix", "reason"),
    [
        ("writesat", [[1]], "the matrix of writesat has another shape than TKperf's"),
        ("writesat", [[1], 2], "the matrix of writesat has another shape than TKperf's"),
        ("writesat", [[1], [[1, 2]]], r"a cell of its latencies is not \[min, max, mean\]"),
        ("writesat", [[1], [[1, 2, True]]], "a cell of its matrix is not a number"),
        ("writesat", [[], []], "a cell of its matrix is not a number"),
        ("tp", [[[1]]], "the matrix of tp has another shape than TKperf's"),
        ("tp", [[[1], 1]], "the matrix of tp has another shape than TKperf's"),
        ("tp", [[[1], [1], [1]]], "the matrix of tp has another shape than TKperf's"),
        ("lat", [[[[1, 2, 0]] * 3] * 3], "a mean response time of 0 or less is impossible"),
        ("iops", [[[1] * 6] * 7], "the matrix of iops has another shape than TKperf's"),
        ("iops", [], "its <roundmat> does not hold 1 to 10000 rounds"),
        ("iops", 5, "its <roundmat> does not hold 1 to 10000 rounds"),
        ("iops", [1] * 10_001, "its <roundmat> does not hold 1 to 10000 rounds"),
    ],
)
def test_a_matrix_of_another_shape_is_refused(name: str, matrix: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=f"^{reason}$"):
        tkperf.read(plot(name, roundmat=matrix))


@pytest.mark.parametrize(
    ("named", "rounds"),
    [([1], [7]), ([0, 2], [5, 9]), ([3], [5, 7, 9]), ([-1], [5, 7, 9]), ([True], [5, 7, 9]), (None, [5, 7, 9])],
)
def test_rounds_that_tkperf_calls_steady_are_its_own(named: Any, rounds: list[int]) -> None:
    test = ElementTree.fromstring(f"<iops><stdyrounds>{json.dumps(named)}</stdyrounds></iops>")
    assert tkperf._window(test, [5, 7, 9]) == rounds


@pytest.mark.parametrize(("reached", "note"), [(True, ["tk_reached"]), (False, ["tk_missed"]), (None, [])])
def test_what_tkperf_says_of_a_steady_state_is_a_note(reached: bool | None, note: list[str]) -> None:
    result = tkperf.read(plot("tp", roundmat=[[[1], [1]], [[1], [1]]], reachstdystate=reached))
    assert keys(result) == ["window", *note, "no_percentiles", "tk_lat"]
    assert (result.version, result.at, result.drive, result.host) == ("1", 0.0, {}, {})


def test_facts_of_a_drive_are_lines_of_tkperf() -> None:
    text = "Device Model: M 1\\x0aSerial Number:\nFirmware Version: a:b\nOther: 5"
    assert tkperf._drive(text) == {"model": "M 1", "firmware": "a:b"}
