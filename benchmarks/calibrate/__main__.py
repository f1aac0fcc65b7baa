"""`python -m benchmarks.calibrate [NAME...]`: compare virtual drives with published measurements.

It prints each published cell, its simulation and the error. NAMEs are virtual drives, with `--reviews` reviews or run
folders; default: all. `--refit` first fits the parameters that no source states, and prints them. `--percentiles` has
percentiles alone, with errors by kind of cell. `--reviews` runs the suites of published reviews on the virtual drives
instead, which takes half an hour; `--into FOLDER` keeps these runs, named after their drives, for `benchmarks.judged`.
"""

import argparse
import sys
import tempfile
from operator import attrgetter
from pathlib import Path

from benchmarks.calibrate import fit, percentiles, reviews
from stend import session, store
from stend.base.errors import BadInput
from stend.model.record import Run
from stend.sim import load


def main() -> None:
    """Compare by the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    for option in ("--refit", "--percentiles", "--reviews"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--into", type=Path, metavar="FOLDER")
    wanted = parser.parse_args()
    try:
        if wanted.reviews:
            _reviewed(wanted.names, wanted.into)
        else:
            compared(wanted.names, refit=wanted.refit, tails=wanted.percentiles)
    except BadInput as error:
        parser.error(str(error))


def compared(names: list[str], *, refit: bool = False, tails: bool = False) -> None:
    """Print the table of these drives, or of all; raise BadInput for one without published values."""
    known = percentiles.drives() if tails else fit.drives()
    for name in names or known:
        if name not in known:
            what = "percentiles" if tails else "measurements"
            raise BadInput(f"no published {what} of {name}; choose from {', '.join(known)}")
    rows: list[fit.Row] = []
    for name in names or known:
        print(f"{name}: simulating its published cells, which takes minutes", file=sys.stderr)
        spec = load(name)
        if refit:
            places = fit.free(spec)
            spec, _ = fit.fitted(spec, places)
            for place in places:
                print(f"{name}: {place} = {attrgetter(place)(spec):g}")
        rows.extend(percentiles.rows(spec) if tails else fit.measured(spec))
    print((percentiles if tails else fit).table(rows))


def _reviewed(names: list[str], into: Path | None) -> None:
    known = [suite for suite in reviews.reviews() if suite.startswith("review-")]
    rows = list[reviews.Row | reviews.Statement]()
    with tempfile.TemporaryDirectory() as place:
        for name in names or known:
            run = store.load(Path(name)) if Path(name).is_dir() else None
            suite = reviews.suite_of(run) if run else name
            if suite not in known:
                raise BadInput(f"{name} is not a review; choose from {', '.join(known)}")
            run = run or _ran(suite, reviews.reviews()[suite]["target"], into or Path(place))
            rows += reviews.measured(suite, run)
    print(reviews.table(rows))


def _ran(suite: str, target: str, into: Path) -> Run:
    """Run a review's suite on the virtual drive of its article, with seed 1, into a folder named after the drive."""
    with session.start(session.Request([suite], f"sim:{target}", seed=1, into=str(into / target))) as run:
        for _ in run:
            pass
    return store.load(run.folder)


if __name__ == "__main__":
    main()
