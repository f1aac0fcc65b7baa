"""What changed while a series of runs was made: host, kernel, fio, temperature and the like, from run to run."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from stend.many.read import run
from stend.many.settings import WARM_C
from stend.many.sides import Outcome
from stend.store import writer

WATCHED = ("host", "cpu", "kernel", "fio", "stend", "firmware", "interface", "cache", "deviations")
"""What ought to be alike in every run of one drive."""


class Drift(NamedTuple):
    """A fact that was not the same in all runs: where it changed, from what to what. Temperatures are in deg C."""

    fact: str
    drive: str
    before: str
    after: str
    was: Any
    is_now: Any


def read(folders: Sequence[Path]) -> list[Outcome]:
    """Runs with the host's name among their settings, oldest first."""
    every = []
    for folder in folders:
        one = run(folder)
        every.append(one._replace(settings=one.settings | {"host": writer.last(folder).host.name}))
    return sorted(every, key=lambda one: one.began_s)


def drifts(runs: Sequence[Outcome]) -> Iterator[Drift]:
    """Every change between two neighbouring runs of a drive; the coldest and the warmest where they differ by 5 K."""
    for drive in dict.fromkeys(one.drive for one in runs):
        own = [one for one in runs if one.drive == drive]
        for before, after in pairwise(own):
            for fact in WATCHED:
                was, is_now = before.settings.get(fact), after.settings.get(fact)
                if was != is_now:
                    yield Drift(fact, drive, before.name, after.name, was, is_now)
        warm = sorted(
            (one.settings["temperature"], one.name) for one in own if one.settings.get("temperature") is not None
        )
        if warm and warm[-1][0] - warm[0][0] >= WARM_C:
            yield Drift("temperature", drive, warm[0][1], warm[-1][1], warm[0][0], warm[-1][0])
