"""`stend publish`: a static site of all drives from run folders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import GATE_FAILED_EXIT_CODE, UNSOUND_EXIT_CODE
from stend.base.text import typed
from stend.cli import _options, _runs
from stend.cli._edge import rewrite
from stend.cli._option import flag, option

if TYPE_CHECKING:
    from stend.publish import Built

MOST_LISTED = 20


def command(
    runs: _runs.ManyRuns = None,
    into: Annotated[Path, _options.into("site")] = Path("site"),
    lab: Annotated[
        Path | None, option("--lab", "FILE", "Settings of the site in TOML: docs/how-to/publish.md.")
    ] = None,
    check: Annotated[bool, flag("--check", "Write nothing; list what changed since the last build.")] = False,
) -> int:
    """Make a static site of all drives, for reading without a server.

    It has a page per drive, rankings, comparisons in the browser, methods, news and data, in English and Russian.
    The next build makes only the pages that changed. A published figure that changes becomes an erratum on its page.
    Private facts, such as serial numbers, are left out. The exit code is 6 if --check finds changes, and 8 if a run
    or the text of a review cannot be used. The other drives are published.

    Example: stend publish runs --into site --lab lab.toml
    """
    import datetime

    from stend import publish
    from stend.publish import lab as settings

    known = settings.read(lab)
    folders = publish.run_folders(runs or [_runs.RUNS])
    today = datetime.datetime.now(datetime.UTC).date()
    built = publish.build(folders, into, known, today, check=check, progress=_show_progress)
    for line in _lines(built, into, check=check):
        typer.echo(line)
    for broken in built.broken:
        typer.echo(f"left out: {broken.why}", err=True)
    if built.broken:
        return UNSOUND_EXIT_CODE
    return GATE_FAILED_EXIT_CODE if check and built.changed else 0


def _show_progress(done: int, of: int) -> None:
    """Show how many drives are made."""
    rewrite(f"drives made: {done} of {of}", ends=done >= of)


def _lines(built: "Built", to: Path, *, check: bool) -> list[str]:
    from stend.publish.page import texts
    from stend.words import FIRST, Language

    words = Language(FIRST)
    lines = [f"{len(built.new)} new, {len(built.remade)} changed and {len(built.unchanged)} unchanged drives"]
    lines += [f"new: {name}" for name in built.new[:MOST_LISTED] if check]
    for name, errata in built.errata.items():
        for one in errata[:MOST_LISTED]:
            old, new = texts(one, words)
            lines.append(f"{name}: {one.names.get(words.name, one.figure)}: {new} instead of {old}")
        lines += [f"{name}: and {len(errata) - MOST_LISTED} more figures"] if len(errata) > MOST_LISTED else []
    for name, gone in built.withdrawn.items():
        lines += [f"{name}: run {one.run} withdrawn" + (f": {one.reason}" if one.reason else "") for one in gone]
    lines += [f"{path} is not as stend wrote it" for path in built.altered[:MOST_LISTED]]
    lines += [f"{name}: under embargo until {date}" for name, date in built.hidden.items()]
    lines += [f"{name}: its run has not ended" for name in built.unfinished]
    lines += [
        f"{folder}: its record was changed, and it has no place; `stend verify {typed(folder)}` lists the damage"
        for folder in built.damaged
    ]
    if built.virtual:
        drives = "1 virtual drive is" if built.virtual == 1 else f"{built.virtual} virtual drives are"
        lines.append(f"{drives} not shown; set virtual = true below [ranking] in lab.toml")
    return lines if check else [*lines, f"Site: {to / 'index.html'}"]
