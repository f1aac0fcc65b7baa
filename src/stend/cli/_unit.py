"""Commands that outlive a login session: a transient systemd unit if possible, otherwise a process in a new session."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import StepFailed
from stend.base.text import plain
from stend.session import apart

BOOTED = Path("/run/systemd/system")
"""Exists if systemd is the first process (sd_booted(3))."""
NAMES = ("PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV")
STARTS = ("STEND_", "LC_", "XDG_", "PYTHON", "NUMBA_")
"""Environment variables that a unit gets. Others may hold secrets, and every user of systemd can read a unit."""
ENDS = ("--property=KillMode=mixed", "--property=TimeoutStopSec=120")
"""At shutdown signal stend alone, which stops fio and restores write caches."""


class Process(NamedTuple):
    """A command in a separate session."""

    process: "subprocess.Popen[bytes]"

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self.process.pid

    def __str__(self) -> str:
        """Return its name for messages."""
        return f"process {self.pid}"

    def over(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self.process.poll()

    def leave(self) -> None:
        """Stop waiting for it: the process continues without this one."""
        self.process.returncode = 0


class Unit(NamedTuple):
    """A command that runs as a systemd unit. If it fails, `systemctl --failed` lists it."""

    name: str

    @property
    def pid(self) -> int:
        """Return its process id, or 0 if it has ended."""
        return int(self._property("MainPID"))

    def __str__(self) -> str:
        """Return its name for messages."""
        return f"unit {self.name}"

    def over(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return (
            None if self._property("ActiveState") in ("active", "activating") else int(self._property("ExecMainStatus"))
        )

    def leave(self) -> None:
        """Do nothing: the unit does not depend on this process."""

    def _property(self, name: str) -> str:
        return _answer(["systemctl", "show", f"--property={name}", "--value", self.name], f"show {self.name}")


def begin(words: Sequence[str], folder: Path, log: Path) -> Process | Unit:
    """Start a verb for a run folder without a terminal and append its output to a log.

    Raise StepFailed with the message of systemd if the unit does not start.
    """
    if not _has_systemd():
        return Process(apart.begin(words, log))
    name = _name(folder)
    subprocess.run(["systemctl", "reset-failed", name], capture_output=True, check=False)
    command = [*_prefix(name, log), *(word.replace("$", "$$") for word in apart.command(words))]
    _answer(command, f"start {name}")
    return Unit(name)


def _answer(words: Sequence[str], deed: str) -> str:
    """Return the output of a command of systemd. Raise StepFailed if it fails."""
    done = subprocess.run(words, capture_output=True, errors="replace", check=False)  # errors: as text
    if done.returncode:
        reason = plain(done.stderr.strip()) or f"{words[0]} ended with exit code {done.returncode}"
        raise StepFailed(f"systemd cannot {deed}: {reason}")
    return done.stdout.strip()


def _has_systemd() -> bool:
    """Return whether root can start a unit of systemd. A user's manager ends with the user's last session."""
    return os.geteuid() == 0 and BOOTED.is_dir() and shutil.which("systemd-run") is not None


def _name(folder: Path) -> str:
    safe = re.sub(r"[^\w.-]", "-", folder.name, flags=re.ASCII)[:80]
    return f"stend-{safe}-{sha256(os.fsencode(folder.resolve())).hexdigest()[:8]}.service"


def _prefix(unit: str, log: Path) -> Iterator[str]:
    """Yield the words of `systemd-run` before the command."""
    yield from ("systemd-run", "--quiet", "--service-type=exec", f"--unit={unit}", *ENDS)
    yield from (f"--property=Standard{name}=append:{log.resolve()}" for name in ("Output", "Error"))
    yield f"--working-directory={Path.cwd()}"
    yield from (f"--setenv={k}={v}" for k, v in os.environ.items() if k in NAMES or k.startswith(STARTS))
    yield "--"
