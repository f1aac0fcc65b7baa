"""A fleet file: its drives (by serial number or selector), its studies, and the orders that follow from them."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from stend import meters
from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.units import parse_bytes
from stend.many.batch import acceptance as plan
from stend.model.definition import PowerSaving
from stend.planning.plan import reads_only
from stend.session.request import CHANGES, Request

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}" + limits.END
LAST_PORT = 65535
SCHEDULER = r"^tls://[^/ ]+:\d+" + limits.END
Serial = Annotated[str, Meta(min_length=1, max_length=200)]


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The tests to run on each drive. Its fields are those of `Request`, without those that the drive's host sets.

    `meter` is one that an order may select: a command, a file or an address would let the sender use the drive's host.
    """

    tests: Annotated[list[str], Meta(min_length=1, max_length=100)]
    profile: str | None = None
    quick: bool = False
    seed: int | None = None
    threads: int | None = None
    depth: int | None = None
    active_range_pct: float | None = None
    rounds: int | None = None
    minute_s: float | None = None
    verify: bool | None = None
    power_saving: PowerSaving | None = None
    survey_minutes: Annotated[float, Meta(ge=0, le=1e5)] | None = None
    meter: Annotated[str, Meta(max_length=200)] | None = None
    tested_by: Annotated[str, Meta(max_length=200)] | None = None

    @property
    def refusal(self) -> str:
        """Return why the study may not select its meter, or an empty string. Raise BadInput if there is no such one."""
        return meters.refusal_in_order(self.meter) if self.meter else ""


class Selector(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Drives selected by globs and a capacity (`960GB`, or `900GB-1TB`); `count` of them, or all."""

    model: Annotated[str, Meta(min_length=1, max_length=200)] = "*"
    firmware: Annotated[str, Meta(min_length=1, max_length=200)] = "*"
    capacity: Annotated[str, Meta(max_length=60)] = ""
    count: Annotated[int, Meta(ge=1, le=10_000)] | None = None

    @property
    def words(self) -> str:
        """Return the selector as text for messages."""
        globs = [f"{name} {glob}" for name in ("model", "firmware") if (glob := getattr(self, name)) != "*"]
        return ", ".join([*globs, *([f"capacity {self.capacity}"] if self.capacity else [])])

    @property
    def span_bytes(self) -> tuple[float, float]:
        """Return the smallest and largest capacity in bytes. A single value means within 3 % of it.

        Raise BadInput if the text is not a capacity.
        """
        if not self.capacity:
            return 0.0, float("inf")
        least, _, most = self.capacity.partition("-")
        sizes = parse_bytes(least.strip()), parse_bytes((most or least).strip())
        return (sizes[0], sizes[1]) if most else (0.97 * sizes[0], 1.03 * sizes[1])


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One run of a fleet: a cell of its matrix of drives and studies.

    `serial` names the drive and, if its study writes, permits stend to destroy its data. `cells` are all runs of the
    fleet on that drive. The fleet keeps the drive until they are done. `beside` are the runs on each of the fleet's
    drives on this host. `together` and `trial_s` state how these are measured at the same time.
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
        """Return the number of its study, as in the name of its cell."""
        return self.cell.rpartition("-")[2]

    def request(self, target: str, into: Path) -> Request:
        """Return the request for the run on the drive's host."""
        fields = {name: getattr(self.study, name) for name in Study.__struct_fields__}
        named = None if target.startswith("sim:") or reads_only(self.study.tests) else self.serial
        return Request(**fields, target=target, destroy=named, into=str(into), label=self.fleet)


class Slurm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings for runs as Slurm jobs: `home` is a folder with the same path on all hosts. `options` are for sbatch."""

    home: Annotated[str, Meta(pattern=r"^/[^\s%]*" + limits.END)]
    gres: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*" + limits.END)] = "drive"
    partition: Annotated[str, Meta(pattern=r"^[^\s]*" + limits.END)] = ""
    options: tuple[Annotated[str, Meta(pattern=r"^--[^\r\n]*" + limits.END)], ...] = ()
    stend: Annotated[str, Meta(pattern=r"^[^\r\n]+" + limits.END)] = "stend"


class Fleet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Drives times studies. A drive's studies run in their order, and a failed run is resumed up to `retries` times.

    A serial number in `drives` permits stend to destroy the data on that drive. A selector there chooses among the
    drives in `destroy` (`stend.fleet.chosen`). With `acceptance` the collected runs are one batch, whose lot is judged
    (`stend.many.batch`).
    """

    name: Annotated[str, Meta(pattern=NAME)]
    drives: Annotated[tuple[Serial | Selector, ...], Meta(min_length=1, max_length=10_000)] | Selector
    studies: Annotated[tuple[Study, ...], Meta(min_length=1, max_length=100)]
    scheduler: Annotated[str, Meta(pattern=SCHEDULER)] = ""
    slurm: Slurm | None = None
    destroy: Annotated[tuple[Serial, ...], Meta(max_length=10_000)] = ()
    into: str = "runs"
    retries: Annotated[int, Meta(ge=0, le=100)] = 0
    together: bool = False
    trial: Annotated[float, Meta(ge=0, le=600)] = 5.0
    acceptance: plan.Written | None = None

    @property
    def wishes(self) -> tuple[str | Selector, ...]:
        """Return the entries of `drives` as a tuple."""
        return (self.drives,) if isinstance(self.drives, Selector) else self.drives

    @property
    def serials(self) -> tuple[str, ...]:
        """Return the drives given by serial number. After the choice of drives these are all."""
        return tuple(entry for entry in self.wishes if isinstance(entry, str))

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Return the selectors, whose drives are chosen later."""
        return tuple(entry for entry in self.wishes if isinstance(entry, Selector))

    @property
    def reads_only(self) -> bool:
        """Return True if no study writes to the drives. Raise BadInput if there is no such test."""
        return all(reads_only(study.tests) for study in self.studies)

    @property
    def cells(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the runs on each drive. They depend on the serial number alone, not on other drives."""
        numbers = range(1, len(self.studies) + 1)
        return {serial: tuple(f"{slug(serial)}-{number:02}" for number in numbers) for serial in self.serials}

    def orders(self, hosts: Iterable[Iterable[str]] = ()) -> Iterator[Order]:
        """Yield every order, the first study of all drives first. `hosts` are the serial numbers by host."""
        cells = self.cells
        beside = {
            serial: {other: cells[other] for other in drives if other in cells}
            for drives in map(tuple, hosts)
            for serial in drives
        }
        for number, study in enumerate(self.studies):
            for serial, names in cells.items():
                near = beside.get(serial, {})
                yield Order(
                    self.name, names[number], serial, study, names, near, self.together, self.trial, self.retries
                )


def slug(serial: str) -> str:
    """Return a serial number as part of a file name, with a hash appended if characters had to be replaced."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", serial)[:40].strip("-")
    mark = hashlib.blake2b(serial.encode(), digest_size=2).hexdigest()
    return plain if plain == serial else f"{plain}-{mark}".strip("-")


def parse_address(scheduler: str) -> tuple[str, int]:
    """Return the host and the port of a scheduler's address. Raise BadInput if it is not one."""
    host, _, port = scheduler.removeprefix("tls://").rpartition(":")
    if not re.match(SCHEDULER, scheduler) or int(port) > LAST_PORT:
        raise BadInput(
            f"{scheduler!r} is not the address of a scheduler; give tls://HOST:PORT, such as tls://10.0.0.1:8786"
        )
    return host, int(port)


def load(path: Path) -> Fleet:
    """Read a fleet file.

    Raise BadInput if it is invalid, names a drive twice, selects a meter that orders may not select, or has a
    contradictory plan of acceptance.
    """
    fleet = untrusted.toml(untrusted.read(path, "the fleet file"), Fleet, f"the fleet file {path}")
    if not fleet.scheduler and fleet.slurm is None:
        raise BadInput(f'{path} has neither scheduler = "tls://HOST:PORT" nor [slurm]; add one')
    if twice := [serial for serial in fleet.serials if fleet.serials.count(serial) > 1]:
        raise BadInput(f"{path} names the drive {twice[0]} twice")
    for selector in fleet.selectors:
        if not selector.words:
            raise BadInput(f"{path} has a selector without conditions; add model, firmware or capacity")
        if selector.span_bytes[0] > selector.span_bytes[1]:
            raise BadInput(f"{path}: the capacity {selector.capacity} is not an ascending range")
    for study in fleet.studies:
        if why := study.refusal:
            raise BadInput(f"{path}: {why}")
        changed = [name for name in ("profile", *CHANGES) if getattr(study, name) is not None]
        if study.survey_minutes is not None and (study.tests != ["inspect"] or changed):
            raise BadInput(
                f"{path}: survey_minutes is for a study of the test `inspect` alone; leave out other settings"
            )
    if fleet.acceptance:
        plan.plan(fleet.acceptance)
    return fleet
