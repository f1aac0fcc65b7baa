"""run -> declarative chart specifications (Vega-Lite); one file each, found by its name.

The same specification is drawn in the page, inlined, and rendered to SVG, PNG and PDF.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from stend.charts.parts import Drawing
from stend.charts.parts.theme import config
from stend.definition import PlannedTest
from stend.findings import Sheet
from stend.findings.language import Language
from stend.record import Run


class Picture(NamedTuple):
    """A finished chart: its file's name, title, specification and a sentence for those who cannot see it."""

    name: str
    title: str
    spec: dict[str, Any]
    says: str


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
    for drawing in drawings:
        if any(drawing.rows.values()):
            yield finish(name, drawing, words, run, test)


def of(run: Run, test: PlannedTest, lang: str = "en", sheet: Sheet | None = None) -> Iterator[Picture]:
    """Every chart a test has: those it names and those that claim it, in order."""
    known = names()
    claimed = [name for name in known if test.name in getattr(_file(name), "TESTS", ())]
    for name in dict.fromkeys([*(n for n in test.charts if n in known), *claimed]):
        yield from pictures(name, run, test, lang, sheet)


def finish(name: str, drawing: Drawing, words: Language, run: Run, test: PlannedTest) -> Picture:
    """A drawing with theme, locale, data and every stamp that its page must bear."""
    spec: dict[str, Any] = drawing.chart.to_dict(validate=False)
    spec["datasets"] = {key: [_rounded(row) for row in rows] for key, rows in drawing.rows.items()}
    title: dict[str, Any] = {"text": drawing.title}
    if stamps := stamped(run, test, words):
        title |= {"subtitle": stamps}
    says = drawing.says or drawing.title
    own = spec.get("config", {})
    merged = {key: {**value, **own[key]} if key in own else value for key, value in config(words).items()}
    plain = {"title": title, "description": f"{drawing.title}. {says}", "config": merged}
    return Picture(name, drawing.title, spec | plain, says)


def stamped(run: Run, test: PlannedTest, words: Language) -> list[str]:
    """What a chart of this test must say of itself: unmet steady state, quick run, virtual drive."""
    stamps = []
    if any(j.where.test == test.name for j in run.unmet):
        stamps.append(words("stamp.not_steady"))
    if run.plan.profile.quick:
        stamps.append(words("stamp.quick"))
    return [" · ".join(stamps)] if stamps else []


def _file(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}
