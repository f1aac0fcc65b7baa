"""The door of a drive: handed out with it, and shut. Who holds the drive opens it, once, and looks again there."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stend.base.errors import Refused, StepFailed
from stend.base.sysfs import HOST, Kernel
from stend.gate.descriptor import Gate
from stend.gate.entry import enter
from stend.gate.fingerprint import changed, fingerprint
from stend.gate.holdings import loss
from stend.gate.look import marks
from stend.model.definition import Identity


class Door:
    """Of a drive that holds no data: nothing is guarded but that it is opened once. `look` is asked at every check."""

    def __init__(self, target: str, look: Callable[[], object] = lambda: None) -> None:
        self.target, self.look = target, look
        self.writes: bool | None = None

    @property
    def path(self) -> str:
        """Where the load opens the drive."""
        return self.target

    def open(
        self,
        *,
        writes: bool,
        destroy: str | None,
        keep_off: tuple[str, ...] = (),
        overwrite: tuple[str, ...] = (),
    ) -> str:
        """Take the drive for this process; return the path for its load. Raise Refused unless the caller only wants to
        read, or `destroy` names the drive.

        `destroy` is the serial (or by-id name) the operator gave; `keep_off` are paths whose disk must not be written;
        `overwrite` are full paths of files that stend did not make and may overwrite.
        """
        if self.writes is not None:
            raise Refused(f"{self.target} is open already; close it first")
        self._enter(destroy, keep_off, overwrite, writes=writes)
        self.writes = writes
        return self.path

    def _enter(
        self, destroy: str | None, keep_off: tuple[str, ...], overwrite: tuple[str, ...], *, writes: bool
    ) -> None:
        try:
            self.look()
        except StepFailed as error:
            raise Refused(str(error)) from error

    def check(self) -> None:
        """Look again that this is still the same drive and still ours; Refused or StepFailed otherwise."""
        if self.writes is None:
            raise Refused(f"{self.target} has not passed the gate; open it first")
        self.look()

    named = False
    """Whether it must be named to be written."""

    def loss(self) -> str:
        """What would be lost, in words that follow the drive's name: what it holds, size, when it was last used."""
        return ""

    def fingerprint(self) -> dict[str, str]:
        """Which drive this is and what is on it, for a run's record; {} where there is nothing to tell apart.

        Whoever goes on with a run takes one of the drive that is there now, and refuses what `changed` tells.
        """
        return {}

    @staticmethod
    def changed(then: dict[str, str], now: dict[str, str]) -> str:
        """Why what is there now is not what the run began on, in words that follow its name; empty if it is."""
        return changed(then, now)

    def close(self) -> None:
        """Let go."""
        self.writes = None


class Guarded(Door):
    """Of a drive that may hold data. `unrest` tells why it must not be measured now, in words that follow its name."""

    def __init__(self, identity: Identity, kernel: Kernel = HOST, unrest: Callable[[], str] = str) -> None:
        super().__init__(identity.target)
        self.identity, self.kernel, self.unrest = identity, kernel, unrest
        self.seen = marks(identity.path, kernel)
        self._gate: Gate | None = None
        self._made_fd: int | None = None

    @property
    def opened(self) -> Gate:
        """The gate that was passed; Refused before, and after closing."""
        if self._gate is None:
            raise Refused(f"{self.target} has not passed the gate; open it first")
        return self._gate

    @property
    def path(self) -> str:
        """The gate's own."""
        return self.opened.path

    @contextmanager
    def _there(self) -> Iterator[None]:
        """StepFailed where the drive or file goes away while it is looked at."""
        try:
            yield
        except OSError as error:
            if os.path.exists(self.identity.path):
                raise
            raise StepFailed(f"{self.target} vanished: {error.strerror}; find out why before going on") from error

    def check(self) -> None:
        """As the gate does."""
        with self._there():
            self.opened.check()

    @property
    def named(self) -> bool:  # type: ignore[override]
        """Unless `made` was told, and the file is still that one."""
        fd, path = self._made_fd, self.identity.path
        return fd is None or not os.path.exists(path) or not os.path.samestat(os.fstat(fd), os.stat(path))

    def made(self, fd: int) -> None:
        """This process made the file for the run, and `fd` holds it: it need not be named."""
        self._made_fd = fd

    def _enter(
        self, destroy: str | None, keep_off: tuple[str, ...], overwrite: tuple[str, ...], *, writes: bool
    ) -> None:
        if writes and (why := self.unrest()):
            raise Refused(f"{self.target} {why}")
        with self._there():
            self._gate = enter(
                self.identity,
                self.seen,
                writes=writes,
                destroy=destroy,
                keep_off=keep_off,
                ours=not self.named,
                kernel=self.kernel,
                overwrite=overwrite,
            )

    def loss(self) -> str:
        """As the gate tells it."""
        with self._there():
            return loss(self.identity.path, self.kernel)

    def fingerprint(self) -> dict[str, str]:
        """As the gate takes it."""
        with self._there():
            return fingerprint(self.identity.path)

    def close(self) -> None:
        """Let go of the drive, and of the claim to have made it."""
        super().close()
        if self._gate is not None:
            self._gate.close()
            self._gate = None
        if self._made_fd is not None:
            os.close(self._made_fd)
            self._made_fd = None
