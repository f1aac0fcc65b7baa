"""The door of a drive: created closed with its `Device`, opened once for a run, and checked again before each phase."""

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stend.base.errors import BadInput, Refused, StepFailed
from stend.base.sysfs import HOST, Kernel
from stend.gate.descriptor import Gate
from stend.gate.entry import enter
from stend.gate.fingerprint import changed, fingerprint
from stend.gate.holdings import loss
from stend.gate.look import marks, vanished
from stend.model.definition import Identity
from stend.words import Sentence


class Door:
    """The door of a drive that holds no data, which guards only that it is opened once. `look` runs at every check.

    Such a drive need not be named. The only name that is accepted is its `serial`.
    """

    def __init__(self, target: str, look: Callable[[], object] = lambda: None, serial: str = "") -> None:
        self.target, self.look, self.serial = target, look, serial
        self.writes: bool | None = None

    @property
    def path(self) -> str:
        """Return the path by which the load opens the drive."""
        return self.target

    def open(
        self,
        *,
        writes: bool,
        destroy: str | None,
        keep_off: tuple[str, ...] = (),
        overwrite: tuple[str, ...] = (),
    ) -> str:
        """Take the drive for this process. Return the path for its load. Raise Refused unless the caller only wants to
        read, or `destroy` names the drive.

        `destroy` is the serial (or by-id name) the operator gave. `keep_off` are paths whose disk must not be written.
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
        wrong = [destroy] if destroy and destroy != self.serial else []
        for option, names in (("--destroy-data", wrong), ("--overwrite-file", overwrite)):
            if names:
                needless = f"{self.target} is a virtual drive, which holds no data of anybody"
                raise BadInput(f"{option} names {shlex.quote(names[0])}, but {needless}; leave the option out")
        try:
            self.look()
        except StepFailed as error:
            raise Refused(str(error)) from error

    def check(self) -> None:
        """Raise Refused or StepFailed unless this is the same drive and this process still holds it."""
        if self.writes is None:
            raise Refused(Sentence("gate_unopened", target=self.target))
        self.look()

    named = False
    """True if the operator must name the drive before it is written."""

    def loss(self) -> str:
        """Return what would be lost, in words that follow the drive's name: contents, size, time of last use."""
        return ""

    def fingerprint(self) -> dict[str, str]:
        """Return which drive this is and what is on it, for a run's record, or {} for a drive that holds no data.

        `resume` takes the fingerprint again and refuses to continue if `changed` returns a reason.
        """
        return {}

    @staticmethod
    def changed(then: dict[str, str], now: dict[str, str]) -> str:
        """Return why `now` is not the drive that the run began on, in words that follow its name, or "" if it is."""
        return changed(then, now)

    def close(self) -> None:
        """Release the drive."""
        self.writes = None


class Guarded(Door):
    """The door of a drive that may hold data.

    `unrest` returns why the drive must not be measured now, in words that follow its name, or an empty string.
    """

    def __init__(self, identity: Identity, kernel: Kernel = HOST, unrest: Callable[[], str] = str) -> None:
        super().__init__(identity.target)
        self.identity, self.kernel, self.unrest = identity, kernel, unrest
        self.expected = marks(identity.path, kernel)
        self._gate: Gate | None = None
        self._made_fd: int | None = None

    @property
    def opened(self) -> Gate:
        """Return the opened gate. Raise Refused before `open` and after `close`."""
        if self._gate is None:
            raise Refused(Sentence("gate_unopened", target=self.target))
        return self._gate

    @property
    def path(self) -> str:
        """Return the path of the opened gate."""
        return self.opened.path

    @contextmanager
    def _there(self) -> Iterator[None]:
        """Raise StepFailed if the drive or file disappears while it is examined."""
        try:
            yield
        except OSError as error:
            if os.path.exists(self.identity.path):
                raise
            raise vanished(self.target, error) from error

    def check(self) -> None:
        """Check the opened gate (`Gate.check`)."""
        with self._there():
            self.opened.check()

    @property
    def named(self) -> bool:  # type: ignore[override]
        """Return True unless `made` was called for the file and the path still leads to it."""
        fd, path = self._made_fd, self.identity.path
        return fd is None or not os.path.exists(path) or not os.path.samestat(os.fstat(fd), os.stat(path))

    def made(self, fd: int) -> None:
        """Record that this process made the file for the run and holds it by `fd`, so that it need not be named."""
        self._made_fd = fd

    def _enter(
        self, destroy: str | None, keep_off: tuple[str, ...], overwrite: tuple[str, ...], *, writes: bool
    ) -> None:
        if writes and (why := self.unrest()):
            raise Refused(f"{self.target} {why}")
        with self._there():
            self._gate = enter(
                self.identity,
                self.expected,
                writes=writes,
                destroy=destroy,
                keep_off=keep_off,
                ours=not self.named,
                kernel=self.kernel,
                overwrite=overwrite,
            )

    def loss(self) -> str:
        """Return what would be lost (`holdings.loss`)."""
        with self._there():
            return loss(self.identity.path, self.kernel)

    def fingerprint(self) -> dict[str, str]:
        """Return the fingerprint of the drive (`fingerprint.fingerprint`)."""
        with self._there():
            return fingerprint(self.identity.path)

    def close(self) -> None:
        """Release the drive and the descriptor of `made`."""
        super().close()
        if self._gate is not None:
            self._gate.close()
            self._gate = None
        if self._made_fd is not None:
            os.close(self._made_fd)
            self._made_fd = None
