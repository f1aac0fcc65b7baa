"""Reports of runs: one file per format, found by its name; all of them show the same Document."""

import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.errors import BadInput
from stend.record import Run

STYLES = ("review", "pts")
Runs = Sequence[tuple[Path, Run, dict[str, Any]]]


def formats() -> list[str]:
    """Every format's name, as typed: `html`."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg)


def write(runs: Runs, form: str, lang: str = "en", style: str = "review", *, into: Path) -> list[Path]:
    """Write a report of these (folder, run, host) into a folder; tells the files written, the first to open first."""
    if form not in formats():
        raise BadInput(f"there is no format {form!r}; there are {', '.join(formats())}")
    if style not in STYLES:
        raise BadInput(f"there is no style {style!r}; there are {', '.join(STYLES)}")
    into.mkdir(parents=True, exist_ok=True)
    written: list[Path] = importlib.import_module(f"{__name__}.{form}").write(runs, lang, style, into)
    return written
