"""`stend repeat`: make the same run several times, on one drive or alternately on two."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options


def command(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="COUNT", min=2, max=1000, help="Number of runs per drive.")],
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
    seed: _options.Seed = None,
    label: _options.Label = None,
    trace: _options.TraceFile = None,
    speed: _options.Speed = None,
    fit: _options.FitTo = None,
    limit_ms: _options.LimitMs = None,
    percentile: _options.Percentile = None,
    meter: _options.Meter = None,
    detach: _options.Detach = False,
) -> int:
    """Run tests several times on one drive, or alternately on two. Each run starts from a purged drive.

    With two targets the runs alternate: ABAB. Afterwards stend prints what changed between the runs and, for two
    drives, compares them. Each drive's label is its target, after --label. All data on the targets is destroyed, as in
    `stend run`. If the series is cut off, `stend resume DIR` continues it.

    Example: stend repeat 5 iops --quick --target sim:small?unit=1&spread=1 --target sim:small?unit=2&spread=1
    """
    from stend import session
    from stend.base.units import duration
    from stend.cli import _series
    from stend.session import series

    changes: dict[str, Any] = {"threads": threads, "depth": depth, "active_range_pct": active_range, "rounds": rounds}
    changes |= {"verify": verify or None, "power_saving": power_saving}
    changes |= _options.played(tests, trace, speed=speed, fit=fit, limit_ms=limit_ms, percentile=percentile)
    options: dict[str, Any] = {"profile": profile, "quick": quick, "seed": seed, "minute_s": round_seconds}
    options |= {"meter": meter, **changes}
    pairs = _series.labelled(target, label)
    requests = tuple(session.Request(tests, drive, label=text, purge=True, **options) for drive, text in pairs)
    folder = into or requests[0].folder
    if detach:
        from stend.cli import _apart

        words = ["repeat", *_apart.words(context), *(() if into else ("--into", str(folder)))]
        return _apart.begin(words, folder)
    expected_s = number * sum(session.planned(request).expected_s for request in requests)
    order = series.Series(number, requests)
    named = _series.answers(order, destroy_data or ())
    series.create(folder, order)
    typer.echo(f"{number * len(requests)} runs, expected to take {duration(expected_s)}: {folder}")
    return _series.go(folder, named, tuple(overwrite_file or ()))
