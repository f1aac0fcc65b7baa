"""Virtual drives: simulate real drives by their mechanisms, in a fraction of real time."""

from functools import cached_property
from typing import TYPE_CHECKING

from stend.base.errors import BadInput, StepFailed
from stend.base.extras import needing
from stend.sim.named import load, profiles
from stend.sim.requests import Pattern
from stend.sim.spec import Spec
from stend.words import Sentence

if TYPE_CHECKING:
    from stend.sim.drive import Drive

__all__ = ["Pattern", "Spec", "Unbuilt", "build", "load", "profiles"]


class Unbuilt:
    """The virtual drive of a target, built (with its kernels loaded) when it is first used."""

    def __init__(self, target: str, spec: Spec) -> None:
        self.target, self.spec = target, spec

    @cached_property
    def drive(self) -> "Drive":
        """Return the simulated drive. Raise BadInput as `build` does."""
        return build(self.spec)

    def look(self) -> None:
        """Raise StepFailed if the drive has died or changed its size by an accident."""
        self.drive.check()
        if (now := self.drive.capacity_bytes) != self.spec.capacity_bytes:
            raise StepFailed(Sentence("sim_resized", drive=self.target, was=self.spec.capacity_bytes, now=now))


def build(spec: Spec) -> "Drive":
    """Return a fresh drive of a Spec. Loading the kernels takes a second.

    Raise BadInput if its parts do not fit together.
    """
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
