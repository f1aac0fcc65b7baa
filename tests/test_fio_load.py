"""What is made of fio's words and their times, played by a shell that says what fio might."""

import errno
import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from stend.base.errors import LoadFailed, StepFailed
from stend.engines._fio_job import RELEASED
from stend.engines._fio_json import NEXT_PROCESS
from stend.engines._fio_load import FioLoad, busy_cpu_s
from stend.engines._fio_process import Process
from stend.words import Sentence
from tests.waits import PATIENCE_S, wait_for

pytestmark = pytest.mark.needs("setpriv", "sh")
WAITS = f"echo {RELEASED} >&2; exec sleep 600"


class Stage:
    """Processes and their loads, which end with the test."""

    def __init__(self) -> None:
        self.played: list[Process] = []

    def process(self, text: str, *said: str, limit_bytes: int = 0) -> Process:
        self.played.append(
            Process(["sh", "-c", text, "sh", *said], threads=1, limit_bytes=limit_bytes, slack_bytes=100)
        )
        return self.played[-1]

    def load(self, *processes: Process, silence_s: float = PATIENCE_S, block_bytes: int = 0) -> FioLoad:
        load = FioLoad(
            list(processes),
            "a load",
            raw=lambda data: None,
            interval_s=0.1,
            silence_s=silence_s,
            block_bytes=block_bytes,
        )
        load.begin()
        return load


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    for process in made.played:
        process.end()


def document(size: int, at: float = 0.0, runtime_ms: int = 0, **more: Any) -> str:
    """As fio prints it: totals of one job that writes, read at that Unix time."""
    write = {"io_bytes": size, "runtime": runtime_ms, "lat_ns": {"N": size // 100}}
    return json.dumps({"timestamp_ms": round(at * 1000), "jobs": [{"write": write, **more}]}, indent=2) + "\n"


def test_totals_are_of_when_fio_read_them_however_late_they_are_heard(stage: Stage) -> None:
    load = stage.load(stage.process(WAITS))
    wall, now = time.time(), time.monotonic()
    load.process.documents.append((document(1000, wall, runtime_ms=100).encode(), now + 0.7))
    assert load.next()
    assert load.ended == pytest.approx(now, abs=0.005)
    assert load.began == pytest.approx(load.ended - 0.1)


@pytest.mark.parametrize(("block_bytes", "moved"), [(100, [1000, 1000]), (0, [900, 1100])])
def test_bytes_of_a_running_load_are_those_of_its_ios_and_not_older(
    stage: Stage, block_bytes: int, moved: list[int]
) -> None:
    """fio notes bytes some milliseconds before it counts IOs; a load of several sizes has nothing better."""
    load = stage.load(stage.process(WAITS), block_bytes=block_bytes)
    wall = time.time()
    for number, noted in enumerate((900, 2000), 1):
        told = {"io_bytes": noted, "runtime": 100 * number, "lat_ns": {"N": 10 * number}}
        told_at = {"timestamp_ms": round(wall * 1000) + 100 * number, "jobs": [{"write": told}]}
        load.process.documents.append((json.dumps(told_at).encode(), time.monotonic()))
        counts = load.next()
        assert counts
        assert (counts.write.ios, counts.write.bytes) == (10, moved[number - 1])


def test_bytes_of_a_running_load_never_exceed_its_limit(stage: Stage) -> None:
    """Its last IO may be shorter than the others."""
    load = stage.load(stage.process(WAITS, limit_bytes=1150), block_bytes=100)
    assert load.process.enough_bytes == 1050
    told = {"timestamp_ms": 0, "jobs": [{"write": {"io_bytes": 900, "runtime": 100, "lat_ns": {"N": 11}}}]}
    load.process.documents.append((json.dumps(told).encode(), time.monotonic()))
    counts = load.next()
    assert counts
    assert counts.write.bytes == 1050


def test_a_release_that_is_heard_late_does_not_shorten_the_first_interval(stage: Stage) -> None:
    """Its IO would be told at a higher rate than it had; all intervals together last from `began` to `ended`."""
    load = stage.load(stage.process(WAITS))
    wall, now, seconds = time.time(), time.monotonic(), 0.0
    for size, runtime_ms in ((1000, 900), (2000, 1001)):
        at = wall + (runtime_ms - 900) / 1000
        load.process.documents.append((document(size, at, runtime_ms=runtime_ms).encode(), now + 0.2))
        counts = load.next()
        assert counts
        seconds += counts.seconds
    assert seconds == pytest.approx(1.0, abs=0.01)
    assert seconds == pytest.approx(load.ended - load.began, abs=1e-6)


@pytest.mark.parametrize("way", ["next", "stop"])
def test_a_load_that_was_over_before_its_release_was_heard_lasted_as_long_as_its_io(
    stage: Stage, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy host its release and its last totals are read together, in this order or in the other one."""
    text = f'echo Saving output of a; read x; echo {RELEASED} >&2; printf %s "$1"'
    process = stage.process(text, document(1000, time.time(), runtime_ms=30), limit_bytes=1000)
    monkeypatch.setattr("stend.engines._fio_load.STEP_S", PATIENCE_S)
    release = process.release

    def heard_late() -> None:
        release()
        process.child.wait(PATIENCE_S)
        time.sleep(0.2)

    process.release = heard_late  # type: ignore[method-assign]
    load = stage.load(process)
    counts = getattr(load, way)()
    assert counts.write.bytes == 1000
    assert counts.seconds == pytest.approx(0.03)
    assert load.ended - load.began == pytest.approx(0.03)
    assert process.released_at is not None
    assert load.ended < process.released_at - 0.1, "when its IO ended, not when that was heard"


def test_totals_that_are_heard_more_than_a_second_late_end_where_they_were_read(stage: Stage) -> None:
    """Else the IOs that follow them were done in no time."""
    load = stage.load(stage.process(WAITS))
    wall, now = time.time(), time.monotonic()
    for size, runtime_ms, seconds in ((1000, 400, 0.4), (2000, 1000, 0.6)):
        text = document(size, wall + runtime_ms / 1000, runtime_ms=runtime_ms)
        load.process.documents.append((text.encode(), now + 2.5))
        counts = load.next()
        assert counts
        assert counts.seconds == pytest.approx(seconds, abs=0.01)


def test_a_wall_clock_that_was_set_in_between_is_not_believed(stage: Stage) -> None:
    load = stage.load(stage.process(WAITS))
    heard = time.monotonic() + 0.7
    for late_s in (3600, -3600):
        load.process.documents.append((document(1000, time.time() - late_s).encode(), heard))
        assert load.next()
        assert load.ended == heard


def test_one_that_has_written_enough_is_left_to_end_by_itself(stage: Stage) -> None:
    """Its last words come a moment after all is written, and are the totals."""
    text = f'trap \'exit 9\' TERM; echo {RELEASED} >&2; printf %s "$1"; sleep 0.3; printf %s "$2"'
    load = stage.load(stage.process(text, document(900), document(1000), limit_bytes=1000))
    counts = load.next()
    assert counts
    assert counts.write.bytes == 1000
    assert load.next() is None


def test_one_that_ends_before_it_has_written_enough_has_failed(stage: Stage) -> None:
    text = f'trap "" USR1; echo {RELEASED} >&2; printf %s "$1"'
    load = stage.load(stage.process(text, document(899), limit_bytes=1000))
    assert load.next()
    with pytest.raises(StepFailed, match="fio failed at a load: it ended with exit code 0"):
        load.next()


@pytest.mark.parametrize(
    ("text", "words", "ending"),
    [
        ("echo 'note: verbose'; echo 'fio: pid=7, err=28/file:a.c'; exit 3", "pid=7, err=28/file:a.c", "exit code 3"),
        ("echo 'note: verbose' >&2; echo 'fio: IO Error on x' >&2", "IO Error on x", "exit code 0"),
        ("echo 'Saving output of a'; echo 'fio: verbose'; echo more", "verbose", "exit code 0"),
        ("kill -SEGV $$", "", "killed by signal 11"),
    ],
)
def test_what_it_says_of_its_end_is_told_wherever_it_says_it(stage: Stage, text: str, words: str, ending: str) -> None:
    process = stage.process(text)
    assert process.listen(PATIENCE_S, lambda: not process.alive)
    process.end()
    assert process.words == words
    assert process.ending.endswith(ending)


def test_an_error_in_its_totals_is_told_by_its_own_line_or_by_the_name_of_its_number(stage: Stage) -> None:
    for said, told in (("", "No space left on device"), ("fio: pid=1, err=28/file:b.c", "pid=1, err=28/file:b.c")):
        text = f'echo {RELEASED} >&2; echo "$2" >&2; printf %s "$1"; exec sleep 600'
        load = stage.load(stage.process(text, document(1000, error=28), said))
        with pytest.raises(StepFailed, match=f"fio failed at a load: {told}$"):
            load.next()


TOLD_THEN = f"trap '{{}}' TERM; echo {RELEASED} >&2; printf %s \"$1\"; while :; do sleep 0.02; done"
"""Prints its totals at once, and does something when it is told to end."""


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_one_that_dies_of_a_signal_after_it_was_told_to_end_is_a_remark(stage: Stage, number: signal.Signals) -> None:
    load = stage.load(stage.process(TOLD_THEN.format(f"kill -{int(number)} $$"), document(1000)))
    assert load.next()
    assert load.stop() is None
    (words,) = load.remarks
    assert f"signal {int(number)} ({number.name})" in words
    assert "core pattern: " in words
    assert "it was stopped" in words


def test_its_last_totals_count_though_it_died_after_them(stage: Stage) -> None:
    load = stage.load(stage.process(TOLD_THEN.format('printf %s "$2"; kill -SEGV $$'), document(1000), document(1200)))
    assert load.next()
    last = load.stop()
    assert last
    assert last.write.bytes == 200
    assert len(load.remarks) == 1


def test_one_that_obeys_leaves_no_remark(stage: Stage) -> None:
    load = stage.load(stage.process(TOLD_THEN.format('printf %s "$2"; exit'), document(1000), document(1200)))
    assert load.next()
    assert load.stop()
    assert load.remarks == []


def test_one_that_had_written_all_and_dies_then_is_a_remark(stage: Stage) -> None:
    text = f'echo {RELEASED} >&2; printf %s "$1"; kill -SEGV $$'
    load = stage.load(stage.process(text, document(1000), limit_bytes=1000))
    assert load.next()
    assert load.next() is None
    assert "had done all" in load.remarks[0]


DEATHS = {
    "a signal": ("kill -SEGV $$", True),
    "a signal after words": ("echo 'free(): invalid pointer' >&2; kill -ABRT $$", True),
    "a signal after an error": ("echo 'fio: io_u error on file x: Input/output error' >&2; kill -SEGV $$", False),
    "a limit of this host": ("kill -XFSZ $$", False),
    "an exit code": ("echo 'fio: engine burnt' >&2; exit 3", False),
    "no totals, no code": ("exit 0", False),
}


@pytest.mark.parametrize("name", DEATHS)
def test_only_a_death_by_a_signal_without_an_error_may_be_repeated(stage: Stage, name: str) -> None:
    text, died = DEATHS[name]
    load = stage.load(stage.process(f'echo {RELEASED} >&2; printf %s "$1"; {text}', document(1000)))
    with pytest.raises(LoadFailed) as failed:
        list(iter(load.next, None))
    assert failed.value.died == died
    assert failed.value.record


def test_an_error_in_its_totals_is_no_death_though_a_signal_ended_it(stage: Stage) -> None:
    load = stage.load(stage.process(f'echo {RELEASED} >&2; printf %s "$1"; kill -SEGV $$', document(1000, error=5)))
    with pytest.raises(LoadFailed, match="Input/output error") as failed:
        load.next()
    assert not failed.value.died


def test_one_that_was_killed_for_its_silence_is_no_death(stage: Stage) -> None:
    load = stage.load(stage.process(f"trap '' TERM USR1; {WAITS}"), silence_s=0.3)
    with pytest.raises(LoadFailed, match="did not end within") as failed:
        load.stop()
    assert not failed.value.died
    assert failed.value.record.count("from stend") == 1


def test_one_that_dies_before_it_told_any_totals_is_a_death(stage: Stage) -> None:
    """As fio 3.33 did once when 16 threads were stopped at once: what it wrote is not known."""
    load = stage.load(stage.process(f"trap 'kill -SEGV $$' TERM; echo {RELEASED} >&2; while :; do sleep 0.02; done"))
    with pytest.raises(LoadFailed, match="killed by signal 11") as failed:
        load.stop()
    assert failed.value.died


def test_its_last_lines_are_kept_and_no_more(stage: Stage) -> None:
    process = stage.process("for n in 1 2 3 4 5 6 7; do echo line $n; done; exit 3")
    assert process.listen(PATIENCE_S, lambda: not process.alive)
    process.end()
    lines = "line 3 | line 4 | line 5 | line 6 | line 7"
    assert process.record("x") == f"x: fio ended with exit code 3; its last lines: {lines}"


def test_one_that_ended_by_itself_left_no_core(stage: Stage) -> None:
    process = stage.process("exit 0")
    assert process.listen(PATIENCE_S, lambda: not process.alive)
    process.end()
    assert process.record("x") == f"x: fio ended with exit code 0; {Sentence('fio_silent')}"


def test_the_next_process_begins_at_nought_and_is_ended_with_the_one_before_it(stage: Stage) -> None:
    text = f'trap "" USR1; echo {RELEASED} >&2; printf %s "$1"'
    first, second = (stage.process(text, document(size), limit_bytes=size) for size in (1000, 600))
    load, raw = stage.load(first, second), list[bytes]()
    load.raw = raw.append
    sizes = [counts.write.bytes for counts in iter(load.next, None)]
    assert sizes == [1000, 600]
    assert [words for words in raw if not words.startswith(b"{")] == [f"{NEXT_PROCESS}\n".encode()]
    assert NEXT_PROCESS.encode() in raw[1]
    told = f'trap \'printf %s "$2"; exit\' TERM; echo {RELEASED} >&2; printf %s "$1"; while :; do sleep 0.02; done'
    waiting = stage.process(WAITS)
    load = stage.load(stage.process(told, document(1000), document(1200)), waiting)
    assert load.next()
    last = load.stop()
    assert last
    assert last.write.bytes == 200
    wait_for(lambda: not waiting.alive)


def test_a_process_that_has_ended_holds_no_descriptor(stage: Stage) -> None:
    def held() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = held()
    for text in ("exit 0", WAITS, "echo a; exec sleep 600"):
        process = stage.process(text)
        assert held() > before
        process.end()
        process.end()
        assert held() == before


def test_who_listens_waits_and_does_not_ask_again_and_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    process = stage.process(WAITS)
    process.listen(PATIENCE_S, lambda: process.released_at is not None)
    asked, select = list[float](), process.selector.select

    def spied(seconds: float) -> Any:
        asked.append(seconds)
        return select(seconds)

    monkeypatch.setattr(process.selector, "select", spied)
    assert not process.listen(0.05, lambda: False)
    assert 0 < asked[0] <= 0.05


def test_what_it_said_is_heard_though_nobody_listened_before_it_ended(stage: Stage) -> None:
    process = stage.process("echo 'fio: pid=7, err=5/file:a.c'; exit 3")
    process.child.wait(PATIENCE_S)
    process.end()
    assert process.words == "pid=7, err=5/file:a.c"


def test_fio_may_open_as_many_files_as_the_host_permits_and_a_shell_does_not(stage: Stage) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1] // 2, before[1]))
    try:
        process = stage.process("ulimit -Sn >&2")
        process.listen(PATIENCE_S, lambda: bool(process.printed))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert process.words == str(before[1])


def test_a_host_that_starts_no_process_says_so(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*words: object, **named: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable", "setpriv")

    monkeypatch.setattr(subprocess, "Popen", refused)
    with pytest.raises(StepFailed, match="fio cannot be started: Resource temporarily unavailable"):
        stage.process("true")


def test_processors_are_busy_for_no_longer_than_there_are_processors() -> None:
    busy, began = busy_cpu_s(), time.monotonic()
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    grown, ticks = busy_cpu_s() - busy, 5 * 0.01  # each of its five counters is rounded by itself
    processors = os.cpu_count() or 1
    assert 0.05 < grown < (time.monotonic() - began + ticks) * processors
