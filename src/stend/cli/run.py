"""`stend run`: purge a drive, precondition it, measure it and write the report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options


def command(
    context: typer.Context,
    tests: _options.Tests,
    target: _options.Targets,
    profile: _options.ProfileName = None,
    threads: _options.Threads = None,
    depth: _options.Depth = None,
    active_range: _options.ActiveRange = None,
    rounds: _options.Rounds = None,
    round_seconds: _options.RoundSeconds = None,
    quick: _options.Quick = False,
    verify: _options.Verify = False,
    power_saving: _options.PowerSaving = None,
    into: Annotated[Path | None, _options.into("runs/DATE-TARGET-TESTS; must be new or empty")] = None,
    destroy_data: _options.DestroyEach = None,
    overwrite_file: _options.OverwriteFile = None,
    create: _options.Create = None,
    seed: _options.Seed = None,
    label: _options.Label = None,
    meter: _options.Meter = None,
    together: Annotated[
        bool,
        typer.Option(
            "--together", help="Several drives: start measured phases at the same time, whatever the trial finds."
        ),
    ] = False,
    trial: Annotated[
        float,
        typer.Option(
            "--trial", metavar="S", min=0, max=600, help="Several drives: seconds per window of the trial; 0: no trial."
        ),
    ] = 5.0,
    trace: _options.TraceFile = None,
    speed: _options.Speed = None,
    fit: _options.FitTo = None,
    limit_ms: _options.LimitMs = None,
    percentile: _options.Percentile = None,
    detach: _options.Detach = False,
) -> int:
    """Run tests on a drive and write the run folder and its report.

    All data on the target is destroyed. Name the drive twice: by --target and by --destroy-data NAME, its serial
    number (for a file, its full path).

    Example: stend run iops write-saturation --target sim:small --quick
    """
    from stend import session
    from stend.cli import _ends, _terminal
    from stend.session.stopping import Signals

    changes: dict[str, Any] = {"threads": threads, "depth": depth, "active_range_pct": active_range, "rounds": rounds}
    changes |= {"verify": verify or None, "power_saving": power_saving}
    changes |= _options.played(tests, trace, speed=speed, fit=fit, limit_ms=limit_ms, percentile=percentile)
    once: dict[str, Any] = {"destroy": destroy_data[0] if destroy_data else None, "into": str(into) if into else None}
    once |= {"overwrite": tuple(overwrite_file or ()), "meter": meter}
    request = session.Request(
        tests, target[0], profile, quick, seed, create, minute_s=round_seconds, label=label, **changes, **once
    )
    if len(target) > 1:
        from stend.cli import _together

        requests = _together.requests(request, target, destroy_data or ())
        return _together.begin(requests, into, barrier=together, trial_s=trial, apart=detach)
    if detach:
        from stend.cli import _apart

        folder = request.folder  # its name has the time in it
        words = ["run", *_apart.words(context), *(() if into else ("--into", str(folder)))]
        return _apart.begin(words, folder)
    with session.start(request, _terminal.Terminal(), Signals()) as running:
        typer.echo(f"Run folder: {running.folder}")
        _ends.follow(running)
    return _ends.finish(running.folder)
