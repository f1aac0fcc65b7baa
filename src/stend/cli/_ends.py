"""Follow a run on the terminal, then print its summary and the place of its report, and return its exit code."""

import sys
from collections.abc import Iterable
from pathlib import Path

import typer

from stend import catalogue, findings, store
from stend.base.errors import GATE_FAILED_EXIT_CODE, STOPPED_EXIT_CODE, BadInput, Missing, StepFailed
from stend.base.text import typed
from stend.base.units import duration
from stend.cli import _result
from stend.cli._screen import Screen
from stend.live.course import Course
from stend.live.state import way_on
from stend.model.events import Note
from stend.model.record import Run
from stend.session import Running


def follow(running: Running) -> None:
    """Show the progress of a run until it ends."""
    course = Course(running.past)
    again = f"replaying the recorded part of this virtual run, {duration(course.t)} simulated"
    with Screen(course, again if course.started and running.plan.device.virtual else "") as screen:
        try:
            for event in running:
                screen.show(event)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped immediately; {way_on(running.folder)}") from None


def finish(folder: Path) -> int:
    """Print the summary, write the report and return the exit code. The drive is released already."""
    run = store.load(folder)
    _result.show(folder, run)
    report(folder, run)
    catalogue.learn(folder)
    return verdict(folder, run)


def report(folder: Path, run: Run) -> None:
    """Write report.html into the run folder and print its path, or print how to make it elsewhere."""
    from stend import report as reports

    try:
        for path in reports.write([(folder, run, store.host(folder))], "html", into=folder):
            typer.echo(f"Report: {path.resolve().as_uri() if sys.stdout.isatty() else path}")
    except Missing as error:
        typer.echo(f"No report: {error}, or run `stend report` on a copy of {folder} on a host that has it")
    except (BadInput, StepFailed) as error:
        print(
            f"stend: the run is complete, but its report failed: {error}; make it by `stend report {typed(folder)}`",
            file=sys.stderr,
        )


def verdict(folder: Path, run: Run) -> int:
    """Return the exit code of a run, which also shows if a finished one found that the drive does not pass."""
    return exit_code(folder, run) or rejection([run])


def rejection(runs: Iterable[Run]) -> int:
    """Return the code of a failed rule if a drive did not pass in one of these finished runs, otherwise 0."""
    return GATE_FAILED_EXIT_CODE if any(map(findings.rejected, runs)) else 0


def exit_code(folder: Path, run: Run) -> int:
    """Return 0 for a finished run. Otherwise print how to continue it and return the code of its outcome."""
    outcome = run.ended.outcome if run.ended else "failed"
    if outcome == "failed":
        reason = next((n.text for n in reversed(run.notes) if isinstance(n, Note) and n.kind == "failure"), "failed")
        print(f"stend: {reason}; once that is fixed, {way_on(folder)}", file=sys.stderr)
        return StepFailed.exit_code
    if outcome == "stopped":
        print(f"stend: stopped; {way_on(folder)}", file=sys.stderr)
        return STOPPED_EXIT_CODE
    return 0
