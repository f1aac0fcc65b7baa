"""Identify a process by its number and start time, because the kernel reuses numbers, and detect its end."""

import os
import resource
from pathlib import Path

DEAD = "ZX"
"""States of a process that has exited and was not reaped yet (proc(5))."""
ENDS, KILL = 0x4 | 0x400, 1 << 8
"""PF_EXITING and PF_SIGNALED of the process flags; SIGKILL among the pending signals."""
ENDING_S, SOON_S = 5.0, 0.02
"""Seconds to wait for a killed process to exit, which may still finish a write; seconds between two checks."""


def ticks(pid: int) -> int:
    """Return when a process started, in ticks since boot, which no clock change moves, or 0 if it exited."""
    try:
        status = _status(pid)
    except OSError:
        return 0
    return 0 if over(status) else int(_words(status)[19])


def allow_files() -> None:
    """Allow this process, and those that it starts, as many open files as the host permits. Shells often set 1,024."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def processor_s(pid: int) -> float:
    """Return the processor time that all threads of a process have used, in seconds, or 0 if it exited."""
    try:
        words = _words(_status(pid))
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def over(status: str) -> bool:
    """Return True if a process or thread has exited or is exiting, by its text of /proc/PID/stat ("" if absent).

    Its descriptors and locks stay until it has exited completely.
    """
    words = _words(status)
    return len(words) < 29 or words[0] in DEAD or bool(int(words[6]) & ENDS) or bool(int(words[28]) & KILL)


def _status(pid: int) -> str:
    """Return the text of /proc/PID/stat. The name in it is of any bytes, and is cut after 15 of them."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace")


def _words(status: str) -> list[str]:
    """Return the fields from the state on. The name before them may contain spaces and brackets."""
    return status.rpartition(")")[2].split()
