"""IOs come out of a made folder of tracefs as they were put into the buffers of its processors, in their order."""

import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.process import ticks
from stend.base.sysfs import Kernel
from stend.capture import _records as r
from stend.capture import drive as drives
from stend.capture import reading, tracefs
from stend.capture.drive import Counters
from stend.capture.reading import Reader
from stend.capture.tracefs import Instance
from tests.stand import SIZE, Host

PAGE = 4096
NUMBERS = {"block_rq_issue": 7, "block_rq_complete": 9, "block_rq_requeue": 11}
FORMAT = """name: {name}
ID: {number}
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:sector_t sector;	offset:8;	size:8;	signed:0;
	field:unsigned int nr_sector;	offset:16;	size:4;	signed:0;
	field:char rwbs[8];	offset:20;	size:8;	signed:0;
"""
"""As include/trace/events/block.h makes it, without the fields that are not read."""
DRIVE = drives.Drive("sdx", 8 << 20 | 16, 1 << 40, 512, "Disk", *NUMBERS)


class Tracing:
    """A folder of tracefs with two processors, whose buffers are pipes."""

    def __init__(self, home: Path) -> None:
        self.home, self.pens = home, list[int]()
        for name, number in NUMBERS.items():
            self.write(f"events/block/{name}/format", FORMAT.format(name=name, number=number))
        self.write("buffer_subbuf_size_kb", "4\n")
        self.write("events/enable", "")
        for cpu in (0, 1, 10):
            self.write(f"per_cpu/cpu{cpu}/stats", f"entries: 9\noverrun: {cpu}\ncommit overrun: 2\ndropped events: 3\n")
            os.mkfifo(home / f"per_cpu/cpu{cpu}/trace_pipe_raw")

    def write(self, name: str, text: str) -> None:
        (self.home / name).parent.mkdir(parents=True, exist_ok=True)
        (self.home / name).write_text(text)

    def open(self) -> None:
        for cpu in (0, 1, 10):
            self.pens.append(os.open(self.home / f"per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDWR | os.O_NONBLOCK))

    def put(self, cpu: int, *records: tuple[int, str, str, int, int, int]) -> None:
        """A page with records of (time, trace point, letters, sector, sectors, process)."""
        start, data = records[0][0], b""
        now = start
        for at, name, letters, sector, sectors, pid in records:
            body = struct.pack("<HHIQI8s", NUMBERS[name], 0, pid, sector, sectors, letters.encode())
            data += struct.pack("<I", len(body) // 4 | (at - now) << 5) + body
            now = at
        os.write(self.pens[cpu], (struct.pack("<QQ", start, len(data)) + data).ljust(PAGE, b"\0"))


@pytest.fixture
def tracing(tmp_path: Path) -> Iterator[Tracing]:
    made = Tracing(tmp_path / "tracefs")
    made.open()
    yield made
    for pen in made.pens:
        os.close(pen)


@pytest.fixture
def reader(tracing: Tracing, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    monkeypatch.setattr(reading, "ROOM", 64)
    monkeypatch.setattr(reading, "SLOTS", 128)
    monkeypatch.setattr(reading, "ROUND_BYTES", 12 * PAGE)
    monkeypatch.setattr(drives.Drive, "in_flight", lambda self: 2)
    made = Reader(Instance(tracing.home), DRIVE)
    yield made
    made.close()


ISSUE, DONE, AGAIN = NUMBERS


def read(batches: Iterator[dict[str, Any]], reader: Reader) -> list[tuple[int, ...]]:
    """IOs as (microseconds since the beginning, operation, offset, bytes, microseconds or -1, depth, process)."""
    names = ("op", "offset", "length", "depth", "process")
    found: list[tuple[int, ...]] = []
    for batch in batches:
        columns = {name: column.tolist() for name, column in batch.items()}
        for n, t_ns in enumerate(columns["t_ns"]):
            waited = columns["latency_ns"][n]
            op, offset, length, depth, process = (columns[name][n] for name in names)
            found.append((t_ns // 1000, op, offset, length, max(waited // 1000, -1), depth, process))
    return found


def test_ios_of_all_processors_are_paired_in_order(tracing: Tracing, reader: Reader) -> None:
    began = reader.begin()
    for name in NUMBERS:
        assert (tracing.home / f"events/block/{name}/filter").read_text() == f"dev == {8 << 20 | 16}"
        assert (tracing.home / f"events/block/{name}/enable").read_text() == "1"

    def us(t: int) -> int:
        return began + 1000 * t

    tracing.put(0, (us(10), ISSUE, "R", 8, 8, 5), (us(40), ISSUE, "WS", 80, 16, 6), (us(90), DONE, "R", 8, 8, 0))
    tracing.put(1, (us(20), ISSUE, "D", 800, 8, 7), (us(60), DONE, "D", 800, 8, 0))
    tracing.put(2, (us(70), AGAIN, "WS", 80, 16, 0), (us(75), ISSUE, "WS", 80, 16, 6))
    tracing.put(2, (us(78), ISSUE, "R", 24, 8, os.getpid()), (us(95), DONE, "R", 24, 8, 0))
    time.sleep(2 * reading.SLACK_NS / 1e9)
    ended = [(10, r.READ, 4096, 4096, 80, 3, 5), (20, r.DISCARD, 409_600, 4096, 40, 4, 7)]
    assert read(reader.take(), reader) == ended
    tracing.put(1, (us(200), ISSUE, "N", 8000, 8, 9), (us(230), DONE, "WS", 80, 16, 0))
    reader.stop_issues()
    assert (tracing.home / f"events/block/{ISSUE}/enable").read_text() == "0"
    assert (tracing.home / f"events/block/{DONE}/enable").read_text() == "1"
    rest = read(reader.end(), reader)
    assert rest[:1] == [(40, r.WRITE, 40_960, 8192, 190, 5, 6)]
    assert [io[:5] for io in rest[1:]] == [(200, r.DISCARD, 4_096_000, 4096, -1)]
    assert (tracing.home / "events/enable").read_text() == "0"
    counts = reader.counts()
    assert (counts["own"], counts["unanswered"], counts["open"], counts["other"]) == (1, 1, 0, 0)
    assert set(counts) == {"asked", "own", "other", "stray", "zeroes", "unanswered", "open"}
    assert Instance(tracing.home).lost() == 0 + 1 + 10 + 3 * (2 + 3)


def test_more_ios_than_fit_come_out_whole_and_once(tracing: Tracing, reader: Reader) -> None:
    """The ring has 64 places; a round reads the pages of a processor up to its share."""
    began, at, issued = reader.begin(), 1000, list[int]()
    for _ in range(6):
        records: list[tuple[int, str, str, int, int, int]] = []
        for _ in range(40):
            issued.append(at // 1000)
            records += [(began + at, ISSUE, "R", at, 8, 5), (began + at + 500, DONE, "R", at, 8, 0)]
            at += 1000
        tracing.put(0, *records)
    late = began + 1000 * issued[200] + 250
    tracing.put(1, (late, ISSUE, "W", 8, 8, 6), (late + 500, DONE, "W", 8, 8, 0))
    assert {pipe for pipe, _ in reader._call.poll(0)} == set(reader.pipes[:2])
    time.sleep(2 * reading.SLACK_NS / 1e9)
    found = read(reader.take(), reader)
    found += read(reader.end(), reader)
    assert [io[1] for io in found].index(r.WRITE) == 201, "it waits for what one round does not read of the first"
    found = [io for io in found if io[1] == r.READ]
    assert [io[0] for io in found] == issued
    assert {io[3:] for io in found} == {(4096, 0, 3, 5)}, "0.5 us each, beside two that were in flight"
    assert [io[2] for io in found] == [512 * 1000 * t for t in issued]


def test_what_has_been_in_flight_before_a_capture_is_forgotten_after_some_seconds(
    tracing: Tracing, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = reader.begin()
    tracing.put(0, (began, ISSUE, "R", 8, 8, 5), (began + 5, DONE, "R", 8, 8, 0))
    monkeypatch.setattr(reading, "STARTED_NS", 0)
    assert [io[5] for io in read(reader.end(), reader)] == [1]
    os.write(tracing.pens[1], struct.pack("<QQ", began, PAGE).ljust(PAGE, b"\xff"))
    with pytest.raises(StepFailed, match="documented format"):
        list(reader.end())


def test_a_reader_waits_until_a_buffer_fills_or_its_time_is_over(
    tracing: Tracing, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept, polled = list[float](), list[float]()
    monkeypatch.setattr(reading, "time", SimpleNamespace(sleep=slept.append))
    monkeypatch.setattr(reader, "_call", SimpleNamespace(poll=polled.append))
    for seconds in (0.05, 0.1, 2.0):
        reader.wait(seconds)
    assert slept == [0.05, 0.1, 0.1]
    assert polled == pytest.approx([0, 0, 1900])
    assert reading._events(DRIVE) == [ISSUE, DONE, AGAIN]
    assert reading._events(drives.Drive("x", 1, 1, 512, "", "a", "b")) == ["a", "b"]


def test_an_instance_is_made_for_one_process_and_orphans_are_removed(tmp_path: Path) -> None:
    root = tmp_path / "tracing"
    gone, other, own = (root / "instances" / name for name in ("stend-1-0", "somebody", "none"))
    for folder in (gone, other):
        (folder).mkdir(parents=True)
    with tracefs.instance(root, 3 << 20) as made:
        own = made.home
        assert own == root / f"instances/stend-{os.getpid()}-{ticks(os.getpid())}"
        assert not gone.exists()
        assert other.exists()
        switches = {path.name: path.read_text() for path in own.iterdir()}
        assert switches == {"trace_clock": "mono", "buffer_subbuf_size_kb": "64", "buffer_size_kb": "3072"}
        assert made.page_bytes == 64 * 1024
        (own / "buffer_subbuf_size_kb").unlink()
        (root / "events").mkdir()
        head = "\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:4080;\n"
        (root / "events/header_page").write_text(head)
        assert made.page_bytes == 16 + 4080
        (root / "events/header_page").write_text("something else")
        with pytest.raises(Missing, match="unknown format"):
            _ = made.page_bytes
        with pytest.raises(Missing, match="no trace point block_rq_issue"):
            made.format("block_rq_issue")
        with pytest.raises(StepFailed, match=r"refuses '1' for events/block/x/enable"):
            made.set("events/block/x/enable", "1")
        with pytest.raises(Missing, match="no separate instance"), tracefs.instance(root, 1):
            pass
        for path in own.iterdir():  # files of tracefs go with their folder
            path.unlink()
        assert own.exists(), "it is not an orphan while its process runs"
    assert not own.exists()


def test_the_format_of_a_trace_point_has_the_places_of_its_fields(tracing: Tracing) -> None:
    text = FORMAT.format(name="x", number=42)
    assert tracefs.fields(text) == {
        "ID": (42, 0), "common_type": (0, 2), "common_pid": (4, 4), "sector": (8, 8), "nr_sector": (16, 4),
        "rwbs": (20, 8),
    }  # fmt: skip
    with pytest.raises(BadInput, match="has no number"):
        tracefs.fields(text.replace("ID: ", "No: "))
    tracing.write(f"events/block/{ISSUE}/format", FORMAT.format(name="x", number=7).replace("rwbs", "letters"))
    with pytest.raises(StepFailed, match=f"trace point {ISSUE} has no rwbs"):
        reading._row(Instance(tracing.home), ISSUE)
    assert reading._row(Instance(tracing.home), DONE) == [9, 4, 8, 16, 20]


def test_a_drive_has_its_counters_and_holds_what_is_stacked_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documentation/block/stat.rst and Documentation/ABI/stable/sysfs-block (inflight)."""
    host = Host(tmp_path / "host")
    for node, number in (("sdx", "8:16"), ("sdy", "8:32"), ("dm-0", "253:0"), ("loop3", "7:3")):
        host.disk(node, number, stat=" ".join(map(str, range(1, 18))), inflight="3 4\n")
    host.disk("sdx1", "8:17", parent="sdx", partition="1")
    host.stacked("dm-0", "sdx1")
    monkeypatch.setattr(drives, "Kernel", lambda: host.kernel)
    assert DRIVE.counters() == Counters(reads=1, writes=5, discards=12, flushes=16)
    assert Counters(9, 8, 7, 6) - Counters(1, 2, 3, 4) == Counters(8, 6, 4, 2)
    (host.kernel.block("sdx") / "stat").write_text("1 2 3 4 5 6 7 8 9 10 11")
    assert DRIVE.counters() == Counters(reads=1, writes=5, discards=0, flushes=0), "Linux before 4.18"
    assert DRIVE.in_flight() == 7
    for name in ("dm-0", "sdx1", "sdx", "sdy"):
        monkeypatch.setattr(Kernel, "node_of", lambda self, number, name=name: name)
        assert DRIVE.holds(tmp_path) == (name != "sdy"), name
    monkeypatch.setattr(Kernel, "node_at", lambda self, path: path.removeprefix("/dev/") if "/dev/" in path else "")
    for place, events in (("", ("block_bio_queue", "block_bio_complete", "")), ("mq/0/x", tuple(NUMBERS))):
        host.write(f"sys/class/block/sdy/{place or 'device/model'}", "Disk\n")
        (host.kernel.block("sdy") / "queue").mkdir(exist_ok=True)
        (host.kernel.block("sdy") / "queue/logical_block_size").write_text("4096\n")
        for target in ("sdy", "/dev/sdy"):
            found = drives.drive(target)
            assert (found.begins, found.ends, found.again) == events
            assert (found.node, found.number, found.words) == ("sdy", 8 << 20 | 32, "sdy Disk")
            assert (found.capacity_bytes, found.block_bytes) == (SIZE, 4096)
    for target, words in (("none", "not a block device"), ("sdx1", "capture /dev/sdx")):
        monkeypatch.setattr(Kernel, "node_at", lambda self, path: "sdx1" if path == "/dev/sdx1" else "")
        with pytest.raises(BadInput, match=words):
            drives.drive(target)
    host.write("sys/class/block/loop3/loop/backing_file", "/image\n")
    host.write("image", "")
    monkeypatch.setattr(Kernel, "node_of", lambda self, number: "sdx")
    assert drives._below(host.kernel, "loop3") == {"loop3", "sdx"}
    assert drives._below(host.kernel, "") == set()
