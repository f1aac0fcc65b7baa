"""Which process a number means: the kernel gives a number again, but not with the same moment of beginning."""

from pathlib import Path

DEAD = "ZX"
"""States of a process that is over and not yet buried (proc(5))."""


def ticks(pid: int) -> int:
    """When a process began, in the kernel's ticks since the boot, which no clock moves; 0 where there is none."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return 0 if told[0] in DEAD else int(told[19])
    except (OSError, IndexError, ValueError):
        return 0
