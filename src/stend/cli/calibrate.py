"""`stend calibrate`: how well virtual drives reproduce published measurements."""

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
    typer.Argument(metavar="[NAME]...", help="Virtual drives (with --reviews: reviews or run folders); default: all."),
]


def command(
    names: Names = None,
    fit: Annotated[
        bool, typer.Option("--refit", help="First fit the parameters that no source states, and print them.")
    ] = False,
    reviews: Annotated[
        bool,
        typer.Option(
            "--reviews", help="Instead run the suites of published reviews on the virtual drives; takes half an hour."
        ),
    ] = False,
    tails: Annotated[
        bool,
        typer.Option("--percentiles", help="Only percentiles: published and simulated, with errors by kind of cell."),
    ] = False,
) -> None:
    """Compare virtual drives with published measurements. Print each published cell, its simulation and the error.

    Example: stend calibrate sn150
    """
    from stend.sim import calibrate, load, percentiles

    if reviews:
        _reviewed(names)
        return
    known = percentiles.drives() if tails else calibrate.drives()
    for name in names or known:
        if name not in known:
            what = "percentiles" if tails else "measurements"
            raise BadInput(f"no published {what} of {name}; choose from {', '.join(known)}")
    rows: list[calibrate.Row] = []
    for name in names or known:
        typer.echo(f"{name}: simulating its published cells, which takes minutes", err=True)
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
    rows = list[reviews.Row | reviews.Statement]()
    for name in names or known:
        run = store.load(Path(name)) if Path(name).is_dir() else None
        suite = reviews.suite_of(run) if run else name
        if suite not in known:
            raise BadInput(f"{name} is not a review; choose from {', '.join(known)}")
        rows += reviews.measured(suite, run or _ran(suite, reviews.reviews()[suite]["target"]))
    typer.echo(reviews.table(rows))


def _ran(suite: str, target: str) -> "Run":
    """Run a review's suite on the virtual drive of its article, with seed 1."""
    from stend import session, store

    with tempfile.TemporaryDirectory() as place:
        request = session.Request([suite], f"sim:{target}", seed=1, into=f"{place}/{suite}")
        with session.start(request) as run:
            for _ in run:
                pass
        return store.load(run.folder)
