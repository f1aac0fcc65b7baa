"""Reports of runs: one file per format, found by its name."""

import errno
import importlib
import os
import pkgutil
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stend.base import regular
from stend.base.errors import BadInput, unwritable
from stend.base.extras import needing
from stend.base.text import did_you_mean
from stend.model.record import Run
from stend.store import reports

if TYPE_CHECKING:
    from stend.charts.parts.sides import Side

STYLES = ("review", "pts")
STORIED = ("html", "markdown", "pdf")
"""Formats of a review. The others are data."""
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
STAGE = ".report-"
"""Reports are written in a folder with this prefix and then moved out of it, so that no half-written report is
visible."""

Runs = Sequence[tuple[Path, Run, dict[str, Any]]]


def formats() -> list[str]:
    """Return the names of all formats as typed: `html`."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg)


def write(
    runs: Runs,
    form: str,
    lang: str = "en",
    style: str = "review",
    *,
    into: Path,
    rivals: "Sequence[Side] | None" = None,
    names: Sequence[str] = (),
) -> list[Path]:
    """Write a report of these (folder, run, host) into a folder and return its files, the main file first.

    A review is of one run, or of several that page one compares, next to the `rivals` (by default the published drives
    of the class). `names` replace the models of the runs in a review. Raise BadInput for an unknown format or style,
    for more names than runs, and for a review of an imported run. Raise StepFailed if `into` cannot be written.
    """
    if form not in formats():
        known = f"the formats are {', '.join(formats())}"
        raise BadInput(f"there is no format {form!r}{did_you_mean(form, formats(), known)}")
    if style not in STYLES:
        raise BadInput(f"there is no style {style!r}; the styles are {', '.join(STYLES)}")
    if len(names) > len(runs):
        raise BadInput(f"{len(names)} names are given for {len(runs)} runs; give --drive-name at most once per run")
    if names and (style != "review" or form not in STORIED):
        raise BadInput(
            f"--drive-name is for reviews as {', '.join(STORIED)}; leave it out, or choose one of these formats"
        )
    if form in STORIED and (imported := next((folder for folder, run, _ in runs if run.source), None)):
        data = ", ".join(name for name in formats() if name not in STORIED)
        raise BadInput(f"{imported} was imported and has no review; use {data}, `stend show` or `stend compare`")
    with needing(f"a report as {form}"), _writable(into), _stage(into) as stage:
        module, staged = importlib.import_module(f"{__name__}.{form}"), list[Path]()
        if form in STORIED:
            from stend.report.parts import made, stem

            page = made.page(runs, lang, style, rivals, names)
            staged = module.write_page(page, Path(stage) / stem("report", lang, style))
        else:
            staged = module.write(runs, lang, style, Path(stage))
        written = [_placed(path, into / path.relative_to(stage), into) for path in staged]
    if any(folder == into for folder, _, _ in runs):
        reports.remember(into, written, [run.seal for _, run, _ in runs])
    return written


@contextmanager
def _writable(into: Path) -> Iterator[None]:
    """Raise StepFailed, which names the folder, if it is full or cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise unwritable(into, error) from error


def _stage(into: Path) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder in `into`, which is made if needed."""
    into.mkdir(parents=True, exist_ok=True)
    _tidy(into)
    return tempfile.TemporaryDirectory(prefix=f"{STAGE}{os.getpid()}-", dir=into)


def _tidy(into: Path) -> None:
    """Remove the stage folders of stend processes that were killed while they wrote a report."""
    for stage in into.glob(f"{STAGE}*-*"):
        if not Path("/proc", stage.name.removeprefix(STAGE).partition("-")[0]).exists():
            shutil.rmtree(stage, ignore_errors=True)


def _placed(path: Path, place: Path, into: Path) -> Path:
    """Sync a finished file and move it over an older one. Return its new path."""
    if place.parent != into:
        regular.folder(place.parent)  # a link there would lead the report out of the run folder
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return path.replace(place)
