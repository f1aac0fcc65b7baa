"""Which reports lie in a run folder, and of which record each was made: `reports.json`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from stend.base import atomic, regular
from stend.base.version import __version__
from stend.model.record import Run
from stend.store import digest_of

MADE = "reports.json"


class Made(msgspec.Struct, frozen=True):
    """A report's digest, the stend that wrote it, and the seals of the records it was made of (see `store`)."""

    digest: str = ""
    stend: str = ""
    seals: list[str] = []


def current(folder: Path, run: Run, name: str = "report.html") -> bool:
    """Whether a report lies in a run folder and was made of the record as it is now."""
    return (folder / name).exists() and kept(folder).get(name, Made()).seals == [run.seal]


def kept(folder: Path) -> dict[str, Made]:
    """What is known of the reports that were written into a run folder, by their file names; {} if nothing."""
    try:
        return msgspec.json.decode(regular.read(folder / MADE), type=dict[str, Made])
    except (OSError, ValueError, msgspec.DecodeError):
        return {}


def remember(into: Path, paths: Sequence[Path], seals: list[str]) -> None:
    """Add reports that were written below a run folder, made of records with these seals."""
    made = {str(p.relative_to(into)): Made(digest_of(p), __version__, seals) for p in paths}
    atomic.write(into / MADE, msgspec.json.format(msgspec.json.encode(kept(into) | made), indent=1) + b"\n")
