"""A power sensor that Linux drivers show below /sys/class/hwmon, such as an INA226 in the supply line of the drive."""

import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput, StepFailed
from stend.base.sysfs import text
from stend.devices import Device
from stend.meters._polled import Polled
from stend.meters._types import Meter, Spec

ADDRESS = "NAME, NAME/powerN or a path below /sys"
IN_ORDERS = True
SYS = Path("/sys")
PERIOD_S = 0.1
MICRO = 1e-6
"""Watts of a unit of power*_input (Documentation/hwmon/sysfs-interface.rst)."""
WHOLE_MACHINE = ("power_meter",)
"""Names of drivers whose sensor measures the whole machine: acpi_power_meter."""
NEITHER = ("amdgpu", "nouveau", "xe", "i915", "fam15h_power", "zenergy", "cpu")
"""Names of drivers whose sensors measure processors or graphics."""


class Sensor(NamedTuple):
    """A power sensor: name of its driver, its channel (`power1`), its file, its label and its interval in seconds."""

    driver: str
    channel: str
    path: Path
    label: str
    interval_s: float

    @property
    def name(self) -> str:
        """Return the name with the channel, and the label if it has one."""
        return f"{self.driver}/{self.channel}" + (f" ({self.label})" if self.label else "")


def sensors() -> list[Sensor]:
    """Return all power sensors of this host, except those of processors and graphics."""
    found = []
    for folder in sorted(SYS.glob("class/hwmon/hwmon*")):
        driver = text(folder / "name") or folder.name
        if driver.startswith(NEITHER):
            continue
        for path in sorted(folder.glob("power*_*")):
            match = re.fullmatch(r"(power\d+)_(input|average)", path.name)
            if match and not (match[2] == "average" and (folder / f"{match[1]}_input").exists()):
                found.append(Sensor(driver, match[1], path, text(folder / f"{match[1]}_label"), _interval(folder)))
    return found


def _interval(folder: Path) -> float:
    """Return how often the driver updates its values, in seconds, or 0 if it does not state it."""
    digits = text(folder / "update_interval")
    return int(digits) / 1000 if digits.isdigit() and len(digits) < 7 else 0.0


def present() -> list[tuple[str, str]]:
    """Return each sensor as a meter."""
    found = []
    for sensor in sensors():
        line = "the whole machine" if sensor.driver in WHOLE_MACHINE else "the line that it is wired to"
        labelled = f", labelled {sensor.label}" if sensor.label else ""
        found.append((f"hwmon:{sensor.driver}/{sensor.channel}", f"power sensor of {line}{labelled}"))
    return found


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter of one sensor. Raise BadInput if there is none or more than one, or if it has no value."""
    sensor = _chosen(spec)
    scope = "machine" if sensor.driver in WHOLE_MACHINE else "drive"
    facts = spec.facts(f"hwmon {sensor.name}", period_s=max(PERIOD_S, sensor.interval_s), scope=scope)
    try:
        _watts(sensor.path)
    except StepFailed as error:
        raise BadInput(f"the meter {spec.text} cannot be used: {error}") from error
    return Polled(facts, partial(_watts, sensor.path))


def _chosen(spec: Spec) -> Sensor:
    known = sensors()
    wanted = spec.address
    if wanted.startswith("/"):
        place = Path(wanted).resolve()
        fitting = [sensor for sensor in known if place in (sensor.path.resolve(), sensor.path.parent.resolve())]
    else:
        driver, _, channel = wanted.partition("/")
        fitting = [sensor for sensor in known if sensor.driver == driver and channel in ("", sensor.channel)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(str(sensor.path) for sensor in fitting)
        raise BadInput(f"{spec.text} fits {len(fitting)} power sensors ({names}); name one by its path")
    names = ", ".join(f"{sensor.driver}/{sensor.channel}" for sensor in known)
    raise BadInput(f"{spec.text} is not a power sensor of this host; it has {names or 'none (/sys/class/hwmon)'}")


def _watts(path: Path) -> float:
    digits = text(path)
    try:
        return float(int(digits)) * MICRO
    except (ValueError, OverflowError) as error:
        raise StepFailed(f"{path} {f'has {digits[:40]!r}' if digits else 'cannot be read'}") from error
