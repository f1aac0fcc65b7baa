"""A day on a drive, as real processes: memory and time of run, resume and a report of eight; half a day for its shape.

The drive is a virtual disk, whose day takes a minute or two. The report is made of eight copies of one run.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

DRIVES, DAY_MINUTES = 8, 1440
MOST_MB = 500
STUDY = """title = "A day of writing"
tests = ["write-saturation"]
[settings.tests.write-saturation]
seek_steady = false
minutes = {minutes}
histogram_minutes = 1
"""


class Took(NamedTuple):
    """What a process took: its own processor time, and the most memory it ever had."""

    cpu_s: float
    peak_mb: float

    def __str__(self) -> str:
        return f"{self.cpu_s:.0f} s of processor, {self.peak_mb:.0f} MB"


def main() -> None:
    """Half a day and a whole one, one that is killed and goes on, and the report of eight."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        half, whole = (ran(top, minutes) for minutes in (DAY_MINUTES // 2, DAY_MINUTES))
        print(f"half a day run: {half}; a day: {whole}, {whole.cpu_s / half.cpu_s:.2f} times")
        folder = top / str(DAY_MINUTES)
        print(f"a day that was killed and went on: {resumed(top, folder)}")
        copies = [shutil.copytree(folder, top / f"drive{number}") for number in range(DRIVES)]
        for many in (1, DRIVES // 2, DRIVES):
            print(f"report of {many}: {took('report', *map(str, copies[:many]))}")
        print(f"  (each at most {MOST_MB} MB)")


def asked(top: Path, minutes: int, folder: Path) -> tuple[str, ...]:
    """The words of a run of so many minutes."""
    study = top / f"{minutes}.toml"
    study.write_text(STUDY.format(minutes=minutes))
    return ("run", str(study), "--target", "sim:st600mx0052", "--seed", "1", "--into", str(folder))


def ran(top: Path, minutes: int) -> Took:
    """A run from its beginning to its report."""
    return took(*asked(top, minutes, top / str(minutes)))


def resumed(top: Path, whole: Path) -> Took:
    """A run that is killed at three quarters of its record, and what its resume takes."""
    folder, size = top / "killed", (whole / "events.jsonl").stat().st_size
    child = started(*asked(top, DAY_MINUTES, folder))
    while child.poll() is None and written(folder) < size * 3 / 4:
        time.sleep(0.2)
    child.send_signal(signal.SIGKILL)
    child.wait()
    return took("resume", str(folder))


def written(folder: Path) -> int:
    """How long its record is by now."""
    path = folder / "events.jsonl"
    return path.stat().st_size if path.exists() else 0


def started(*words: str) -> "subprocess.Popen[bytes]":
    """stend as a process of its own."""
    command = [sys.executable, "-m", "stend", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def took(*words: str) -> Took:
    """stend to its end; what drew its charts for it is not counted."""
    _, status, usage = os.wait4(started(*words).pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"stend {' '.join(words)} ended with {code}")
    return Took(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
