"""`make fuzz`: for so long, or so many inputs; what was found is kept and told, and the exit code says so.

Kernels are compiled with bounds checks here, and kept apart from those that measure: an index outside of an array is
an IndexError in this process, and not a write into something else.
"""

import argparse
import os
import random
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "build/fuzz-kernels"
CHECKED = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(KERNELS)}
"""What numba reads of the environment when it is imported."""


def main() -> int:
    """Run a campaign; the exit code is 1 where something was found."""
    asked = argparse.ArgumentParser(prog="make fuzz")
    asked.add_argument("--seconds", type=float, default=120)
    asked.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    asked.add_argument("--only", default="", help="targets whose name holds this")
    asked.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where inputs that found something go")
    given = asked.parse_args()
    os.environ.update(CHECKED)
    from tests.fuzz.campaign import campaign, every

    chosen = [target for target in every() if given.only in target.name]
    done = campaign(chosen, seconds=given.seconds, seed=given.seed, keep=given.keep, tell=print)
    print(done.words)
    return bool(done.found)


if __name__ == "__main__":
    sys.exit(main())
