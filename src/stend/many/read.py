"""Sides from disk: run folders, or folders of them."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from stend import catalogue, store
from stend.base.errors import BadInput, LeftOut
from stend.catalogue.choice import chosen
from stend.catalogue.tables import about
from stend.many.sides import Outcome, Side, outcome, side

GROUPS = ("firmware", "model", "serial", "folder", "label")
"""What runs can be grouped by."""


def folders(paths: Sequence[Path]) -> list[Path]:
    """Every run folder that is named or lies directly below a named folder; BadInput for a folder without any."""
    found = []
    for path in paths:
        own = [path] if (path / "events.jsonl").exists() else store.find(path)
        if not own:
            raise BadInput(f"{path} is no run folder, and there is none below it; `stend list` shows runs")
        found += own
    return found


def run(folder: Path) -> Outcome:
    """One run folder, reduced; its label is the manifest's."""
    loaded = store.load(folder)
    if not loaded.results:
        raise BadInput(f"{folder} has no results to compare; `stend show {folder}` tells why")
    label = store.manifest(folder).get("label", "") if (folder / "manifest.toml").exists() else ""
    return outcome(folder.name, loaded, store.host(folder), str(label))


def named(paths: Sequence[Path], name: str = "") -> Side:
    """A side of these folders, named after what its runs have in common where no name is given."""
    return side(name, [run(folder) for folder in folders(paths)])


def grouped(tops: Sequence[Path], by: str, wanted: Sequence[str], where: Sequence[str] = ()) -> tuple[Side, Side]:
    """Two sides of the runs below these folders, as their catalogues tell: whose `by` is the one and the other.

    `where` chooses runs (`catalogue.choice`). Without `wanted` there must be just two values; then the one that was
    measured first comes first. BadInput else. A run that cannot be read is warned of and left out.
    """
    groups: dict[str, list[Path]] = {}
    for value, path in _valued(tops, by, where):
        groups.setdefault(value or f"no {by}", []).append(path)
    told = ", ".join(f"{value} ({len(own)})" for value, own in groups.items())
    names = list(wanted) or list(groups)
    if not groups:
        raise BadInput(f"there are no such runs below {', '.join(map(str, tops))}; `stend list` shows those there are")
    if len(names) != 2 or names[0] == names[1]:
        raise BadInput(f"a comparison has two sides, and by {by} there are {told}; name two with --side, twice")
    for value in names:
        if value not in groups:
            raise BadInput(f"there is no {by} {value!r} among these runs; there are {told}")
    first, second = (side(value, _readable(groups[value])) for value in names)
    return first, second


def _valued(tops: Sequence[Path], by: str, where: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The value and the folder of each run, oldest first."""
    found = []
    for top in tops:
        if (top / "events.jsonl").exists():
            one = about(top.name, top, store.load(top))
            found.append((one.started_s, str(getattr(one, by) or ""), top))
            continue
        with catalogue.opened(top) as known:
            known.warn()
            found += [
                (one.started_s, str(getattr(one, by) or ""), known.folder(one)) for one in chosen(known.runs, where)
            ]
    yield from ((value, path) for _, value, path in sorted(found))


def _readable(paths: Sequence[Path]) -> Iterator[Outcome]:
    for path in paths:
        try:
            yield run(path)
        except BadInput as error:
            warnings.warn(LeftOut(f"left out: {error}"), stacklevel=2)


def with_names(a: Side, b: Side, typed: Sequence[str] = ()) -> tuple[Side, Side]:
    """Names that tell two sides apart: those typed, else the first of these facts that each side has alone."""
    if typed:
        return a._replace(name=typed[0]), b._replace(name=typed[1])
    for fact in ("label", "model", "firmware", "serial", "cache", "fio", "kernel"):
        values = [{str(run.settings.get(fact) or "") for run in one.runs} for one in (a, b)]
        if all(len(own) == 1 and "" not in own for own in values) and values[0] != values[1]:
            return a._replace(name=values[0].pop()), b._replace(name=values[1].pop())
    return a._replace(name="A"), b._replace(name="B")
