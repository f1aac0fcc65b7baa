"""`stend plan`: what a run would do, without doing it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import BadInput
from stend.cli import _asked, _edge
from stend.planning.describe import lines

if TYPE_CHECKING:
    from stend.model.definition import Plan
    from stend.session.sooner import Progress

SHOW_S = 0.5
Folder = Annotated[
    Path | None,
    typer.Option("--fio", metavar="DIR", help="Also write it as fio job files that need no stend, with a README."),
]


def command(
    tests: _asked.Tests,
    target: _asked.Target,
    profile: _asked.ProfileName = None,
    threads: _asked.Threads = None,
    depth: _asked.Depth = None,
    active_range: _asked.ActiveRange = None,
    rounds: _asked.Rounds = None,
    round_seconds: _asked.RoundSeconds = None,
    quick: _asked.Quick = False,
    trace: _asked.TraceFile = None,
    speed: _asked.Speed = None,
    fit: _asked.FitTo = None,
    limit_ms: _asked.LimitMs = None,
    percentile: _asked.Percentile = None,
    fio: Folder = None,
    sooner: Annotated[
        bool, typer.Option("--sooner", help="Also list what would save hours, tried on the drive's virtual twin.")
    ] = False,
) -> None:
    """Print every step, the bytes to be written, the longest and expected time and the notes; run nothing.

    Example: stend plan iops --target sim:small --profile enterprise-2.0.2
    """
    from stend import session
    from stend.engines import fio_jobs

    request = session.Request(
        tests,
        target,
        profile,
        quick,
        threads=threads,
        depth=depth,
        active_range_pct=active_range,
        rounds=rounds,
        minute_s=round_seconds,
        **_asked.played(tests, trace, speed=speed, fit=fit, limit_ms=limit_ms, percentile=percentile),
    )
    plan = session.planned(request)
    for line in lines(plan):
        typer.echo(line)
    if fio:
        typer.echo(f"\nJob files: {fio_jobs.write(plan, fio)}")
    if sooner:
        _sooner(plan)


def _sooner(plan: "Plan") -> None:
    from stend.session import sooner

    twin = sooner.twin(plan.device)
    if not twin:
        raise BadInput(f"no virtual drive stands for {plan.device.model or plan.device.target}: nothing can be tried")
    typer.echo(f"\nSooner, as {twin} does it; each is a deviation from the method, and none is done by itself:")
    typer.echo(f"  {'way':<42}{'hours':>7}{'saved':>7}{'worst cell':>12}  which")
    tried, shown = [], _Shown(plan.expected_s / 3600)
    for one in sooner.tried(plan, twin, report=shown):
        shown.clear()
        saved = one.planned_hours - one.hours
        typer.echo(f"  {one.name:<42}{one.hours:>7.2f}{saved:>7.2f}{one.worst:>12.1%}  {one.cell}")
        tried.append(one)
    if not tried:
        raise BadInput("nothing in this plan can be shortened: it has no rounds until steady")
    typer.echo(f"  Two runs of the plan as it is differ by {tried[0].chance:.1%} in their worst cell.")


class _Shown:
    """Show on standard error which run of a plan is being tried: one line each, on a terminal one that moves."""

    def __init__(self, expected_hours: float) -> None:
        self.expected_hours, self.last_s, self.number = expected_hours, 0.0, 0

    def __call__(self, progress: "Progress") -> None:
        """Show it, on a terminal twice a second."""
        moves = sys.stderr.isatty()
        if progress.number == self.number and not (moves and time.monotonic() - self.last_s > SHOW_S):
            return
        self.number, self.last_s = progress.number, time.monotonic()
        line = f"trying {progress.number} of {progress.of}: {progress.name}"
        if moves:
            line += f", {progress.hours:.1f} of some {self.expected_hours:.1f} virtual hours"
        print(
            f"\r\x1b[K{line}" if moves else line,
            end="" if moves else "\n",
            file=_edge.open_stream(sys.stderr),
            flush=True,
        )

    def clear(self) -> None:
        """Take the moving line away."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=_edge.open_stream(sys.stderr), flush=True)
