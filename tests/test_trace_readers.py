"""Readers of others' traces: every line is read, left out or malformed; what is read is what its document says."""

import codecs
import gzip
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

from stend import trace
from stend.base.errors import BadInput, Missing
from stend.trace import source, taken
from stend.trace.lines import Lines
from stend.trace.readers import detect, formats
from stend.trace.sound import LARGEST, LONGEST

FIXTURES = Path(__file__).parent / "fixtures" / "traces"
MSR = b"""128166372003061629,hm,0,Write,7014912,4096,26
128166372016382155,hm,0,Read,1074696192,4096,113
128166372026382155,hm,0,Read,1074696192,512,113
"""
ALIBABA = b"0,R,126703644672,4096,1577808000000626\n0,W,0,8192,1577808000000700\n"
TENCENT = b"1538323199,105352008,584,1,1576\n1538323200,0,8,0,1576\n"
SYSTOR = b"""Timestamp,Response,IOType,LUN,Offset,Size
1456135200.013118000,0.000806000,R,0,899056122368,131072
1456135201.01,0.001,,0,4096,4096
1456135201.013118,0.001,W,0,4096,4096
"""
SECOND = (
    b"fio version 2 iolog\n/d add\n/d open\n/d write 0 4096\n/d wait 1000 0\n/d read 4096 512\n/d sync 0 0\n/d close\n"
)
PARSED = zstandard.decompress((FIXTURES / "loop.txt.zst").read_bytes())
THIRD = (FIXTURES / "fio-3.33.iolog").read_bytes()
SAMPLES = {"msr": MSR, "alibaba": ALIBABA, "tencent": TENCENT, "systor": SYSTOR, "blkparse": PARSED}
SAMPLES |= {"fio-iolog": THIRD, "fio-iolog 2": SECOND}


def read(data: bytes, folder: Path, form: str = "", volume: str = "") -> trace.Trace:
    (folder / "given").write_bytes(data)
    return taken.convert(folder / "given", folder / "t.parquet", form, volume)


def rows(made: trace.Trace) -> list[tuple[int, ...]]:
    names = ("t_ns", "op", "offset", "length", "latency_ns")
    return [row for part in made.batches(names) for row in zip(*(part[name].tolist() for name in names), strict=True)]


@pytest.mark.parametrize(
    ("data", "begun_s", "told"),
    [
        (MSR, 1172163600.3061629, [(0, 1, 7014912, 4096, 2600), (1332052600, 0, 1074696192, 4096, 11300)]),
        (ALIBABA, 1577808000.000626, [(0, 0, 126703644672, 4096, -1), (74_000, 1, 0, 8192, -1)]),
        (TENCENT, 1538323199.0, [(0, 1, 105352008 * 512, 584 * 512, -1), (10**9, 0, 0, 4096, -1)]),
        (SYSTOR, 1456135200.013118, [(0, 0, 899056122368, 131072, 806_000), (10**9, 1, 4096, 4096, 10**6)]),
        (SECOND, None, [(0, 1, 0, 4096, -1), (10**6, 0, 4096, 512, -1), (10**6, 2, 0, 0, -1)]),
    ],
)
def test_what_is_read_is_what_the_documents_of_the_format_say(
    tmp_path: Path, data: bytes, begun_s: float | None, told: list[tuple[int, ...]]
) -> None:
    made = read(data, tmp_path)
    assert rows(made)[: len(told)] == told
    assert made.about.begun_s == (begun_s if begun_s is None else pytest.approx(begun_s, abs=1e-6))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_format_is_told_by_what_is_in_the_file(name: str) -> None:
    assert detect(SAMPLES[name][: source.HEAD]) == name.partition(" ")[0]


@pytest.mark.parametrize(
    ("data", "skipped"),
    [
        (b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + MSR, {"headers": 1}),
        (b"device_id,opcode,offset,length,timestamp\n" + ALIBABA, {"headers": 1}),
        (TENCENT + b"Timestamp,Offset,Size,IOType,VolumeID\n", {"headers": 1}),  # where two files were joined
        (SYSTOR.replace(b",,", b",R,"), {"headers": 1}),
        (b"Time (100 ns),host,disk,type,offset (bytes),size (bytes),response (100 ns)\r\n" + MSR, {"headers": 1}),
        (codecs.BOM_UTF8 + b"timestamp,offset,size,iotype,volumeid\n" + TENCENT, {"headers": 1}),
        (codecs.BOM_UTF8 + THIRD, {"headers": 1, "files opened and closed": 3}),
        (SECOND, {"headers": 1, "files opened and closed": 3, "waits": 1}),
        (MSR.replace(b"\n", b"\n\n"), {"empty lines": 3}),
    ],
)
def test_lines_that_tell_no_io_are_left_out_and_not_called_malformed(
    tmp_path: Path, data: bytes, skipped: dict[str, int]
) -> None:
    about = read(data, tmp_path).about
    assert (about.skipped, about.malformed) == (skipped, {})


def test_every_format_has_a_sample() -> None:
    assert {name.partition(" ")[0] for name in SAMPLES} == set(formats())


def test_what_fio_wrote_here_is_read_to_the_last_io(tmp_path: Path) -> None:
    made = read(THIRD, tmp_path)
    lines = [line.split() for line in THIRD.decode().splitlines() if len(line.split()) == 5]
    asked = [line for line in lines if line[2] in ("read", "write", "sync")]
    assert made.ios == len(asked) > 300
    first = int(asked[0][0])
    ops = {"read": 0, "write": 1, "sync": 2}
    assert [(row[0], row[1]) for row in rows(made)] == [(1000 * (int(a[0]) - first), ops[a[2]]) for a in asked]


def test_what_blktrace_saw_here_agrees_with_its_own_summary(tmp_path: Path) -> None:
    made = read(PARSED, tmp_path)
    told = rows(made)
    total = PARSED[PARSED.index(b"Total (") :].decode()
    sent = [int(n) for n in re.findall(r"(?:Read|Write) Dispatches: *(\d+)", total)]
    assert made.ios == sum(sent)
    own = re.findall(rb" D +(\S+)", PARSED)
    assert sum(row[1] == trace.READ for row in told) == sum(word[:1] == b"R" for word in own) > 100
    flushes = sum(word == b"FN" for word in own)
    assert [sum(row[1] == op for row in told) for op in (trace.FLUSH, trace.DISCARD)] == [flushes, 1]
    assert flushes > 5
    done = [row[4] for row in told if row[4] >= 0]
    assert len(done) > 0.98 * made.ios  # a write that was flushed first is done under another name
    assert 0 < min(done) < max(done) < 10**9
    assert {1, 2} <= set(np.concatenate([part["depth"] for part in made.batches(["depth"])]).tolist())


@pytest.mark.needs("blkparse")
def test_files_of_blktrace_are_read_through_blkparse(tmp_path: Path) -> None:
    for packed in FIXTURES.glob("loop.blktrace.*.zst"):
        (tmp_path / packed.stem).write_bytes(zstandard.decompress(packed.read_bytes()))
    made = taken.convert(tmp_path / "loop.blktrace.0", tmp_path / "t.parquet")
    assert rows(made) == rows(read(PARSED, tmp_path))


def test_a_host_without_blkparse_says_which_package_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="blktrace"):
        read(b"\x07tae" + bytes(44), tmp_path)


def packed_tar(data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, part in (("a", data[:-1]), ("b", data)):
            one = tarfile.TarInfo(name)
            one.size = len(part)
            tar.addfile(one, io.BytesIO(part))
    return made.getvalue()


def in_two_pieces(data: bytes) -> bytes:
    return b"".join(map(zstandard.compress, data.splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("pack", "times"), [(gzip.compress, 1), (zstandard.compress, 1), (in_two_pieces, 1), (packed_tar, 2)]
)
def test_files_are_read_as_users_have_them(tmp_path: Path, pack: Callable[[bytes], bytes], times: int) -> None:
    assert read(pack(ALIBABA), tmp_path).ios == 2 * times


def test_a_torn_archive_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read(gzip.compress(ALIBABA * 9999)[:-20], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["given"]


def test_one_of_several_volumes_can_be_chosen_and_all_are_told(tmp_path: Path) -> None:
    data = MSR + MSR.replace(b",hm,0,", b",prn,1,")
    made = read(data, tmp_path)
    assert (made.ios, made.about.device) == (6, "")
    assert "the trace has 2 volumes (hm:0, prn:1)" in made.about.notes[0]
    assert len(set(next(made.batches(["process"]))["process"].tolist())) == 2
    one = read(data, tmp_path, volume="prn:1")
    assert (one.ios, one.about.device, one.about.skipped) == (3, "prn:1", {"IOs of other volumes than prn:1": 3})
    with pytest.raises(BadInput, match=r"no volume 'x'; it has hm:0, prn:1"):
        read(data, tmp_path, volume="x")


def test_ios_out_of_order_are_sorted_and_what_is_too_late_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [b"0,R,0,4096,%d" % (1577808000000000 + us) for us in (5, 3, 9, 7, 20, 11, 30, 40, 1, 50)]
    assert [row[0] for row in rows(read(b"\n".join(lines), tmp_path))][:4] == [0, 2000, 4000, 6000]
    monkeypatch.setattr(taken, "WINDOW", 2)
    monkeypatch.setattr(source, "BLOCK", 60)
    made = read(b"\n".join(lines), tmp_path)
    assert (made.ios, made.about.late) == (10, 1)


@pytest.mark.parametrize("data", [b"\n\n", b"{}", b"a,b,c\n1,2,3\n", b"\0" * 3000, bytes(range(256)) * 20])
def test_what_is_no_trace_is_refused_with_the_formats_that_are_known(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(BadInput, match="known are alibaba, blkparse"):
        read(data, tmp_path)
    with pytest.raises(BadInput, match="there is no format 'csv'"):
        read(MSR, tmp_path, "csv")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "given is empty"),
        (MSR.replace(b",", b";"), r"\(it would be msr with commas instead of semicolons, and decimals with a point\)"),
        (SYSTOR.replace(b",", b";").replace(b".", b","), "would be systor with commas instead of semicolons, and dec"),
        (MSR.replace(b",", b"\t"), "it would be msr with commas instead of tabs"),
        (ALIBABA.replace(b",", b", "), "it would be alibaba without blanks after its commas"),
        (MSR.replace(b"hm", b'"hm"').replace(b"Write", b'"Write"').replace(b"Read", b'"Read"'), "without quotation"),
        (MSR.decode().encode("utf-16"), "it would be msr saved as UTF-8"),
        (re.sub(rb"(\d)\.(\d{9})", rb"\1,\2", PARSED), "it would be blkparse with a point in decimals"),
        (MSR.replace(b"Read", b"R").replace(b"Write", b"W"), "read as msr, line 1 is malformed: it is neither Read"),
        (MSR.replace(b"12816637", b"117216"), "read as msr, line 1 is malformed: the time is before 1970"),
        (MSR.replace(b"12816637", b"117216360"), "the time is too large for steps of 100 ns since 1601"),
        (ALIBABA.replace(b"\n", b"000\n"), "line 1 is malformed: the time is too large for microseconds since"),
        (TENCENT.replace(b"15383", b"153830"), "the time is too large for seconds since 1970"),
        (b"fio version 3 iolog\n0 /a file add\n1 /a file read 0 512\n", "read as fio-iolog, line 2 is malformed: it"),
    ],
)
def test_a_relative_of_a_known_format_is_refused_with_what_is_different(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read(data, tmp_path)


@pytest.mark.parametrize("times", [1, 1000])
def test_times_that_do_not_count_from_1970_are_no_date(tmp_path: Path, times: int) -> None:
    """Seconds or milliseconds where the format has microseconds."""
    lines = b"".join(b"0,R,0,4096,%d\n" % ((1577808000 + n) * times) for n in range(9))
    about = read(lines, tmp_path).about
    assert about.begun_s is None
    assert [note.key for note in about.notes] == ["trace_epoch"]


def test_completions_without_data_are_left_out_as_their_issues_are(tmp_path: Path) -> None:
    line = "  8,0    1        %d     0.00000000%d  7  %s   %s 0 + 8 [a]\n"
    events = [(action, kind) for kind in ("N", "NS", "FN", "R", "XY") for action in ("D", "C")]
    data = "".join(line % (n, n, *event) for n, event in enumerate(events)).encode()
    made = read(data, tmp_path, "blkparse")
    assert [row[1] for row in rows(made)] == [2, 0]
    assert made.about.skipped == {"events without data": 4, "completions": 2}
    assert made.about.malformed == {"it is neither read, write, flush nor discard": 2}


def test_depths_are_unknown_where_no_completion_was_recorded(tmp_path: Path) -> None:
    """Of `blktrace -a issue`. Otherwise each IO would be in flight until the end."""
    made = read(b"\n".join(line for line in PARSED.split(b"\n") if b"  C " not in line), tmp_path)
    (batch,) = made.batches(["depth", "latency_ns"])
    assert set(batch["depth"].tolist()) == set(batch["latency_ns"].tolist()) == {-1}
    assert made.ios == read(PARSED, tmp_path).ios


def test_a_format_that_is_named_is_not_guessed_and_says_why_nothing_was_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no IO in the format Alibaba .*: line 1 is malformed: it has not 5"):
        read(MSR, tmp_path, "alibaba")


def test_numbers_with_and_without_a_fraction_are_of_one_scale(tmp_path: Path) -> None:
    lines = (b"1456135200,1,R,0,0,512", b"1456135201.5,0.25,R,0,0,512", b"1456135202.0000000019,2.0,R,0,0,512")
    told = [(0, 10**9), (1_500_000_000, 250_000_000), (2_000_000_001, 2 * 10**9)]
    assert [(row[0], row[4]) for row in rows(read(b"\n".join(lines), tmp_path))] == told


def test_a_trace_of_another_format_can_be_looked_at_without_keeping_it(tmp_path: Path) -> None:
    kept = read(MSR, tmp_path)
    with taken.reading(tmp_path / "given") as seen:
        assert isinstance(seen, trace.Trace)
        assert rows(seen) == rows(kept)
    assert not seen.path.exists()


@pytest.mark.parametrize("name", SAMPLES)
def test_every_line_of_a_whole_file_is_counted(tmp_path: Path, name: str) -> None:
    about = (made := read(SAMPLES[name], tmp_path)).about
    assert made.ios + sum(about.skipped.values()) + sum(about.malformed.values()) == about.lines
    assert about.lines == SAMPLES[name].count(b"\n")


GROWING = """
import resource, sys
from pathlib import Path
from stend.trace import taken
made = taken.convert(Path(sys.argv[1]), Path(sys.argv[1] + ".parquet"))
print(made.ios, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_a_file_five_times_as_long_takes_no_more_memory(tmp_path: Path) -> None:
    peaks = []
    block = b"".join(b"7,W,%d,4096,@%05d\n" % (4096 * (n % 9999), n) for n in range(100_000))
    for blocks in (20, 100):
        with gzip.open(tmp_path / f"{blocks}.csv.gz", "wb", compresslevel=0) as file:
            for number in range(blocks):
                file.write(block.replace(b"@", b"%d" % (15778080000 + number)))
        words = [sys.executable, "-c", GROWING, file.name]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        assert int(told[0]) == blocks * 100_000
        peaks.append(int(told[1]))
    assert peaks[1] < peaks[0] * 1.2


def test_a_trace_of_one_line_needs_no_end_of_it(tmp_path: Path) -> None:
    assert read(ALIBABA.splitlines()[0], tmp_path).ios == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_is_read_in_pieces_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    whole = rows(read(SAMPLES[name], tmp_path))
    monkeypatch.setattr(source, "BLOCK", 80)
    assert rows(read(SAMPLES[name], tmp_path)) == whole


def test_a_line_without_an_end_is_one_malformed_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LONGEST", 1000)
    monkeypatch.setattr(source, "BLOCK", 300)
    made = read(MSR + b"9" * 5000 + b"\n" + MSR, tmp_path)
    assert (made.ios, sum(made.about.malformed.values()), made.about.lines) == (6, 1, 7)


def test_what_no_kernel_asks_and_what_is_years_away_is_malformed(tmp_path: Path) -> None:
    day = 86_400 * 10**6
    sizes = [b"0,R,0,%d,%d\n" % (size, 5000 * day) for size in (4096, 1 << 32, (1 << 32) + 1)]
    times = [b"0,R,0,4096,%d\n" % ((5000 + days) * day) for days in (0, 0, 365, 366, 400)]
    about = read(b"".join(sizes + times), tmp_path).about
    assert about.malformed == {"it is longer than any IO": 1, "the time is a year from its neighbours'": 2}


def test_no_process_of_linux_has_a_number_beyond_31_bits(tmp_path: Path) -> None:
    line = b"  8,0    1        %d     0.00000000%d  %d  D   R 0 + 8 [a]\n"
    data = b"".join(line % (n, n, (1 << 31) - 2 + n) for n in range(3))
    made = read(data, tmp_path, "blkparse")
    assert (made.ios, made.about.malformed) == (2, {"the process is no number": 1})
    assert [part["process"].tolist() for part in made.batches(("process",))] == [[(1 << 31) - 2, (1 << 31) - 1]]


def test_a_trace_of_one_drive_is_said_to_be_of_that_drive(tmp_path: Path) -> None:
    assert read(MSR, tmp_path).about.device == "hm:0"


def test_lines_that_end_as_on_windows_are_the_same_lines(tmp_path: Path) -> None:
    assert rows(read(MSR.replace(b"\n", b"\r\n"), tmp_path)) == rows(read(MSR, tmp_path))


def test_times_that_are_not_told_are_said_to_be_unknown(tmp_path: Path) -> None:
    made = read(SECOND.replace(b"/d wait 1000 0\n", b""), tmp_path)
    assert (made.about.timed, made.end_ns) == (False, 0)
    assert "only the order" in made.about.notes[0]


@pytest.mark.parametrize("unit", [1, 512, 4096])
def test_places_in_units_are_bytes_up_to_the_largest_and_malformed_beyond(unit: int) -> None:
    most, longest = LARGEST // unit, LONGEST // unit
    rows = [(0, 1, 0), (most, 8, 0), (most + 1, 8, 0), (8, longest, 0)]
    rows += [(8, longest + 1, 0), (8, 0, 0), (8, 0, 2), (8, most, 3), (8, most + 1, 3)]
    text = "".join(f"{offset} {length}\n" for offset, length, _ in rows).encode()
    lines = Lines(np.frombuffer(text, np.uint8), " ", 2)
    begin, size = lines.place(0, 1, np.array([op for *_, op in rows]), unit)
    assert lines.good.tolist() == [True, True, False, True, False, False, True, True, False]
    good = [row for row, holds in zip(rows, lines.good, strict=True) if holds]
    assert begin[lines.good].tolist() == [offset * unit for offset, *_ in good]
    assert size[lines.good].tolist() == [length * unit for _, length, _ in good]
