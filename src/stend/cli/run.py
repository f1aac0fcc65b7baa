"""`stend run`: purge, precondition, measure, report."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _asked


def command(
    context: typer.Context,
    tests: _asked.Tests,
    target: _asked.Target,
    profile: _asked.ProfileName = None,
    threads: _asked.Threads = None,
    depth: _asked.Depth = None,
    active_range: _asked.ActiveRange = None,
    rounds: _asked.Rounds = None,
    round_seconds: _asked.RoundSeconds = None,
    quick: _asked.Quick = False,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="The run folder; new or empty.")] = None,
    destroy_data: _asked.DestroyData = None,
    create: _asked.Create = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=(1 << 62) - 1, help="Seed of all random offsets; recorded.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="TEXT", help="Kept with the run; `compare --by label` groups by it."),
    ] = None,
    detach: _asked.Detach = False,
) -> int:
    """Run tests on a drive, write the run folder and its report.

    All data on the target is destroyed: a drive must be named twice, by --target and by --destroy-data NAME,
    which is its serial; a file's is its full path.

    Example: stend run iops write-saturation --target sim:small --quick
    """
    from stend import session
    from stend.cli import _ends, _terminal
    from stend.session.stopping import Signals

    request = session.Request(
        tests,
        target,
        profile,
        quick,
        seed,
        create,
        threads=threads,
        depth=depth,
        active_range_pct=active_range,
        rounds=rounds,
        minute_s=round_seconds,
        destroy=destroy_data,
        into=str(into) if into else None,
        label=label,
    )
    if detach:
        from stend.cli import _apart

        words = ["run", *_apart.words(context), *(() if into else ("--into", str(request.folder)))]
        return _apart.begin(words, request.folder)
    with session.start(request, _terminal.Terminal(), Signals()) as running:
        typer.echo(f"Run folder: {running.folder}")
        _ends.follow(running)
    return _ends.finish(running.folder)
