"""`python -m tests.gate_table`: how many situations the table of the gate has, how many refusals of verbs they are."""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

os.environ.setdefault("STEND_LAB", "counted")  # the cases of the lab are counted here, and run there

VERBS = ("run", "purge", "provision", "resume")


class Part(NamedTuple):
    """A part of the table: so many situations, which so many verbs are refused in."""

    name: str
    situations: int
    refusals: int


def part(name: str, builders: Iterable[Callable[..., Any]], ways: int = 1) -> Part:
    """These situations, each come at in so many ways."""
    asked = [verbs(build) for build in builders]
    return Part(name, ways * len(asked), ways * sum(asked))


def verbs(build: Callable[..., Any]) -> int:
    """How many verbs are asked: none between look and open, where the gate itself is; `run` alone near a run folder."""
    told = inspect.getsource(build)
    return 0 if "between=" in told else 1 if "keep_off=" in told else len(VERBS)


def parts() -> Iterator[Part]:
    """Every part."""
    from tests.gate_cases import CASES
    from tests.gate_cases_files import FILE_CASES
    from tests.gate_uses import USES
    from tests.gate_uses_alone import ALONE
    from tests.lab.cases import test_gate
    from tests.test_gate_below import LOOPS

    yield part("here: what a drive or a file is, and how it is named", CASES + FILE_CASES)
    yield part("here: each use, by its own name", (*USES, *ALONE))
    yield part("here: each use, through loop devices", USES, len(LOOPS))
    yield part("lab: volumes, arrays, exports, caches, file systems of flash", test_gate.CASES)


def main() -> None:
    """A line for each part, and their sum."""
    told = list(parts())
    for one in told:
        print(f"{one.situations:4} situations, {one.refusals:4} refusals of a verb  {one.name}")
    print(f"{sum(p.situations for p in told):4} situations, {sum(p.refusals for p in told):4} refusals in all")


if __name__ == "__main__":
    main()
