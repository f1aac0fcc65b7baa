"""What a report costs: the complete desktop review of a virtual drive, whole commands in processes of their own."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from stend.cli import main as stend

TARGETS_S = {"html": 1.0, "pdf": 4.0}
HTML_MB = 2.0
TIMES = 7
"""The least of so many is what it takes where nobody else has the processor."""
START = """
import stend.cli, stend.cli.report, stend.report.html, stend.report.pdf, stend.report.story.rivals, typer.main
from stend import charts, findings
for name in charts.names(): charts._file(name)
for name in findings.names(): findings.file(name)
"""
"""All that a report loads, and nothing that it does."""


def main() -> None:
    """Print the processor's seconds of each format beyond those of the start (the least of a few) and its size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        asked = ["run", "review-desktop", "--target", "sim:kc2000", "--seed", "1", "--into", str(folder)]
        with contextlib.redirect_stdout(io.StringIO()):
            code = stend(asked)
        if code:
            raise SystemExit(f"the run failed with exit code {code}")
        start_s = _least(["-c", START])
        print(f"start {start_s:.2f} s; record {(folder / 'events.jsonl').stat().st_size / 1e6:.0f} MB")
        for form, most_s in TARGETS_S.items():
            took_s = _least(["-m", "stend", "report", str(folder), "--format", form])
            size = (folder / f"report.{form}").stat().st_size / 1e6
            print(f"{form} {took_s - start_s:.2f} s of processor beyond the start (at most {most_s:g}), {size:.1f} MB")
        print(f"  (HTML at most {HTML_MB:g} MB)")


def _least(command: list[str]) -> float:
    """Seconds of processor, those of its own children too."""
    return min(_took(command) for _ in range(TIMES))


def _took(command: list[str]) -> float:
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime
