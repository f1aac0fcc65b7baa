"""`stend repeat`: the same run again and again, of one drive or of two in turns."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _asked


def command(
    number: Annotated[int, typer.Argument(metavar="N", min=2, max=1000, help="How many runs of each drive.")],
    tests: _asked.Tests,
    target: _asked.Target,
    interleave: Annotated[
        str | None, typer.Option("--interleave", metavar="U", help="Another drive, measured in turns with it: ABAB.")
    ] = None,
    profile: _asked.ProfileName = None,
    threads: _asked.Threads = None,
    depth: _asked.Depth = None,
    active_range: _asked.ActiveRange = None,
    rounds: _asked.Rounds = None,
    round_seconds: _asked.RoundSeconds = None,
    quick: _asked.Quick = False,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="A new folder for all runs.")] = None,
    destroy_data: Annotated[
        list[str] | None,
        typer.Option("--destroy-data", metavar="NAME", help="As of `stend run`; for two drives twice, in their order."),
    ] = None,
    overwrite_file: _asked.OverwriteFile = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=1 << 61, help="Of the first run; each further has one more.")
    ] = None,
) -> int:
    """Run a study N times, each from a purged drive, on one drive or on two in turns; say what drifted, and compare.

    All data on the targets is destroyed, as by `stend run`. What was cut off goes on by `stend resume DIR`.

    Example: stend repeat 5 iops --quick --target sim:small?unit=1&spread=1 --interleave sim:small?unit=2&spread=1
    """
    from stend import session
    from stend.base.units import duration
    from stend.cli import _series
    from stend.session import series

    changes = {"threads": threads, "depth": depth, "active_range_pct": active_range, "rounds": rounds}
    asked: dict[str, Any] = {"profile": profile, "quick": quick, "seed": seed, "minute_s": round_seconds, **changes}
    drives = [target] if interleave is None else [target, interleave]
    labels = [target, interleave] if target != interleave else [f"{target} (a)", f"{target} (b)"]
    pairs = zip(drives, labels, strict=False)
    requests = tuple(session.Request(tests, drive, label=label, purge=True, **asked) for drive, label in pairs)
    expected_s = number * sum(session.planned(request).expected_s for request in requests)
    folder, own = into or requests[0].folder, series.Series(number, requests)
    named = _series.answers(own, destroy_data or ())
    series.create(folder, own)
    typer.echo(f"{number * len(requests)} runs, expected to take {duration(expected_s)}: {folder}")
    return _series.go(folder, named, tuple(overwrite_file or ()))
