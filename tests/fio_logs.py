"""What fio sends, by its own log of every IO."""

import os
import re
from pathlib import Path

FIOS = Path(__file__).parent / "fixtures/fio"


def sparse(path: Path, size_bytes: int) -> str:
    with path.open("wb") as file:
        file.truncate(size_bytes)
    return str(path)


def logging_fio(folder: Path, log: str = "iolog") -> str:
    """An fio that writes down every IO it sends in that folder. The same for all tests, or each would have to ask it
    again what it can do.
    """
    os.environ["FIO_LOGS"] = str(folder)
    return str(FIOS / log)


def sent(folder: Path) -> list[tuple[str, list[tuple[int, int]]]]:
    """(section, [(offset, bytes), ...]) of all IO in the logs, in order of sending within each section."""
    pattern = re.compile(r" (?:read|write) (\d+) (\d+)$")
    logs = sorted(folder.glob("*.iolog"), key=lambda p: p.stat().st_mtime_ns)
    found = [(log.stem, [pattern.search(line) for line in log.read_text().splitlines()]) for log in logs]
    return [(name, [(int(m[1]), int(m[2])) for m in matches if m]) for name, matches in found]
