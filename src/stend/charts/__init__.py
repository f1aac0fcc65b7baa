"""run -> declarative chart specifications (Vega-Lite); one file each, found by its name.

The same specification is drawn in the page, inlined, and rendered to SVG, PNG and PDF.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from stend.charts.parts import Picture, theme
from stend.findings import Sheet
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

__all__ = ["Picture", "draw", "names", "of", "pictures", "stamped"]


def names() -> list[str]:
    """Every chart's name."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg)


def draw(name: str, run: Run, test: PlannedTest, lang: str = "en") -> dict[str, Any] | None:
    """The first specification of that chart for a test, or None where the run has nothing to show."""
    first = next(pictures(name, run, test, lang), None)
    return first.spec if first else None


def pictures(name: str, run: Run, test: PlannedTest, lang: str = "en", sheet: Sheet | None = None) -> Iterator[Picture]:
    """Every specification of that chart for a test; `sheet` is for those that show what the vendor claims."""
    words, file = Language(lang), _file(name)
    drawings = (
        file.draw(run, test, words, sheet or {}) if getattr(file, "CLAIMS", False) else file.draw(run, test, words)
    )
    yield from theme.pictures(name, drawings, words, stamped(run, test, words))


def of(run: Run, test: PlannedTest, lang: str = "en", sheet: Sheet | None = None) -> Iterator[Picture]:
    """Every chart a test has: those it names and those that claim it, in order."""
    for name in named(test):
        yield from pictures(name, run, test, lang, sheet)


def named(test: PlannedTest) -> list[str]:
    """The charts that a test names and those that claim it, in order."""
    known = names()
    claimed = [name for name in known if test.name in getattr(_file(name), "TESTS", ())]
    return list(dict.fromkeys([*(n for n in test.charts if n in known), *claimed]))


def stamped(run: Run, test: PlannedTest, words: Language) -> list[str]:
    """What a chart of this test must say of itself: unmet steady state, quick run, a slow link, unproved load."""
    stamps = []
    if any(j.where.test == test.name for j in run.unmet):
        stamps.append(words("stamp.not_steady"))
    if any(j.where.test == test.name for j in run.saturated):
        stamps.append(words("stamp.saturated"))
    if run.plan.profile.quick:
        stamps.append(words("stamp.quick"))
    stamps += [words.translated(warning) for warning in run.warnings]
    return [" · ".join(stamps)] if stamps else []


def _file(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
