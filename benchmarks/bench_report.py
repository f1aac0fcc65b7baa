"""How long a report takes: of the complete desktop review on a virtual drive."""

import contextlib
import io
import tempfile
import time
from pathlib import Path

from stend import report, store
from stend.cli import main as stend

TARGETS_S = {"html": 1.0, "pdf": 4.0}
HTML_MB = 2.0


def main() -> None:
    """Print load, HTML and PDF, each the second time, and the page's size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        asked = ["run", "review-desktop", "--target", "sim:kc2000", "--seed", "1", "--into", str(folder)]
        with contextlib.redirect_stdout(io.StringIO()):
            code = stend(asked)
        if code:
            raise SystemExit(f"the run failed with exit code {code}")
        began = time.perf_counter()
        run, host = store.load(folder), store.host(folder)
        print(f"load {time.perf_counter() - began:.1f} s ({(folder / 'events.jsonl').stat().st_size / 1e6:.0f} MB)")
        for form, most_s in TARGETS_S.items():
            for _ in range(2):
                began = time.perf_counter()
                (path, *_) = report.write([(folder, run, host)], form, into=Path(name))
                took_s = time.perf_counter() - began
            print(f"{form} {took_s:.1f} s (at most {most_s:g}), {path.stat().st_size / 1e6:.1f} MB")
        print(f"  (HTML at most {HTML_MB:g} MB)")
