"""`stend repeat`: make the same run several times, on one drive or alternately on two."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options


def command(
    number: Annotated[int, typer.Argument(metavar="N", min=2, max=1000, help="Number of runs per drive.")],
    tests: _options.Tests,
    target: _options.Target,
    interleave: Annotated[
        str | None, typer.Option("--interleave", metavar="U", help="A second drive; the runs alternate: ABAB.")
    ] = None,
    profile: _options.ProfileName = None,
    threads: _options.Threads = None,
    depth: _options.Depth = None,
    active_range: _options.ActiveRange = None,
    rounds: _options.Rounds = None,
    round_seconds: _options.RoundSeconds = None,
    quick: _options.Quick = False,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="A new folder for all runs.")] = None,
    destroy_data: Annotated[
        list[str] | None,
        typer.Option(
            "--destroy-data", metavar="NAME", help="As in `stend run`; for two drives give it twice, in their order."
        ),
    ] = None,
    overwrite_file: _options.OverwriteFile = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=1 << 61, help="Seed of the first run; each further run adds 1.")
    ] = None,
) -> int:
    """Run tests N times on one drive, or alternately on two. Each run starts from a purged drive.

    Afterwards stend prints what changed between the runs and, for two drives, compares them. All data on the targets is
    destroyed, as in `stend run`. If the series is cut off, `stend resume DIR` continues it.

    Example: stend repeat 5 iops --quick --target sim:small?unit=1&spread=1 --interleave sim:small?unit=2&spread=1
    """
    from stend import session
    from stend.base.units import duration
    from stend.cli import _series
    from stend.session import series

    changes = {"threads": threads, "depth": depth, "active_range_pct": active_range, "rounds": rounds}
    options: dict[str, Any] = {"profile": profile, "quick": quick, "seed": seed, "minute_s": round_seconds, **changes}
    drives = [target] if interleave is None else [target, interleave]
    labels = [target, interleave] if target != interleave else [f"{target} (a)", f"{target} (b)"]
    pairs = zip(drives, labels, strict=False)
    requests = tuple(session.Request(tests, drive, label=label, purge=True, **options) for drive, label in pairs)
    expected_s = number * sum(session.planned(request).expected_s for request in requests)
    folder, order = into or requests[0].folder, series.Series(number, requests)
    named = _series.answers(order, destroy_data or ())
    series.create(folder, order)
    typer.echo(f"{number * len(requests)} runs, expected to take {duration(expected_s)}: {folder}")
    return _series.go(folder, named, tuple(overwrite_file or ()))
