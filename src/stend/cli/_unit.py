"""Commands that no end of a session ends: a transient unit of systemd where it is there, else their own session."""

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
"""There where systemd is the first process (sd_booted(3))."""
NAMES = ("PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV")
STARTS = ("STEND_", "LC_", "XDG_", "PYTHON", "NUMBA_")
"""The part of the environment that goes along; the rest may hold secrets, and who may use systemd sees it."""
ENDS = ("--property=KillMode=mixed", "--property=TimeoutStopSec=120")
"""A host that goes down tells stend alone, which stops fio and puts write caches back."""


class Process(NamedTuple):
    """A command that has a session of its own."""

    process: "subprocess.Popen[bytes]"

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    def __str__(self) -> str:
        """What a person calls it."""
        return f"process {self.pid}"

    def over(self) -> int | None:
        """Its exit code, None while it goes on."""
        return self.process.poll()

    def leave(self) -> None:
        """Nobody here waits for it any longer."""
        self.process.returncode = 0


class Unit(NamedTuple):
    """A command that is a unit of systemd; where it fails, `systemctl --failed` lists it."""

    name: str

    @property
    def pid(self) -> int:
        """Its number; 0 where it is over."""
        return int(self._asked("MainPID"))

    def __str__(self) -> str:
        """What a person calls it."""
        return f"unit {self.name}"

    def over(self) -> int | None:
        """Its exit code, None while it goes on."""
        return None if self._asked("ActiveState") in ("active", "activating") else int(self._asked("ExecMainStatus"))

    def leave(self) -> None:
        """It has no need of us."""

    def _asked(self, fact: str) -> str:
        words = ["systemctl", "show", f"--property={fact}", "--value", self.name]
        return subprocess.run(words, capture_output=True, text=True, errors="replace", check=True).stdout.strip()


def begin(words: Sequence[str], folder: Path, log: Path) -> Process | Unit:
    """A verb for a run folder, without a terminal; what it says is added to a log. StepFailed by systemd's word."""
    if not _there():
        return Process(apart.begin(words, log))
    name = _name(folder)
    subprocess.run(["systemctl", "reset-failed", name], capture_output=True, check=False)
    asked = [*_asked(name, log), *(word.replace("$", "$$") for word in apart.command(words))]
    done = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise StepFailed(f"systemd does not begin {name}: {plain(done.stderr.strip())}")
    return Unit(name)


def _there() -> bool:
    """Whether there is systemd, and it takes orders of ours: a user's own manager ends with the user's last session."""
    return os.geteuid() == 0 and BOOTED.is_dir() and shutil.which("systemd-run") is not None


def _name(folder: Path) -> str:
    own = re.sub(r"[^\w.-]", "-", folder.name, flags=re.ASCII)[:80]
    return f"stend-{own}-{sha256(os.fsencode(folder.resolve())).hexdigest()[:8]}.service"


def _asked(unit: str, log: Path) -> Iterator[str]:
    """What comes before the command."""
    yield from ("systemd-run", "--quiet", "--service-type=exec", f"--unit={unit}", *ENDS)
    yield from (f"--property=Standard{name}=append:{log.resolve()}" for name in ("Output", "Error"))
    yield f"--working-directory={Path.cwd()}"
    yield from (f"--setenv={k}={v}" for k, v in os.environ.items() if k in NAMES or k.startswith(STARTS))
    yield "--"
