"""`COMMAND | python -m benchmarks.data NAME...`: keep the tables that a command prints in docs/method/data/NAME.csv.

The names are given in the order in which the tables are printed. The input is copied to standard output.

    python -m benchmarks.calibrate                               cells drives
    python -m benchmarks.calibrate --percentiles                 percentiles percentile-kinds
    python -m benchmarks.calibrate --reviews                     review-numbers review-statements reviews
    python -m benchmarks.findings --seed 426963 --each 6         findings
    python -m benchmarks.judged FOLDER                           judged unseen
    python -m benchmarks.comparing     compare-power compare-spread compare-unequal compare-skewed compare-gates
    python -m benchmarks.batches                                 batches
    python -m benchmarks.laws                                    laws
    python -m benchmarks.sooner                                  sooner
    python -m benchmarks.bench_flows                             flows
    python -m benchmarks.inspections                             inspections
    python -m tests.zoo                                          zoo-media zoo-inspect zoo-healthy
"""

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parents[1] / "docs" / "method" / "data"
UNNAMED = {
    "cells": ["note"],
    "percentiles": ["fitted"],
    "review-numbers": ["unit", "reason"],
    "review-statements": ["verdict", "reason"],
}
"""Names of the columns whose heads are empty in the printed table, in their order."""
RULE = re.compile(r"\|(?:-+:?\|)+")


def tables(markdown: str, names: list[str]) -> dict[str, list[list[str]]]:
    """Return the tables of a text, each with its head as the first row; raise ValueError if there are fewer or more."""
    found = list(_blocks(markdown))
    named = dict(zip(names, found, strict=True))
    for name, rows in named.items():
        unnamed = iter(UNNAMED.get(name, []))
        rows[0] = [head or next(unnamed) for head in rows[0]]
    return named


def _blocks(markdown: str) -> Iterator[list[list[str]]]:
    for block in re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE):
        lines = [line for line in block.splitlines() if not RULE.fullmatch(line)]
        yield [[cell.strip() for cell in re.split(r"(?<= )\|(?= |$)", line.strip()[1:-1])] for line in lines]


def read(name: str) -> list[list[str]]:
    """Return the rows of a data file, its head first."""
    with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def write(name: str, rows: list[list[str]]) -> None:
    """Write a data file."""
    with (DATA / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Copy standard input to standard output, and write the tables in it to the files named as arguments."""
    text = ""
    for line in sys.stdin:
        print(line, end="", flush=True)
        text += line
    for name, rows in tables(text, sys.argv[1:]).items():
        write(name, rows)


if __name__ == "__main__":
    main()
