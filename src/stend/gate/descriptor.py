"""An opened drive: the descriptor that is held for the whole run, and the path that leads the load to it."""

import os

from stend.base.errors import Refused
from stend.base.sysfs import Kernel, fd_bytes
from stend.gate.look import NUMBER, SIZE, Marks, compare, look_again, number
from stend.gate.refusals import refusal
from stend.model.definition import Identity


class Gate:
    """An opened drive. Good in the process that opened it, until it is closed."""

    def __init__(
        self,
        identity: Identity,
        seen: Marks,
        fd: int,
        *,
        writes: bool,
        keep_off: tuple[str, ...],
        kernel: Kernel,
        made: bool = False,
    ) -> None:
        self.identity, self.seen, self.writes, self.made = identity, seen, writes, made
        self.keep_off, self.kernel = keep_off, kernel
        self._fd, self._pid = fd, os.getpid()

    @property
    def path(self) -> str:
        """Where the load opens this very drive. A reader's load must be told to be read-only: root may do more."""
        return f"/proc/{self._pid}/fd/{self.fd}"

    @property
    def fd(self) -> int:
        """The descriptor that is held; Refused once closed, and in any process but the one that passed."""
        if self._fd < 0 or os.getpid() != self._pid:
            raise Refused(f"{self.identity.target} was let go; it must pass the gate again")
        return self._fd

    @property
    def writing_fd(self) -> int:
        """The descriptor for whoever writes without the load; Refused when only reading was asked for."""
        if not self.writes:
            raise Refused(f"{self.identity.target} was opened for reading only; open it for writing to change it")
        return self.fd

    def check(self) -> None:
        """Refused or StepFailed unless this is still the same drive, of the same size, and in nobody else's use."""
        drive, fd = self.identity, self.fd
        look_again(drive, self.seen, self.kernel)
        held = {NUMBER: number(os.fstat(fd)), SIZE: str(fd_bytes(fd))}
        compare(drive.target, {key: self.seen[key] for key in held}, held)
        if self.writes and (reason := refusal(drive.path, self.keep_off, self.kernel, fd=fd, made=self.made)):
            raise Refused(f"{drive.target} {reason}")

    def close(self) -> None:
        """Let go."""
        if self._fd >= 0 and os.getpid() == self._pid:
            os.close(self._fd)
        self._fd = -1
