"""Kernels of virtual drives, compiled beside `lint` and the first tests: `python -m tests.kernels`.

Who needs one meanwhile waits for it (stend/base/jit.py).
"""

import tests.conftest  # noqa: F401 for where kernels are kept
from stend.base.units import KiB
from stend.sim import Pattern, build, load

ONE_OF_EACH = ("small", "sas15k", "x25e-raid", "ideal")


def main() -> None:
    """A moment of reads and writes on a drive of each kind, which then rests."""
    for name in ONE_OF_EACH:
        drive = build(load(name))
        whole = drive.capacity_bytes
        drive.start(
            Pattern(random_pct=100, read_pct=50, sizes=((4 * KiB, 1.0),), range_bytes=whole, threads=1, depth=4)
        )
        drive.advance(0.01)
        drive.stop()
        drive.idle(1)


if __name__ == "__main__":
    main()
