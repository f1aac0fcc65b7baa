"""Numbers of other tools: what is one, what is none, and sizes with prefixes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import imports
from stend.imports import diskspd_text, fio, numbers
from stend.imports.given import Given
from stend.imports.taken import drive, fact, short, within
from stend.model.counts import Counts
from stend.model.tally import Tally

MIB = 2**20
LIMITS = {"random_pct": (0, 100), "read_pct": (0, 100), "block_bytes": (1, 2**30), "threads": (1, 1024),
          "depth": (1, 65536), "range_bytes": (0, 2**63 - 1)}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [
        ("0", 0.0, 0),
        ("-0", 0.0, 0),
        ("1.9", 1.9, 1),
        ("-1", -1.0, None),
        ("1e3", 1000.0, 1000),
        (" 7 ", 7.0, 7),
        ("1,5", None, None),
        ("nan", None, None),
        ("inf", None, None),
        ("many", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_number_is_read_or_is_none(text: str | None, number: float | None, whole: int | None) -> None:
    assert (numbers.number(text), numbers.whole(text)) == (number, whole)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("4k", 4096),
        ("4K", 4096),
        ("128KiB", 128 * 1024),
        ("1 MiB", MIB),
        ("1.5m", 3 * MIB // 2),
        ("2g", 2**31),
        ("1t", 2**40),
        ("0", 0),
        ("k", None),
        ("-4k", None),
        ("4x", None),
        ("9" * 18, int(float("9" * 18))),
        ("9" * 19, None),
    ],
)
def test_prefixes_of_sizes_are_binary(text: str, size: int | None) -> None:
    """fio(1): `k` is 1024 unless kb_base is 1000."""
    assert numbers.size(text) == size


@pytest.mark.parametrize(("size", "block"), [(None, None), (0, None), (0.5, None), (1, 1), (512.0, 512), (1e30, None)])
def test_an_io_has_at_least_one_byte(size: float | None, block: int | None) -> None:
    assert numbers.block(size) == block


PRINTED = "block size: {size}\n\tusing {how}\n\tnumber of outstanding I/O operations: 32\n\tthreads per file: 4\n"


@pytest.mark.parametrize(
    ("head", "told", "unknown"),
    [
        (PRINTED.format(size=4096, how="random I/O (alignment: 4096)"), (4096, 100, 32, 4, 0), ""),
        (PRINTED.format(size=8192, how="mixed random/sequential I/O (30% random)"), (8192, 30, 32, 4, 0), ""),
        (PRINTED.format(size=8192, how="mixed random/sequential I/O (250% random)"), (8192, 100, 32, 4, 0), ""),
        (PRINTED.format(size=512, how="sequential I/O") + "\tsize: 1073741824B", (512, 0, 32, 4, 1 << 30), ""),
        ("block size: 512\ntotal threads: 9", (512, 0, 1, 9, 0), "depth"),
        ("Command Line: diskspd -b8K -t2 -o16 -rs25 -c1G x", (8192, 25, 16, 2, 1 << 30), ""),
        ("Command Line: diskspd -r -F8 x", (64 << 10, 100, 2, 8, 0), ""),
        ("Command Line: diskspd /b4K /rs200 x", (4096, 100, 2, 1, 0), ""),
        ("Command Line: diskspd -o99999 -t9999 x", (64 << 10, 0, 65536, 1024, 0), ""),
        ("Command Line: diskspd x", (64 << 10, 0, 2, 1, 0), ""),
        ("nothing", (1, 0, 1, 1, 0), "size random depth"),
    ],
)
def test_settings_of_diskspd_are_those_that_it_printed_or_else_of_its_command(
    head: str, told: tuple[int, ...], unknown: str
) -> None:
    load, lacks = diskspd_text.workload(diskspd_text.settings(head), Counts())
    assert (load.block_bytes, load.random_pct, load.depth, load.threads, load.range_bytes) == told
    assert [any(word in lack for lack in lacks) for word in unknown.split()] == [True] * len(lacks)


MIX = ((70, 70 * 4096), (30, 30 * 4096))
READS, WRITES = ((100, 409600), (0, 0)), ((0, 0), (100, 409600))


@pytest.mark.parametrize(
    ("options", "ways", "told", "unknown"),
    [
        ("rw=randread", READS, (100, 100, 4096, 1, 1, 0), ""),
        ("rw=write", WRITES, (0, 0, 4096, 1, 1, 0), ""),
        ("readwrite=randrw", MIX, (100, 50, 4096, 1, 1, 0), ""),
        ("rw=randrw rwmixread=70", MIX, (100, 70, 4096, 1, 1, 0), ""),
        ("rw=rw rwmixwrite=30", MIX, (0, 70, 4096, 1, 1, 0), ""),
        ("rw=rw rwmixread=0", MIX, (0, 0, 4096, 1, 1, 0), ""),
        ("rw=rw rwmixread=100", MIX, (0, 100, 4096, 1, 1, 0), ""),
        ("rw=rw rwmixread=101", MIX, (0, 50, 4096, 1, 1, 0), ""),
        ("rw=randread ioengine=libaio iodepth=32 numjobs=4", READS, (100, 100, 4096, 4, 32, 0), ""),
        ("rw=randread ioengine=psync iodepth=32", READS, (100, 100, 4096, 1, 1, 0), ""),
        ("rw=randread iodepth=32", READS, (100, 100, 4096, 1, 1, 0), ""),
        ("rw=read ioengine=io_uring iodepth=99999 numjobs=9999", READS, (0, 100, 4096, 1024, 65536, 0), ""),
        ("rw=read ioengine=io_uring iodepth=0 numjobs=0", READS, (0, 100, 4096, 1, 1, 0), ""),
        ("rw=read percentage_random=30,20 size=1g", READS, (30, 100, 4096, 1, 1, 1 << 30), ""),
        ("rw=randread percentage_random=0 size=50%", READS, (0, 100, 4096, 1, 1, 0), ""),
        ("bs=4k", MIX, (0, 70, 4096, 1, 1, 0), "random"),
        ("", MIX, (0, 70, 4096, 1, 1, 0), "random depth"),
        ("rw=read bs=8k", ((3, 3 * 8192 - 1), (0, 0)), (0, 100, 8192, 1, 1, 0), ""),
        ("rw=read", ((3, 3 * 8192 - 1), (0, 0)), (0, 100, 8192, 1, 1, 0), ""),
        ("rw=read", ((3, 10000), (0, 0)), (0, 100, 3333, 1, 1, 0), "size"),
        ("rw=read", ((1, 1 << 40), (0, 0)), (0, 100, 1 << 30, 1, 1, 0), "size"),
        ("rw=rw bssplit=4k/50:8k/50", ((1, 4096), (2, 16385)), (0, 50, 6827, 1, 1, 0), "size"),
        ("rw=rw", ((1, 4096), (2, 16385)), (0, 50, 6827, 1, 1, 0), "size"),
    ],
)
def test_options_of_fio_make_the_workload_that_its_manual_describes(
    options: str, ways: tuple[tuple[int, int], ...], told: tuple[int, ...], unknown: str
) -> None:
    """fio(1): the default engine is synchronous, a mix has 50 % reads, and `iodepth` is of asynchronous engines."""
    words = dict(word.split("=", 1) for word in options.split())
    load, lacks = fio.workload(words, Counts(1.0, 0, *(Tally(*way) for way in ways)), "a", 1)
    assert (load.random_pct, load.read_pct, load.block_bytes, load.threads, load.depth, load.range_bytes) == told
    assert [any(word in lack for lack in lacks) for word in unknown.split()] == [True] * len(lacks)


@given(st.dictionaries(st.sampled_from(sorted(LIMITS)), st.none() | st.floats(allow_nan=False), min_size=1))
def test_figures_of_a_workload_are_in_the_range_of_a_record_and_otherwise_unchanged(
    figures: dict[str, float | None],
) -> None:
    for name, value in within(**figures).items():
        least, most = LIMITS[name]
        was = figures[name]
        assert value == (least if was is None or was < least else most if was > most else int(was))


def test_names_and_facts_of_other_tools_have_the_room_of_a_page_and_of_a_record() -> None:
    assert [len(cut("a" * 999)) for cut in (short, fact)] == [60, 200]
    assert drive("/dev/" + "a" * 999) == {"target": "/dev/" + "a" * 195}
    assert (drive(None), drive(""), short("a\x1b"), fact("a\x1b")) == ({}, {}, r"a\x1b", r"a\x1b")


ROW = {"operation": "READ", "threads": 4, "hosts": 2, "io depth": 8, "block size": 4096, "file size": 1 << 30,
       "random": 1, "direct io": 1, "time ms [last]": 2000, "iops [last]": 1000, "mib/s [last]": 7,
       "io lat us [avg]": 50, "io lat us [max]": 900}  # fmt: skip
MIXED = {"operation": "RWMIX70", "rwmix read iops [last]": 3000, "rwmix read io lat us [avg]": 60}


@pytest.mark.parametrize(
    ("changed", "told", "read", "write"),
    [
        ({}, "RND 4K 100/0 T8 Q8", (2000, 50e-6, 900e-6), None),
        ({"operation": "WRITE", "random": 0}, "SEQ 4K 0/100 T8 Q8", None, (2000, 50e-6, 900e-6)),
        ({"threads": 900}, "RND 4K 100/0 T1024 Q8", (2000, 50e-6, 900e-6), None),
        ({"threads": 0, "hosts": "", "io depth": ""}, "RND 4K 100/0 T1 Q1", (2000, 50e-6, 900e-6), None),
        ({"iops [last]": "", "iops": 500}, "RND 4K 100/0 T8 Q8", (1000, 50e-6, 900e-6), None),
        ({"io lat us [avg]": 0, "io lat us [max]": "x"}, "RND 4K 100/0 T8 Q8", (2000, 0, 0), None),
        (MIXED, "RND 4K 75/25 T8 Q8", (6000, 60e-6, 0), (2000, 50e-6, 900e-6)),
        (MIXED | {"rwmix read iops [last]": 0}, "RND 4K 0/100 T8 Q8", None, (2000, 50e-6, 900e-6)),
        ({"operation": "MKDIRS"}, "", None, None),
        ({"block size": 0}, "", None, None),
        ({"block size": 1 << 31}, "", None, None),
    ],
)
def test_a_row_of_elbencho_is_a_load_of_all_its_threads(
    changed: dict[str, Any], told: str, read: tuple[float, ...] | None, write: tuple[float, ...] | None
) -> None:
    """Its columns [last] are those of the slowest thread; older versions have one of each without that mark."""
    row = ROW | changed
    text = f"ISO date,{','.join(row)}\n2026-05-04T13:00:00,{','.join(map(str, row.values()))}\n"
    taken = imports.readers()["elbencho"].read(Given("a", (("a", text.encode()),)))
    assert [load.workload.label for load in taken.loads] == [told] * bool(told)
    for load in taken.loads:
        assert (load.counts.seconds, load.workload.range_bytes) == (2, 1 << 30)
        for way, expected in ((load.counts.read, read), (load.counts.write, write)):
            ios, mean_s, max_s = expected or (0, 0, 0)
            assert (way.ios, way.bytes) == (ios, ios * 4096)
            assert way.latency_ns == pytest.approx(ios * mean_s * 1e9)
            assert way.max_ns == pytest.approx(max_s * 1e9)


@pytest.mark.parametrize(
    ("lines", "label", "rate", "mean"),
    [
        ("[Read]\n  SEQ    1MiB (Q=  8, T= 2):  2097.152 MB/s [ 2000.0 IOPS] <  3990.00 us>", "SEQ 1024K 100/0 T2 Q8",
         2000, 3.99e-3),
        ("[Write]\n RND 4KiB (Q= 1, T= 1): 40.960 MB/s [ 10000.0 IOPS] < 98.00 us>", "RND 4K 0/100 T1 Q1",
         10_000, 98e-6),
        ("[Mix] Read 30%/Write 70%\n Random 4 KiB (Q= 2, T= 3): 40.960 MB/s", "RND 4K 30/70 T3 Q2", 10_000, None),
        ("[Mix]\n Random 4 KiB (Q= 2, T= 3): 40.960 MB/s", "RND 4K 70/30 T3 Q2", 10_000, None),
        ("[Mix] Read 999%\n Random 4 KiB (Q= 2): 40.960 MB/s", "RND 4K 100/0 T1 Q2", 10_000, None),
        ("Random Write 512KB : 52.4288 MB/s", "RND 512K 0/100 T1 Q1", 100, None),
        ("Random Read 4KB (QD=32) : 40.960 MB/s", "RND 4K 100/0 T1 Q32", 10_000, None),
        ("Sequential Read : 104.8576 MB/s", "SEQ 1024K 100/0 T1 Q1", 100, None),
        ("Random Read : 40.960 MB/s", "RND 4K 100/0 T1 Q1", 10_000, None),
        ("Random Read 4KiB (Q=99999,T=9999) : 40.960 MB/s", "RND 4K 100/0 T1024 Q65536", 10_000, None),
    ],
)  # fmt: skip
def test_a_line_of_crystaldiskmark_of_any_version_is_a_load(
    lines: str, label: str, rate: float, mean: float | None
) -> None:
    text = f"CrystalDiskMark 8\n{lines}\n Test: 2 GiB (x5)\n Time: Measure 5 sec\n"
    taken = imports.readers()["diskmark"].read(Given("a", (("a", text.encode()),)))
    assert [load.workload.label for load in taken.loads] == [label] * bool(label)
    for load in taken.loads:
        figures = load.reported.both or load.reported.read or load.reported.write
        assert (figures["iops"], figures.get("mean")) == (pytest.approx(rate), mean and pytest.approx(mean))
        assert (load.counts.seconds, load.workload.range_bytes) == (5, 2 << 30)


SPAN = "Results for timespan {n}:\n*******\ntest time: {n}.00s\nTotal IO\nthread | bytes | I/Os | I/O per s\n"


def test_each_time_span_of_diskspd_is_a_load_with_its_own_settings() -> None:
    common = "path: 'a'\nblock size: 4096\n\tusing random I/O\ntotal threads: 3\n"
    spans = [SPAN.format(n=n) + f"total: {n * 8192} | {n} | 1\nRead IO\nthread | bytes | I/Os | I/O per s\n"
             f"total: {n * 8192} | {n} | 1\n" for n in (1, 2, 3)]  # fmt: skip
    text = spans[0] + "block size: 8192\ntotal threads: 5\n" + spans[1] + spans[2]
    read = imports.readers()["diskspd-text"].read
    loads = read(Given("a", (("a", (common + text).encode()),))).loads
    assert [(load.counts.seconds, load.counts.read.ios) for load in loads] == [(1, 1), (2, 2), (3, 3)]
    assert [load.workload.label for load in loads] == ["RND 4K 100/0 T3 Q1", "SEQ 8K 100/0 T5 Q1", "RND 4K 100/0 T3 Q1"]
    for head, target in ((common, "a"), ("Command Line: diskspd -b4K x y\n", "y"), ("", "")):
        assert read(Given("a", (("a", (head + text).encode()),))).drive == ({"target": target} if target else {})


@pytest.mark.parametrize(
    ("spec", "read", "write", "label"),
    [
        ("8192,100,20,60,0,1,8192,0", 100, 900, "60%RND 8K 20/80 T3 Q5"),
        ("8192,100,200,300,0,1,8192,0", 100, 900, "RND 8K 100/0 T3 Q5"),
        ("", 250, 750, "SEQ 4K 25/75 T3 Q5"),
    ],
)
def test_a_row_of_iometer_has_its_specification_or_else_the_shares_of_its_rates(
    spec: str, read: float, write: float, label: str
) -> None:
    head = f"'Access specification name,default assignment\na,2\n'size,% of size\n{spec}\n'Results\n"
    names = (
        "Access Specification Name,# Workers,Queue Depth,Read IOps,Write IOps,Read MiBps (Binary),Write MiBps (Binary)"
    )
    row = f"ALL,All,a,3,5,{read},{write},{read / 256},{write / 256}\n"
    data = f"{head}'Target Type,Target Name,{names},Write MiBps (Binary)\n{row}".encode()
    (load,) = imports.readers()["iometer"].read(Given("a", (("a", data),))).loads
    assert load.workload.label == label
    assert load.reported.unknown[:-1] == (() if spec else ("random or sequential",))
    assert [way.ios for way in (load.counts.read, load.counts.write)] == [60 * read, 60 * write]


SSD = ["1024K", "128K", "64K", "32K", "16K", "8K", "4K", "0.5K"]


@pytest.mark.parametrize(
    ("test", "rows", "columns", "mixes", "sizes"),
    [
        ("iops", 7, 8, (100, 95, 65, 50, 35, 5, 0), SSD),
        ("iops", 7, 7, (100, 95, 65, 50, 35, 5, 0), SSD[:-1]),
        ("iops", 3, 3, (100, 50, 0), ["64K", "16K", "4K"]),
        ("lat", 3, 3, (100, 65, 0), ["8K", "4K", "0.5K"]),
        ("lat", 3, 2, (100, 65, 0), ["8K", "4K"]),
        ("tp", 5, 2, (100, 0), ["1024K", "64K", "8K", "4K", "0.5K"]),
        ("tp", 2, 2, (100, 0), ["1024K", "4K"]),
    ],
)
def test_a_matrix_of_tkperf_has_the_mixes_and_sizes_of_its_test_on_an_ssd_or_a_disk(
    test: str, rows: int, columns: int, mixes: tuple[int, ...], sizes: list[str]
) -> None:
    """The last round but one is the only steady one. A drive with sectors of 4096 bytes lacks the last column."""
    if test == "tp":
        matrix: Any = [[[0, way + 1, 0] for way in range(columns)] for _ in range(rows)]
    else:
        wait = (1, 9, 3)
        matrix = [[[wait if test == "lat" else n] * columns for _ in range(rows)] for n in (7, 1, 9)]
    fields = {"roundmat": matrix, "stdyrounds": [1], "runtime": 20, "numjobs": 3, "iodepth": 5}
    text = "".join(f"<{name}>{json.dumps(value)}</{name}>" for name, value in fields.items())
    given = Given("a", (("a", f"<plot><{test}>{text}</{test}></plot>".encode()),))
    loads = imports.readers()["tkperf"].read(given).loads
    shape = "T1 Q1" if test == "lat" else "T3 Q5"
    cells = [(mix, size) for mix in mixes for size in sizes] if test != "tp" else [(m, s) for s in sizes for m in mixes]
    access = "SEQ" if test == "tp" else "RND"
    assert [load.workload.label for load in loads] == [f"{access} {s} {m}/{100 - m} {shape}" for m, s in cells]
    assert {load.counts.seconds for load in loads} == {20}
    rates = {"iops": [1.0], "lat": [1 / 3e-6], "tp": [1024.0, 2048.0]}[test]
    figures = [load.reported.both or load.reported.read or load.reported.write for load in loads]
    assert {round(f["throughput" if test == "tp" else "iops"], 3) for f in figures} == {
        round(rate, 3) for rate in rates
    }
