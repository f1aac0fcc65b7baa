"""Keep in `reports.json` which reports a run folder has, and from which record each was made."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.version import __version__
from stend.model.record import Run
from stend.store import digest_of

MADE = "reports.json"


class Made(msgspec.Struct, frozen=True):
    """Digest of a report, the version of stend that wrote it, and the seals of its records (see `store`)."""

    digest: str = ""
    stend: str = ""
    seals: list[str] = []


def current(folder: Path, run: Run, name: str = "report.html") -> bool:
    """Return True if a run folder has a report that was made from the record as it is now."""
    return (folder / name).exists() and kept(folder).get(name, Made()).seals == [run.seal]


def kept(folder: Path) -> dict[str, Made]:
    """Return the entries of reports in a run folder by file name, or {} if none can be read."""
    try:
        return msgspec.json.decode(regular.read(folder / MADE), type=dict[str, Made])
    except (OSError, *untrusted.BROKEN):
        return {}


def remember(into: Path, paths: Sequence[Path], seals: list[str]) -> None:
    """Add entries for reports that were written below a run folder, from records with these seals."""
    made = {str(p.relative_to(into)): Made(digest_of(p), __version__, seals) for p in paths}
    atomic.write(into / MADE, msgspec.json.format(msgspec.json.encode(kept(into) | made), indent=1) + b"\n")
