"""What 20 pages cost a run between its steps: `python -m benchmarks.pauses` (ten minutes, on a quiet host).

Holds of a quarter of a second on a drive slower than its host, many of them: there are four times as many pauses to
compare in an hour as `bench_live` has with its holds of a second, which are for the IOPS.
"""

import tempfile
from pathlib import Path

from benchmarks.bench_live import DRIVE_IOPS, Turns, beside_a_load, day, slow
from benchmarks.bench_overhead import target

SHORT = Turns(("pages",) * 4 + ("nobody",) * 4 + ("again",) * 4, turns=100, hold_s=0.25)


def main() -> None:
    """A line with pages, one for the noise."""
    with tempfile.TemporaryDirectory() as name, target() as device, slow(device.identity.target):
        top = Path(name) / "runs"
        top.mkdir()
        day(top)
        beside_a_load(top, device, f"bound by a drive of {DRIVE_IOPS} IOPS", SHORT)


if __name__ == "__main__":
    main()
