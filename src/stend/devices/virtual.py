"""Virtual drives: `sim:NAME`, with options as a query: `sim:small?seed=7&dies_at_s=40`."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from stend.definition import Identity
from stend.errors import Refused, StepFailed
from stend.kernel import HOST, Kernel
from stend.sim import Spec, build, load

if TYPE_CHECKING:
    from stend.sim.drive import Drive

PREFIX = "sim:"


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Whether the target is written as a virtual drive."""
    return target.startswith(PREFIX)


def find(target: str, kernel: Kernel = HOST) -> "VirtualDevice":
    """The virtual drive of that name; BadInput lists those there are."""
    return VirtualDevice(target, load(target.removeprefix(PREFIX)))


def identity(target: str, spec: Spec) -> Identity:
    """What the virtual drive says it is."""
    return Identity(
        kind="virtual",
        target=target,
        path=target,
        capacity_bytes=spec.capacity_bytes,
        model=spec.model,
        serial=f"SIM-{spec.name}-{spec.unit}" if spec.unit else f"SIM-{spec.name}",
        firmware=spec.firmware,
        interface=spec.interface,
        logical_bytes=spec.logical_bytes,
        physical_bytes=spec.physical_bytes,
        rotational=spec.rotational,
        virtual=True,
        facts={"seed": spec.seed, "scale": spec.scale, "title": spec.title} | _spread(spec),
    )


def _spread(spec: Spec) -> dict[str, Any]:
    return {"unit": spec.unit, "run": spec.run, "spread": spec.spread} if spec.spread else {}


class VirtualDevice:
    """A drive that exists in memory, so nothing on it needs guarding."""

    def __init__(self, target: str, spec: Spec) -> None:
        self.spec = spec
        self.identity = identity(target, spec)
        self.io_path = target
        self.writes: bool | None = None

    @cached_property
    def drive(self) -> "Drive":
        """The simulation itself, built (and its kernels loaded) when first needed."""
        return build(self.spec)

    def open(self, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = ()) -> None:
        """There is nothing to destroy and nothing to name; BadInput when it cannot be built."""
        if self.writes is not None:
            raise Refused(f"{self.identity.target} is open already; close it first")
        _ = self.drive
        self.writes = writes

    def check(self) -> None:
        """StepFailed when it was told to die, or to change its size."""
        if self.writes is None:
            raise Refused(f"{self.identity.target} is not open; open it first")
        self.drive.check()
        now, before = self.drive.capacity_bytes, self.identity.capacity_bytes
        if now != before:
            raise StepFailed(f"{self.identity.target} changed its size from {before} to {now} bytes")

    def purge(self) -> str:
        """Format it."""
        self.check()
        if not self.writes:
            raise Refused(f"{self.identity.target} was opened for reading only; open it for writing to purge it")
        self.drive.format()
        return "virtual format"

    def health(self) -> dict[str, Any]:
        """The simulation's counters."""
        return dict(self.drive.health())

    def close(self) -> None:
        """Let go."""
        self.writes = None
