"""An opened drive: the descriptor that is held for the whole run, and the path by which the load opens it."""

import os

from stend.base.errors import Refused
from stend.base.sysfs import Kernel, fd_bytes
from stend.gate.look import NUMBER, SIZE, Marks, compare, look_again, number
from stend.gate.refusals import refusal
from stend.model.definition import Identity
from stend.words import Sentence


class Gate:
    """An opened drive, valid in the process that opened it until it is closed.

    `expected` are the marks of the drive when it was opened. `made` is True if this process made the file.
    """

    def __init__(
        self,
        identity: Identity,
        expected: Marks,
        fd: int,
        *,
        writes: bool,
        keep_off: tuple[str, ...],
        kernel: Kernel,
        made: bool = False,
    ) -> None:
        self.identity, self.expected, self.writes, self.made = identity, expected, writes, made
        self.keep_off, self.kernel = keep_off, kernel
        self._fd, self._pid = fd, os.getpid()

    @property
    def path(self) -> str:
        """Return the path by which the load opens this very drive.

        A load that only reads must open it read-only by itself, because root could also write through this path.
        """
        return f"/proc/{self._pid}/fd/{self.fd}"

    @property
    def fd(self) -> int:
        """Return the held descriptor. Raise Refused after `close` and in any process but the one that opened it."""
        if self._fd < 0 or os.getpid() != self._pid:
            raise Refused(Sentence("gate_closed", target=self.identity.target))
        return self._fd

    @property
    def writing_fd(self) -> int:
        """Return the descriptor for writes outside of a load. Raise Refused if the drive was opened for reading."""
        if not self.writes:
            raise Refused(Sentence("gate_reading", target=self.identity.target))
        return self.fd

    def check(self) -> None:
        """Raise Refused or StepFailed unless this is the same drive, of the same size, and not in other use."""
        drive, fd = self.identity, self.fd
        look_again(drive, self.expected, self.kernel)
        held = {NUMBER: number(os.fstat(fd)), SIZE: str(fd_bytes(fd))}
        compare(drive.target, {key: self.expected[key] for key in held}, held)
        if self.writes and (reason := refusal(drive.path, self.keep_off, self.kernel, fd=fd, made=self.made)):
            raise Refused(Sentence("gate_now", target=drive.target, reason=reason))

    def close(self) -> None:
        """Close the descriptor."""
        if self._fd >= 0 and os.getpid() == self._pid:
            os.close(self._fd)
        self._fd = -1
