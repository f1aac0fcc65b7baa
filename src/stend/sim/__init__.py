"""Virtual drives: what real ones do, for the reasons they do it, in a fraction of their time."""

from typing import TYPE_CHECKING

from stend.errors import BadInput
from stend.extras import needing
from stend.sim.named import load, profiles
from stend.sim.requests import Pattern
from stend.sim.spec import Spec

if TYPE_CHECKING:
    from stend.sim.drive import Drive

__all__ = ["Pattern", "Spec", "build", "load", "profiles"]


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
