"""`python -m benchmarks.sooner [DRIVE]...`: what `stend plan --sooner` states, held against other seeds.

A way is within what was stated where its worst change of a cell, of two runs with seeds of their own, is no more than
the change first seen and that of chance together.
"""

import sys

from stend.devices.virtual import find
from stend.planning import plan
from stend.session import sooner

DRIVES = ("sn150", "saber1000", "kc2000")
TESTS = ("iops", "latency", "throughput")
STATED, CHECKED = 1, 11
"""Seeds."""


def main() -> None:
    """Print a table, a line as it is done."""
    print("| drive | way | hours | saved | worst change | by chance | other seeds | within |")
    print("|---|---|--:|--:|--:|--:|--:|---|")
    for name in sys.argv[1:] or DRIVES:
        target = f"sim:{name}"
        drawn = plan.draw(TESTS, plan.load_profile(plan.USUAL_PROFILE), find(target).identity)
        pairs = zip(sooner.tried(drawn, target, STATED), sooner.tried(drawn, target, CHECKED), strict=True)
        for one, again in pairs:
            figures = f"{one.hours:.2f} | {one.planned_hours - one.hours:.2f} | {one.worst:.1%} | {one.chance:.1%}"
            within = "yes" if again.worst <= one.stated else "NO"
            print(f"| {name} | {one.name} | {figures} | {again.worst:.1%} | {within} |", flush=True)


if __name__ == "__main__":
    main()
