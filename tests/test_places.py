"""A file is not a drive, nor is what lies on another one: every page says so."""

import tempfile
from pathlib import Path

import pytest

from stend.base.units import MiB
from stend.devices import file
from stend.devices.telling import places
from stend.gate.mounts import Mount
from stend.words import Language
from tests.stand import Host


def said(kind: str, options: str = "rw") -> list[str]:
    return list(places.of_mount(Mount("0:1", "/mnt", kind, "source", options=options)))


@pytest.mark.parametrize(
    ("kind", "options", "word"),
    [
        ("tmpfs", "rw", "in memory"),
        ("btrfs", "rw", "new place"),
        ("zfs", "rw", "new place"),
        ("nfs4", "rw,vers=4.2", "network"),
        ("cifs", "rw", "network"),
        ("fuse.sshfs", "rw", "between"),
        ("overlay", "rw", "between"),
        ("ext4", "rw,compress=zstd:3", "compresses"),
    ],
)
def test_a_file_system_that_does_more_than_pass_requests_on_is_named_in_both_languages(
    kind: str, options: str, word: str
) -> None:
    (text,) = said(kind, options)
    assert word in text
    assert Language("ru").translated(text) != text


def test_a_compressing_file_system_is_told_to_compress_beside_what_else_it_does() -> None:
    assert len(said("btrfs", "rw,compress-force=zstd:3")) == 2
    assert len(said("btrfs", "rw,compress=none")) == 1


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_plain_file_systems_get_no_doubt(kind: str) -> None:
    assert said(kind, "rw,relatime") == []


def test_encryption_and_the_page_cache_are_found_below_a_volume(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.disk("sda", "8:0")
    host.disk("dm-0", "253:0", dm__uuid="CRYPT-LUKS2-1", dm__name="secret")
    host.disk("dm-1", "253:1", dm__uuid="LVM-1", dm__name="volume")
    host.disk("loop0", "7:0", loop__dio="0", loop__backing_file="/x")
    host.disk("loop1", "7:1", loop__dio="1", loop__backing_file="/y")
    host.stacked("dm-0", "sda")
    host.stacked("dm-1", "dm-0")
    assert [text.split()[-2:] for text in places.of_node("dm-1", host.kernel)] == [["is", "written"]]
    assert ["cache" in text for text in places.of_node("loop0", host.kernel)] == [True]
    assert list(places.of_node("loop1", host.kernel)) == list(places.of_node("sda", host.kernel)) == []
    for text in (*places.of_node("dm-1", host.kernel), *places.of_node("loop0", host.kernel)):
        assert Language("ru").translated(text) != text


def test_a_file_in_memory_says_so_on_every_page() -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as place:
        place.truncate(2 * MiB)
        warnings = file.find(place.name).identity.facts.get("warnings", [])
    assert warnings == ["not a drive: the file is in memory (tmpfs)"]
