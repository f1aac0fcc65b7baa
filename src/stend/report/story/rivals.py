"""Drives for comparison in a review: other runs, folders of runs, published drives, and by default its class."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from stend import catalogue
from stend.base.errors import BadInput
from stend.charts.parts.sides import Side
from stend.findings import judgement
from stend.findings.look import inspected
from stend.findings.look.figures import lasting
from stend.findings.look.headline import RANDOM, level
from stend.many.sides import changed
from stend.model import publications
from stend.model.definition import Identity
from stend.model.published import PLACES, PREFIX, middle, span
from stend.model.record import Run
from stend.report.parts.departures import departures
from stend.store import journal
from stend.words import Language

NONE = "none"
CLASSES = {("nvme", "enterprise"): "nvme-server", ("nvme", "client"): "nvme-desktop"}
"""Classes of published drives by family and class of the run; elsewhere the family is the class."""
FAST_RPM = 10_000.0
"""Disks that turn slower are of another class than the published hybrid disks of 10,500 and 15,000 rpm."""
FAMILIES = {"nvme": "nvme", "pcie": "nvme", "sata": "sata", "sas": "sas", "scsi": "sas"}
"""Families of drives by a part of the name of their interface."""
LOCAL = ("", "pcie", "apple-nvme")
"""Transports of NVMe, as sysfs names them, to a drive that is not behind a network."""
AHEAD = 1.1
"""Minimum ratio to the figure of a rival, because that was measured under other conditions."""
FAR = 1.25
"""Minimum ratio between a virtual drive and its real drive of which page one warns."""
FEWER, MANY = 2, 128
"""A rate measured with less than half the outstanding IOs of another one is not compared with it, unless they are as
many as PTS asks for by default (4 threads x 32): more of them raise few drives' rates. A choice of stend."""
RATES = ("reads", "mix")
MOST_NAMED = 10
"""Places and numbers of drives up to this one are written as words."""
Drives = Mapping[str, dict[str, Any]]


class Rival(NamedTuple):
    """A drive next to the one of the review: its name, its figures by name in base units, published ranges, the year.

    The figure of a range is its mean. The year is that of the publication, "" if unknown. `outstanding` is the number
    of IOs with which its rates were measured, 0 if unknown.
    """

    name: str
    figures: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({})
    year: str = ""
    outstanding: int = 0

    def beside(self, run: Run) -> "Rival":
        """Return it without the rates that this run measured with far fewer outstanding IOs (`FEWER`, `MANY`)."""
        levels = {name: level(lasting(run), RANDOM[name]) for name in RATES if name in self.figures}
        own = {name: row.workload.outstanding for name, row in levels.items() if row}
        unlike = {name for name, count in own.items() if count < MANY and count * FEWER < self.outstanding}
        return self._replace(figures={name: value for name, value in self.figures.items() if name not in unlike})

    def dated(self, words: Language) -> str:
        """Return its name with the year."""
        return words("story.of_year", name=self.name, year=self.year) if self.year else self.name

    def ends(self, name: str) -> tuple[float, float]:
        """Return the lowest and the highest value of a figure that it has."""
        return self.ranges.get(name, (self.figures[name],) * 2)


class Place(NamedTuple):
    """The place of a drive among several by one figure, 1 for the best, and the number of drives that have it.

    `joint` if another drive is too close to be ranked.
    """

    place: int
    drives: int
    joint: bool = False

    def text(self, words: Language) -> str:
        """Return `third of six`; of two drives `better than`, `worse than` or, if close, `about the same as`."""
        if self.drives == 2:
            return words(f"place.{'equal' if self.joint else 'better' if self.place == 1 else 'worse'}")
        if self.drives > MOST_NAMED:
            return words("place.far_joint" if self.joint else "place.far", place=self.place, drives=self.drives)
        key, drives = "joint" if self.joint else "near", words(f"place.of_{self.drives}")
        return words(f"place.{key}", place=words(f"place.{self.place}"), drives=drives)


def resolve(names: Sequence[str], known: Drives | None = None) -> tuple[list[Path], list[Side]]:
    """Return the run folders (of a catalogue all its runs) and the published drives that these names stand for.

    Raise BadInput for an unknown published drive, or without any run folder.
    """
    folders = [folder for name in names if not name.startswith(PREFIX) and name != NONE for folder in _runs(Path(name))]
    if not folders:
        raise BadInput("a report needs a run folder; name at least one")
    return list(dict.fromkeys(folders)), [side(name, known) for name in names if name.startswith(PREFIX)]


def side(name: str, known: Drives | None = None) -> Side:
    """Return `published:NAME` as a drive of the charts. Raise BadInput if nothing is published of it."""
    drives = publications.known() if known is None else known
    facts = drives.get(name.removeprefix(PREFIX))
    if facts is None:
        raise BadInput(f"nothing is published of {name.removeprefix(PREFIX)!r}; there are {', '.join(drives)}")
    return Side(facts["about"]["title"], facts=facts)


def reference(runs: Sequence[Run], known: Drives | None = None) -> list[Side]:
    """Return the published drives of the class of the first run, without those that a run of the page measured.

    Other drives were measured over their whole capacity, so that a run on a part of its drive has none.
    """
    if not all(map(_whole, runs)) or all(test.name in inspected.TESTS for run in runs for test in run.plan.tests):
        return []
    first, models = runs[0], [run.plan.device.model for run in runs]
    found = peers(first.plan.device, judgement.kind(first), first.plan.profile.device_class, known)
    kept = [facts for facts in found.values() if not any(_same(model, facts["about"]) for model in models)]
    return [Side(facts["about"]["title"], facts=facts) for facts in kept]


def originals(runs: Sequence[Run], others: Sequence[Side], words: Language) -> list[Side]:
    """Return the published drives of which virtual drives of these runs are models, without those among `others`."""
    named = [side.facts for side in others]
    models = [run.plan.device.model for run in runs if _is_model(run.plan.device) and _whole(run)]
    found = in_words([Side(f["about"]["title"], facts=f) for f in _of_models(models) if f not in named], words)
    return [Side(words("story.real", name=side.name), facts=side.facts) for side in found]


class Misfit(NamedTuple):
    """A figure of a virtual drive that is far from the published one of its real drive, in base units, and by how much.

    `times` is at least 1.
    """

    figure: str
    model: float
    real: float
    times: float


def misfits(run: Run, figures: Mapping[str, float]) -> list[Misfit]:
    """Return the figures of a virtual drive that are `FAR` or more from the published ones of its real drive.

    A run with changed settings has none: the difference may be that of the settings.
    """
    found = []
    usual = _is_model(run.plan.device) and not run.plan.deviations and _whole(run)
    for facts in _of_models([run.plan.device.model] if usual else []):
        real = published_rival(Side("", facts=facts)).beside(run)
        for name in real.figures:
            value, (low, high) = figures.get(name), real.ends(name)
            times = max(value / high, low / value) if value and low > 0 else 0.0
            found += [Misfit(name, value, high if value > high else low, times)] if value and times >= FAR else []
    return sorted(found, key=lambda one: -one.times)


def _is_model(drive: Identity) -> bool:
    """Return whether this is a virtual drive as its file describes it. With changed parameters it models no drive."""
    return drive.virtual and not changed(drive)


def _whole(run: Run) -> bool:
    """Return whether no test has a smaller part of the drive than its specification asks for."""
    every = [one for of_test in (departures(run) or {}).values() for one in of_test]
    part = any(one.setting == "active_range_pct" and one.value < one.usual for one in every)
    limit, asked = run.plan.profile.range_limit_bytes, run.plan.profile.active_range_pct / 100
    return not part and not 0 < limit < asked * run.plan.device.capacity_bytes


def _of_models(models: Sequence[str]) -> list[dict[str, Any]]:
    """Return the published drives that report any of these models. Without models no file is read."""
    every = [facts for facts in publications.known().values() if "about" in facts] if models else []
    return [facts for facts in every if any(_same(model, facts["about"]) for model in models)]


def peers(drive: Identity, kind: str, device_class: str, known: Drives | None = None) -> dict[str, dict[str, Any]]:
    """Return the published data of other drives of its class, by name. A drive is not its own rival."""
    named = (family for word, family in FAMILIES.items() if word in drive.interface.lower())
    remote = drive.facts.get("transport", "") not in LOCAL or drive.interface.lower().startswith("nvme/")
    family = "" if remote else next(named, "")  # a file and a drive in memory have none
    disk = "" if 0 < float(drive.facts.get("rotation_rpm") or 0) < FAST_RPM else "hybrid"
    wanted = {"disk": disk, "array": "array"}.get(kind, CLASSES.get((family, device_class), family))
    return {
        name: facts
        for name, facts in (publications.known() if known is None else known).items()
        if facts.get("about", {}).get("class") == wanted and not _same(drive.model, facts["about"])
    }


def in_words(sides: Sequence[Side], words: Language) -> list[Side]:
    """Return published drives under names in the units of a language."""
    return [Side(words.converted(side.name), side.run, side.facts) for side in sides]


def published_rival(side: Side) -> Rival:
    """Return the published figures of a drive as a rival."""
    ranges = {name: ends for name in PLACES if (ends := span(side.facts, name)) is not None}
    about = side.facts.get("about", {})
    year = re.search(r"\d{4}", str(about.get("date", ""))) or re.search(r"\d{4}$", about.get("source", ""))
    conditions = side.facts.get("conditions", {})
    outstanding = conditions.get("threads", 0) * conditions.get("depth", 0)
    figures = {name: middle(ends) for name, ends in ranges.items()}
    return Rival(side.name, figures, ranges, year[0] if year else "", outstanding)


def place(value: float, others: Sequence[float], *, less_is_better: bool) -> Place:
    """Return the place of a figure among others; figures that differ by less than `AHEAD` share a place."""
    gains = [value / other if less_is_better else other / value for other in others]
    joint = any(1 / AHEAD < gain < AHEAD for gain in gains)
    return Place(sum(gain >= AHEAD for gain in gains) + 1, len(others) + 1, joint)


def _same(model: str, about: Mapping[str, Any]) -> bool:
    """Return whether a drive reports the model that a publication is about."""
    return bool(about.get("model")) and about["model"].lower() in model.lower()


def _runs(folder: Path) -> Iterator[Path]:
    """Yield the run that this names (`catalogue.meant`), or the runs in it if it is a folder of runs."""
    several = folder.is_dir() and not journal.is_run(folder)
    yield from (catalogue.folders(folder) if several else ()) or [catalogue.meant(folder)]
