"""Virtual drives: `sim:NAME`, with options as a query: `sim:small?seed=7&dies_at_s=40`."""

from typing import Any

from stend import gate
from stend.base import limits
from stend.base.errors import Refused
from stend.base.sysfs import HOST, Kernel
from stend.devices.telling import passport
from stend.model.definition import Identity
from stend.sim import Spec, Unbuilt, load
from stend.words import Sentence

PREFIX = "sim:"


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True if the target begins with `sim:`."""
    return target.startswith(PREFIX)


def find(target: str, kernel: Kernel = HOST) -> "VirtualDevice":
    """Return the virtual drive of that name. Raise BadInput, which lists the known names, for any other name."""
    return VirtualDevice(target, load(target.removeprefix(PREFIX)))


def identity(target: str, spec: Spec) -> Identity:
    """Return the identity that a virtual drive reports."""
    trims = {"trim_max_bytes": limits.MOST_BLOCK} if spec.trims else {}
    turning = {"rotation_rpm": spec.disk.spindle_rpm} if spec.disk else {}
    more: dict[str, Any] = {"unit": spec.unit, "run": spec.run, "spread": spec.spread} if spec.spread else {}
    if spec.array:
        raid = spec.array
        more |= {"level": f"raid{raid.level}", "raid_disks": str(raid.members), "chunk_bytes": raid.stripe_bytes}
    return Identity(
        kind="virtual",
        target=target,
        path=target,
        capacity_bytes=spec.capacity_bytes,
        model=spec.model,
        serial=spec.serial or (f"SIM-{spec.name}-{spec.unit}" if spec.unit else f"SIM-{spec.name}"),
        firmware=spec.firmware,
        interface=spec.interface,
        logical_bytes=spec.logical_bytes,
        physical_bytes=spec.physical_bytes,
        rotational=spec.rotational,
        virtual=True,
        facts={"seed": spec.seed, "scale": spec.scale, "title": spec.title} | turning | trims | more | _power(spec),
    )


def _power(spec: Spec) -> dict[str, Any]:
    """Return the power states as `telling.nvme_logs.power_states` does. State 0 is the drive awake."""
    if not spec.power.states:
        return {}
    watts = max(spec.power.read_w, spec.power.write_w)
    awake = {"state": 0, "watts": watts, "entry_ms": 0.0, "exit_ms": 0.0, "idle": False}
    asleep = (
        {"watts": s.watts, "entry_ms": 0.0, "exit_ms": s.exit_ms, "idle": True, "after_ms": s.sleep_after_ms}
        for s in spec.power.states
    )
    states = [awake, *({"state": number, **state} for number, state in enumerate(asleep, 1))]
    return {"power_states": states, "power_saving": "on"}


class VirtualDevice:
    """A drive that exists in memory and needs no protection."""

    def __init__(self, target: str, spec: Spec) -> None:
        self.identity, self.sim = identity(target, spec), Unbuilt(target, spec)
        self.door = gate.Door(target, self.sim.look, self.identity.serial)

    def purge(self) -> Sentence:
        """Format the virtual drive. Raise Refused if it was opened for reading."""
        self.door.check()
        if not self.door.writes:
            raise Refused(f"{self.identity.target} was opened for reading only; open it for writing to purge it")
        self.sim.drive.format()
        return Sentence("virtual_format")

    def passport(self) -> dict[str, Any]:
        """Return the values that the specification lists in `reports`."""
        return passport.kept(dict(self.sim.spec.reports), [])

    def health(self) -> dict[str, Any]:
        """Return the counters of the simulation."""
        return dict(self.sim.drive.health())
