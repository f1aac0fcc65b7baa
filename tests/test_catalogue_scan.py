"""Run folders are found in a folder and in its folders, with a stamp that any change of their files changes."""

import os
from pathlib import Path

import pytest

from stend.catalogue.parts import Stamp
from stend.catalogue.scan import UNCHECKED, Place, place_of, same, scan


def run(path: Path, size: int = 5, at_ns: int = 10**18, manifest_ns: int = 0) -> Place:
    """A run folder with these times, and its place."""
    path.mkdir(parents=True)
    for name, bytes_there, time_ns in (("events.jsonl", size, at_ns), ("manifest.toml", 1, manifest_ns)):
        if time_ns:
            (path / name).write_bytes(bytes(bytes_there))
            os.utime(path / name, ns=(time_ns, time_ns))
    return Place(str(path), (size, at_ns, manifest_ns))


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Place]:
    """Runs in the folder and one below, beside what is no run: deeper folders, hidden ones and files."""
    found = {name: run(tmp_path / name, n, 10**18 + n, n) for n, name in enumerate(("a", "lot/b", "lot/c", "odd\x1b"))}
    for name in (".hidden/d", ".e", "lot/deep/f", "a/inside"):
        run(tmp_path / name)
    (tmp_path / "file").touch()
    (tmp_path / "notes").mkdir()
    return {name.replace("\x1b", r"\x1b"): place for name, place in found.items()}


def test_runs_of_a_folder_and_of_its_folders_are_found(tmp_path: Path, places: dict[str, Place]) -> None:
    assert scan(tmp_path) == places
    unchecked = {name: Place(place.path, (*place.stamp[:2], UNCHECKED)) for name, place in places.items()}
    assert scan(tmp_path, manifests=False) == unchecked
    assert scan(tmp_path / "gone") == scan(tmp_path / "file") == {}


def test_one_name_is_a_run_or_a_folder_of_runs(tmp_path: Path, places: dict[str, Place]) -> None:
    assert place_of(tmp_path, "a") == {"a": places["a"]}
    assert place_of(tmp_path, "lot") == {name: places[name] for name in ("lot/b", "lot/c")}
    assert place_of(tmp_path, "notes") == place_of(tmp_path, "gone") == place_of(tmp_path, "file") == {}


@pytest.mark.parametrize(
    ("known", "now", "equal"),
    [
        ((1, 2, 3), (1, 2, 3), True),
        ((1, 2, 3), (1, 2, UNCHECKED), True),
        ((1, 2, 3), (1, 2, 4), False),
        ((1, 2, 3), (1, 9, UNCHECKED), False),
        ((1, 2, 3), (9, 2, UNCHECKED), False),
        ((1, 2, UNCHECKED), (1, 2, 3), False),
        ((1, 2, 0), (1, 2, 3), False),
    ],
)
def test_a_run_is_unchanged_as_far_as_it_was_checked(known: Stamp, now: Stamp, equal: bool) -> None:
    assert same(known, now) == equal
