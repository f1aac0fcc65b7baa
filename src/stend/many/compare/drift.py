"""Changes between the runs of a series: host, kernel, fio, temperature and similar facts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from stend.many.read import run
from stend.many.settings import WARM_C
from stend.many.sides import Outcome
from stend.store import writer

WATCHED = ("host", "cpu", "kernel", "fio", "stend", "firmware", "interface", "cache", "deviations")
"""Settings that should be equal in all runs of one drive."""


class Drift(NamedTuple):
    """A fact that changed between two runs, with both values. Temperatures are in deg C."""

    fact: str
    drive: str
    before: str
    after: str
    was: Any
    is_now: Any


def read(folders: Sequence[Path]) -> list[Outcome]:
    """Load runs, oldest first, with the name of the host among their settings."""
    every = []
    for folder in folders:
        loaded = run(folder)
        every.append(loaded._replace(settings=loaded.settings | {"host": writer.last(folder).host.name}))
    return sorted(every, key=lambda loaded: loaded.began_s)


def drifts(runs: Sequence[Outcome]) -> Iterator[Drift]:
    """Yield every change between successive runs of a drive, and its coldest and warmest run if 5 K or more apart."""
    for drive in dict.fromkeys(outcome.drive for outcome in runs):
        of_drive = [outcome for outcome in runs if outcome.drive == drive]
        for before, after in pairwise(of_drive):
            for fact in WATCHED:
                was, is_now = before.settings.get(fact), after.settings.get(fact)
                if was != is_now:
                    yield Drift(fact, drive, before.name, after.name, was, is_now)
        warm = sorted(
            (outcome.settings["temperature"], outcome.name)
            for outcome in of_drive
            if outcome.settings.get("temperature") is not None
        )
        if warm and warm[-1][0] - warm[0][0] >= WARM_C:
            yield Drift("temperature", drive, warm[0][1], warm[-1][1], warm[0][0], warm[-1][0])
