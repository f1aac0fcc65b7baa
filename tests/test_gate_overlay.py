"""What an overlay shows and is made of. Without root.

The merged folder is a real one here, and two names of one file stand for a merged file and the real one.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from stend.base.sysfs import HOST
from stend.gate import fit, mounts, overlay
from stend.gate.mounts import Mount
from tests.test_gate_files import BYTES, at, layer, unfit


def shown(path: Path, folder: Path, kind: str = "overlay", options: str = "") -> Mount:
    folders = options or f"rw,lowerdir={folder}/low,upperdir={folder}/up,workdir={folder}/work"
    return at(path, kind, point=str(folder / "merged"), options=folders, number="0:99")


@pytest.fixture
def layers(tmp_path: Path) -> Path:
    for name in ("low", "up", "merged/sub", "up/sub"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    return tmp_path


def same(folder: Path, inner: str, layer: str = "up") -> tuple[Path, Path]:
    """The merged and the real name of a file."""
    real, merged = folder / layer / inner, folder / "merged" / inner
    real.parent.mkdir(parents=True, exist_ok=True)
    real.write_bytes(b"bytes")
    os.link(real, merged)
    return merged, real


def test_the_real_file_is_the_first_of_equal_times_and_size(layers: Path) -> None:
    merged, real = same(layers, "x.bin")
    found = overlay.real(HOST, str(merged), shown(merged, layers))
    assert found == overlay.Real(str(real), (real.stat().st_dev, real.stat().st_ino), True)
    merged, real = same(layers, "y.bin", "low")
    (layers / "up/y.bin").write_bytes(b"other")
    found = overlay.real(HOST, str(merged), shown(merged, layers))
    assert found
    assert (found.path, found.upper) == (str(real), False)
    assert not overlay.real(HOST, str(merged), shown(merged, layers, options=f"lowerdir={layers}/low:/x"))[2]  # type: ignore[index]


def test_a_real_file_under_a_bind_mount_is_looked_for_in_its_folder(layers: Path) -> None:
    merged, real = same(layers, "sub/x.bin")
    bound = shown(merged, layers)._replace(point=str(layers / "merged/sub"), root="/sub")
    found = overlay.real(HOST, str(merged), bound)
    assert found
    assert found.path == str(real)


def test_relative_folders_and_files_of_other_times_are_not_the_real_one(
    layers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged, real = same(layers, "x.bin")
    monkeypatch.chdir(layers)
    assert overlay.real(HOST, str(merged), shown(merged, layers, options="lowerdir=low,upperdir=up")) is None
    real.unlink()
    assert overlay.real(HOST, str(merged), shown(merged, layers)) is None
    real.write_bytes(b"bytes")
    assert overlay.real(HOST, str(merged), shown(merged, layers)) is None
    assert "its real file cannot be resolved" in unfit(merged, [shown(merged, layers)])


def test_a_lower_file_is_refused_and_an_upper_one_is_not(layers: Path) -> None:
    table = [shown(layers / "low", layers)]
    merged, real = same(layers, "low.bin", "low")
    real.rename(layers / "low/x")
    (layers / "low/x").rename(real)
    assert unfit(merged, table).startswith("has other names")  # both names are of one file in this test
    fd = layer(merged)
    assert fit._unresolved(fd, merged.stat(), HOST, table).startswith("is in a lower folder of the overlay at ")
    merged, _ = same(layers, "up.bin")
    assert fit._unresolved(layer(merged), merged.stat(), HOST, table) == ""


def part(path: Path, table: list[Mount], via: frozenset[str] = frozenset()) -> str:
    return str(overlay.part(HOST, table, str(path), path.stat(), via) or "")


def lost(path: Path, table: list[Mount], via: frozenset[str] = frozenset()) -> str:
    return overlay.unresolved(HOST, table, str(path), path.stat(), via)


def far(layers: Path, **more: Any) -> Mount:
    """The overlay of a test as one that another file does not lie in; its number is that of its folders here."""
    there = os.stat(layers)
    one = Mount(f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}", str(layers / "merged"), "overlay", "x", id="none")
    return one._replace(**{"options": f"rw,lowerdir={layers}/low,upperdir={layers}/up,workdir={layers}/work"} | more)


def root_like_upper(layers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The merged root has the times of the upper folder."""
    shutil.rmtree(layers / "merged")
    os.symlink(layers / "up", layers / "merged")


def test_a_file_of_a_folder_of_an_overlay_is_a_part_of_it(layers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aside = layers / "aside.bin"
    aside.write_bytes(BYTES)
    root_like_upper(layers, monkeypatch)
    for name in ("low/a", "up/sub/b"):
        (layers / name).write_bytes(BYTES)
        assert part(layers / name, [far(layers)]).startswith(f"is a part of the overlay at {layers}/merged; `umount")
        assert part(layers / name, [far(layers)], frozenset({far(layers).number})) == ""
    assert part(aside, [far(layers)]) == ""
    assert lost(aside, [far(layers)]) == ""
    assert part(layers / "up/sub/b", [far(layers, kind="ext4")]) == ""
    assert "in another mount namespace (of process 1)" in part(layers / "low/a", [far(layers)._replace(pid=1)])


def test_an_overlay_shows_a_file_whatever_its_folders_are_called(layers: Path) -> None:
    moved = layers / "moved/sub/x.bin"
    moved.parent.mkdir(parents=True)
    moved.write_bytes(BYTES)
    table = [far(layers)]
    assert part(moved, table) == ""
    os.link(moved, layers / "merged/sub/x.bin")
    assert part(moved, table).startswith("is a part of the overlay")
    covered = [*table, at(moved, "tmpfs", point=str(layers / "merged/sub"), id="more", number="0:5")]
    assert part(moved, covered) == ""
    below = far(layers)._replace(root="/other", point=str(layers / "merged"))
    assert part(moved, [below]) == ""
    bound = far(layers)._replace(root="/moved", point=str(layers / "merged"))
    assert part(moved, [bound]).startswith("is a part of the overlay")


@pytest.mark.parametrize("gone", ["up", "low"])
def test_a_folder_that_cannot_be_resolved_refuses_every_file(
    layers: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    aside = layers / "aside.bin"
    aside.write_bytes(BYTES)
    root_like_upper(layers, monkeypatch)
    assert lost(aside, [far(layers)]) == ""
    (layers / gone).rename(layers / "away")
    if gone == "up":
        assert "up cannot be resolved; `umount" in lost(aside, [far(layers)])
        (layers / "up").mkdir()
        (layers / "merged").unlink()
        (layers / "away").rename(layers / "merged")
        assert "up cannot be resolved" in lost(aside, [far(layers)])  # another folder by the same name
    else:
        assert f"whose folder {layers}/low cannot be resolved" in lost(aside, [far(layers)])
        assert lost(aside, [far(layers)], frozenset({far(layers).number})) == ""


def test_relative_folders_refuse_every_file(layers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aside = layers / "aside.bin"
    aside.write_bytes(BYTES)
    root_like_upper(layers, monkeypatch)
    monkeypatch.chdir(layers)
    told = lost(aside, [far(layers, options="rw,lowerdir=low,upperdir=up")])
    assert "whose folder up cannot be resolved" in told
    other = far(layers, options="rw,lowerdir=low,upperdir=up", number="0:99")
    assert "cannot be resolved" in unfit(aside, [*mounts.of_this_process(HOST), other])


def test_a_containers_own_root_is_resolved_by_what_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "volume.bin"
    path.write_bytes(BYTES)
    volume = at(path, "ext4", root="/srv/volume")
    root = Mount("0:77", "/", "overlay", "overlay", options="rw,lowerdir=/no/such/l,upperdir=/no/such/u", id="none")
    assert lost(path, [root, volume]) == ""
    assert "cannot be resolved" in lost(path, [root._replace(options="rw,lowerdir=l,upperdir=u"), volume])
    assert "cannot be resolved" in lost(path, [root._replace(point="/elsewhere"), volume])
    assert "cannot be resolved" in lost(path, [root._replace(options=f"lowerdir={tmp_path},upperdir=/no/u"), volume])
    covers = Mount("0:78", "/srv", "tmpfs", "none", id="more")
    assert "cannot be resolved" in lost(path, [root, volume, covers])
