"""`make fuzz`: for so long, or so many inputs; what was found is kept and told, and the exit code says so."""

import argparse
import random
import sys
from pathlib import Path

from tests.fuzz.campaign import campaign, every

asked = argparse.ArgumentParser(prog="make fuzz")
asked.add_argument("--seconds", type=float, default=120)
asked.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
asked.add_argument("--only", default="", help="targets whose name holds this")
asked.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where inputs that found something are kept")
given = asked.parse_args()
chosen = [target for target in every() if given.only in target.name]
done = campaign(chosen, seconds=given.seconds, seed=given.seed, keep=given.keep, tell=print)
print(done.words)
sys.exit(bool(done.found))
