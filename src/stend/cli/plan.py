"""`stend plan`: what a run would do, without doing it."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _asked
from stend.plan_words import lines

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
    fio: Folder = None,
) -> None:
    """Print every step, the bytes to be written, the longest and expected time and the notes; run nothing.

    Example: stend plan iops --target sim:small --profile enterprise-2.0.2
    """
    from stend import jobs, session

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
    )
    plan = session.planned(request)
    for line in lines(plan):
        typer.echo(line)
    if fio:
        typer.echo(f"\nJob files: {jobs.write(plan, fio)}")
