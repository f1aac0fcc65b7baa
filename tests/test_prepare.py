"""Drives made smaller or given other blocks by programs that play them: NVMe, SATA and SCSI on a host made here."""

from collections.abc import Callable

import pytest

from stend.base.errors import Refused, StepFailed
from stend.base.units import MiB
from stend.devices.purging import prepare as preparer
from stend.devices.purging.prepare_table import Wish
from stend.devices.telling import tools
from tests.played import Place, nvme_drive, sata_drive, scsi_drive
from tests.stand import SIZE, Stand, number_of

pytestmark = pytest.mark.block

HALF = SIZE // 2


Making = Callable[[str], Place]


@pytest.fixture
def place(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Making:
    return lambda name: Place(stand, monkeypatch, name)


def test_another_lba_format_is_taken_and_read_back(place: Making) -> None:
    here = place("nvme0n1")
    device = nvme_drive(here, f"format) {here.becomes(blocks=4096)};;")
    told = here.prepare(device, Wish(lba_bytes=4096))
    assert told == "NVMe Format, LBA format 1 of 4096 bytes; it reports 50.3 MB in blocks of 4096 bytes"
    assert here.wrote == [
        "nvme format /dev/nvme0 --namespace-id=1 --lbaf=1 --ses=0 --force --timeout=86400000",
        "nvme ns-rescan /dev/nvme0",
    ]
    assert here.said[0].startswith("NVMe Format, LBA format 1 of 4096 bytes: nvme format")


def test_what_is_so_already_is_said_and_nothing_done(place: Making) -> None:
    here = place("nvme0n1")
    told = here.prepare(nvme_drive(here), Wish(lba_bytes=512, restore=True))
    assert told == "it has blocks of 512 bytes and 50.3 MB already; nothing was done"
    assert here.wrote == []


def test_a_namespace_is_made_anew_smaller_and_attached_by_its_new_number(place: Making) -> None:
    here = place("nvme0n1")
    unallocated = f'sed -i "s/.unvmcap.: 0/\\"unvmcap\\": {HALF}/" {here.bench.bin}/ctrl'
    smaller = f'sed -i "s/.nvmcap.: {SIZE}/\\"nvmcap\\": {HALF}/" {here.bench.bin}/ns'
    device = nvme_drive(
        here,
        "create-ns) echo create-ns: Success, created nsid:2;;",
        f"attach-ns) {here.becomes(HALF)}; {unallocated}; {smaller};;",
    )
    told = here.prepare(device, Wish(capacity_pct=50))
    assert told.endswith("it reports 25.2 MB of 50.3 MB native in blocks of 512 bytes")
    assert [call.split()[1] for call in here.wrote] == ["detach-ns", "delete-ns", "create-ns", "attach-ns", "ns-rescan"]
    assert "--namespace-id=1 --controllers=7" in here.wrote[0]
    assert f"--nsze={HALF // 512} --ncap={HALF // 512} --flbas=0" in here.wrote[2]
    assert "--namespace-id=2 --controllers=7" in here.wrote[3]


def test_a_later_look_tells_of_how_much_the_capacity_is_a_part(place: Making) -> None:
    here = place("nvme0n1")
    here.host.write(f"sys/devices/{here.name}/size", str(SIZE // 512))
    identity = nvme_drive(here, unallocated=0).identity
    assert identity.facts["native_bytes"] == SIZE
    assert identity.native_bytes == 0
    here.host.write(f"sys/devices/{here.name}/size", str(HALF // 512))
    smaller = nvme_drive(here).identity
    assert smaller.native_bytes == SIZE
    assert "the drive is over-provisioned: 25.2 MB of 50.3 MB native" in smaller.facts["doubts"]


def test_a_namespace_that_cannot_be_made_is_made_as_it_was(place: Making) -> None:
    here = place("nvme0n1")
    made, refused = "echo create-ns: Success, created nsid:1", "echo Insufficient; exit 1"
    device = nvme_drive(here, f"create-ns) case $3 in --nsze={SIZE // 512}) {made};; *) {refused};; esac;;")
    with pytest.raises(StepFailed, match=r"`nvme create-ns .* printed: Insufficient; it is laid out as it was"):
        here.prepare(device, Wish(capacity_pct=50))
    assert [call.split()[1] for call in here.wrote][-3:] == ["create-ns", "attach-ns", "ns-rescan"]


def test_a_namespace_that_is_lost_is_told_with_the_command(place: Making) -> None:
    here = place("nvme0n1")
    device = nvme_drive(here, "create-ns) echo broken; exit 1;;")
    with pytest.raises(
        StepFailed, match=rf"make it by hand: `nvme create-ns .* --nsze={SIZE // 512} .* printed: broken"
    ):
        here.prepare(device, Wish(capacity_pct=50))


def test_a_namespace_that_is_not_detached_is_left_alone(place: Making) -> None:
    here = place("nvme0n1")
    device = nvme_drive(here, "detach-ns) echo Not Permitted; exit 1;;")
    with pytest.raises(StepFailed, match=r"`nvme detach-ns .*` printed: Not Permitted$"):
        here.prepare(device, Wish(capacity_pct=50))
    assert len(here.wrote) == 1


def test_a_drive_that_says_done_and_did_nothing_is_found_out(place: Making) -> None:
    here = place("nvme0n1")
    with pytest.raises(StepFailed, match=r"took the commands .* and is 50.3 MB in blocks of 512 bytes; power it off"):
        here.prepare(nvme_drive(here), Wish(lba_bytes=4096))


def test_a_drive_that_is_gone_afterwards_is_told(place: Making) -> None:
    here = place("nvme0n1")
    device = nvme_drive(here, f"format) {here.becomes(size=1)};;")
    with pytest.raises(StepFailed, match=r"took the commands .* and is not there; power it off"):
        here.prepare(device, Wish(lba_bytes=4096))


def test_a_host_protected_area_is_set_and_the_disk_found_again(place: Making) -> None:
    here = place("sda")
    device = sata_drive(here, f"*-Np*) {here.becomes(HALF)};;")
    told = here.prepare(device, Wish(capacity_bytes=HALF))
    assert told.startswith("ATA host-protected area, 25.2 MB visible; it reports 25.2 MB of 50.3 MB native")
    assert here.wrote == [f"hdparm --yes-i-know-what-i-am-doing -Np{HALF // 512} {here.node}"]
    assert (here.home / "device/delete").read_text() == "1"
    assert (here.host.root / "sys/class/scsi_host/host2/scan").read_text() == "- - -"


def test_a_disk_gets_back_what_was_hidden(place: Making) -> None:
    here = place("sda")
    here.host.write("sys/devices/sda/size", str(SIZE // 512))
    device = sata_drive(here, f"*-Np*) {here.becomes(2 * SIZE)};;", native=2 * SIZE)
    assert device.identity.native_bytes == 2 * SIZE
    assert "it reports 101 MB in blocks of 512 bytes" in here.prepare(device, Wish(restore=True))
    assert here.wrote[0].split()[2] == f"-Np{2 * SIZE // 512}"


def test_a_second_change_without_a_power_cycle_is_told_in_the_drives_words(place: Making) -> None:
    here = place("sda")
    device = sata_drive(here, "*-Np*) echo 'SET_MAX_ADDRESS failed: Input/output error' >&2; exit 5;;")
    with pytest.raises(StepFailed, match=r"`hdparm .*-Np.*` printed: SET_MAX_ADDRESS failed: Input/output error"):
        here.prepare(device, Wish(capacity_bytes=HALF))


def test_a_disk_takes_other_blocks(place: Making) -> None:
    here = place("sda")
    device = sata_drive(here, f"*--set-sector-size*) {here.becomes(blocks=4096)};;")
    assert "in blocks of 4096 bytes" in here.prepare(device, Wish(lba_bytes=4096))
    assert "--please-destroy-my-drive --set-sector-size 4096" in here.wrote[0]


def test_a_format_unit_with_other_blocks_is_followed_and_the_kernel_told(place: Making) -> None:
    here = place("sda")
    device = scsi_drive(here, here.becomes(blocks=4096))
    assert here.prepare(device, Wish(lba_bytes=4096)).startswith("SCSI Format Unit, blocks of 4096 bytes; it reports")
    assert here.wrote == [f"sg_format --format --early --quick --size=4096 {here.node}"]
    assert any("50.00%" in line for line in here.said)
    assert (here.home / "device/rescan").read_text() == "1"


def test_a_scsi_disk_is_made_smaller(place: Making) -> None:
    here = place("sda")
    told = here.prepare(scsi_drive(here, here.becomes(HALF)), Wish(capacity_bytes=HALF))
    assert told == "SCSI resize, 25.2 MB visible; it reports 25.2 MB in blocks of 512 bytes"


@pytest.mark.parametrize("wish", [Wish(lba_bytes=4096), Wish(capacity_pct=50)])
def test_the_gate_is_before_it(place: Making, wish: Wish) -> None:
    here = place("nvme0n1")
    device = nvme_drive(here)
    with pytest.raises(Refused, match="has not passed the gate"):
        preparer.prepare(device, wish, report=here.said.append)
    for name, words in (
        ("", "would be destroyed; .* --destroy-data SN1"),
        ("SN2", "--destroy-data names SN2, but .* is SN1"),
    ):
        with pytest.raises(Refused, match=words):
            here.prepare(device, wish, name=name)
    device.door.open(writes=False, destroy=None)
    with pytest.raises(Refused, match="opened for reading only"):
        preparer.prepare(device, wish, report=here.said.append)
    device.door.close()
    here.host.mounted(number_of(here.node), "/data", "/dev/nvme0n1")
    with pytest.raises(Refused, match="is mounted at /data"):
        here.prepare(device, wish)
    assert here.wrote == []


def test_what_the_table_refuses_runs_nothing(place: Making) -> None:
    here = place("nvme0n1")
    with pytest.raises(Refused, match=r"is not prepared: it has no blocks of 1024 bytes; request one .*: 512, 4096"):
        here.prepare(nvme_drive(here), Wish(lba_bytes=1024))
    with pytest.raises(Refused, match="--active-range 50"):
        here.prepare(nvme_drive(here, oacs=2), Wish(capacity_bytes=SIZE // 2 // MiB * MiB))
    assert here.wrote == []


def test_ctrl_c_leaves_no_drive_without_its_namespace(place: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    here = place("nvme0n1")
    device, ask = nvme_drive(here, "create-ns) echo create-ns: Success, created nsid:1;;"), tools.run

    def stopped(*words: str, limit_s: float = 30) -> tools.Output:
        if "create-ns" in words and f"--nsze={SIZE // 512}" not in words:
            raise KeyboardInterrupt
        return ask(*words, limit_s=limit_s)

    monkeypatch.setattr(tools, "run", stopped)
    with pytest.raises(StepFailed, match="stopped; it is laid out as it was"):
        here.prepare(device, Wish(capacity_pct=50))
    assert [call.split()[1] for call in here.wrote][-3:] == ["create-ns", "attach-ns", "ns-rescan"]
