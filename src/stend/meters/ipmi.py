"""The power of the whole machine as its management controller reports it: `ipmitool dcmi power reading`."""

import re
from pathlib import Path

from stend.base.errors import BadInput, StepFailed
from stend.devices import Device
from stend.devices.telling import tools
from stend.meters._polled import Polled, period
from stend.meters._types import Meter, Spec

IN_ORDERS = True
PERIOD_S = 1.0
COMMAND = ("ipmitool", "dcmi", "power", "reading")
NODES = ("dev/ipmi0", "dev/ipmi/0", "dev/ipmidev/0")
ROOT = Path("/")


def watts(output: tools.Output) -> float:
    """Return the instantaneous power in watts. Raise StepFailed if the controller measures none."""
    value = re.search(r"^\s*Instantaneous power reading:\s*(\d{1,6})\s*Watts", output.out, re.MULTILINE)
    state = re.search(r"^\s*Power reading state is:\s*(\w+)", output.out, re.MULTILINE)
    if output.code or not value:
        raise StepFailed(f"`{' '.join(COMMAND)}`: {output.words}")
    if state and state[1] != "activated":
        raise StepFailed(f"the management controller's power reading is {state[1]}")
    return float(value[1])


def present() -> list[tuple[str, str]]:
    """Return the meter if the kernel has a management controller."""
    there = any((ROOT / node).exists() for node in NODES)
    return [("ipmi", "power of the whole machine by its management controller")] if there else []


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter. Raise Missing without ipmitool, BadInput if the controller reports no power."""
    if spec.scope == "drive":
        raise BadInput(f"{spec.text}: IPMI measures the whole machine, never a drive alone")
    facts = spec.facts("IPMI DCMI", period_s=period(spec.kind, _poll, PERIOD_S), scope="machine")
    return Polled(facts, _poll)


def _poll() -> float:
    return watts(tools.run(*COMMAND))
