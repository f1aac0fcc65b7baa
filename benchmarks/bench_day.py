"""A day on a drive, as real processes: memory and time of run, resume and report; quarter and half a day for its shape.

The drives are virtual disks of eight seeds, whose day takes a minute or two each. Processor time is told.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

DRIVES = 8
MINUTES = (360, 720, 1440)
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
    """Each verb at each length, then eight drives for a day and the report of all."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        took(*asked(top / "compiled", 1))  # what is compiled once in a checkout is no run's cost
        first = [top / f"run-{minutes}" for minutes in MINUTES]
        shape("run", (took(*asked(folder, n)) for folder, n in zip(first, MINUTES, strict=True)))
        shape("resume", (resumed(folder, n) for folder, n in zip(first, MINUTES, strict=True)))
        shape("report", (took("report", str(folder)) for folder in first))
        more = [top / f"drive-{seed}" for seed in range(2, DRIVES + 1)]
        days = [took(*asked(folder, MINUTES[-1], seed)) for seed, folder in enumerate(more, start=2)]
        print(f"run of each of {len(days)} more drives: at most {worst(days)}", flush=True)
        drives = [str(folder) for folder in (first[-1], *more)]
        shape(f"report of 1, {DRIVES // 2}, {DRIVES}", (took("report", *drives[:n]) for n in (1, DRIVES // 2, DRIVES)))
        print(f"  (each at most {MOST_MB} MB)")


def shape(what: str, all_took: Iterable[Took]) -> None:
    """A line of what 6, 12 and 24 hours took, and each as a multiple of the one before: 2 where time is linear."""
    told = list(all_took)
    times = ", ".join(f"{after.cpu_s / before.cpu_s:.2f}" for before, after in pairwise(told))
    print(f"{what}: {'; '.join(map(str, told))} (times the one before: {times})", flush=True)


def worst(told: list[Took]) -> Took:
    """The longest and the largest."""
    return Took(max(one.cpu_s for one in told), max(one.peak_mb for one in told))


def asked(folder: Path, minutes: int, seed: int = 1) -> tuple[str, ...]:
    """The words of a run of so many minutes."""
    study = folder.with_suffix(".toml")
    study.write_text(STUDY.format(minutes=minutes))
    return ("run", str(study), "--target", "sim:st600mx0052", "--seed", str(seed), "--into", str(folder))


def resumed(whole: Path, minutes: int) -> Took:
    """A run that is killed at three quarters of its record, and what its resume takes."""
    folder, size = whole.with_name(f"killed-{minutes}"), (whole / "events.jsonl").stat().st_size
    child = started(*asked(folder, minutes))
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
    """stend to its end, and what it waited for, as the process that draws its charts."""
    _, status, usage = os.wait4(started(*words).pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"stend {' '.join(words)} ended with {code}")
    return Took(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
