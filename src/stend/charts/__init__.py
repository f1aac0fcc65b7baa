"""Declarative chart specifications (Vega-Lite) of a run: one file per chart, found by its name.

The HTML page embeds the specification; SVG, PNG and PDF are rendered from the same one.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from stend.charts.parts import Picture, theme
from stend.findings import Sheet
from stend.findings.judgement.standing import MINUTE_S
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

__all__ = ["Picture", "draw", "names", "of", "pictures", "stamped"]


def names() -> list[str]:
    """Return the names of all charts."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg)


def draw(name: str, run: Run, test: PlannedTest, lang: str = "en") -> dict[str, Any] | None:
    """Return the first specification of a chart for a test, or None if the run has no data for it."""
    first = next(pictures(name, run, test, lang), None)
    return first.spec if first else None


def pictures(name: str, run: Run, test: PlannedTest, lang: str = "en", sheet: Sheet | None = None) -> Iterator[Picture]:
    """Yield every specification of a chart for a test; charts with `CLAIMS` get the drive sheet."""
    words, file = Language(lang), _file(name)
    drawings = (
        file.draw(run, test, words, sheet or {}) if getattr(file, "CLAIMS", False) else file.draw(run, test, words)
    )
    yield from theme.pictures(name, drawings, words, stamped(run, test, words))


def of(run: Run, test: PlannedTest, lang: str = "en", sheet: Sheet | None = None) -> Iterator[Picture]:
    """Yield every picture of the charts of a test (see `named`), in order."""
    for name in named(test):
        yield from pictures(name, run, test, lang, sheet)


def named(test: PlannedTest) -> list[str]:
    """Return the charts that a test names, then those whose file lists the test in `TESTS`."""
    known = names()
    claimed = [name for name in known if test.name in getattr(_file(name), "TESTS", ())]
    return list(dict.fromkeys([*(n for n in test.charts if n in known), *claimed]))


def stamped(run: Run, test: PlannedTest, words: Language) -> list[str]:
    """Return the stamps of a test's charts as one line, or nothing."""
    return joined(stamps(run, test, words))


def joined(stamps: Sequence[str]) -> list[str]:
    """Return stamps as one line, or nothing."""
    return [" · ".join(stamps)] if stamps else []


def stamps(run: Run, test: PlannedTest, words: Language) -> list[str]:
    """Return the stamps of a test's charts.

    Stamps are: not finished, steady state not reached, saturated, quick, shortened, and the warnings about the test.
    """
    stamps = []
    if run.cut_off(test):
        stamps.append(words("stamp.cut_off"))
    if any(j.where.test == test.name for j in run.unmet):
        stamps.append(words("stamp.not_steady"))
    if any(j.where.test == test.name for j in run.saturated):
        stamps.append(words("stamp.saturated"))
    if run.plan.profile.quick:
        stamps.append(words("stamp.quick"))
    elif test.profile.minute_s < MINUTE_S:
        stamps.append(words("stamp.shortened", minute=test.profile.minute_s))
    return stamps + [words.translated(warning) for warning in run.warnings(test.name)]


def _file(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
