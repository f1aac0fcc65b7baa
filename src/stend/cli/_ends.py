"""What the terminal shows of a run: its line while it lives, its summary, where its report is, its exit code."""

import sys
from pathlib import Path

import typer

from stend import catalogue, store
from stend.base.errors import STOPPED_EXIT_CODE, Missing, StepFailed
from stend.cli import _summary, _table
from stend.cli._screen import Screen
from stend.live.course import Course
from stend.live.state import way_on
from stend.model.events import Note
from stend.model.record import Run
from stend.session import Running


def follow(running: Running) -> None:
    """Show a run until it ends."""
    with Screen(Course(running.past)) as screen:
        try:
            for event in running:
                screen.show(event)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped at once; {way_on(running.folder)}") from None


def finish(folder: Path) -> int:
    """Summary and report, whatever the end was; the drive has been let go. Returns the exit code."""
    run = store.load(folder)
    for line in _table.folded(_summary.lines(run)):
        typer.echo(line)
    report(folder, run)
    catalogue.learn(folder)
    return exit_code(folder, run)


def report(folder: Path, run: Run) -> None:
    """Write report.html beside the events and say where it is, or where to make it: it is no part of the run."""
    from stend import report as reports

    try:
        for path in reports.write([(folder, run, store.host(folder))], "html", into=folder):
            typer.echo(f"Report: {path}")
    except Missing as error:
        typer.echo(f"No report: {error}, or `stend report` on a copy of {folder} where it is")
    except StepFailed as error:
        print(f"stend: the run is whole, its report is not: {error}; `stend report {folder}` makes it", file=sys.stderr)


def exit_code(folder: Path, run: Run) -> int:
    """0 for a finished run, else what its outcome stands for and how it goes on."""
    outcome = run.ended.outcome if run.ended else "failed"
    if outcome == "failed":
        reason = next((n.text for n in reversed(run.notes) if isinstance(n, Note) and n.kind == "failure"), "failed")
        print(f"stend: {reason}; {way_on(folder)} once that is mended", file=sys.stderr)
        return StepFailed.exit_code
    if outcome == "stopped":
        print(f"stend: stopped; {way_on(folder)}", file=sys.stderr)
        return STOPPED_EXIT_CODE
    return 0
