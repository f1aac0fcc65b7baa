"""Numbers of other tools: what is one, what is none, and sizes with prefixes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.imports import diskspd_text, fio, numbers
from stend.imports.taken import within
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
