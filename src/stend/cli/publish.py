"""`stend publish`: a static site of all drives from run folders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import GATE_FAILED_EXIT_CODE, UNSOUND_EXIT_CODE
from stend.cli import _runs

if TYPE_CHECKING:
    from stend.publish import Built

MOST_LISTED = 20


def command(
    runs: _runs.ManyRuns = None,
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Folder of the site; default: site.")] = Path(
        "site"
    ),
    lab: Annotated[
        Path | None, typer.Option("--lab", metavar="FILE", help="Settings of the site in TOML: docs/how-to/publish.md.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; list what changed since the last build.")
    ] = False,
) -> int:
    """Publish a lab: make a static site of all drives, with rankings and comparisons, that works without a server.

    The next build makes only the pages that changed. A published figure that changes becomes an erratum on its page.
    Private facts, such as serial numbers, are left out. The exit code is 6 if --check finds changes, and 8 if a run
    cannot be read; the others are published.

    Example: stend publish runs --to site --lab lab.toml
    """
    import datetime

    from stend import publish
    from stend.cli import _reading
    from stend.many import read
    from stend.publish import lab as settings

    known = settings.read(lab)
    folders = list(dict.fromkeys(read.folders(runs or [_runs.RUNS])))
    today = datetime.datetime.now(datetime.UTC).date()
    built = publish.build(folders, to, known, today, check=check, progress=_reading.show_progress)
    for line in _lines(built, to, check=check):
        typer.echo(line)
    for broken in built.broken:
        typer.echo(f"left out: {broken.why}", err=True)
    if built.broken:
        return UNSOUND_EXIT_CODE
    return GATE_FAILED_EXIT_CODE if check and built.changed else 0


def _lines(built: "Built", to: Path, *, check: bool) -> "list[str]":
    lines = [f"{len(built.new)} new, {len(built.remade)} changed and {len(built.unchanged)} unchanged drives"]
    lines += [f"new: {name}" for name in built.new[:MOST_LISTED] if check]
    for name, errata in built.errata.items():
        lines += [
            f"{name}: {one.names.get('en', one.figure)}: {one.new} instead of {one.old}" for one in errata[:MOST_LISTED]
        ]
        lines += [f"{name}: and {len(errata) - MOST_LISTED} more figures"] if len(errata) > MOST_LISTED else []
    for name, gone in built.withdrawn.items():
        lines += [f"{name}: run {one.run} withdrawn" + (f": {one.reason}" if one.reason else "") for one in gone]
    lines += [f"{path} is not as stend wrote it" for path in built.altered[:MOST_LISTED]]
    lines += [f"{name}: under embargo until {date}" for name, date in built.hidden.items()]
    if built.virtual:
        lines.append(f"{built.virtual} virtual drives are not shown; set virtual = true below [ranking] in lab.toml")
    return lines if check else [*lines, f"Site: {to / 'index.html'}"]
