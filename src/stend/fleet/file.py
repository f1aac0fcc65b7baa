"""A fleet file: which drives, by serial or selector, are measured by which studies, and the orders that come of it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.units import parse_bytes
from stend.many.batch import acceptance as plan
from stend.session.request import Request

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$"
Serial = Annotated[str, Meta(min_length=1, max_length=200)]


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is run on each drive; fields as of a `Request`, but for what the drive's host knows."""

    tests: Annotated[list[str], Meta(min_length=1, max_length=100)]
    profile: str | None = None
    quick: bool = False
    seed: int | None = None
    threads: int | None = None
    depth: int | None = None
    active_range_pct: float | None = None
    rounds: int | None = None
    minute_s: float | None = None


class Selector(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Drives by what they tell of themselves: globs, a capacity (`960GB`, or `900GB-1TB`); `count` of them, or all."""

    model: Annotated[str, Meta(min_length=1, max_length=200)] = "*"
    firmware: Annotated[str, Meta(min_length=1, max_length=200)] = "*"
    capacity: Annotated[str, Meta(max_length=60)] = ""
    count: Annotated[int, Meta(ge=1, le=10_000)] | None = None

    @property
    def words(self) -> str:
        """What it asks for, for people."""
        told = [f"{name} {own}" for name in ("model", "firmware") if (own := getattr(self, name)) != "*"]
        return ", ".join([*told, *([f"capacity {self.capacity}"] if self.capacity else [])])

    @property
    def span_bytes(self) -> tuple[float, float]:
        """The least and the largest capacity; one alone is meant within 3 %. BadInput where it is none."""
        if not self.capacity:
            return 0.0, float("inf")
        least, _, most = self.capacity.partition("-")
        sizes = parse_bytes(least.strip()), parse_bytes((most or least).strip())
        return (sizes[0], sizes[1]) if most else (0.97 * sizes[0], 1.03 * sizes[1])


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One run of a fleet: a cell of its matrix. `serial` names the drive, and is the leave to destroy what is on it.

    `cells` are all the fleet's runs on that drive, which is the fleet's until they are done; `beside` those on each of
    the fleet's drives of this host, `together` and `trial_s` how they are measured beside each other.
    """

    fleet: Annotated[str, Meta(pattern=NAME)]
    cell: Annotated[str, Meta(pattern=NAME)]
    serial: Serial
    study: Study
    cells: Annotated[tuple[str, ...], Meta(max_length=100)] = ()
    beside: dict[str, tuple[str, ...]] = {}
    together: bool = False
    trial_s: Annotated[float, Meta(ge=0, le=600)] = 0.0
    retries: Annotated[int, Meta(ge=0, le=100)] = 0

    @property
    def study_word(self) -> str:
        """The number of its study, as in the name of its cell."""
        return self.cell.rpartition("-")[2]

    def request(self, target: str, into: Path) -> Request:
        """The run on the host that has the drive."""
        own = {name: getattr(self.study, name) for name in Study.__struct_fields__}
        named = None if target.startswith("sim:") else self.serial
        return Request(**own, target=target, destroy=named, into=str(into), label=self.fleet)


class Slurm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How its runs are jobs: `home` is a folder that desk and hosts see alike; `options` are further ones of sbatch."""

    home: Annotated[str, Meta(pattern=r"^/[^\s%]*\Z")]
    gres: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*\Z")] = "drive"
    partition: Annotated[str, Meta(pattern=r"^[^\s]*\Z")] = ""
    options: tuple[Annotated[str, Meta(pattern=r"^--[^\r\n]*\Z")], ...] = ()
    stend: Annotated[str, Meta(pattern=r"^[^\r\n]+\Z")] = "stend"


class Fleet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Drives times studies; a drive's studies run in their order, `retries` goes on with a run that failed.

    A serial in `drives` is the leave to destroy what is on it; a selector there chooses among those of `destroy`
    (`stend.fleet.chosen`). By `acceptance` what comes home is one batch, and its lot is judged (`stend.many.batch`).
    """

    name: Annotated[str, Meta(pattern=NAME)]
    drives: Annotated[tuple[Serial | Selector, ...], Meta(min_length=1, max_length=10_000)] | Selector
    studies: Annotated[tuple[Study, ...], Meta(min_length=1, max_length=100)]
    scheduler: Annotated[str, Meta(pattern=r"^tls://[^/ ]+:\d+$")] = ""
    slurm: Slurm | None = None
    destroy: Annotated[tuple[Serial, ...], Meta(max_length=10_000)] = ()
    into: str = "runs"
    retries: Annotated[int, Meta(ge=0, le=100)] = 0
    together: bool = False
    trial: Annotated[float, Meta(ge=0, le=600)] = 5.0
    acceptance: plan.Written | None = None

    @property
    def wishes(self) -> tuple[str | Selector, ...]:
        """What `drives` asks for, one by one."""
        return (self.drives,) if isinstance(self.drives, Selector) else self.drives

    @property
    def serials(self) -> tuple[str, ...]:
        """Drives named by their serials; of a fleet that is settled these are all."""
        return tuple(one for one in self.wishes if isinstance(one, str))

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Drives that are still to be chosen."""
        return tuple(one for one in self.wishes if isinstance(one, Selector))

    @property
    def cells(self) -> dict[str, tuple[str, ...]]:
        """The runs on each drive, in their order; named by its serial alone, so that drives may come and go."""
        numbers = range(1, len(self.studies) + 1)
        return {serial: tuple(f"{slug(serial)}-{number:02}" for number in numbers) for serial in self.serials}

    def orders(self, hosts: Iterable[Iterable[str]] = ()) -> Iterator[Order]:
        """Every cell, the first study of all drives first; `hosts` have drives of these serials."""
        cells = self.cells
        beside = {one: {two: cells[two] for two in own if two in cells} for own in map(tuple, hosts) for one in own}
        for number, study in enumerate(self.studies):
            for serial, own in cells.items():
                near = beside.get(serial, {})
                yield Order(self.name, own[number], serial, study, own, near, self.together, self.trial, self.retries)


def slug(serial: str) -> str:
    """A serial as a part of a name; where letters are lost, with what tells it from others that lose them alike."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", serial)[:40].strip("-")
    mark = hashlib.blake2b(serial.encode(), digest_size=2).hexdigest()
    return plain if plain == serial else f"{plain}-{mark}".strip("-")


def load(path: Path) -> Fleet:
    """BadInput where it cannot be one, names a drive twice, or has a plan of acceptance that contradicts itself."""
    fleet = untrusted.toml(untrusted.read(path, "the fleet file"), Fleet, f"the fleet file {path}")
    if not fleet.scheduler and fleet.slurm is None:
        raise BadInput(f'{path} names no scheduler = "tls://HOST:PORT", nor [slurm]')
    if twice := [one for one in fleet.serials if fleet.serials.count(one) > 1]:
        raise BadInput(f"{path} names the drive {twice[0]} twice")
    for one in fleet.selectors:
        if not one.words:
            raise BadInput(f"{path} selects drives by nothing at all; say model, firmware or capacity")
        if one.span_bytes[0] > one.span_bytes[1]:
            raise BadInput(f"{path}: no drive has a capacity of {one.capacity}")
    if fleet.acceptance:
        plan.plan(fleet.acceptance)
    return fleet
