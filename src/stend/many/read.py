"""Load the sides of a comparison from run folders, or from folders of them."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from stend import catalogue, store
from stend.base.errors import BadInput, LeftOut
from stend.base.text import typed
from stend.catalogue.choice import chosen
from stend.catalogue.tables import about
from stend.many.sides import Outcome, Side, outcome, side
from stend.store import journal

GROUPS = ("firmware", "model", "serial", "folder", "label")
"""Facts by which runs can be grouped."""


def folders(paths: Sequence[Path], where: Sequence[str] = ()) -> list[Path]:
    """Return the run folders that these paths or names mean (`catalogue.meant`), for a folder of runs all of them.

    `where` filters them (`catalogue.choice`). Raise BadInput for a path without any run.
    """
    every = [run for path in paths for run in _meant(path)]
    return [run for run in every if not where or chosen([about(run.name, run, store.load(run))], where)]


def _meant(path: Path) -> list[Path]:
    several = not journal.is_run(path) and store.find(path)
    return several or [catalogue.meant(path)]


def run(folder: Path, *, empty: bool = False) -> Outcome:
    """Load a run folder and reduce it. Raise BadInput if it has no results, unless `empty` runs are wanted too."""
    loaded = store.load(folder)
    if not loaded.results and not empty:
        raise BadInput(f"{folder} has no results to compare; `stend show {typed(folder)}` shows why")
    label = store.manifest(folder).get("label", "") if (folder / "manifest.toml").exists() else ""
    return outcome(folder.name, loaded, store.host(folder), str(label))


def named(paths: Sequence[Path], name: str = "", where: Sequence[str] = (), *, empty: bool = False) -> Side:
    """Load a side from runs or folders of them, filtered by `where`.

    Runs without results in a folder of runs are left out with a warning. Raise BadInput if they are named themselves.
    With `empty` they are kept: they are of drives that failed at once.
    """
    every = folders(paths, where)
    if not every:
        raise BadInput(f"no run of {', '.join(map(str, paths))} matches; `stend list` shows the runs")
    alone = {found[0] for found in map(_meant, paths) if len(found) == 1}
    runs = list(_readable(every, alone, empty=empty))
    if not runs:
        raise BadInput(f"no run of {', '.join(map(str, paths))} has results; `stend list` shows the runs")
    return side(name, runs)


def grouped(tops: Sequence[Path], by: str, wanted: Sequence[str], where: Sequence[str] = ()) -> tuple[Side, Side]:
    """Group the runs below these folders by a fact and return two groups as sides.

    `wanted` are the two values. Without it there must be exactly two, and the value measured first comes first. `where`
    filters runs (`catalogue.choice`). Raise BadInput otherwise. Runs that cannot be read are left out with a warning.
    """
    groups: dict[str, list[Path]] = {}
    for value, path in _valued(tops, by, where):
        groups.setdefault(value or f"no {by}", []).append(path)
    listing = ", ".join(f"{value} ({len(paths)})" for value, paths in groups.items())
    names = list(wanted) or list(groups)
    if not groups:
        raise BadInput(f"no run below {', '.join(map(str, tops))} matches; `stend list` shows the runs")
    if len(names) != 2 or names[0] == names[1]:
        found = f"the values of {by} are {listing}"
        raise BadInput(f"a comparison has two sides, but {found}; choose two by --side, or rank all by `stend report`")
    for value in names:
        if value not in groups:
            raise BadInput(f"no run has {by} {value!r}; the values are {listing}")
    first, second = (side(value, _readable(groups[value])) for value in names)
    return first, second


def _valued(tops: Sequence[Path], by: str, where: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the value and the folder of each run, oldest first."""
    runs = []
    for top in tops:
        if not top.is_dir() or journal.is_run(top):
            place = catalogue.meant(top)
            runs.append((about(place.name, place, store.load(place)), place))
            continue
        with catalogue.opened(top) as known:
            known.warn()
            runs += [(entry, known.folder(entry)) for entry in chosen(known.runs, where)]
    valued = sorted((entry.started_s, str(getattr(entry, by) or ""), path) for entry, path in runs)
    yield from ((value, path) for _, value, path in valued)


def _readable(paths: Sequence[Path], needed: Collection[Path] = (), *, empty: bool = False) -> Iterator[Outcome]:
    """Load runs. Leave out those that have no results, with a warning, unless they are needed."""
    for path in paths:
        try:
            yield run(path, empty=empty)
        except BadInput as error:
            if path in needed:
                raise
            warnings.warn(LeftOut(f"left out: {error}"), stacklevel=2)


def with_names(a: Side, b: Side, typed: Sequence[str] = ()) -> tuple[Side, Side]:
    """Name two sides: by `typed`, or by the first fact that differs between them and is the same within each."""
    if typed:
        return a._replace(name=typed[0]), b._replace(name=typed[1])
    for fact in ("label", "model", "array", "firmware", "serial", "virtual", "cache", "profile", "fio", "kernel"):
        values = [{str(run.settings.get(fact) or "") for run in side.runs} for side in (a, b)]
        if all(len(texts) == 1 and "" not in texts for texts in values) and values[0] != values[1]:
            return a._replace(name=values[0].pop()), b._replace(name=values[1].pop())
    return a._replace(name="A"), b._replace(name="B")
