"""Read small files in which the kernel describes the machine."""

from pathlib import Path


def read(path: Path) -> str:
    """Return the text of such a file without the line's end, or "" if it cannot be read."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
