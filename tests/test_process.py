"""Which process is there, and which is over though its number is still shown."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stend.base.process import over, processor_s, ticks


def told(**changes: str) -> str:
    """This process's own `stat`, with other words at places of proc(5), whose names may be anything."""
    before, words = Path("/proc/self/stat").read_text().rpartition(") ")[::2]
    named = dict(enumerate(words.split(), 3)) | {int(place[1:]): word for place, word in changes.items()}
    return f"{before} (odd) Z) {' '.join(named.values())}"


def now() -> int:
    """Ticks since the boot."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


@pytest.mark.parametrize(
    ("changes", "gone"),
    [
        ({}, False),
        ({"_3": "D"}, False),
        ({"_3": "T"}, False),
        ({"_3": "Z"}, True),
        ({"_3": "X"}, True),
        ({"_9": str(0x400104)}, True),
        ({"_9": str(0x400500)}, True),
        ({"_9": str(0x400101)}, False),
        ({"_31": str(1 << 8)}, True),
        ({"_31": str(1 << 14)}, False),
    ],
)
def test_a_process_that_only_has_to_be_buried_is_over(changes: dict[str, str], gone: bool) -> None:
    assert over(told(**changes)) == gone


def test_what_is_cut_off_before_the_signals_is_no_more() -> None:
    name, words = told().rpartition(") ")[::2]
    first = words.split()[:29]
    assert not over(f"{name}) {' '.join(first)}")
    assert over(f"{name}) {' '.join(first[:28])}")
    assert over("")


def test_a_process_began_when_it_did_and_is_no_more_once_it_is_killed() -> None:
    before = now()
    child = os.fork()
    if not child:
        signal.pause()
    began, after = ticks(child), now()
    os.kill(child, signal.SIGKILL)
    told = ticks(child)
    os.waitpid(child, 0)
    assert before <= began <= after
    assert (told, ticks(child)) == (0, 0)


def test_processor_time_is_that_of_the_process_and_of_the_kernel_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields 14 and 15 of proc(5) are utime and stime, in ticks."""
    words = told(_14="700", _15="50", _16="9000", _17="9000")
    monkeypatch.setattr(Path, "read_text", lambda path, **_: words)
    assert processor_s(1) == 750 / os.sysconf("SC_CLK_TCK")

    def gone(path: Path, **_: Any) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", gone)
    assert processor_s(1) == ticks(1) == 0


def test_a_process_whose_name_is_cut_inside_a_letter_is_there() -> None:
    """The kernel cuts a name after 15 bytes (comm): eight Cyrillic letters end with half of one."""
    named = "open('/proc/self/comm', 'wb').write('измерения'.encode()); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", named], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        child.stdout.readline()
        assert b"\xd0)" in Path(f"/proc/{child.pid}/stat").read_bytes()
        assert 0 < ticks(child.pid) <= now()
        assert processor_s(child.pid) >= 0
        child.stdin.close()
    assert not ticks(child.pid)
    assert not processor_s(child.pid)
