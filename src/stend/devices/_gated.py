"""What every device that goes through the gate does alike; a kind adds its purge and its health."""

from typing import Any

from stend import gate
from stend.definition import Identity
from stend.errors import Refused
from stend.kernel import HOST, Kernel


class GatedDevice:
    """A device that is written through the gate alone."""

    def __init__(self, identity: Identity, seen: gate.Marks, kernel: Kernel = HOST) -> None:
        self.identity, self.seen, self.kernel = identity, seen, kernel
        self.gate: gate.Gate | None = None

    ours = False

    @property
    def io_path(self) -> str:
        """The gate's own path, for whoever makes the load."""
        return self.opened.path

    @property
    def opened(self) -> gate.Gate:
        """The gate that was passed; Refused before, and after closing."""
        if self.gate is None:
            raise Refused(f"{self.identity.target} has not passed the gate; open it first")
        return self.gate

    def open(self, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = ()) -> None:
        """Through the gate, once."""
        if self.gate is not None:
            raise Refused(f"{self.identity.target} is open already; close it first")
        self.gate = gate.enter(
            self.identity,
            self.seen,
            writes=writes,
            destroy=destroy,
            keep_off=keep_off,
            ours=self.ours,
            kernel=self.kernel,
        )

    def check(self) -> None:
        """As the gate does."""
        self.opened.check()

    def health(self) -> dict[str, Any]:
        """Nothing is told."""
        return {}

    def close(self) -> None:
        """Let go."""
        if self.gate is not None:
            self.gate.close()
            self.gate = None
