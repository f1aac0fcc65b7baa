"""Drives that programs play on a host made here, for what changes their blocks and their capacity."""

import json

import pytest

from stend.devices import ata, nvme, scsi
from stend.devices.drive import DriveDevice
from stend.devices.purging import prepare as preparer
from stend.devices.purging.prepare_table import Wish
from tests.stand import SIZE, Host, Stand, number_of
from tests.test_purge import Bench

IDENTIFY = "\n".join(
    (
        "ATA device",
        "\tLogical  Sector size:                   512 bytes [ Supported: 512 4096 ]",
        "\tPhysical Sector size:                  4096 bytes",
        "Commands/features:",
        "\t   *\tHost Protected Area feature set",
    )
)


class Place:
    """One drive on a host made here: a real node lends its number, programs play its firmware."""

    def __init__(self, stand: Stand, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.node, self.name = stand.loop(), name
        self.host, self.bench = Host(stand.folder / "host"), Bench(stand.folder, monkeypatch)
        monkeypatch.setenv("PATH", f"{self.bench.bin}:/usr/sbin:/usr/bin:/sbin:/bin")
        self.said: list[str] = []
        self.host.disk(name, number_of(self.node), device__serial="SN1", queue__logical_block_size="512")
        (self.host.root / "dev" / name).symlink_to(self.node)
        self.home = self.host.root / "sys/devices" / name

    def becomes(self, size: int = 0, blocks: int = 0) -> str:
        """Shell: the kernel sees another size or another block size from now on."""
        sizes = f"echo {size // 512} > {self.home}/size; " if size else ""
        return sizes + (f"echo {blocks} > {self.home}/queue/logical_block_size" if blocks else ":")

    def prepare(self, device: DriveDevice, wish: Wish, *, name: str = "SN1") -> str:
        device.door.open(writes=True, destroy=name)
        try:
            return preparer.prepare(device, wish, report=self.said.append, poll_s=0, patience_s=0.2)
        finally:
            device.door.close()

    @property
    def wrote(self) -> list[str]:
        """Calls of programs that change a drive."""
        asks = ("version", "id-", "id ", "list-", "get-", "smart-log", "log ", "-I", "-N ", "-C ", "--json")
        writers = ("nvme", "hdparm", "sg_format")
        calls = (call.split(maxsplit=1) for call in self.bench.called)
        return [f"{tool} {words}" for tool, words in calls if tool in writers and not words.startswith(asks)]


def nvme_drive(
    place: Place, *cases: str, oacs: int = 10, unallocated: int = 0, version: str = "", three: bool = False
) -> nvme.NvmeDevice:
    """nvme-cli, as it tells of one namespace; `cases` are what its other commands do, named as in their version."""
    formats = [{"ds": 9, "ms": 0, "rp": 2}, {"ds": 12, "ms": 0, "rp": 0}]
    (place.bench.bin / "ctrl").write_text(
        json.dumps({"oacs": oacs, "tnvmcap": SIZE, "unvmcap": unallocated, "cntlid": 7, "fr": "1"})
    )
    space = json.dumps({"nsze": SIZE // 512, "nvmcap": SIZE - unallocated, "flbas": 0, "lbafs": formats})
    (place.bench.bin / "ns").write_text(space)
    names = (
        ("id ctrl", "id ns", "id ctrl-list", "id ns-list") if three else ("id-ctrl", "id-ns", "list-ctrl", "list-ns")
    )
    other = "\n".join(f'"{name}"){does}' for name, does in (case.split(")", 1) for case in cases))
    place.bench.program(
        "nvme",
        f'command="$1"; case "$1" in id|ns|log) command="$1 $2";; esac\n[ "$1" = version ] && printf %s "{version}"\n'
        f'case "$command" in\n"{names[0]}") cat {place.bench.bin}/ctrl;;\n"{names[1]}") cat {place.bench.bin}/ns;;\n'
        f'"{names[2]}") exit 1;;\n{other}\n"{names[3]}") echo \'[   0]:0x1\';;\nesac',
    )
    return nvme.find(str(place.host.root / "dev" / place.name), place.host.kernel)


def sata_drive(place: Place, case: str = "", native: int = SIZE) -> ata.AtaDevice:
    """hdparm, as it tells of a disk with a host-protected area; the kernel's switches are files."""
    (place.bench.bin / "identify").write_text(IDENTIFY)
    visible = f"$(cat {place.home}/size)"
    sizes = f'echo " max sectors   = {visible}/{native // 512}, HPA is told"'
    place.bench.program(
        "hdparm", f'case "$*" in "-I "*) cat {place.bench.bin}/identify;; "-N "*) {sizes};; {case} esac'
    )
    place.bench.program("smartctl", "echo '{}'")
    real = place.host.root / "sys/devices/ata3/host2/target2:0:0/2:0:0:0"
    (real / "scsi_disk").mkdir(parents=True)
    (real / "serial").write_text("SN1")
    (place.home / "device/serial").unlink()
    (place.home / "device").rmdir()
    (place.home / "device").symlink_to(real)
    place.host.write("sys/class/scsi_host/host2/scan", "")
    return ata.find(str(place.host.root / "dev" / place.name), place.host.kernel)


def scsi_drive(place: Place, script: str) -> scsi.ScsiDevice:
    place.bench.program("smartctl", "echo '{}'")
    place.bench.program("sg_opcodes", "echo ' 04        6   Format unit'; echo ' 55       10   Mode select(10)'")
    place.bench.program("sg_requests", place.bench.answers("sense", "", "Progress indication: 50.00% done\n", ""))
    place.bench.program("sg_format", script)
    return scsi.find(str(place.host.root / "dev" / place.name), place.host.kernel)
