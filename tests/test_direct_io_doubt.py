"""The blocks that direct IO takes on a file; one without it has a doubt, and looking leaves nothing open."""

import errno
import os
from pathlib import Path

import pytest

from stend.base import direct_io
from stend.base.units import MiB
from stend.devices import file
from tests.stand import Stand, zram


@pytest.mark.parametrize(
    ("reported", "opens", "doubts", "block_bytes"),
    [
        (512, True, [], 512),
        (4096, True, [], 4096),
        (0, True, ["cached_file"], 512),
        (None, True, ["perhaps_cached_file"], 512),
        (None, False, ["cached_file"], 512),
    ],
)
def test_a_file_whose_figures_are_those_of_memory_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reported: int | None,
    opens: bool,
    doubts: list[str],
    block_bytes: int,
) -> None:
    path, opened, open_file = tmp_path / "file.bin", [], os.open
    path.write_bytes(bytes(MiB))

    def opening(name: str, flags: int) -> int:
        if flags & os.O_DIRECT and not opens:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
        opened.append(open_file(name, flags & ~os.O_DIRECT))
        return opened[-1]

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(direct_io, "block_bytes", lambda path: reported)
    identity = file.find(str(path)).identity
    assert [doubt.key for doubt in identity.facts.get("doubts", ())] == doubts
    assert (identity.logical_bytes, identity.physical_bytes) == (block_bytes, block_bytes)
    for descriptor in opened:
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(descriptor)


@pytest.mark.block
@pytest.mark.needs("mkfs.ext4", "zram in the kernel")
def test_a_file_on_a_drive_of_4096_byte_blocks_has_such_blocks(stand: Stand) -> None:
    with zram(64 * MiB) as node:
        target = stand.mount(stand.formatted(path=node)) / "drive.bin"
        os.close(file.create(str(target), MiB))
        assert file.find(str(target)).identity.logical_bytes == 4096
        stand.end.close()


def test_what_the_kernel_does_not_report_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert direct_io.block_bytes(str(tmp_path / "missing")) is None
    assert direct_io.block_bytes("/proc/version") is None
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())  # a C library without statx
    assert direct_io.block_bytes(__file__) is None
