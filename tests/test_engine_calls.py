"""Engines without a drive: what is started for a load, what is held ready, and what a survey's reader answers."""

import errno
import io
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest

from stend.base.errors import LoadFailed, StepFailed
from stend.base.units import KiB, MiB
from stend.engines import fio, survey
from stend.engines.either import EitherEngine
from stend.engines.survey import reader
from stend.engines.survey.reader import MOST_IN_A_ROW, Reader
from stend.engines.survey.task import STOP, Line, Task
from stend.engines.survey.visits import visits
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.surveyed import Surveyed, Unread
from stend.model.tally import Tally
from stend.model.workload import Survey, Verify

BLOCK = 64 * KiB
READS = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=4, range_bytes=MiB)
WRITES = Workload(random_pct=0, read_pct=0, block_bytes=8 * KiB, depth=2, range_bytes=MiB)
SURVEY = Workload(random_pct=0, read_pct=100, block_bytes=BLOCK, range_bytes=MiB, survey=Survey(cells=4))


class Engine:
    """An engine that notes its calls."""

    def __init__(self, name: str, calls: list[Any]) -> None:
        self.name, self.calls = name, calls

    def start(self, workload: Workload, **how: Any) -> Any:
        self.calls.append((self.name, "start", workload, how))
        return SimpleNamespace(stop=lambda: self.calls.append((self.name, "stop")))

    def prepare(self, workload: Workload, **how: Any) -> None:
        self.calls.append((self.name, "prepare", workload, how))

    def close(self) -> None:
        self.calls.append((self.name, "close"))


def test_each_load_goes_to_the_engine_that_can_send_and_time_it() -> None:
    calls = list[Any]()
    names = ("fio", "replay", "verify", "survey")
    alike = Workload(random_pct=0, read_pct=50, block_bytes=8 * KiB)
    engines: Any = [Engine(name, calls) for name in names]
    engine = EitherEngine(engines[0], engines[1], engines[2], engines[3], (alike,))
    loads = {
        "fio": READS, "replay": msgspec.structs.replace(READS, rate_iops=100.0), "survey": SURVEY,
        "verify": msgspec.structs.replace(WRITES, verify=Verify()),
    }  # fmt: skip
    how: Any = {"seed": 3, "from_bytes": 5, "limit_bytes": 7}
    for name, load in (*loads.items(), ("replay", alike)):
        calls.clear()
        engine.prepare(load, **how)
        engine.start(load, **how)
        assert calls == [(name, "prepare", load, how), (name, "start", load, how)] or calls[1][1] == "stop"
        assert calls[-1] == (name, "start", load, how)
    calls.clear()
    engine.close()
    assert sorted(call[0] for call in calls if call[1] == "close") == sorted(names)


class Process:
    """A process of fio that is held."""

    made: ClassVar[list[Any]] = []

    def __init__(self, words: list[str], **how: Any) -> None:
        self.words, self.how, self.alive, self.ended = words, how, True, False
        Process.made.append(self)

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fio.FioEngine:
    file = tmp_path / "drive"
    file.write_bytes(b"")
    os.truncate(file, 4 * MiB)
    monkeypatch.setattr(Process, "made", [])
    monkeypatch.setattr(fio, "Process", Process)
    monkeypatch.setattr(fio, "probe", lambda name: SimpleNamespace(ioengine=f"{name}-engine"))
    monkeypatch.setattr(fio, "clock", lambda: ["--clocksource=cpu"])
    monkeypatch.setattr(fio, "FioLoad", Load)
    return fio.FioEngine(str(file), interval_s=0.5, fio="fio-x", silence_s=9.0)


class Load:
    def __init__(self, processes: list[Any], label: str, **how: Any) -> None:
        self.processes, self.label, self.how, self.begun, self.stopped = processes, label, how, False, False

    def begin(self) -> None:
        self.begun = True

    def stop(self) -> None:
        self.stopped = True


def test_fio_is_launched_with_its_job_and_held_for_the_load_that_was_prepared(engine: fio.FioEngine) -> None:
    engine.prepare(READS, seed=7)
    (held,) = Process.made
    assert held.words[:2] == ["fio-x", "--clocksource=cpu"]
    assert "--ioengine=fio-x-engine" in held.words
    assert f"--filename={engine.path}" in held.words
    assert held.how == {"threads": 1, "limit_bytes": 0, "slack_bytes": 0}
    first: Any = engine.start(READS, seed=7)
    assert (first.processes, first.label, first.begun) == ([held], READS.label, True)
    assert first.how.pop("raw")(b"") is None
    assert first.how == {"interval_s": 0.5, "silence_s": 9.0, "block_bytes": 4 * KiB}
    second: Any = engine.start(READS, seed=7)
    assert len(Process.made) == 2, "the process that was held is used up"
    assert first.stopped
    assert not second.stopped
    engine.prepare(WRITES, seed=7, from_bytes=8 * KiB, limit_bytes=MiB)
    assert sum(process.how["limit_bytes"] for process in Process.made[2:]) == MiB
    for load, seed, start, limit in (
        (READS, 7, 0, None), (READS, 8, 0, None), (READS, 8, 4 * KiB, 4 * KiB), (READS, 8, 4 * KiB, 8 * KiB)
    ):  # fmt: skip
        before = Process.made[-1]
        engine.prepare(load, seed=seed, from_bytes=start, limit_bytes=limit)
        assert before.ended
        assert Process.made[-1] is not before
        engine.prepare(load, seed=seed, from_bytes=start, limit_bytes=limit)
        assert not Process.made[-1].ended
    dead = Process.made[-1]
    dead.alive = False
    engine.prepare(READS, seed=8, from_bytes=4 * KiB, limit_bytes=8 * KiB)
    assert Process.made[-1] is not dead, "it has ended meanwhile"
    engine.close()
    assert Process.made[-1].ended
    assert engine.ready is None


# surveys


def task(path: Path, **more: Any) -> Task:
    return Task(path=str(path), workload=SURVEY, seed=1, interval_s=60, unit_bytes=4096, **more)


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    path = tmp_path / "drive"
    path.write_bytes(bytes(MiB // 2) + b"x" * (MiB // 2))
    return path


def lines(printed: bytes) -> list[Line]:
    return [msgspec.json.decode(line, type=Line) for line in printed.splitlines()]


def run(
    monkeypatch: pytest.MonkeyPatch, path: Path, failure: Any = None, stop_after: int = 1 << 30, **more: Any
) -> list[Line]:
    """What a reader prints; the request to end comes after so many visits."""
    out, looks = io.BytesIO(), iter(range(1 << 30))
    asked = SimpleNamespace(select=lambda *_: (["stdin"] if next(looks) >= stop_after else [], [], []))
    monkeypatch.setattr(reader, "select", asked)
    monkeypatch.setattr(reader, "sys", SimpleNamespace(stdin=sys.stdin, stdout=SimpleNamespace(buffer=out)))
    with path.open("rb") as file:
        made = Reader(msgspec.structs.replace(task(path), **more), file.fileno())
        if failure:
            monkeypatch.setattr(made, "failure", failure)
        made.run()
    return lines(out.getvalue())


def test_a_survey_reads_each_block_once_and_prints_what_it_read(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (last,) = run(monkeypatch, drive)
    assert (last.over, last.fault, last.seconds > 0) == (True, "", True)
    assert (last.read.ios, last.read.bytes) == (MiB // BLOCK, MiB)
    assert sum(cell.reads for cell in last.places.cells) == MiB // BLOCK
    assert (last.places.unread, last.places.last) == ((), True)
    many = run(monkeypatch, drive, interval_s=0)
    assert [line.over for line in many] == [False] * (len(many) - 1) + [True]
    assert sum(line.read.ios for line in many) == MiB // BLOCK, "each IO is in one line"
    assert len(many) == len(list(visits(SURVEY, 1))) + 1
    assert [line.read.ios for line in run(monkeypatch, drive, stop_after=0)] == [many[0].read.ios]


def test_a_survey_ends_where_the_drive_is_gone_or_answers_no_more(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(into: Any, at: int) -> int | None:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    (last,) = run(monkeypatch, drive, gone)
    assert (last.over, last.fault) == (True, os.strerror(errno.ENODEV))
    monkeypatch.setattr(reader, "MOST_IN_A_ROW", 4)
    (last,) = run(monkeypatch, drive, lambda into, at: errno.EIO)
    assert (last.over, last.read.ios) == (True, 0)
    assert last.fault == f"{len(next(visits(SURVEY, 1)).offsets)} reads in a row failed"
    assert MOST_IN_A_ROW > 100, "a stretch of bad places is no dead drive"
    ends = iter([errno.EIO, None] * (1 << 10))
    (last,) = run(monkeypatch, drive, lambda into, at: next(ends) if len(into) == BLOCK else None)
    assert last.fault == ""
    assert last.places.unread
    assert all(isinstance(place, Unread) and place.again for place in last.places.unread)


def test_a_drive_is_opened_for_reading_and_past_the_cache_where_that_can_be(
    drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags, number = list[int](), [errno.EINVAL]

    def opening(path: str, how: int) -> int:
        flags.append(how)
        if how & os.O_DIRECT:
            raise OSError(number[0], "no")
        return 5

    monkeypatch.setattr(os, "open", opening)
    assert reader.opened(str(drive)) == 5
    assert flags == [os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC, os.O_RDONLY | os.O_CLOEXEC]
    number[0] = errno.EACCES
    with pytest.raises(OSError, match="no"):
        reader.opened(str(drive))


class Child:
    """A reader's process: what it prints in each look, until it has ended."""

    def __init__(self, *printed: bytes, code: int | None = None, err: bytes = b"") -> None:
        self.printed, self.code, self.sent, self.steps = list(printed), code, list[Any](), list[str]()
        self.child = SimpleNamespace(poll=lambda: self.code, stderr=io.BytesIO(err))

    @property
    def alive(self) -> bool:
        return self.code is None

    def listen(self, seconds: float) -> bytes:
        return self.printed.pop(0) if self.printed else b""

    def send(self, words: Any) -> None:
        self.sent.append(words)

    def wait(self, seconds: float) -> None:
        self.steps.append(f"wait {seconds:g}")

    def end(self) -> None:
        self.steps.append("end")


def line(ios: int, seconds: float = 1.0, *, over: bool = False, fault: str = "") -> bytes:
    told = Line(seconds=seconds, read=Tally(ios, ios * BLOCK), places=Surveyed(), over=over, fault=fault)
    return msgspec.json.encode(told) + b"\n"


def load(monkeypatch: pytest.MonkeyPatch, child: Child, path: Path) -> survey.SurveyLoad:
    monkeypatch.setattr(survey, "Child", lambda *given, **how: child)
    made = survey.SurveyEngine(str(path), unit_bytes=512, interval_s=2.0)
    return made.start(SURVEY, seed=1)


def test_counts_of_a_survey_are_those_of_its_lines(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torn = line(7)
    child = Child(line(5) + torn[:9], torn[9:], line(3, 0.5, over=True))
    running = load(monkeypatch, child, drive)
    assert [(counts.read.ios, counts.seconds) for counts in iter(running.next, None)] == [(5, 1), (7, 1), (3, 0.5)]
    assert running.stop() is None
    assert child.steps == ["wait 1", "end"]
    assert child.sent == []


def test_a_long_read_has_seconds_of_its_own_and_none_twice(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(line(5))
    running = load(monkeypatch, child, drive)
    running.next()
    waited = running.next()
    assert waited is not None
    assert (waited.ios, waited.seconds > 0) == (0, True)
    child.printed.append(line(1, waited.seconds + 3.0))
    late = running.next()
    assert late is not None
    assert late.read.ios == 1
    assert late.seconds == pytest.approx(3.0)
    child.printed.append(line(1, 1e-12))
    assert running.next() == Counts(seconds=1e-12, read=Tally(1, BLOCK))


def test_a_survey_that_ends_or_says_nothing_has_failed(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for code, err, words, died in ((-9, b"", "exit code -9", True), (1, b"first\nlast words\n", "last words", False)):
        with pytest.raises(LoadFailed, match=f"the survey ended: {words}") as caught:
            load(monkeypatch, Child(code=code, err=err), drive).next()
        assert caught.value.died is died
    running = load(monkeypatch, Child(line(1)), drive)
    running.next()
    running.heard = time.monotonic() - survey.SILENCE_S - 1
    with pytest.raises(LoadFailed, match="has not answered a read for 300 s"):
        running.next()
    with pytest.raises(StepFailed, match="the survey cannot continue: no drive"):
        load(monkeypatch, Child(line(1, over=True, fault="no drive")), drive).next()


def test_a_survey_is_asked_to_end_and_its_last_lines_count(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(line(5), line(2), line(3, 0.5, over=True, fault="gone"))
    running = load(monkeypatch, child, drive)
    running.next()
    last = running.stop()
    assert last is not None
    assert (last.read.ios, last.seconds) == (5, 1.5)
    assert (child.sent, child.steps[:2], running.over) == ([STOP], ["wait 1", "end"], True)
    silent = Child(line(5))
    running = load(monkeypatch, silent, drive)
    running.next()
    assert running.stop() == Counts()
    assert silent.steps == ["wait 1", "end"]
