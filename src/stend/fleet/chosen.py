"""Which drives a fleet is of: a selector chooses among those announced, such as the file names to be destroyed.

What was chosen is written down beside the runs, so that asking again means the same drives, whichever hosts are up.
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
    """What a host announces of a drive."""

    host: str
    model: str
    firmware: str
    capacity_bytes: int
    target: str

    @property
    def virtual(self) -> bool:
        """Whether nothing can be lost on it."""
        return self.target.startswith("sim:")

    @property
    def words(self) -> str:
        """It, for people."""
        told = (self.model, decimal(self.capacity_bytes), self.firmware and f"firmware {self.firmware}")
        return plain(", ".join(part for part in (*told, f"{self.target} of {self.host}") if part))


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Drives that were chosen, by what, and those of them on which something is destroyed."""

    drives: tuple[str, ...]
    by: tuple[Selector, ...]
    destroy: tuple[str, ...] = ()


def settled(fleet: Fleet, announced: Mapping[str, Drive]) -> Fleet:
    """The fleet with its drives by serial. BadInput where too few are there, Refused where they are not named."""
    taken = list(fleet.serials)
    for one in fleet.selectors:
        able = [serial for serial, drive in announced.items() if matches(one, drive) and serial not in taken]
        taken += _of(fleet, one, able, announced)
    return msgspec.structs.replace(fleet, drives=tuple(taken))


def _of(fleet: Fleet, one: Selector, able: list[str], announced: Mapping[str, Drive]) -> list[str]:
    """The drives of one selector, those first that are named first."""
    if one.count is None and (gone := [serial for serial in fleet.destroy if serial not in announced]):
        raise BadInput(f"no host announces the drive {gone[0]}; whether it is of {one.words} nobody knows")
    rank = {serial: place for place, serial in enumerate(fleet.destroy)}
    named = sorted((s for s in able if s in rank or announced[s].virtual), key=lambda s: rank.get(s, len(rank)))
    wanted = len(able) if one.count is None else one.count
    if not able:
        there = "; ".join(sorted({f"{drive.model} {decimal(drive.capacity_bytes)}" for drive in announced.values()}))
        raise BadInput(f"no drive announced is of {one.words}; there are {plain(there) or 'none at all'}")
    if len(able) < wanted:
        raise BadInput(f"{one.words}: {wanted} drives are wanted, {len(able)} are announced")
    if len(named) < wanted:
        raise Refused(
            f"{one.words}: {wanted} drives are wanted, and `destroy` names {len(named)} of the {len(able)} announced; "
            "`stend fleet drives` with this file prints them, to be copied if all data on them is to be destroyed"
        )
    return named[:wanted]


def matches(one: Selector, drive: Drive) -> bool:
    """Whether a selector means that drive; globs take capitals for small letters."""
    least, most = one.span_bytes
    texts = ((drive.model, one.model), (drive.firmware, one.firmware))
    return least <= drive.capacity_bytes <= most and all(fnmatchcase(a.lower(), b.lower()) for a, b in texts)


def kept(fleet: Fleet) -> Fleet | None:
    """As it was chosen before; None where nothing was. Refused where a drive is not named to be destroyed any more."""
    path = Path(fleet.into) / WORD
    if not fleet.selectors:
        return fleet
    if not path.exists():
        return None
    before = untrusted.toml(untrusted.read(path, "the drives chosen"), Written, f"the drives chosen, {path}")
    if before.by != fleet.selectors or not set(fleet.serials) <= set(before.drives):
        raise BadInput(f"{path} has drives that were chosen by other words; delete it, or name another `into`")
    if gone := sorted({*before.destroy} - {*fleet.destroy}):
        raise Refused(f"the drive {gone[0]} was chosen, and `destroy` names it no more; see {path}")
    return msgspec.structs.replace(fleet, drives=before.drives)


def keep(fleet: Fleet, own: Fleet) -> None:
    """Write down what was chosen."""
    if fleet.selectors:
        path, lost = Path(fleet.into) / WORD, tuple(one for one in own.serials if one in fleet.destroy)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(path, msgspec.toml.encode(Written(own.serials, fleet.selectors, lost)))
        except OSError as error:
            raise StepFailed(f"{path}, the drives chosen, cannot be written: {error.strerror or error}") from error


def page(fleet: Fleet | None, announced: Mapping[str, Drive]) -> Iterable[str]:
    """Lines of a fleet file: the drives that it selects, or all, each with what it is."""
    mean = fleet.selectors if fleet else ()
    own = {
        serial: drive
        for serial, drive in announced.items()
        if not mean or any(matches(one, drive) for one in mean) or (fleet and serial in fleet.serials)
    }
    if not own:
        yield f"# none of {len(announced)} drives announced"
        return
    yield "# Whoever copies this gives leave to destroy all data on these drives."
    yield f"{'destroy' if mean else 'drives'} = ["
    for serial, drive in sorted(own.items(), key=lambda item: (item[1].host, item[1].target)):
        named = ", named already" if fleet and serial in (*fleet.destroy, *fleet.serials) else ""
        yield f"    {msgspec.json.encode(serial).decode()},  # {drive.words}{named}"
    yield "]"
