"""A file that cannot be opened past the page cache has a doubt, and looking leaves nothing open."""

import errno
import os
from pathlib import Path

import pytest

from stend.devices import file


@pytest.mark.parametrize("direct", [True, False])
def test_a_file_whose_figures_are_those_of_memory_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, direct: bool
) -> None:
    path, opened, open_file = tmp_path / "file.bin", [], os.open
    path.write_bytes(bytes(4096))

    def opening(name: str, flags: int) -> int:
        if flags & os.O_DIRECT and not direct:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
        opened.append(open_file(name, flags & ~os.O_DIRECT))
        return opened[-1]

    monkeypatch.setattr(os, "open", opening)
    assert [doubt.key for doubt in file._doubts(str(path))] == ([] if direct else ["cached_file"])
    for descriptor in opened:
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(descriptor)
