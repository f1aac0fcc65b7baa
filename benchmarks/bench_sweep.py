"""What a sweep costs: many virtual drives, write saturation each, by one worker and by two; memory; a kill amid it.

    python -m benchmarks sweep                    # 1,000 drives
    STEND_SWEEP_DRIVES=100 python -m benchmarks sweep

Efficiency is the time of one worker over that of two, halved; on a host that does something else it tells of that too.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DESIGN = """
target = "sim:small"
tests = ["write-saturation"]
drives = {drives}
settings = {{minute_s = 2, tests = {{write-saturation = {{histogram_minutes = 5}}}}}}
[parameters]
"flash.spare_pct" = {{from = 7.0, to = 40.0}}
"flash.dies" = {{from = 4, to = 32, log = true}}
"flash.cleaning" = ["greedy", "fifo", "cost-benefit"]
"plan.active_range_pct" = {{from = 50, to = 100}}
"""


def main() -> None:
    """Three sweeps of the same design: one worker, two, and two that are killed and go on."""
    drives = int(os.environ.get("STEND_SWEEP_DRIVES", "1000"))
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / "design.toml").write_text(DESIGN.format(drives=drives))
        (top / "first.toml").write_text(DESIGN.format(drives=4))
        _swept(top, "first", 2, "first.toml")  # the simulation compiled
        one, two = (_swept(top, str(workers), workers) for workers in (1, 2))
        print(f"{drives} drives x write saturation: {one[0]:.1f} s by one worker, {two[0]:.1f} s by two; "
              f"efficiency {one[0] / two[0] / 2:.2f}; processor {one[2]:.1f} and {two[2]:.1f} s, "
              f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
        print(f"memory at a tenth and at the end: {one[1]}, {two[1]}")
        print(_killed(top, drives))
        same = (top / "1/drives.jsonl").read_text().splitlines(), (top / "killed/drives.jsonl").read_text().splitlines()
        print(f"the same drives and figures after the kill as without: {sorted(same[0]) == sorted(same[1])}")


def _start(top: Path, into: str, workers: int, design: str = "design.toml") -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "stend", "sweep", design, "--into", into, "--workers", str(workers)]
    words += ["--format", "json"]
    return subprocess.Popen(words, cwd=top, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _swept(top: Path, into: str, workers: int, design: str = "design.toml") -> tuple[float, str, float]:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, told = time.monotonic(), dict[str, str]()
    process = _start(top, into, workers, design)
    last = ""
    while process.poll() is None:
        now = _memory(process.pid)
        last = now if "+" in now else last  # its workers are there
        if _done(top / into) >= _asked(top / design) / 10:
            told.setdefault("early", last)
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"the sweep ended with {process.returncode}")
    more = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_s = more.ru_utime + more.ru_stime - used.ru_utime - used.ru_stime
    return time.monotonic() - began, f"{told.get('early', last)} then {last}", processor_s


def _killed(top: Path, drives: int) -> str:
    process = _start(top, "killed", 2)
    while _done(top / "killed") < drives // 3:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = _done(top / "killed")
    began = time.monotonic()
    _swept(top, "killed", 2)
    took, lines = time.monotonic() - began, _done(top / "killed")
    more = lines - before
    return f"killed (-9) with {before} of {drives} done; {more} more in {took:.1f} s, {lines} lines in all"


def _done(folder: Path) -> int:
    path = folder / "drives.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _asked(path: Path) -> int:
    return int(path.read_text().partition("drives = ")[2].split()[0])


def _memory(pid: int) -> str:
    """Resident MB of the process and of its children."""
    own = [pid, *(int(word) for word in _text(f"/proc/{pid}/task/{pid}/children").split())]
    return " + ".join(str(kib // 1024) for one in own if (kib := _resident_kib(one)) > 20_000) + " MB"


def _resident_kib(pid: int) -> int:
    rows = [line for line in _text(f"/proc/{pid}/status").splitlines() if line.startswith("VmRSS")]
    return int(rows[0].split()[1]) if rows else 0


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
