"""Every figure of a result of diskspd, as text and as XML, is read where its tool wrote it."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from stend.base.errors import BadInput
from stend.imports import diskspd_text, diskspd_xml
from stend.imports.diskspd_text import Settings
from stend.imports.given import Given
from stend.model.counts import Counts
from stend.model.tally import Tally

HEAD = "path: 'D:\\a.dat'\nblock size: 4096\n\tusing random I/O\n\tnumber of outstanding I/O operations per thread: 8\n"
TABLE = "{way} IO\nthread | {names}\n----\n     0 | {cells}\n----\ntotal: {cells}{end}"
NAMES = "bytes | I/Os | MiB/s | I/O per s | AvgLat | LatStdDev"
PERCENTILES = """
total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.050 |      0.100 |      0.050
   50th |      1.000 |      2.000 |      1.500
   99th |      4.000 |        N/A |      5.000
    max |     16.000 |     32.000 |     32.000
"""


def table(way: str, cells: str, names: str = NAMES, end: str = "\n") -> str:
    return TABLE.format(way=way, names=names, cells=cells, end=end)


def text_of(body: str, head: str = HEAD, seconds: str = "4.00") -> Given:
    text = f"{head}\nResults for timespan 1:\n****\n\nactual test time:\t{seconds}s\n{body}"
    return Given("a", (("a", text.encode()),))


WHOLE = (
    table("Total", "8192000 | 2000 | 2 | 500 | 1.500 | 1")
    + table("Read", "6144000 | 1500 | 1.5 | 375 | 1.200 | 1")
    + table("Write", "2048000 | 500 | 0.5 | 125 | 2.400 | 1")
    + PERCENTILES
)


def test_figures_of_a_text_of_diskspd_are_those_of_its_tables() -> None:
    """1500 reads of 1.2 ms last 1.8 s together, 500 writes of 2.4 ms 1.2 s; ten IOs lie beyond p99 of 1000 IOs."""
    (load,) = diskspd_text.read(text_of(WHOLE)).loads
    assert (load.counts.seconds, load.counts.cpu_s) == (4.0, 0)
    for tally, ios, size, waited_s, longest_s in (
        (load.counts.read, 1500, 6144000, 1.8, 0.016),
        (load.counts.write, 500, 2048000, 1.2, 0.032),
    ):
        assert (tally.ios, tally.bytes, tally.latency_ns2, tally.bins) == (ios, size, 0, {})
        assert (tally.latency_ns, tally.max_ns) == pytest.approx((waited_s * 1e9, longest_s * 1e9))
    assert load.reported.read == pytest.approx({"p50": 1e-3, "p99": 4e-3})
    assert load.reported.write == pytest.approx({"p50": 2e-3})
    assert load.reported.both == pytest.approx({"p50": 1.5e-3, "p99": 5e-3})
    assert (load.workload.label, load.reported.unknown) == ("RND 4K 75/25 T1 Q8", ())


@pytest.mark.parametrize(
    ("names", "cells", "end", "tally"),
    [
        ("bytes | I/Os", "8192 | 2", "\n", (2, 8192, 0.0)),
        ("I/Os | bytes", "2 | 8192", "\n", (2, 8192, 0.0)),
        ("I/Os", "2", "\n", (2, 0, 0.0)),
        ("bytes", "8192", "\n", (0, 0, 0.0)),
        ("bytes | I/Os", "8192 | 1", "\n", (1, 8192, 0.0)),
        ("bytes | I/Os", "8192 | x", "\n", (0, 0, 0.0)),
        ("bytes | I/Os | AvgLat", "8192 | 2 | 3.0", "\n", (2, 8192, 6e6)),
        ("bytes | I/Os | AvgLat(ms)", "8192 | 2 | 3.0", "\n", (2, 8192, 6e6)),
        ("bytes | I/Os | AvgLat", "8192 | 2 | 3.0", "", (2, 8192, 0.0)),
        ("bytes | I/Os | AvgLat", "8192 | 2 | N/A", "\n", (2, 8192, 0.0)),
        ("bytes | I/Os | AvgLat", "8192 | 2", "\n", (2, 8192, None)),
    ],
)
def test_a_row_of_totals_is_read_by_the_names_of_its_columns(
    names: str, cells: str, end: str, tally: tuple[float, ...]
) -> None:
    """A mean in a line that has no end may be cut off: `3.0` of `3.05`."""
    ios, size, waited = tally
    read = diskspd_text._tally(table("Read", cells, names, end), "Read", 0.5)
    expected = Tally(int(ios), int(size), waited or 0.0, 0.0, 0.5e9) if ios else Tally()
    assert (read.ios, read.bytes, read.latency_ns2) == (expected.ios, expected.bytes, 0.0)
    assert (read.latency_ns, read.max_ns) == pytest.approx((expected.latency_ns, expected.max_ns))


def test_a_table_that_is_not_there_or_has_no_total_has_no_figures() -> None:
    body = table("Read", "8192 | 2", "bytes | I/Os")
    assert diskspd_text._tally(body, "Write", 0.0) == Tally()
    assert diskspd_text._tally(body[: body.index("total:")], "Read", 0.0) == Tally()


@pytest.mark.parametrize(
    ("figures", "possible"),
    [
        ((1e15, 0, 0, 0), False),
        ((math.nextafter(1e15, 0), 0, 0, 0), True),
        ((1, 1e18, 0, 0), False),
        ((1, math.nextafter(1e18, 0), 0, 0), True),
        ((1, 0, 1e6, 0), False),
        ((1, 0, math.nextafter(1e6, 0), 0), True),
        ((1, 0, 0, 1e6), False),
        ((1, 0, 0, math.nextafter(1e6, 0)), True),
        ((0, 0, 0, 0), True),
        ((-1, 0, 0, 0), False),
        ((1, -1, 0, 0), False),
        ((1, 0, -1e-9, 0), False),
        ((1, 0, 0, -1e-9), False),
        ((math.nan, 0, 0, 0), False),
    ],
)
def test_figures_that_no_drive_can_have_are_refused(figures: tuple[float, ...], possible: bool) -> None:
    if possible:
        assert diskspd_text.tally(*figures).ios == int(figures[0])
    else:
        with pytest.raises(BadInput, match=r"^it has impossible figures$"):
            diskspd_text.tally(*figures)


def test_without_its_percentiles_the_longest_response_is_unknown() -> None:
    (load,) = diskspd_text.read(text_of(WHOLE[: WHOLE.index("99th")])).loads
    assert [way.max_ns for way in (load.counts.read, load.counts.write)] == [0.0, 0.0]
    assert load.counts.read.latency_ns > 0


def test_half_an_io_is_none() -> None:
    assert diskspd_text.tally(0.5, 4096.0, 1e-3, 1e-3) == Tally()


@pytest.mark.parametrize(("seconds", "lasted"), [(None, 0), (0.0, 0), (-1.0, 0), (0.01, 0.01), (5.0, 5.0)])
def test_a_test_of_diskspd_lasts_as_long_as_it_states(seconds: float | None, lasted: float) -> None:
    if lasted:
        assert diskspd_text.ran(seconds) == lasted
    else:
        with pytest.raises(BadInput, match=r"^it does not state how long a test ran$"):
            diskspd_text.ran(seconds)


@pytest.mark.parametrize(("total", "whole"), [("2000", True), ("2001", False), ("0", True), ("1999", False)])
def test_reads_and_writes_are_all_ios_of_a_text_that_is_whole(total: str, whole: bool) -> None:
    body = WHOLE.replace("8192000 | 2000 ", f"8192000 | {total} ")
    if whole:
        assert len(diskspd_text.read(text_of(body)).loads) == 1
    else:
        with pytest.raises(BadInput, match=r"^it is cut off: its reads and writes are not all of its IOs$"):
            diskspd_text.read(text_of(body))


@pytest.mark.parametrize(
    ("head", "settings"),
    [
        ("Command Line: diskspd - -b4K x", (4096, 0, 2, 1, 0)),
        ("Command Line: diskspd -F4 -t2 x", (65536, 0, 2, 2, 0)),
        ("Command Line: diskspd -r4K x", (65536, 100, 2, 1, 0)),
        ("Command Line: diskspd -rs0 x", (65536, 0, 2, 1, 0)),
        ("Command Line: diskspd /o1 /c512 x", (65536, 0, 1, 1, 512)),
        ("Command Line: diskspd -bx -ox -tx x", (None, 0, None, None, 0)),
        ("Command Line: x", (65536, 0, 2, 1, 0)),
        ("", (None, None, None, None, 0)),
        ("block size: 512", (512, 0, None, None, 0)),
        ("block size: 512\nusing mixed random/sequential I/O (7%", (512, 7, None, None, 0)),
        ("block size: 512\nusing random I/O\nsize: 9B", (512, 100, None, None, 9)),
        ("block size: 512\nthreads per file:\t3", (512, 0, None, 3, 0)),
        ("block size: 512\nnumber of outstanding I/O operations: 5", (512, 0, 5, None, 0)),
    ],
)  # fmt: skip
def test_settings_that_diskspd_does_not_print_have_its_defaults(head: str, settings: Any) -> None:
    """Its wiki: 64 KiB per IO, two IOs per thread, one thread per target, sequential unless -r is given."""
    assert diskspd_text.settings(head) == Settings(*settings)


@pytest.mark.parametrize(
    ("given", "counts", "told"),
    [
        (Settings(None, None, None, None, 0), Counts(1.0, 0, Tally(3, 3000), Tally(1, 1001)), (1000, 75)),
        (Settings(None, 0, 1, 1, 0), Counts(1.0, 0, Tally(), Tally(2, 1024)), (512, 0)),
        (Settings(512, 0, 1, 1, 0), Counts(1.0, 0, Tally(1, 512)), (512, 100)),
        (Settings(1 << 30, 0, 1, 1, 0), Counts(1.0, 0, Tally(), Tally(1)), (1 << 30, 0)),
    ],
)
def test_what_diskspd_does_not_state_is_of_its_counts(given: Settings, counts: Counts, told: tuple[int, int]) -> None:
    load, unknown = diskspd_text.workload(given, counts)
    assert (load.block_bytes, load.read_pct) == told
    lacks = {"block size": given.block, "random or sequential": given.random, "threads and queue depth": given.depth}
    assert list(unknown) == [name for name, value in lacks.items() if value is None]


@pytest.mark.parametrize(
    ("block", "counts"), [((1 << 30) + 1, Counts()), (None, Counts(1.0, 0, Tally(1, (1 << 30) + 1))),
                          (None, Counts(1.0, 0, Tally(3, 1)))]
)  # fmt: skip
def test_a_block_that_no_io_can_have_is_refused(block: int | None, counts: Counts) -> None:
    with pytest.raises(BadInput, match=r"^it has a block size that no IO can have$"):
        diskspd_text.workload(Settings(block, 0, 1, 1, 0), counts)


def test_percentiles_of_a_line_without_its_end_are_left_out() -> None:
    rows = ("50th | 1.0 | 2.0 | 3.0", "99th | 4.0 | N/A | 6.0", "3-nines | 7 | 8 | 9 | 10", "95th | 1 | 1 | 1")
    whole = "\n".join([*rows, "max | 9.0 | 9.0 | 9.0"])
    assert diskspd_text._percentiles(whole) == {
        "read": pytest.approx({"p50": 1e-3, "p99": 4e-3}),
        "write": pytest.approx({"p50": 2e-3}),
        "both": pytest.approx({"p50": 3e-3, "p99": 6e-3}),
    }
    assert {way["max"] for way in diskspd_text._percentiles(whole + "\n").values()} == {9.0 * 1e-3}


def keys(taken: Any) -> list[str]:
    return [note.key.removeprefix("imported.") for note in taken.notes]


@pytest.mark.parametrize(
    ("head", "more"),
    [
        (HEAD, ["cached"]),
        (HEAD + "\t\tsoftware cache disabled\n", []),
        (HEAD + "\t\tusing O_DIRECT\n", []),
        ("Command Line: diskspd -b4K -Sh x\n", []),
        ("Command Line: diskspd -b4K -Su x\n", []),
        ("Command Line: diskspd -b4K -h x\n", []),
        ("Command Line: diskspd -b4K -Sb x\n", ["cached"]),
    ],
)
def test_a_text_of_diskspd_that_names_no_direct_access_was_cached(head: str, more: list[str]) -> None:
    assert keys(diskspd_text.read(text_of(WHOLE, head))) == ["version", "diskspd_own", *more]
    without = WHOLE.replace("AvgLat", "Other")
    assert keys(diskspd_text.read(text_of(without, head))) == ["version", "diskspd_own", "unmeasured_waits", *more]


@pytest.mark.parametrize(
    ("line", "at"),
    [("start time: 1970/01/02 00:00:30 UTC\n", 86_430.0), ("", 0.0), ("start time: 1970/13/02 00:00:30\n", 0.0)],
)
def test_a_text_of_diskspd_was_made_when_it_started(line: str, at: float) -> None:
    assert diskspd_text.read(text_of(WHOLE, HEAD + line)).at == at


def test_one_load_without_response_times_is_enough_for_a_note() -> None:
    text = text_of(WHOLE).files[0][1] + text_of(WHOLE.replace("AvgLat", "Other"), "").files[0][1]
    taken = diskspd_text.read(Given("a", (("a", text),)))
    assert len(taken.loads) == 2
    assert "unmeasured_waits" in keys(taken)


def test_the_response_times_of_one_direction_are_measured_ones() -> None:
    body = table("Total", "4096 | 1 | 1 | 1 | 1 | 1") + table("Write", "4096 | 1 | 1 | 1 | 1 | 1")
    assert "unmeasured_waits" not in keys(diskspd_text.read(text_of(body)))


def test_a_text_of_diskspd_has_a_head_of_results_and_rates() -> None:
    given = text_of(WHOLE)
    assert diskspd_text.claims(given)
    text = given.files[0][1]
    for other in (text.replace(b"I/O per s", b""), text.replace(b"Results for", b"Result of")):
        assert not diskspd_text.claims(Given("a", (("a", other),)))
    assert not diskspd_text.claims(given._replace(folder=True))
    for before, seen in (((1 << 20) - len(text), True), (1 << 20, False)):
        assert diskspd_text.claims(Given("a", (("a", b"\n" * before + text),))) == seen
    assert diskspd_text.claims(Given("a", (("a", text.replace(b"timespan 1", b"job 12")),)))
    with pytest.raises(BadInput, match=r"^it holds no results of a time span$"):
        diskspd_text.read(Given("a", (("a", b"block size: 512\n"),)))


# XML

TARGET = "<Target><Path>{path}</Path><ReadBytes>{}</ReadBytes><ReadCount>{}</ReadCount><WriteBytes>{}</WriteBytes>"
SET = "<Target><Path>/p</Path>{}<BlockSize>{size}</BlockSize><RequestCount>{many}</RequestCount></Target>"


def span(threads: str, inner: str = "", count: str = "<ThreadCount>3</ThreadCount>") -> str:
    return f"<TimeSpan><TestTimeSeconds>5.0</TestTimeSeconds>{count}{inner}{threads}</TimeSpan>"


def thread(read: tuple[int, int], write: tuple[int, int], path: str = "/t") -> str:
    target = TARGET.format(read[1], read[0], write[1], path=path) + f"<WriteCount>{write[0]}</WriteCount></Target>"
    return f"<Thread>{target}</Thread>"


def xml_of(spans: str, targets: str = "", head: str = "") -> Given:
    profile = f"<Profile><TimeSpans><TimeSpan><Targets>{targets}</Targets></TimeSpan></TimeSpans></Profile>"
    return Given("a", (("a", f"<Results>{head}{profile if targets else ''}{spans}</Results>".encode()),))


WAITS = (
    "<Latency><AverageReadMilliseconds>2.0</AverageReadMilliseconds>"
    "<AverageWriteMilliseconds>4.0</AverageWriteMilliseconds>"
    + "".join(
        f"<Bucket><Percentile>{percent}</Percentile><ReadMilliseconds>{read}</ReadMilliseconds>"
        f"<WriteMilliseconds>{write}</WriteMilliseconds><TotalMilliseconds>{both}</TotalMilliseconds></Bucket>"
        for percent, read, write, both in (
            (50, 1, 3, 2), (51, 7, 7, 7), (99, 5, 6, 5.5), (99.9, 8, 0, 9), (100, 30, 40, 40),
        )
    )
    + "</Latency>"
)  # fmt: skip


def test_figures_of_an_xml_of_diskspd_are_the_sums_of_its_threads() -> None:
    """11 000 reads of 2 ms last 22 s together; beyond p99.9 of 11 000 IOs are eleven, of the 2000 writes two."""
    threads = thread((10_000, 40_960_000), (500, 4_096_000)) + thread((1000, 4_096_000), (1500, 4_096_000))
    taken = diskspd_xml.read(xml_of(span(threads, WAITS), SET.format("<Random>4096</Random>", size=4096, many=7)))
    (load,) = taken.loads
    assert (load.counts.seconds, load.counts.cpu_s) == (5.0, 0)
    for tally, expected in (
        (load.counts.read, (11_000, 45_056_000, 22e9, 0.0, 30e6)),
        (load.counts.write, (2000, 8_192_000, 8e9, 0.0, 40e6)),
    ):
        assert (tally.ios, tally.bytes, tally.latency_ns, tally.latency_ns2, tally.max_ns) == pytest.approx(expected)
    assert load.reported.read == pytest.approx({"p50": 1e-3, "p99": 5e-3, "p99.9": 8e-3})
    assert load.reported.write == pytest.approx({"p50": 3e-3, "p99": 6e-3})
    assert load.reported.both == pytest.approx({"p50": 2e-3, "p99": 5.5e-3, "p99.9": 9e-3})
    assert (load.workload.label, load.reported.unknown) == ("RND 4K 85/15 T3 Q7", ())
    assert taken.drive == {"target": "/p"}
    assert keys(taken) == ["diskspd_own", "cached"]


def test_response_times_that_an_xml_does_not_state_are_none() -> None:
    bucket = (
        "<Latency><Bucket><Percentile>50</Percentile></Bucket><Bucket><Percentile>100</Percentile></Bucket></Latency>"
    )
    (load,) = diskspd_xml.read(xml_of(span(thread((99, 4096), (0, 0)), bucket))).loads
    assert (load.counts.read.latency_ns, load.counts.read.max_ns, load.reported.read) == (0.0, 0.0, {})
    assert load.workload.block_bytes == 41
    below = bucket.replace("100</Percentile>", "100</Percentile><ReadMilliseconds>-1</ReadMilliseconds>")
    (load,) = diskspd_xml.read(xml_of(span(thread((99, 4096), (0, 0)), below))).loads
    assert load.counts.read.max_ns == 0.0


@pytest.mark.parametrize(
    ("targets", "count", "told"),
    [
        ([], "", (None, None, None, None, 0)),
        ([""], "", (4096, 0, 2, 1, 0)),
        (["<Random>4096</Random>"], "<ThreadCount>5</ThreadCount>", (4096, 100, 2, 5, 0)),
        (["<RandomRatio>30</RandomRatio>"], "", (4096, 30, 2, 1, 0)),
        (["<Random>1</Random><RandomRatio>0</RandomRatio>"], "", (4096, 0, 2, 1, 0)),
        (["<FileSize>77</FileSize><ThreadsPerFile>6</ThreadsPerFile>"], "", (4096, 0, 2, 6, 77)),
        (["<ThreadsPerFile>6</ThreadsPerFile>"], "<ThreadCount>0</ThreadCount>", (4096, 0, 2, 6, 0)),
        (["", ""], "", (4096, 0, 2, 1, 0)),
        (["", "<Random>4096</Random>"], "", (None, None, 2, 1, 0)),
    ],
)
def test_settings_of_targets_that_differ_are_unknown(targets: list[str], count: str, told: Any) -> None:
    """diskspd has one thread and two IOs unless it is told otherwise; a <ThreadCount> of 0 is not stated."""
    places = "".join(f"<Target><BlockSize>4096</BlockSize>{one}</Target>" for one in targets)
    profile = ElementTree.fromstring(f"<TimeSpan><Targets>{places}</Targets></TimeSpan>") if targets else None
    assert diskspd_xml._settings(profile, ElementTree.fromstring(f"<TimeSpan>{count}</TimeSpan>")) == Settings(*told)


@pytest.mark.parametrize(
    ("first", "second"),
    [("<BlockSize>8192</BlockSize>", ""), ("<BlockSize>4096</BlockSize><RequestCount>9</RequestCount>", "")],
)
def test_targets_differ_by_their_sizes_and_their_depths_too(first: str, second: str) -> None:
    body = f"<Target>{first}</Target><Target><BlockSize>4096</BlockSize>{second}</Target>"
    profile = ElementTree.fromstring(f"<TimeSpan><Targets>{body}</Targets></TimeSpan>")
    settings = diskspd_xml._settings(profile, ElementTree.fromstring("<TimeSpan/>"))
    assert (settings.block, settings.random) == (None, None)


@pytest.mark.parametrize(
    ("flags", "cached"),
    [
        ([""], True),
        (["<DisableOSCache>true</DisableOSCache>"], False),
        (["<DisableAllCache>true</DisableAllCache>"], False),
        (["<DisableOSCache>false</DisableOSCache>"], True),
        (["<DisableOSCache>true</DisableOSCache>", ""], True),
    ],
)
def test_an_xml_of_diskspd_was_cached_unless_every_target_was_not(flags: list[str], cached: bool) -> None:
    targets = "".join(SET.format(flag, size=4096, many=1) for flag in flags)
    taken = diskspd_xml.read(xml_of(span(thread((1, 4096), (0, 0)), WAITS), targets))
    assert ("cached" in keys(taken)) == cached


def test_an_xml_of_diskspd_has_its_path_version_and_time() -> None:
    head = "<System><Tool><Version>2.2</Version></Tool><RunTime>1970/01/01 00:01:00 UTC</RunTime></System>"
    one = span(thread((1, 4096), (0, 0)))
    taken = diskspd_xml.read(xml_of(one, head=head))
    assert (taken.version, taken.at, taken.drive) == ("2.2", 60.0, {"target": "/t"})
    assert diskspd_xml.read(xml_of(span(thread((1, 4096), (0, 0), path="")))).drive == {}
    assert diskspd_xml.claims(xml_of(one))
    assert not diskspd_xml.claims(xml_of(one)._replace(folder=True))
    assert not diskspd_xml.claims(xml_of(""))
    for before in (3991, 3992):  # nine letters of <Results> in the first 4000
        late = Given("a", (("a", b" " * before + xml_of(one).files[0][1]),))
        assert diskspd_xml.claims(late) == (before < 3992)
    for broken in ("<Results></Results>", f"<Other>{one}</Other>"):
        with pytest.raises(BadInput, match=r"^it holds no <TimeSpan> of results$"):
            diskspd_xml.read(Given("a", (("a", broken.encode()),)))
