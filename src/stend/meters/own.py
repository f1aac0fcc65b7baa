"""The drive's own report: NVMe SMART bytes 240-243 (NVMe base specification 2.3), or the model of a virtual drive.

Each query is a command to the drive, which may wake it. The value is the drive's mean over the last second, so that one
query at the end of a rest returns the power of the rest. `own@QUANTITY` reads the number of this name in the health
that the drive reports (`Device.health`), if the quantity is registered.
"""

from functools import partial
from typing import NamedTuple

import msgspec

from stend.base.errors import BadInput, StepFailed
from stend.base.sysfs import HOST
from stend.devices import Device
from stend.devices.nvme import NvmeDevice
from stend.devices.telling import nvme_cli as cli
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling import tools
from stend.devices.virtual import VirtualDevice
from stend.meters._polled import Disturbing, period
from stend.meters._types import Meter, Spec, Value
from stend.model.events import MeterFacts
from stend.words import Sentence

IN_ORDERS = True
PERIOD_S = WINDOW_S = 1.0
SMART_BYTES, MEASURED_BYTES = 512, 64
SCALES_W = {1: 0.0001, 2: 0.01}
"""Watts of a unit by the power scale (`enum nvme_psd_ps`); 0 means that no power is reported."""
POWER_MEASUREMENT = 1 << 21
"""Bit PMS of CTRATT in Identify Controller: the drive has log 25h."""
ESTIMATED = 1 << 2
"""Bit of the power measurement attributes (log 25h): the drive estimates its power."""
MOST_ERROR_PCT = 100
"""Larger values are reserved; 255 means that the error is not reported."""
OTHER = "use another meter, such as hwmon or cmd (docs: how-to/power)"


class Report(NamedTuple):
    """Power in a SMART log, or None if the drive does not report it."""

    watts: float | None
    lifetime_wh: int | None


class Measured(NamedTuple):
    """Facts in log 25h: the largest error in percent, None if not reported, and whether values are estimated."""

    error_pct: int | None
    estimated: bool


def watts(field: int) -> float | None:
    """Return the power in a field of 32 bits: value (bits 15:0) and scale (bits 17:16), or None if not reported."""
    value, scale = field & 0xFFFF, field >> 16 & 3
    return value * SCALES_W[scale] if value and scale in SCALES_W else None


def smart(page: bytes) -> Report:
    """Decode bytes 232-243 of the SMART log (02h). Energy is in watt-hours, rounded up."""
    energy = int.from_bytes(page[232:240], "little")
    return Report(watts(int.from_bytes(page[240:244], "little")), energy or None)


def measured(page: bytes) -> Measured:
    """Decode the attributes and the error of the power measurement log (25h)."""
    if len(page) < MEASURED_BYTES:
        return Measured(None, False)
    return Measured(page[56] if page[56] <= MOST_ERROR_PCT else None, bool(page[2] & ESTIMATED))


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter of a drive. Raise BadInput with a sentence if the drive does not report its power."""
    if device is None:
        raise BadInput("the meter own is part of a drive; a run on that drive reads it")
    if spec.scope == "machine":
        raise BadInput(f"{spec.text}: the drive's own report is never one of the whole machine")
    target = device.identity.target
    if spec.quantity != "watts":
        if isinstance(device, VirtualDevice):
            raise BadInput(f"{spec.text}: a virtual drive has a meter of watts only")
        poll = partial(_health_of, device, spec.quantity)
        return Disturbing(spec.facts("drive's health", period_s=period(spec.kind, poll, PERIOD_S)), poll)
    if isinstance(device, VirtualDevice):
        return Virtual(device)
    if device.identity.virtual:
        raise BadInput(f"{target} has no power to measure; name a drive, or a virtual one such as sim:small")
    if not isinstance(device, NvmeDevice):
        raise BadInput(f"{target} does not report its power, because only NVMe drives can; {OTHER}")
    report = smart(_page(device.controller, 2, SMART_BYTES))
    if report.watts is None:
        energy = f" (its lifetime energy, {report.lifetime_wh} Wh, is too coarse)" if report.lifetime_wh else ""
        raise BadInput(f"{target}: the drive does not report its power{energy}; {OTHER}")
    facts = spec.facts("NVMe SMART", period_s=PERIOD_S, window_s=WINDOW_S)
    if _has_log(device.controller):
        error_pct, estimated = measured(_page(device.controller, 0x25, MEASURED_BYTES))
        error = facts.error_pct if facts.error_pct is not None else error_pct
        facts = msgspec.structs.replace(facts, error_pct=error, estimated=estimated)
    return Disturbing(facts, partial(_watts_of, device.controller))


def present() -> list[tuple[str, str]]:
    """Return the meter for each NVMe drive of this host that reports its power."""
    names = sorted(path.name for path in (HOST.sys / "class/nvme").glob("nvme[0-9]*"))
    return [("own", f"the report of /dev/{name} itself") for name in names if _reports(f"/dev/{name}")]


def _reports(controller: str) -> bool:
    dump = tools.try_run("nvme", "get-log", controller, "--log-id=2", f"--log-len={SMART_BYTES}")
    return smart(logs.page(dump)).watts is not None


def _health_of(device: Device, name: str) -> float:
    value = device.health().get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{device.identity.target} does not report a number {name!r}")
    return float(value)


def _watts_of(controller: str) -> float:
    power = smart(_page(controller, 2, SMART_BYTES)).watts
    if power is None:
        raise StepFailed(f"{controller} reports no power now")
    return power


def _has_log(controller: str) -> bool:
    ctrl = tools.try_run(*cli.words("nvme", "id-ctrl", controller, "--output-format=json")).document
    return bool(tools.number(ctrl.get("ctratt")) & POWER_MEASUREMENT)


def _page(controller: str, log_id: int, size: int) -> bytes:
    """Read a log page. Raise StepFailed with the words of nvme-cli if it cannot be read whole."""
    dump = tools.run("nvme", "get-log", controller, f"--log-id={log_id}", f"--log-len={size}")
    page = logs.page(dump)
    if len(page) < size:
        raise StepFailed(f"{controller}: log {log_id:02x}h cannot be read: {dump.words}")
    return page


class Virtual:
    """The power of a virtual drive, from its model, without error."""

    cost = (0, 0.0)

    def __init__(self, device: VirtualDevice) -> None:
        self.facts = MeterFacts(spec="own", name="model", error_pct=0.0)
        self.power = device.sim.drive.power
        self.power.read()

    def read(self) -> list[Value]:
        """Return the values since the last call."""
        return [Value(*row) for row in self.power.read()]

    def words(self) -> list[Sentence]:
        """Return nothing: the model has no gaps."""
        return []

    def quiet(self, resting: bool) -> None:
        """Do nothing: reading the model does not disturb it."""

    def close(self) -> None:
        """Do nothing."""
