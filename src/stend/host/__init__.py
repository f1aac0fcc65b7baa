"""The machine a run is made on, as far as it tells: CPU, memory, kernel, board, storage adapters and their links.

`measured` is what `stend host` measured of it, if anybody asked.
"""

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from stend.host.files import read

SYS = Path("/sys")


def describe() -> dict[str, Any]:
    """Facts for `host.json`; a fact that this host does not tell is left out."""
    from stend.host import measured

    facts = {
        "kernel": platform.release(),
        "system": _os_name(),
        "python": platform.python_version(),
        "cpu": _field(Path("/proc/cpuinfo"), "model name"),
        "cpus": os.cpu_count(),
        "memory_bytes": _memory(),
        "board": " ".join(filter(None, (read(SYS / "class/dmi/id" / f) for f in ("board_vendor", "board_name")))),
        "governor": read(SYS / "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "fio": fio_version(),
        "adapters": adapters(),
        "measured": measured.kept(),
    }
    return {key: value for key, value in facts.items() if value}


def fio_version(fio: str = "fio") -> str:
    """fio's own word for its version; empty when there is none."""
    path = shutil.which(fio)
    try:
        return _version(path, os.stat(path).st_mtime_ns) if path else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


@cache
def _version(program: str, changed_ns: int) -> str:
    """Asked once of a program as it is now: many runs may be begun by one process."""
    told = subprocess.run(
        [program, "--version"], capture_output=True, text=True, errors="replace", timeout=10, check=False
    )
    return told.stdout.strip()


def adapters() -> list[dict[str, str]]:
    """PCI mass storage controllers (class 01) with the link they negotiated against what they can."""
    found = []
    for pci in sorted((SYS / "bus/pci/devices").glob("*")):
        if read(pci / "class").startswith("0x01"):
            links = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "numa_node")
            facts = {name: read(pci / name) for name in ("vendor", "device", *links)}
            found.append({"address": pci.name} | {key: value for key, value in facts.items() if value})
    return found


def _field(path: Path, name: str) -> str:
    lines = (line.partition(":") for line in read(path).splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "")


def _memory() -> int:
    words = _field(Path("/proc/meminfo"), "MemTotal").split()
    return int(words[0]) * 1024 if words else 0


def _os_name() -> str:
    return _fields_quoted(Path("/etc/os-release")).get("PRETTY_NAME", "")


def _fields_quoted(path: Path) -> dict[str, str]:
    pairs = (line.partition("=") for line in read(path).splitlines())
    return {key: value.strip('"') for key, _, value in pairs}
