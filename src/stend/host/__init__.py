"""Describe the machine a run is made on: CPU, memory, kernel, board, storage adapters and their links.

`measured` is the result of `stend host` on this machine, if it was run.
"""

import platform
from pathlib import Path
from typing import Any

from stend.base.sysfs import text

SYS = Path("/sys")
NO_NODE = "-1"
"""Text of the kernel for a device without a NUMA node."""


def describe(drive: str = "") -> dict[str, Any]:
    """Return facts for `host.json`, without those that this host does not report. `drive` is the path of a drive.

    The engine adds the program that makes the load.
    """
    from stend.host import measured, processors

    memory = _field(Path("/proc/meminfo"), "MemTotal").split()
    facts = {
        "kernel": platform.release(),
        "system": _os_name(),
        "python": platform.python_version(),
        "cpu": _field(Path("/proc/cpuinfo"), "model name") or platform.machine(),
        "cpus": processors.count(),
        "usable_cpus": usable if (usable := processors.usable()) < processors.count() else 0,
        "memory_bytes": int(memory[0]) * 1024 if memory else 0,
        "board": " ".join(filter(None, (text(SYS / "class/dmi/id" / f) for f in ("board_vendor", "board_name")))),
        "governor": processors.governors(),
        "adapters": adapters(drive),
        "measured": measured.kept(),
    }
    return {key: value for key, value in facts.items() if value}


def adapters(drive: str = "") -> list[dict[str, str]]:
    """Return PCI mass storage controllers (class 01) with their negotiated and their maximum link.

    Of a drive whose place in sysfs has a controller, return that one alone.
    """
    controllers = []
    for pci in sorted((SYS / "bus/pci/devices").glob("*")):
        if text(pci / "class").startswith("0x01"):
            links = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "numa_node")
            facts = {name: text(pci / name) for name in ("vendor", "device", *links)}
            controllers.append(
                {"address": pci.name} | {k: value for k, value in facts.items() if value not in ("", NO_NODE)}
            )
    place = (SYS / "class/block" / Path(drive).resolve().name).resolve().parts
    return [each for each in controllers if each["address"] in place] or controllers


def _field(path: Path, name: str) -> str:
    lines = (line.partition(":") for line in text(path).splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "")


def _os_name() -> str:
    pairs = (line.partition("=") for line in text(Path("/etc/os-release")).splitlines())
    return {key: value.strip('"') for key, _, value in pairs}.get("PRETTY_NAME", "")
