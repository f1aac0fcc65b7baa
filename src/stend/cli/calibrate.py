"""`stend calibrate`: how near the virtual drives come to the real ones."""

from operator import attrgetter
from pathlib import Path
from typing import Annotated

import typer

from stend.errors import BadInput

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Profiles (reviews, or folders of their runs); all that are published."),
]


def command(
    names: Names = None,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit first the parameters that no source gives, and print them.")
    ] = False,
    reviews: Annotated[
        bool, typer.Option("--reviews", help="Run the model reviews' suites on their twins instead; half an hour.")
    ] = False,
) -> None:
    """Print every published cell beside its simulated twin, and the errors of each drive.

    Example: stend calibrate sn150
    """
    from stend.sim import calibrate, load

    if reviews:
        _reviewed(names)
        return
    known = calibrate.drives()
    for name in names or known:
        if name not in known:
            raise BadInput(f"nothing published is known of {name}; there is {', '.join(known)}")
    rows: list[calibrate.Row] = []
    for name in names or known:
        typer.echo(f"{name}: its published cells are simulated, for minutes", err=True)
        spec = load(name)
        if fit:
            places = calibrate.free(spec)
            spec, _ = calibrate.fitted(spec, places)
            for place in places:
                typer.echo(f"{name}: {place} = {attrgetter(place)(spec):g}")
        rows.extend(calibrate.measured(spec))
    typer.echo(calibrate.table(rows))


def _reviewed(names: list[str] | None) -> None:
    from stend import store
    from stend.cli import _reviews

    known = [suite for suite in _reviews.reviews() if suite.startswith("review-")]
    told = list[_reviews.Row | _reviews.Said]()
    for name in names or known:
        run = store.load(Path(name)) if Path(name).is_dir() else None
        suite = _reviews.suite_of(run) if run else name
        if suite not in known:
            raise BadInput(f"{name} is no review; there is {', '.join(known)}")
        told += _reviews.measured(suite, run)
    typer.echo(_reviews.table(told))
