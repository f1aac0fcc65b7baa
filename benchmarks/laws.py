"""`python -m benchmarks.laws [DRIVE]...`: Little's law in every load of every virtual drive.

The table is docs/method/data/laws.csv.

A drive is filled, those of flash overwritten at random; then it takes 180 loads of a minute: reads, a mix and writes,
random and in order, of six sizes at five depths. IOPS x mean response time is held against what is outstanding after
5, 30 and 60 s, and mixes against both their parts. Records of a scaled drive with few simulated IOs are left out.
"""

import sys

from tests.test_sim_laws import APART, LENGTHS_S, LOADS, WITHIN, cells, exceeding, used

from stend.sim import profiles


def main() -> None:
    """Print a line a drive as it is done."""
    heads = " | ".join(f"worst in {seconds} s" for seconds in LENGTHS_S)
    print(f"| drive | loads | {heads} | beyond {WITHIN:.0%} | mixes above both parts |\n|---|{'--:|' * 6}")
    for name in sys.argv[1:] or profiles():
        found = list(cells(used(name), LOADS))
        every = [cell for three in found for cell in three]
        apart = ([abs(c.little[seconds] - 1) for c in every if seconds in c.little] for seconds in LENGTHS_S)
        worst = " | ".join(f"{max(one):.2%}" for one in apart)
        off = sum(len(cell.off()) for cell in every)
        above = f"{len(exceeding(found))}" + (f": {APART[name]}" if name in APART else "")
        print(f"| {name} | {len(every)} | {worst} | {off} | {above} |", flush=True)


if __name__ == "__main__":
    main()
