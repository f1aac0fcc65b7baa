"""Which process a number means: the kernel gives it again, but not with the same moment of beginning; and its end."""

from pathlib import Path

DEAD = "ZX"
"""States of a process that is over and not yet buried (proc(5))."""
ENDS, KILL = 0x4 | 0x400, 1 << 8
"""PF_EXITING and PF_SIGNALED of its flags; SIGKILL among the signals that it has not taken yet."""
ENDING_S, SOON_S = 5.0, 0.02
"""How long one that has been killed is waited for, which still writes what it had under way; and between looks."""


def ticks(pid: int) -> int:
    """When a process began, in the kernel's ticks since the boot, which no clock moves; 0 where it is over."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return 0 if over(told) else int(_words(told)[19])


def over(told: str) -> bool:
    """Whether a process or thread is gone, or on its way out, by its `stat` of proc(5), "" where that is no more.

    Until the last of it is gone its descriptors and locks stay.
    """
    words = _words(told)
    return len(words) < 29 or words[0] in DEAD or bool(int(words[6]) & ENDS) or bool(int(words[28]) & KILL)


def _words(told: str) -> list[str]:
    """From the state on: a name may have spaces and brackets in it."""
    return told.rpartition(")")[2].split()
