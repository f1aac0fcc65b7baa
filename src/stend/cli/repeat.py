"""`stend repeat`: make the same run several times, on one drive or alternately on two."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options
from stend.cli._option import argument


@_options.with_settings
def command(
    context: typer.Context,
    number: Annotated[int, argument("COUNT", "Number of runs per drive.", min=2, max=1000)],
    tests: _options.Tests,
    target: _options.Targets,
    fields: dict[str, Any],
    into: Annotated[Path | None, _options.into("runs/DATE-TARGET-TESTS; must be new or empty")] = None,
    destroy_data: _options.DestroyEach = None,
    overwrite_file: _options.OverwriteFile = None,
    label: _options.Label = None,
    meter: _options.Meter = None,
    detach: _options.Detach = False,
) -> int:
    """Run tests several times on one drive, or alternately on two. Each run starts from a purged drive.

    With two targets the runs alternate: ABBA. Afterwards stend prints what changed between the runs and, for two
    drives, compares them. Each drive's label is its target, after --label. All data on the targets is destroyed, as in
    `stend run`. If the series is cut off, `stend resume DIR` continues it.

    Example: stend repeat 5 iops --quick --target sim:small?unit=1&spread=1 --target sim:small?unit=2&spread=1
    """
    from stend import session
    from stend.base.units import duration
    from stend.cli import _series
    from stend.session import series

    pairs = _series.labelled(target, label)
    requests = tuple(
        session.Request(tests, drive, label=text, purge=True, meter=meter, **fields) for drive, text in pairs
    )
    folder = into or requests[0].folder
    if detach:
        from stend.cli import _apart

        return _apart.begin(context, folder, named=into is not None)
    expected_s = number * sum(session.planned(request).expected_s for request in requests)
    order = series.Series(number, requests)
    named = _series.answers(order, destroy_data or ())
    series.create(folder, order)
    typer.echo(f"{number * len(requests)} runs, expected to take {duration(expected_s)}: {folder}")
    return _series.go(folder, named, tuple(overwrite_file or ()))
