"""All that stend states of a drive, whole: a made /sys and made answers of tools go in, and nothing else comes out."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.sysfs import Kernel
from stend.base.units import MiB
from stend.devices import nvme
from stend.devices.purging import prepare_table, rescan
from stend.devices.telling import evidence, nvme_cli, nvme_logs, shared, tools
from stend.gate import mounts
from stend.model.definition import Identity
from tests.stand import Host

FIXTURES = Path(__file__).parent / "fixtures/drives"
PCI = "pci0000:00/0000:00:01.0"
GIB = 1 << 30


PROGRAMS = {"nvme", "smartctl", "hdparm", "sg_vpd", "sg_opcodes", "sg_requests"}


class Here(Kernel):
    """A made kernel, whose nodes are found by their names: nothing in /dev has them."""

    def node_at(self, path: str) -> str:
        return Path(path).name if self.has(Path(path).name, "size") else ""


class Programs:
    """Programs that print what a table has for their words; those that it has not are not installed."""

    def __init__(self, root: Path, **printed: Any) -> None:
        self.root = str(root)
        self.printed = {frozenset(words.split()): text for words, text in printed.items()}
        self.called = list[tuple[str, ...]]()

    def __call__(self, *words: str, limit_s: float = 0.0) -> tuple[int, bytes, bytes]:
        words = tuple(word.removeprefix(self.root) for word in words)
        self.called.append(words)
        assert words[0] in PROGRAMS
        assert words[0] != "nvme" or words[1][0] not in "-/", "nvme, its command, then all else"
        fitting = [known for known in self.printed if known <= set(words)]
        if not fitting:
            raise Missing(f"{words[0]} is not installed")
        told = self.printed[max(fitting, key=len)]
        code, told = told if isinstance(told, tuple) else (0, told)
        text = told if isinstance(told, bytes | str) else json.dumps(told)
        return code, text.encode() if isinstance(text, str) else text, b""


def dumped(log: bytes | bytearray) -> str:
    """A page as nvme-cli 2 prints it."""
    rows = (f'{at:04x}: {log[at : at + 16].hex(" ")} "{"." * 16}"' for at in range(0, len(log), 16))
    return "".join(f"{row}\n" for row in ("       0  1  2  3  4  5", *rows))


CTRL: dict[str, Any] = {
    "vid": 0x1234, "fr": " FW7 ", "wctemp": 273 + 70, "cctemp": 273 + 84, "vwc": 1, "ctratt": 1 << 19, "cntlid": 4,
    "oacs": 1 << 1 | 1 << 3, "oncs": 1 << 2, "fna": 1 << 1, "sanicap": 1 << 1, "apsta": 1, "npss": 2,
    "tnvmcap": 400 * GIB, "unvmcap": 60 * GIB,
    "psds": [
        {"max_power": 900, "flags": 0, "entry_lat": 0, "exit_lat": 0},
        {"max_power": 450, "flags": 0, "entry_lat": 250, "exit_lat": 1_500},
        {"max_power": 50, "flags": 3, "entry_lat": 4_000, "exit_lat": 9_000},
    ],
}  # fmt: skip
SPACE: dict[str, Any] = {
    "nsze": 100 * GIB // 4096, "nvmcap": 100 * GIB, "flbas": 1, "dps": 2, "nmic": 1, "eui64": "0" * 16, "nguid": "00a7",
    "lbafs": [{"ms": 0, "ds": 9, "rp": 2}, {"ms": 8, "ds": 12, "rp": 1}, {"ms": 0, "ds": 0, "rp": 0}],
}  # fmt: skip
FORMATS = [
    {"index": 0, "bytes": 512, "metadata_bytes": 0, "in_use": False, "relative_performance": 2},
    {"index": 1, "bytes": 4096, "metadata_bytes": 8, "in_use": True, "relative_performance": 1},
]
"""A data size of 2^0 is a format that the drive does not have."""
SMART: dict[str, Any] = {
    "temperature": 273 + 75, "data_units_read": 11, "data_units_written": 13, "media_errors": 3, "percent_used": 101,
    "avail_spare": 97, "spare_thresh": 10, "power_on_hours": 1234, "critical_warning": 4, "thm_temp1_total_time": 20,
    "thm_temp2_total_time": 7, "warning_temp_time": 5, "num_err_log_entries": 17, "unsafe_shutdowns": 6,
    "power_cycles": 8,
}  # fmt: skip
NEXT = (1 << 3 | 100 << 8, 2 << 3 | 2_500 << 8, 0, *[0] * 29)
"""From state 0 after 100 ms to 1, from 1 after 2.5 s to 2 (NVMe 1.4, figure 279)."""


def ocp() -> bytes:
    """The log of an OCP drive, each field with another value."""
    log = bytearray(512)
    for at, size, value in ((0, 16, 5 * GIB), (96, 1, 21), (97, 1, 2), (104, 8, 31), (128, 2, 88), (192, 8, 41)):
        log[at : at + size] = value.to_bytes(size, "little")
    return bytes(log[:496]) + nvme_logs.OCP_GUID


FLASH = {"nand_write_bytes": 5 * GIB, "throttle_events": 21, "throttled": 2, "link_errors": 31, "capacitor_pct": 88,
         "link_retrains": 41}  # fmt: skip


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Two namespaces of one NVMe drive, and another NVMe drive behind the same port."""
    host = Host(tmp_path / "host")
    host.kernel = Here(host.root)
    for at, (drive, nodes) in enumerate({"nvme3": ("nvme3n1", "nvme3n2"), "nvme9": ("nvme9n1",)}.items()):
        place = f"{PCI}/0000:0{at + 5}:00.0"
        for number, node in enumerate(nodes):
            host.disk(
                *(node, f"259:{10 * at + number}", (100 + at) * GIB), parent=f"{place}/nvme/{drive}",
                nsid=str(6 + number), wwid=f"eui.{node}", queue__scheduler="[none] mq-deadline",
                queue__read_ahead_kb="128", queue__logical_block_size="4096", queue__discard_max_bytes=str(2 * MiB),
                queue__io_poll="1", queue__write_cache="write back", queue__physical_block_size="8192",
                stat="1 0 10 1 2 0 20 1 0 1 1 3 0 30 1",
            )  # fmt: skip
            (host.root / f"sys/devices/{place}/nvme/{drive}/{node}/device").symlink_to("..")
            host.write(f"dev/{node}", "")
        files = {"nvme": {"transport": "pcie", "numa_node": "1", "subsysnqn": f"nqn.{drive}", "model": "Model",
                          "serial": f"S{drive}", "firmware_rev": "FW7", "dev": f"240:{at}"},
                 "": {"current_link_speed": "16.0 GT/s PCIe", "current_link_width": "2", "max_link_width": "4",
                      "max_link_speed": "32.0 GT/s PCIe", "numa_node": "1", "class": "0x010802",
                      "local_cpulist": "8-15", "aer_dev_correctable": "RxErr 2\nTOTAL_ERR_COR 9"}}  # fmt: skip
        for under, texts in files.items():
            for name, text in texts.items():
                host.write(f"sys/devices/{place}/{f'nvme/{drive}/' if under else ''}{name}", f"{text}\n")
        (host.root / f"sys/devices/{place}/nvme/{drive}/device").symlink_to("../..")
        host.write(f"sys/class/nvme/{drive}.txt", "")
        (host.root / f"sys/class/nvme/{drive}").symlink_to(host.root / f"sys/devices/{place}/nvme/{drive}")
    for name, text in (("current_link_speed", "8.0 GT/s PCIe"), ("current_link_width", "4"), ("class", "0x060400")):
        host.write(f"sys/devices/{PCI}/{name}", text)
    host.write("sys/class/nvme/nvme3/power/pm_qos_latency_tolerance_us", "100000\n")
    return host


@pytest.fixture
def programs(host: Host, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Programs of an NVMe drive."""
    made = Programs(host.root, **{
        "id-ctrl /dev/nvme3": CTRL,
        "id-ns /dev/nvme3n2": SPACE,
        "smart-log": SMART,
        "get-feature --feature-id=2": "get-feature:0x02 (Power Management), Current value:0x00000001\n",
        "get-feature --feature-id=6": "get-feature:0x06 (Volatile Write Cache), Current value:00000001\n",
        "get-feature --feature-id=12 --data-len=256": "get-feature:0x0c, Current value:0x00000001\n"
        + dumped(b"".join(entry.to_bytes(8, "little") for entry in NEXT)),
        "get-log --log-id=0xc0 /dev/nvme3 --log-len=512": dumped(ocp()),
        "list-ns /dev/nvme3 --all": "[   0]:0x6\n[   1]:0x7\n[   2]:0x2a\n[   3]:0\n",
        "list-ctrl /dev/nvme3 --namespace-id=7": {"num_ctrl": 2, "ctrl_list": [{"ctrl_id": 4}, {"ctrl_id": 9}]},
        "sanitize-log": {"nvme3": {"sprog": 32768, "sstat": 2}},
    })  # fmt: skip
    monkeypatch.setattr(tools, "finished", made)
    monkeypatch.setattr(evidence, "finished", made)
    monkeypatch.setattr(nvme_cli, "major", lambda: 2)
    return made


def found(host: Host, node: str) -> nvme.NvmeDevice:
    """The drive of a node."""
    return nvme.find(f"{host.root}/dev/{node}", host.kernel)


def test_an_nvme_drive_is_stated_whole(host: Host, programs: Programs) -> None:
    drive = found(host, "nvme3n2")
    facts = dict(drive.identity.facts)
    doubts, warnings = ([text.key for text in facts.pop(name)] for name in ("doubts", "warnings"))
    assert facts == {
        "scheduler": "none", "read_ahead_kib": 128, "poll_queues": "1", "numa_node": "1",
        "kernel_write_cache": "write back", "trim_max_bytes": 2 * MiB, "link": "gen 4 x2", "link_capable": "gen 5 x4",
        "controller": "nvme3", "transport": "pcie", "nsid": "7", "namespaces": ["nvme3n2", "nvme3n1"],
        "warning_temperature_c": 70, "critical_temperature_c": 84, "volatile_write_cache": True,
        "capabilities": ["discard", "format", "namespaces", "sanitize block"], "lba_formats": FORMATS,
        "native_bytes": 160 * GIB, "nguid": "00a7", "firmware": "FW7", "fdp": True, "protection": "type 2",
        "power_loss_protection": "capacitors, 88 % of what they need", "flash_log": "0xc0", "power_state": 1,
        "power_state_max_w": 4.5, "apst": True, "power_saving": "100000",
        "power_states": [
            {"state": 0, "watts": 9, "entry_ms": 0, "exit_ms": 0, "idle": False},
            {"state": 1, "watts": 4.5, "entry_ms": 0.25, "exit_ms": 1.5, "idle": False, "after_ms": 100},
            {"state": 2, "watts": 0.005, "entry_ms": 4, "exit_ms": 9, "idle": True, "after_ms": 2500},
        ],
    }  # fmt: skip
    assert doubts == ["pci_below", "power_state", "warned_before", "hot_before", "worn_before", "provisioned"]
    assert warnings == ["link_below"]
    named = (drive.identity.model, drive.identity.serial, drive.identity.wwn, drive.identity.firmware)
    assert named == ("Model", "Snvme3", "eui.nvme3n2", "FW7")
    assert (drive.identity.capacity_bytes, drive.identity.logical_bytes) == (100 * GIB, 4096)
    assert nvme.native("/dev/nvme3n2", host.kernel) == 160 * GIB
    assert nvme.claims("/dev/nvme3n2", host.kernel)
    assert not nvme.claims("/dev/sda", host.kernel)


def test_what_an_nvme_drive_can_and_how_it_is_laid_out(host: Host, programs: Programs) -> None:
    drive = found(host, "nvme3n2")
    able = drive.abilities()
    assert (able.interface, able.node, able.controller) == ("nvme", drive.identity.path, "/dev/nvme3")
    assert able.can == {"discard", "format", "namespaces", "sanitize block"}
    assert able.state == {"erase all", "sanitize running"}
    assert able.words == "in progress, 50 %"
    assert able.neighbours == ("nvme3n1", "namespace 42, which is not attached here")
    assert (able.lba_format, able.serial) == (1, "Snvme3")
    assert drive.layout() == prepare_table.Layout(
        lba_bytes=4096, capacity_bytes=100 * GIB, native_bytes=160 * GIB, means=prepare_table.NAMESPACES,
        formats=tuple(FORMATS), nsid=7, controllers=(4, 9), shared=True,
    )  # fmt: skip
    programs.printed[frozenset({"sanitize-log"})] = {"nvme3": {"sprog": 65535, "sstat": 3}}
    assert drive.abilities().state == {"erase all", "sanitize failed"}
    programs.printed[frozenset({"id-ns", "/dev/nvme3n2"})] = "nothing"
    with pytest.raises(StepFailed, match="does not report its capabilities"):
        drive.abilities()
    (host.kernel.block("nvme3n2") / "nsid").unlink()
    with pytest.raises(StepFailed, match="number of its namespace"):
        drive.layout()


def test_the_health_passport_and_switches_of_an_nvme_drive(host: Host, programs: Programs) -> None:
    drive = found(host, "nvme3n2")
    host.write("sys/class/nvme/nvme3/nvme3c3n2/stat", "1 0 10 1 2 0 90 1 0 1 1 3 0 30 1")
    (host.root / "sys/class/block/nvme3c3n2").symlink_to(host.root / "sys/class/nvme/nvme3/nvme3c3n2")
    assert drive.health() == {
        "kernel_read_bytes": 5120, "kernel_write_bytes": 90 * 512, "kernel_discard_bytes": 30 * 512,
        "host_read_bytes": 11 * 512_000, "host_write_bytes": 13 * 512_000, "temperature_c": 75, "media_errors": 3,
        "wear_pct": 101, "spare_pct": 97, "power_on_hours": 1234, "critical_warning": 4, "throttle_s": 27,
        "warning_temperature_min": 5, "link": "gen 4 x2", **FLASH,
    }  # fmt: skip
    tests, group = bytearray(564), bytearray(512)
    tests[4:5], tests[8:16], group[5:6] = b"\x17", (777).to_bytes(8, "little"), b"\x0b"
    group[64:80] = (2).to_bytes(16, "little")
    programs.printed[frozenset({"get-log", "--log-id=6", "--log-len=564"})] = dumped(tests)
    programs.printed[frozenset({"get-log", "--log-id=0x09", "--log-len=512", "--lsi=1"})] = dumped(group)
    assert drive.passport() == {
        "hours": {"SMART": 1234, "self-test log": 777}, "critical_warning": 4, "self_tests_failed": 1,
        "written_bytes": {"SMART": 13 * 512_000, "endurance group": 2 * 10**9},
        "counts": {"media_errors": 3, "error_log": 17, "unsafe_shutdowns": 6, "power_cycles": 8},
        "wear_pct": {"SMART": 101, "endurance group": 11}, "spare": {"pct": 97, "threshold_pct": 10},
    }  # fmt: skip
    assert (drive.cache(), drive.power_saving(), drive.power_off) == ("enabled", "100000", "0")
    programs.printed[frozenset({"set-feature"})] = ""
    for setting, value in (("enabled", 1), ("disabled", 0)):
        drive.write_cache(setting)
        assert programs.called[-1] == ("nvme", "set-feature", "/dev/nvme3", "--feature-id=6", f"--value={value}")
    programs.printed[frozenset({"set-feature"})] = (1, "NVMe status: Invalid Field")
    with pytest.raises(StepFailed, match="write cache cannot be disabled: NVMe status"):
        drive.write_cache("disabled")
    assert found(host, "nvme9n1").power_saving() == ""


def test_the_logs_that_are_kept_of_an_nvme_drive(host: Host, programs: Programs, monkeypatch: Any) -> None:
    """Headers state the blocks of a telemetry log's areas, and the bytes of the persistent events."""
    telemetry = bytearray(512)
    telemetry[8:14] = b"".join(blocks.to_bytes(2, "little") for blocks in (3, 9, 0xFFFF))
    events = bytearray(512)
    events[8:16] = (4099).to_bytes(8, "little")
    sizes = {7: 512 * (1 + 9), 8: 512 * (1 + 9), 1: 64 * 64, 13: 4096, 6: 564}
    for page, size in sizes.items():
        programs.printed[frozenset({"get-log", f"--log-id={page}", f"--log-len={size}", "--raw-binary"})] = bytes(
            [page]
        ) * (size + 5)
        head = {7: telemetry, 8: telemetry, 13: events}.get(page)
        if head:
            programs.printed[frozenset({"get-log", f"--log-id={page}", "--log-len=512", "--raw-binary"})] = bytes(head)
    monkeypatch.setattr(evidence, "MOST_TELEMETRY", 512 * 100)
    now = time.monotonic()
    lines = (b"6,1,%d,-;nvme nvme3: I/O timeout\n" % (now * 1e6), b"6,2,%d,-;nvme nvme4: reset\n" % (now * 1e6))
    monkeypatch.setattr(evidence, "_records", lambda: iter(lines))
    pieces = {piece.name: piece for piece in found(host, "nvme3n2").evidence(now)}
    assert {name: len(piece.data) for name, piece in pieces.items() if name.endswith(".bin")} == {
        "telemetry-host.bin": sizes[7], "telemetry-controller.bin": sizes[8], "error-log.bin": sizes[1],
        "persistent-events.bin": sizes[13], "self-test.bin": sizes[6],
    }  # fmt: skip
    assert json.loads(pieces["smart.json"].data) == SMART
    assert pieces["kernel.log"].data.decode().endswith("nvme nvme3: I/O timeout\n")
    asked = [words[3:] for words in programs.called if words[1] == "get-log" and "--raw-binary" in words]
    more = [words[3:] for words in asked]
    assert more == [("--lsp=1",), (), ("--rae",), ("--rae",), (), ("--lsp=1",), (), ("--lsp=2",), ()]
    assert all(not piece.why for piece in pieces.values())


def test_an_nvme_drive_that_reports_nothing_has_no_facts_but_those_of_the_kernel(
    host: Host, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = found(host, "nvme9n1")
    assert drive.identity.facts == {
        "scheduler": "none", "read_ahead_kib": 128, "poll_queues": "1", "numa_node": "1", "nsid": "6",
        "kernel_write_cache": "write back", "trim_max_bytes": 2 * MiB, "link": "gen 4 x2", "link_capable": "gen 5 x4",
        "controller": "nvme9", "transport": "pcie", "namespaces": ["nvme9n1"], "write_cache": "enabled",
        "power_state": 1,
        **{key: drive.identity.facts[key] for key in ("doubts", "warnings")},
    }  # fmt: skip
    assert nvme.native(drive.identity.path, host.kernel) == 0
    for cache, kept in ((0, "no volatile write cache"), (1, None), (6, "no volatile write cache")):
        programs.printed[frozenset({"id-ctrl", "/dev/nvme9"})] = {"vwc": cache, "sn": "S"}
        facts = found(host, "nvme9n1").identity.facts
        assert (facts["volatile_write_cache"], facts.get("power_loss_protection")) == (bool(cache & 1), kept)
        assert facts.get("write_cache") == (None if kept else "enabled"), "a drive without one is not asked"
        assert (facts.get("apst"), facts["capabilities"]) == (None, [])
    programs.printed[frozenset({"id-ctrl", "/dev/nvme9"})] = {"vwc": 0, "apsta": 0}
    assert found(host, "nvme9n1").identity.facts["apst"] is False
    programs.printed.clear()
    pieces = list(evidence.nvme("/dev/nvme9"))
    names = ("telemetry-host", "telemetry-controller", "error-log", "persistent-events", "self-test")
    assert [piece.name for piece in pieces] == [*(f"{name}.bin" for name in names), "smart.json"]
    assert {(piece.data, piece.why) for piece in pieces} == {(b"", "nvme is not installed")}


def test_drives_share_the_port_that_they_are_behind(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "disks_below", lambda kernel, path: {Path(path).name})
    drives = [Identity("nvme", node, f"{host.root}/dev/{node}", GIB) for node in ("nvme3n2", "nvme9n1")]
    (found,) = shared.shared(drives, host.kernel)
    assert (found.part.kind, found.part.name, found.targets) == (
        "PCIe root port", "0000:00:01.0", ("nvme3n2", "nvme9n1")
    )  # fmt: skip
    lanes = shared.LANE_BYTES
    assert (found.part.bytes_per_s, found.own_bytes_per_s) == (4 * lanes[3], 2 * 2 * lanes[4])
    assert found.share == pytest.approx(lanes[3] / lanes[4], rel=1e-9)
    assert shared.numa(drives[0], host.kernel) == ("1", "8-15")
    kinds = ["PCIe root port", "PCIe adapter", "link", "disk"]
    assert [part.kind for part in shared.way(drives[0], host.kernel)] == kinds
    (host.root / f"sys/devices/{PCI}/0000:05:00.0/current_link_speed").write_text("Unknown")
    (found,) = shared.shared(drives, host.kernel)
    assert (found.own_bytes_per_s, found.share) == (0, 1), "a bandwidth is unknown"
    host.mounted("0:1", "/", "tmpfs")
    monkeypatch.setattr(mounts, "disks_below", lambda kernel, path: set())
    both = shared.shared([msgspec.structs.replace(drive, path=str(host.root)) for drive in drives], host.kernel)
    assert [(part.part.kind, part.part.name) for part in both] == [("file system", "/")]


def test_a_drive_that_comes_back_is_found_by_its_wwn_and_else_by_a_serial_that_is_one(host: Host) -> None:
    def back(node: str, **names: Any) -> str:
        return rescan.current_path(host.kernel, Identity("nvme", "x", "/dev/before", GIB, **names), node)

    assert back("nvme9n1", wwn="eui.nvme3n2", serial="Snvme3") == f"{host.kernel.dev}/nvme3n2"
    assert back("nvme3n2", wwn="eui.nvme3n2") == "/dev/before"
    assert back("nvme3n1", wwn="gone", serial="Snvme9") == f"{host.kernel.dev}/nvme9n1"
    assert back("nvme9n1", wwn="gone", serial="Snvme3") == ""
    assert back("nvme3n1", wwn="gone", serial="Snvme3") == "/dev/before"
    assert (back("nvme3n1"), back("nvme7n1")) == ("/dev/before", "")


def test_a_drive_without_a_size_is_none(host: Host, programs: Programs) -> None:
    (host.kernel.block("nvme3n2") / "size").write_text("0")
    with pytest.raises(BadInput, match="has no size"):
        found(host, "nvme3n2")
