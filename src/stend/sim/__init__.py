"""Virtual drives: what real ones do, for the reasons they do it, in a fraction of their time."""

from functools import cached_property
from typing import TYPE_CHECKING

from stend.base.errors import BadInput, StepFailed
from stend.base.extras import needing
from stend.sim.named import load, profiles
from stend.sim.requests import Pattern
from stend.sim.spec import Spec

if TYPE_CHECKING:
    from stend.sim.drive import Drive

__all__ = ["Pattern", "Spec", "Unbuilt", "build", "load", "profiles"]


class Unbuilt:
    """The drive that a target names, built (and its kernels loaded) when first needed."""

    def __init__(self, target: str, spec: Spec) -> None:
        self.target, self.spec = target, spec

    @cached_property
    def drive(self) -> "Drive":
        """The simulation itself; BadInput as `build`."""
        return build(self.spec)

    def look(self) -> None:
        """StepFailed when it was told to die, or to change its size."""
        self.drive.check()
        if (now := self.drive.capacity_bytes) != self.spec.capacity_bytes:
            raise StepFailed(f"{self.target} changed its size from {self.spec.capacity_bytes} to {now} bytes")


def build(spec: Spec) -> "Drive":
    """The drive of a Spec, fresh; BadInput where its parts do not fit together. Loading the kernels takes a second."""
    try:
        with needing(f"the virtual drive {spec.name}"):
            return _built(spec)
    except (MemoryError, OverflowError, ValueError) as error:
        raise BadInput(f"virtual drive {spec.name} cannot be built: {error}") from error


def _built(spec: Spec) -> "Drive":
    if spec.kind == "flash":
        from stend.sim.flash import FlashDrive

        return FlashDrive(spec)
    if spec.kind == "disk":
        from stend.sim.disk import DiskDrive

        return DiskDrive(spec)
    if spec.kind == "array":
        from stend.sim.array import ArrayDrive

        return ArrayDrive(spec)
    if spec.kind == "ideal":
        from stend.sim.ideal import IdealDrive

        return IdealDrive(spec)
    raise BadInput(f"virtual drive {spec.name} is of an unknown kind {spec.kind!r}")
