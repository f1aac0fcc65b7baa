"""Choose the drives of a fleet: selectors choose among the announced drives that the file permits to destroy, or among
all of them if no study writes.

The choice is saved beside the runs, so that later commands use the same drives, whichever hosts are up.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend.base import atomic, untrusted
from stend.base.errors import BadInput, Refused, StepFailed
from stend.base.text import plain
from stend.base.units import decimal
from stend.fleet.file import Fleet, Selector

WORD = "drives.toml"


class Drive(NamedTuple):
    """A drive as its host announces it."""

    host: str
    model: str
    firmware: str
    capacity_bytes: int
    target: str

    @property
    def virtual(self) -> bool:
        """Return whether it is a virtual drive, on which no data can be lost."""
        return self.target.startswith("sim:")

    @property
    def words(self) -> str:
        """Return its description for messages."""
        parts = (self.model, decimal(self.capacity_bytes), self.firmware and f"firmware {self.firmware}")
        return plain(", ".join(part for part in (*parts, f"{self.target} of {self.host}") if part))


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The saved choice: drives, the selectors that chose them, and those on which data is destroyed."""

    drives: tuple[str, ...]
    by: tuple[Selector, ...]
    destroy: tuple[str, ...] = ()


def settled(fleet: Fleet, announced: Mapping[str, Drive]) -> Fleet:
    """Return the fleet with its drives by serial number.

    Raise BadInput if too few drives are announced, Refused if too few are permitted by `destroy`.
    """
    taken = list(fleet.serials)
    for selector in fleet.selectors:
        able = [serial for serial, drive in announced.items() if matches(selector, drive) and serial not in taken]
        taken += _choose(fleet, selector, able, announced)
    return msgspec.structs.replace(fleet, drives=tuple(taken))


def _choose(fleet: Fleet, selector: Selector, able: list[str], announced: Mapping[str, Drive]) -> list[str]:
    """Return the drives of one selector in the order of `destroy`."""
    if selector.count is None and (absent := [serial for serial in fleet.destroy if serial not in announced]):
        raise BadInput(
            f"no host announces the drive {absent[0]}; start its host's worker, or leave it out of `destroy`"
        )
    rank = {serial: place for place, serial in enumerate(fleet.destroy)}
    free = fleet.reads_only
    named = sorted((s for s in able if s in rank or free or announced[s].virtual), key=lambda s: rank.get(s, len(rank)))
    wanted = len(able) if selector.count is None else selector.count
    if not able:
        there = "; ".join(sorted({f"{drive.model} {decimal(drive.capacity_bytes)}" for drive in announced.values()}))
        raise BadInput(f"no announced drive matches {selector.words}; announced: {plain(there) or 'none'}")
    if len(able) < wanted:
        raise BadInput(f"{selector.words}: {wanted} drives are needed, but {len(able)} are announced")
    if len(named) < wanted:
        raise Refused(
            f"{selector.words}: {wanted} drives are needed, `destroy` names {len(named)} of {len(able)} announced; "
            "to permit stend to destroy all data on more, copy lines that `stend fleet drives` prints for this file"
        )
    return named[:wanted]


def matches(selector: Selector, drive: Drive) -> bool:
    """Return whether a selector matches a drive. Globs ignore case."""
    least, most = selector.span_bytes
    texts = ((drive.model, selector.model), (drive.firmware, selector.firmware))
    return least <= drive.capacity_bytes <= most and all(fnmatchcase(a.lower(), b.lower()) for a, b in texts)


def kept(fleet: Fleet) -> Fleet | None:
    """Return the fleet with its saved choice of drives, or None without one.

    Raise BadInput if the selectors have changed, Refused if `destroy` no longer names a chosen drive.
    """
    path = Path(fleet.into) / WORD
    if not fleet.selectors:
        return fleet
    if not path.exists():
        return None
    before = untrusted.toml(untrusted.read(path, "the drives chosen"), Written, f"the drives chosen, {path}")
    if before.by != fleet.selectors or not set(fleet.serials) <= set(before.drives):
        raise BadInput(f"{path} holds drives that other selectors chose; delete it, or set another `into`")
    if dropped := sorted({*before.destroy} - {*fleet.destroy}):
        raise Refused(f"the drive {dropped[0]} was chosen, but `destroy` no longer names it; see {path}")
    return msgspec.structs.replace(fleet, drives=before.drives)


def keep(fleet: Fleet, settled: Fleet) -> None:
    """Save the chosen drives of a fleet that has selectors. Raise StepFailed if they cannot be written."""
    if fleet.selectors:
        path, lost = Path(fleet.into) / WORD, tuple(serial for serial in settled.serials if serial in fleet.destroy)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(path, msgspec.toml.encode(Written(settled.serials, fleet.selectors, lost)))
        except OSError as error:
            raise StepFailed(f"{path}, the drives chosen, cannot be written: {error.strerror or error}") from error


def page(fleet: Fleet | None, announced: Mapping[str, Drive]) -> Iterable[str]:
    """Yield lines for a fleet file: the drives that it selects, or all drives, each with its description."""
    selectors = fleet.selectors if fleet else ()
    listed = {
        serial: drive
        for serial, drive in announced.items()
        if not selectors or any(matches(one, drive) for one in selectors) or (fleet and serial in fleet.serials)
    }
    if not listed:
        yield f"# no match among {len(announced)} announced drives"
        return
    yield "# Copying these lines permits stend to destroy all data on these drives."
    yield f"{'destroy' if selectors else 'drives'} = ["
    for serial, drive in sorted(listed.items(), key=lambda item: (item[1].host, item[1].target)):
        named = ", already named" if fleet and serial in (*fleet.destroy, *fleet.serials) else ""
        yield f"    {msgspec.json.encode(serial).decode()},  # {drive.words}{named}"
    yield "]"
