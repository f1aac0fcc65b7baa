"""What fio sends, by its own log of every IO."""

import re
import sys
from pathlib import Path

# A shell finds the Python, whose path may have a blank in it, as no line that begins with #! could; in the C
# locale that fio is given, site could not read a path with other letters.
WRITE_LOGS = """#!/bin/sh
''''exec "{python}" -IS "$0" "$@" #'''
import os, sys
words = []
for word in sys.argv[1:]:
    words.append(word)
    if word.startswith("--name="):
        words.append("--write_iolog={folder}/" + str(os.getpid()) + word[7:] + ".iolog")
os.execvp("fio", ["fio", *words])
"""


def sparse(path: Path, size_bytes: int) -> str:
    with path.open("wb") as file:
        file.truncate(size_bytes)
    return str(path)


def logging_fio(folder: Path) -> str:
    """An fio that writes down every IO it sends."""
    script = folder / "fio-with-logs"
    script.write_text(WRITE_LOGS.format(python=sys.executable, folder=folder))
    script.chmod(0o755)
    return str(script)


def sent(folder: Path) -> list[tuple[str, list[tuple[int, int]]]]:
    """(section, [(offset, bytes), ...]) of all IO in the logs, in order of sending within each section."""
    pattern = re.compile(r" (?:read|write) (\d+) (\d+)$")
    logs = sorted(folder.glob("*.iolog"), key=lambda p: p.stat().st_mtime_ns)
    found = [(log.stem, [pattern.search(line) for line in log.read_text().splitlines()]) for log in logs]
    return [(name, [(int(m[1]), int(m[2])) for m in matches if m]) for name, matches in found]
