"""Read the links of SAS and USB disks from sysfs: rate, width, errors."""

import re
from pathlib import Path
from typing import Any

from stend.base.sysfs import Kernel, text
from stend.devices.telling.tools import number

ERRORS = ("invalid_dword_count", "running_disparity_error_count", "loss_of_dword_sync_count")
RESETS = "phy_reset_problem_count"


def link(node: str, kernel: Kernel) -> dict[str, Any]:
    """Return `link` and, for SAS, `link_capable`: the maximum of the port of the host or expander, not of the drive."""
    phys = _phys(node, kernel)
    if phys:
        now, can = (_rate(phys, name) for name in ("negotiated_linkrate", "maximum_linkrate"))
        return {key: rate for key, rate in (("link", now), ("link_capable", can)) if rate}
    places = (kernel.block(node) / "device").resolve().parents
    speed = next((rate for rate in (text(place / "speed") for place in places) if rate), "")
    return {"link": f"USB {speed} Mb/s"} if speed else {}


def errors(node: str, kernel: Kernel) -> dict[str, int]:
    """Return the errors of all phys together since the host started, or {} if it has no phys."""
    phys = _phys(node, kernel)
    if not phys:
        return {}
    counts = {name: sum(number(text(phy / name)) for phy in phys) for name in (*ERRORS, RESETS)}
    return {"link_errors": sum(counts[name] for name in ERRORS), "link_retrains": counts[RESETS]}


def _phys(node: str, kernel: Kernel) -> list[Path]:
    """Return the phys of the port of its end device."""
    real = (kernel.block(node) / "device").resolve()
    end = next((place for place in real.parents if place.name.startswith("end_device-")), None)
    return sorted(end.parent.glob("phy-*/sas_phy/*")) if end else []


def _rate(phys: list[Path], name: str) -> str:
    """Return the slowest rate and the number of phys, as `12.0 Gbit x1`, or an empty string if a phy shows no rate."""
    rates = [text(phy / name) for phy in phys]
    if not all(re.match(r"\d{1,6}(\.\d{1,6})?( |$)", rate, re.ASCII) for rate in rates):
        return ""
    return f"{min(rates, key=lambda rate: float(rate.split()[0]))} x{len(rates)}"
