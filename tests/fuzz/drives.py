"""What drives' own programs print: smartctl, nvme-cli, hdparm, sg3-utils."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stend.devices import ata, nvme, scsi
from stend.devices.purging import follow
from stend.devices.telling import ata_logs, nvme_logs, tools
from tests.fuzz.target import Target, senseless

FIXTURES = Path(__file__).parent.parent / "fixtures/drives"
ROW = {"name": "Total_LBAs_Written", "value": 90, "raw": {"value": 1000}, "when_failed": ""}
ATTRIBUTES = ("Media_Wearout_Indicator", "Flash_Writes_GiB", "Power_Loss_Cap_Test")
SMART = {
    "temperature": {"current": 35}, "logical_block_size": 512, "serial_number": "S1", "firmware_version": "F",
    "interface_speed": {"current": {"string": "6.0 Gb/s"}, "max": {"string": "6.0 Gb/s"}},
    "form_factor": {"name": "2.5 inches"}, "smart_status": {"passed": True}, "power_on_time": {"hours": 7},
    "ata_smart_attributes": {"table": [ROW, *({**ROW, "name": name} for name in ATTRIBUTES)]},
    "ata_device_statistics": {"pages": [None, {"table": [
        {"name": "Logical Sectors Written", "value": 10, "flags": {"valid": True}},
        {"name": "Percentage Used Endurance Indicator", "value": 3, "flags": {"valid": True}}]}]},
    "scsi_grown_defect_list": 1, "scsi_percentage_used_endurance_indicator": 2,
    "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 0, "gigabytes_processed": "12.345"},
                               "write": {"total_uncorrected_errors": 1, "gigabytes_processed": "1.5"}},
}  # fmt: skip
ID_CTRL = {"vid": 32902, "sanicap": 7, "oacs": 10, "oncs": 95, "fna": 4, "vwc": 1, "tnvmcap": 10**12, "unvmcap": 0,
           "wctemp": 343,
           "psds": [{"max_power": 825, "max_power_scale": 0, "flags": 0}, {"max_power": "8 W"}]}  # fmt: skip
ID_NS = {"nsze": 10**9, "nvmcap": 512 * 10**9, "flbas": 0, "eui64": "0x1",
         "lbafs": [{"ds": 9, "ms": 0, "rp": 2}, {"lbads": 12, "ms": 8, "rp": 0}]}  # fmt: skip
SANITIZE = {"nvme0n1": {"sprog": 30000, "sstat": {"status": "(2) in progress"}}}
DUMP = b"Device:nvme0n1 log-id:192\n       0  1  2\n" + b"\n".join(
    b"%04x: " % at + b" ".join([b"01"] * 16) + b' "................"' for at in range(0, 496, 16)
) + b"\n01f0: " + nvme_logs.OCP_GUID.hex(" ").encode() + b"\n"  # fmt: skip


def _document(data: bytes) -> dict[str, Any]:
    return tools.Output(0, data.decode(errors="replace"), "").document


def _of(*readers: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    return lambda data: [reader(_document(data)) for reader in readers]


def _text(*readers: Callable[[str], Any]) -> Callable[[bytes], Any]:
    return lambda data: [reader(data.decode(errors="replace")) for reader in readers]


def _told(reader: Callable[[tools.Output], Any]) -> Callable[[str], Any]:
    return lambda text: reader(tools.Output(0, text, ""))


def _wrong(taken: Any) -> str:
    """No figure that cannot be, none that a record could not hold, no temperature that no drive has."""
    for found in taken:
        for key, value in found.items() if isinstance(found, dict) else ():
            if isinstance(value, int) and value >= 1 << 63:
                return f"{key} is more than a record holds"
            if key.endswith("temperature_c") and not -60 <= value <= 250:
                return f"{key} is {value}"
            if not isinstance(value, int | float | str | bool | list | dict):
                return f"{key} is a {type(value).__name__}"
    return senseless(list(taken))


def _space(space: dict[str, Any]) -> Any:
    return {"formats": nvme.lba_formats(space), "native_bytes": nvme.native_bytes(ID_CTRL, space),
            "block_bytes": nvme.block_bytes(space), "format": nvme.lba_format(space)}  # fmt: skip


def _controller(told: dict[str, Any]) -> Any:
    power = [nvme_logs.power(told, state) for state in (0, 1, 31)]
    facts = {
        "warning_temperature_c": nvme_logs.celsius(told.get("wctemp")) or 0,
        "native_bytes": nvme.native_bytes(told, ID_NS),
    }
    return facts | {"can": sorted(nvme.can(told) | nvme.reach(told)), "power": power}


def _smart(log: dict[str, Any]) -> dict[str, Any]:
    health = nvme_logs.smart(log)
    return health | {"doubts": list(nvme_logs.doubts(health, 70))}


def _hdparm(text: str) -> Any:
    native = {"native_bytes": ata.native_bytes(text, text), "means": ata.means(text, text)}
    return native | {"can": sorted(ata.can(text) | ata.security(text)), "sizes": list(ata.block_sizes(text))}


def _progress(told: tools.Output) -> dict[str, Any]:
    done = follow.of_nvme(told)
    return {"percent": done.percent, "words": done.words}


def targets() -> list[Target]:
    """All of them."""
    hdparm = [path.read_bytes() for path in sorted(FIXTURES.glob("hdparm-*.txt"))]
    hdparm += [
        b" max sectors = 1953523055/1953525168, HPA is enabled\nLogical  Sector size: 512 bytes [ Supported: 512 4096 ]"
    ]
    opcodes = [path.read_bytes() for path in sorted(FIXTURES.glob("sg_*.txt"))]
    shape = _of(ata_logs.health, scsi.logs)
    smart = [path.read_bytes() for path in sorted(FIXTURES.glob("nvme-smart*.json"))]
    return [
        Target("smartctl", "json", [json.dumps(SMART).encode()], shape, _wrong, 4),
        Target("nvme id-ctrl", "json", [json.dumps(ID_CTRL).encode()], _of(_controller), _wrong, 4),
        Target("nvme id-ns", "json", [json.dumps(ID_NS).encode()], _of(_space), _wrong, 4),
        Target("nvme smart-log", "json", smart, _of(_smart), _wrong, 4),
        Target("nvme get-log", "text", [DUMP], _text(_told(lambda t: nvme_logs.ocp(nvme_logs.page(t)))), _wrong, 1),
        Target("nvme sanitize-log", "json", [json.dumps(SANITIZE).encode()], _text(_told(_progress)), _wrong, 2),
        Target("hdparm", "text", hdparm, _text(_hdparm), _wrong, 1),
        Target("sg_opcodes", "text", opcodes, _text(_told(scsi.can), _told(scsi.sense)), _wrong, 1),
    ]  # fmt: skip
