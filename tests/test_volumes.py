"""What volumes of device-mapper lie on: whether two share blocks, and whether a table was exchanged below one."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import gate
from stend.base.errors import Missing, Refused
from stend.gate import volumes
from stend.gate.refusals import refusal
from tests.stand import Host, Stand, number_of
from tests.test_purge import Bench

LINEAR = "0 2048 linear 8:2 384"


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (LINEAR, "0 2048 linear 8:2 2432", True),
        (LINEAR, "0 2048 linear 8:2 2431", False),
        (LINEAR, "0 2048 linear 8:18 384", True),
        (LINEAR, "0 10 linear 8:2 0\n10 10 linear 8:2 400", False),
        (LINEAR, "0 10 linear 8:2 0\n10 10 linear 8:2 4000", True),
        (LINEAR, "0 2048 delay 8:2 384 50", False),
        (LINEAR, "0 2048 delay 8:18 0 50 8:2 0 50", False),
        (LINEAR, "0 4096 striped 2 128 8:2 2432 8:18 0", True),
        (LINEAR, "0 4096 striped 2 128 8:2 1000 8:18 0", False),
        (LINEAR, "0 2048 crypt aes-xts-plain64 :64:logon:k 0 8:2 4096", False),
        (LINEAR, "0 2048 crypt aes-xts-plain64 :64:logon:k 0 8:20 4096", True),
        (LINEAR, "", False),
        ("0 10 thin 252:2 1", "0 10 thin 252:2 2", True),
        ("0 10 thin 252:2 1", "0 10 thin-pool 8:2 252:2 128 0", False),
    ],
)
def test_volumes_share_blocks_or_do_not(one: str, other: str, apart: bool) -> None:
    number = "252:2" if "thin" in one else "8:2"
    assert volumes.disjoint(one, other, number) is apart
    assert volumes.disjoint(other, one, number) is apart


def test_a_slower_way_to_the_same_blocks_is_the_same_volume() -> None:
    assert volumes.places_of(LINEAR) == volumes.places_of("0 2048 delay 8:2 384 50") == "0 2048 8:2 384"
    other = (
        "0 2048 linear 8:18 384",
        "0 2048 linear 8:2 0",
        "0 1024 linear 8:2 384",
        "0 2048 delay 8:2 384 0 8:18 0 9",
    )
    for table in other:
        assert volumes.places_of(table) != volumes.places_of(LINEAR)


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """Two volumes on sda2; what dmsetup tells of them is in files `0` and `1`. The first one is the target."""
    host = Host(tmp_path / "host")
    with ExitStack() as end:
        node = Stand(tmp_path, end).loop()
        bench = Bench(tmp_path, monkeypatch)
        monkeypatch.setenv("PATH", f"{bench.bin}:/usr/sbin:/usr/bin:/sbin:/bin")
        host.disk("sda", "8:0", device__serial="SN1")
        host.disk("sda2", "8:2", parent="sda", partition="2")
        for minor, name in enumerate(("data", "other")):
            host.disk(
                f"dm-{minor}", f"252:{minor}" if minor else number_of(node), dm__name=name, dm__uuid=f"LVM-{name}"
            )
            host.stacked(f"dm-{minor}", "sda2")
            (tmp_path / f"{minor}").write_text(f"0 2048 linear 8:2 {minor * 2048}\n")
        (host.root / "dev/mapper").mkdir()
        (host.root / "dev/mapper/control").touch()
        bench.program("dmsetup", f'[ "$3" = 252 ] && exec cat {tmp_path}/1; exec cat {tmp_path}/0')
        host.node = node  # type: ignore[attr-defined]
        yield host


@pytest.mark.block
@pytest.mark.needs("losetup")
def test_a_volume_beside_a_mounted_one_may_be_written_and_one_on_its_blocks_not(group: Host, tmp_path: Path) -> None:
    node: str = group.node  # type: ignore[attr-defined]
    assert refusal(node, kernel=group.kernel) == ""
    group.mounted("252:1", "/srv", "/dev/mapper/other")
    assert refusal(node, kernel=group.kernel) == ""
    (tmp_path / "1").write_text("0 2048 linear 8:2 2047\n")
    assert "is on sda2, which is held by other, which is mounted at /srv" in refusal(node, kernel=group.kernel)


@pytest.mark.block
@pytest.mark.needs("losetup")
def test_a_table_that_was_exchanged_below_a_volume_makes_it_another_drive(group: Host, tmp_path: Path) -> None:
    node: str = group.node  # type: ignore[attr-defined]
    seen = gate.marks(node, group.kernel)
    (tmp_path / "0").write_text("0 2048 delay 8:2 0 50\n")
    assert gate.marks(node, group.kernel) == seen
    (tmp_path / "0").write_text("0 2048 linear 8:18 0\n")
    assert gate.marks(node, group.kernel) != seen


@pytest.mark.block
@pytest.mark.needs("losetup")
def test_nobody_guesses_where_dmsetup_is_silent(group: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node: str = group.node  # type: ignore[attr-defined]
    (tmp_path / "0").unlink()
    with pytest.raises(
        Refused, match="cannot be read by dmsetup, so stend cannot determine what volumes are stored on"
    ):
        gate.marks(node, group.kernel)
    with monkeypatch.context() as bare:
        bare.setenv("PATH", str(tmp_path))
        with pytest.raises(Missing, match="without it stend cannot determine what volumes are stored on"):
            gate.marks(node, group.kernel)


@pytest.mark.block
@pytest.mark.needs("losetup")
def test_a_suspended_volume_is_refused(group: Host) -> None:
    node: str = group.node  # type: ignore[attr-defined]
    group.write("sys/devices/dm-0/dm/suspended", "1")
    assert refusal(node, kernel=group.kernel) == "is suspended; `dmsetup resume data` first"
