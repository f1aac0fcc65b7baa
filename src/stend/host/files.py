"""Small files in which the kernel tells of the machine."""

from pathlib import Path


def read(path: Path) -> str:
    """What such a file says, without the line's end; empty where there is none."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
