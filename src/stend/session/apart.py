"""A stend verb as a process of its own session: no terminal has it, and what it says is in a log beside its folder."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stend.base import regular


def log_of(folder: Path) -> Path:
    """Where a run that nobody looks on says what it does."""
    return Path(f"{folder}.log")


def command(words: Sequence[str]) -> list[str]:
    """These words to this stend, by this Python."""
    return [sys.executable, "-m", "stend", *words]


def begin(words: Sequence[str], log: Path, fds: Sequence[int] = ()) -> "subprocess.Popen[bytes]":
    """Its process, which outlives ours and takes these descriptors along."""
    with regular.appender(log) as said:
        return subprocess.Popen(
            command(words),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=fds,
        )


def last_words(log: Path) -> str:
    """The last line of a log: why it ended, where it did not end well."""
    return regular.last_line(log)
