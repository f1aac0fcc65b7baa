"""Descriptors of this process that have a file open: for writing they are counted, for reading they are found."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend.base.sysfs import HOST
from stend.gate import processes


@pytest.mark.parametrize(("writers", "readers"), [(0, 0), (1, 0), (3, 0), (0, 2), (2, 1)])
def test_writers_and_readers_of_a_file_are_told_apart(tmp_path: Path, writers: int, readers: int) -> None:
    place, other = tmp_path / "file", tmp_path / "other"
    for path in (place, other):
        path.write_bytes(b"1")
    facts = place.stat()
    with ExitStack() as end:
        for mode in ["r+b"] * writers + ["rb"] * readers:
            end.enter_context(place.open(mode))
            end.enter_context(other.open("r+b"))
        assert processes.ours_writing(HOST, (facts.st_dev, facts.st_ino)) == writers
        assert processes.read_by_any(HOST, (facts.st_dev, facts.st_ino)) is (readers > 0)
    assert processes.ours_writing(HOST, (facts.st_dev, facts.st_ino)) == 0


def test_only_this_process_and_its_children_are_ours() -> None:
    assert processes.ours(HOST, os.getpid())
    assert not processes.ours(HOST, os.getppid())
    assert not processes.ours(HOST, 1)
