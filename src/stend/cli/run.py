"""`stend run`: purge, precondition, measure, report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _asked


def command(
    context: typer.Context,
    tests: _asked.Tests,
    target: Annotated[
        list[str],
        typer.Option(
            "--target",
            "-t",
            metavar="T",
            help="A device node, /dev/disk/by-id/..., a file, or sim:NAME; several, often.",
        ),
    ],
    profile: _asked.ProfileName = None,
    threads: _asked.Threads = None,
    depth: _asked.Depth = None,
    active_range: _asked.ActiveRange = None,
    rounds: _asked.Rounds = None,
    round_seconds: _asked.RoundSeconds = None,
    quick: _asked.Quick = False,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="The run folder; new or empty.")] = None,
    destroy_data: Annotated[
        list[str] | None,
        typer.Option(
            "--destroy-data",
            metavar="NAME",
            help="Yes, destroy all data on the drive of this serial, or in the file of this full path; "
            "TARGET=NAME for each of several.",
        ),
    ] = None,
    overwrite_file: _asked.OverwriteFile = None,
    create: _asked.Create = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=(1 << 62) - 1, help="Seed of all random offsets; recorded.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="TEXT", help="Kept with the run; `compare --by label` groups by it."),
    ] = None,
    together: Annotated[
        bool,
        typer.Option("--together", help="Several drives: measured phases begin at one moment, whatever a trial says."),
    ] = False,
    trial: Annotated[
        float,
        typer.Option(
            "--trial", metavar="S", min=0, max=600, help="Several drives: seconds a window of the trial; 0: none."
        ),
    ] = 5.0,
    trace: _asked.TraceFile = None,
    speed: _asked.Speed = None,
    fit: _asked.FitTo = None,
    limit_ms: _asked.LimitMs = None,
    percentile: _asked.Percentile = None,
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

    changes: dict[str, Any] = {"threads": threads, "depth": depth, "active_range_pct": active_range, "rounds": rounds}
    changes |= _asked.played(tests, trace, speed=speed, fit=fit, limit_ms=limit_ms, percentile=percentile)
    own: dict[str, Any] = {"destroy": destroy_data[0] if destroy_data else None, "into": str(into) if into else None}
    own["overwrite"] = tuple(overwrite_file or ())
    request = session.Request(
        tests, target[0], profile, quick, seed, create, minute_s=round_seconds, label=label, **changes, **own
    )
    if len(target) > 1:
        from stend.cli import _together

        asked = _together.requests(request, target, destroy_data or ())
        return _together.begin(asked, into, barrier=together, trial_s=trial, apart=detach)
    if detach:
        from stend.cli import _apart

        words = ["run", *_apart.words(context), *(() if into else ("--into", str(request.folder)))]
        return _apart.begin(words, request.folder)
    with session.start(request, _terminal.Terminal(), Signals()) as running:
        typer.echo(f"Run folder: {running.folder}")
        _ends.follow(running)
    return _ends.finish(running.folder)
