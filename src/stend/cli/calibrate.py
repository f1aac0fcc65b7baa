"""`stend calibrate`: how near the virtual drives come to the real ones."""

import tempfile
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import BadInput

if TYPE_CHECKING:
    from stend.model.record import Run

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
    tails: Annotated[
        bool,
        typer.Option("--percentiles", help="Only percentiles: published and simulated, with errors by kind of cell."),
    ] = False,
) -> None:
    """Print every published cell beside its simulated twin, and the errors of each drive.

    Example: stend calibrate sn150
    """
    from stend.sim import calibrate, load, percentiles

    if reviews:
        _reviewed(names)
        return
    known = percentiles.drives() if tails else calibrate.drives()
    for name in names or known:
        if name not in known:
            what = "no percentile is published" if tails else "nothing published is known"
            raise BadInput(f"{what} of {name}; there is {', '.join(known)}")
    rows: list[calibrate.Row] = []
    for name in names or known:
        typer.echo(f"{name}: its published cells are simulated, for minutes", err=True)
        spec = load(name)
        if fit:
            places = calibrate.free(spec)
            spec, _ = calibrate.fitted(spec, places)
            for place in places:
                typer.echo(f"{name}: {place} = {attrgetter(place)(spec):g}")
        rows.extend(percentiles.rows(spec) if tails else calibrate.measured(spec))
    typer.echo((percentiles if tails else calibrate).table(rows))


def _reviewed(names: list[str] | None) -> None:
    from stend import store
    from stend.many.compare import reviews

    known = [suite for suite in reviews.reviews() if suite.startswith("review-")]
    told = list[reviews.Row | reviews.Said]()
    for name in names or known:
        run = store.load(Path(name)) if Path(name).is_dir() else None
        suite = reviews.suite_of(run) if run else name
        if suite not in known:
            raise BadInput(f"{name} is no review; there is {', '.join(known)}")
        told += reviews.measured(suite, run or _ran(suite, reviews.reviews()[suite]["target"]))
    typer.echo(reviews.table(told))


def _ran(suite: str, target: str) -> "Run":
    """A suite as it is run by hand, on the drive of its article."""
    from stend import session, store

    with tempfile.TemporaryDirectory() as place:
        request = session.Request([suite], f"sim:{target}", seed=1, into=f"{place}/{suite}")
        with session.start(request) as run:
            for _ in run:
                pass
        return store.load(run.folder)
