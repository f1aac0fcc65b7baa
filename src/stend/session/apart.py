"""Start a stend command in a separate session without a terminal. Its output goes to a log next to its folder."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stend.base import regular


def log_of(folder: Path) -> Path:
    """Return the path of the log of a detached run."""
    return Path(f"{folder}.log")


def command(words: Sequence[str]) -> list[str]:
    """Return the command line that runs these arguments with this stend and this Python."""
    return [sys.executable, "-m", "stend", *words]


def begin(words: Sequence[str], log: Path, fds: Sequence[int] = ()) -> "subprocess.Popen[bytes]":
    """Start the process, which outlives this one and inherits these descriptors."""
    with regular.appender(log) as output:
        return subprocess.Popen(
            command(words),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=fds,
        )
