"""`python -m benchmarks.findings [--seed N] [--each N] [--kind KIND] [--false]`: findings on drives of known truth.

Draws so many drives of each kind by the seed, runs the test that each is for, judges every number of every statement,
and prints a table by kind, which docs/method/data/findings.csv has. `--false` prints each false statement with the
command that repeats it.
"""

import argparse
from collections import Counter

from tests.drives.judge import FALSE, LIKELY_WRONG, PARTLY, RIGHT, SURE_FALSE, UNSURE, Statement, statements
from tests.drives.kinds import KINDS

TELLABLE = "an expert could tell"
COLUMNS = (RIGHT, PARTLY, UNSURE, TELLABLE, FALSE, LIKELY_WRONG, SURE_FALSE)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.findings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=8, help="drives of each kind")
    parser.add_argument("--number", type=int, help="only the drive of this number")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--false", action="store_true", help="print every false statement")
    parser.add_argument("--all", action="store_true", help="print every statement")
    options = parser.parse_args()
    print(f"| kind | drives | statements | {' | '.join(COLUMNS)} |\n|---|{'--:|' * (len(COLUMNS) + 2)}")
    total, drives, unjudged = Counter[str](), 0, Counter[str]()
    numbers = range(options.each) if options.number is None else [options.number]
    for kind in options.kind or KINDS:
        found = [(number, one) for number in numbers for one in statements(kind, options.seed, number)]
        count = counted([one for _, one in found])
        total, drives = total + count, drives + len(numbers)
        print(row(kind, len(numbers), count), flush=True)
        for number, one in found:
            unjudged.update(one.unjudged)
            if options.all or (options.false and one.false):
                print(f"    {one.verdict}: {one.text}\n        {'; '.join(one.wrong)}")
                print(f"        --seed {options.seed} --kind {kind!r} --number {number} --all")
    print(row("all", drives, total))
    for name, times in unjudged.items():
        print(f"not judged: {name} ({times} times)")


def counted(found: list[Statement]) -> Counter[str]:
    """Return how many statements have each verdict."""
    return Counter([one.verdict for one in found] + [TELLABLE for one in found if one.tellable])


def row(kind: str, drives: int, count: Counter[str]) -> str:
    """Return a line of the table."""
    every = sum(count.values()) - count[TELLABLE]
    return f"| {kind} | {drives} | {every} | {' | '.join(str(count[name]) for name in COLUMNS)} |"


if __name__ == "__main__":
    main()
