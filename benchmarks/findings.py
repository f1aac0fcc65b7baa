"""`python -m benchmarks.findings [--seed N] [--each N] [--false]`: findings held against drives of known truth.

Draws so many drives of each kind by the seed, runs the test each is for, and prints right, can't tell and false by
kind, as docs/findings-accuracy.md has it; `--false` prints the false sentences too.
"""

import argparse
from collections import Counter

from tests.drawn import KINDS
from tests.judged import FALSE, RIGHT, UNSURE, Statement, statements

HEAD = f"| kind | drives | statements | {RIGHT} | {UNSURE} | {FALSE} | {FALSE} and sure |\n|---|{'--:|' * 6}"


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.findings")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--each", type=int, default=10, help="drives of each kind")
    asked.add_argument("--kind", choices=KINDS, action="append")
    asked.add_argument("--false", action="store_true", help="print every false sentence")
    asked.add_argument("--all", action="store_true", help="print every sentence")
    options = asked.parse_args()
    print(HEAD)
    total, drives = Counter[str](), 0
    for kind in options.kind or KINDS:
        told = [one for number in range(options.each) for one in statements(kind, options.seed, number)]
        total, drives = total + counted(told), drives + options.each
        print(row(kind, options.each, counted(told)), flush=True)
        for one in told:
            if options.all or (options.false and one.verdict == FALSE):
                print(f"    {one.verdict}{', sure' if one.sure else ''}: {one.text}")
    print(row("all", drives, total))


def counted(told: list[Statement]) -> Counter[str]:
    """How many of each verdict, and of the false ones told as sure."""
    return Counter([one.verdict for one in told] + ["sure" for one in told if one.verdict == FALSE and one.sure])


def row(kind: str, drives: int, count: Counter[str]) -> str:
    """A line of the table."""
    said = sum(count[verdict] for verdict in (RIGHT, UNSURE, FALSE))
    return f"| {kind} | {drives} | {said} | {count[RIGHT]} | {count[UNSURE]} | {count[FALSE]} | {count['sure']} |"


if __name__ == "__main__":
    main()
