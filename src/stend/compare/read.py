"""Sides from disk: run folders, or folders of them."""

from collections.abc import Sequence
from pathlib import Path

from stend import store
from stend.compare.sides import Outcome, Side, outcome, side
from stend.errors import BadInput

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


def grouped(paths: Sequence[Path], by: str, wanted: Sequence[str]) -> tuple[Side, Side]:
    """Two sides of the runs below these folders: those whose `by` is the one and the other of `wanted`.

    Without `wanted` there must be just two values; then the one that was measured first comes first. BadInput else.
    """
    groups: dict[str, list[Outcome]] = {}
    for path in folders(paths):
        one = run(path)
        value = path.parent.name if by == "folder" else str(one.settings.get(by) or "")
        groups.setdefault(value or f"no {by}", []).append(one)
    known = sorted(groups, key=lambda value: min(one.began_s for one in groups[value]))
    told = ", ".join(f"{value} ({len(groups[value])})" for value in known)
    chosen = list(wanted) or known
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise BadInput(f"a comparison has two sides, and by {by} there are {told}; name two with --side, twice")
    for value in chosen:
        if value not in groups:
            raise BadInput(f"there is no {by} {value!r} among these runs; there are {told}")
    return side(chosen[0], groups[chosen[0]]), side(chosen[1], groups[chosen[1]])


def with_names(a: Side, b: Side, typed: Sequence[str] = ()) -> tuple[Side, Side]:
    """Names that tell two sides apart: those typed, else the first of these facts that each side has alone."""
    if typed:
        return a._replace(name=typed[0]), b._replace(name=typed[1])
    for fact in ("label", "model", "firmware", "serial", "cache", "fio", "kernel"):
        values = [{str(run.settings.get(fact) or "") for run in one.runs} for one in (a, b)]
        if all(len(own) == 1 and "" not in own for own in values) and values[0] != values[1]:
            return a._replace(name=values[0].pop()), b._replace(name=values[1].pop())
    return a._replace(name="A"), b._replace(name="B")
