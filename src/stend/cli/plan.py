"""`stend plan`: print the steps of a run without running it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stend.base.errors import BadInput
from stend.cli import _edge, _options
from stend.cli._option import flag, option

if TYPE_CHECKING:
    from stend.model.definition import Plan
    from stend.session.sooner import Progress

SHOW_S = 0.5
Folder = Annotated[
    Path | None, option("--fio", "DIR", "Also write the plan as fio job files that run without stend, with a README.")
]


@_options.with_settings
def command(
    tests: _options.Tests,
    target: _options.Targets,
    fields: dict[str, Any],
    fio: Folder = None,
    sooner: Annotated[
        bool, flag("--sooner", "Also list ways to shorten the run, tried on a virtual drive of this model.")
    ] = False,
    as_json: _options.Json = False,
) -> None:
    """Print the steps, bytes written and duration of a run. Nothing is run.

    With several targets it prints one plan for each. The seed does not change the plan.

    Example: stend plan iops --target sim:small --profile enterprise-2.0.2
    """
    from stend import session
    from stend.cli import _table

    if fio and len(target) > 1:
        raise BadInput("--fio writes the jobs of one drive; name one --target")
    if as_json:
        if fio or sooner:
            raise BadInput(f"--json and {'--fio' if fio else '--sooner'} contradict each other; leave one out")
        typer.echo(_table.data([session.planned(session.Request(tests, name, **fields)) for name in target]))
        return
    for number, name in enumerate(target):
        if number:
            typer.echo("")
        _print(session.planned(session.Request(tests, name, **fields)), fio, sooner=sooner)


def _print(plan: "Plan", fio: Path | None, *, sooner: bool) -> None:
    from stend.planning.describe import lines

    for line in lines(plan):
        typer.echo(line)
    if fio:
        from stend.engines import fio_jobs

        typer.echo(f"\nJob files: {fio_jobs.write(plan, fio)}")
    if sooner:
        _sooner(plan)


def _sooner(plan: "Plan") -> None:
    from stend.session import sooner

    twin, drive = sooner.twin(plan.device), plan.device
    if not twin:
        raise BadInput(f"no virtual drive models {drive.target} ({drive.model or 'no model'}); leave out --sooner")
    if not sooner.applicable(plan):
        raise BadInput("this plan cannot be shortened, because it has no steady-state search; leave out --sooner")
    typer.echo(
        f"\nWays to shorten the run, tried on {twin}; each deviates from the method, and stend applies none by itself:"
    )
    typer.echo(f"  {'way':<42}{'hours':>7}{'saved':>7}{'worst cell':>12}  which")
    chance, shown = 0.0, _Shown(plan.expected_s / 3600)
    for variant in sooner.tried(plan, twin, report=shown):
        _edge.rewrite("")
        saved = variant.planned_hours - variant.hours
        typer.echo(f"  {variant.name:<42}{variant.hours:>7.2f}{saved:>7.2f}{variant.worst:>12.1%}  {variant.cell}")
        chance = variant.chance
    typer.echo(f"  Two runs of the unchanged plan differ by {chance:.1%} in their worst cell.")


class _Shown:
    """Show on standard error which variant is being tried: one line each, or one moving line on a terminal."""

    def __init__(self, expected_hours: float) -> None:
        self.expected_hours, self.last_s, self.number = expected_hours, 0.0, 0

    def __call__(self, progress: "Progress") -> None:
        """Show the progress; on a terminal at most twice a second."""
        moves = sys.stderr.isatty()
        if progress.number == self.number and not (moves and time.monotonic() - self.last_s > SHOW_S):
            return
        self.number, self.last_s = progress.number, time.monotonic()
        line = f"trying {progress.number} of {progress.of}: {progress.name}"
        if moves:
            _edge.rewrite(f"{line}, {progress.hours:.1f} of some {self.expected_hours:.1f} virtual hours")
        else:
            print(line, file=sys.stderr)
