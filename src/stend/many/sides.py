"""One side of a comparison: runs, each reduced to its figures, its settings and the course of its saturation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from statistics import fmean, median
from types import MappingProxyType
from typing import Any, NamedTuple

from stend.base.errors import BadInput
from stend.base.units import binary, block_label
from stend.findings import look
from stend.findings.look.figures import Figures, figures
from stend.findings.look.replayed import replayed
from stend.model import headroom
from stend.model.definition import Hold, PlannedTest
from stend.model.events import Source
from stend.model.record import Run
from stend.model.traced import Traced


class Key(NamedTuple):
    """Which figure, the same for every drive: sizes of the drive and of its range are not in it."""

    test: str
    phase: str
    state: str
    random_pct: int
    read_pct: int
    block: str
    threads: int
    depth: int
    place: int
    direction: str

    @property
    def mix(self) -> str:
        """`65/35`."""
        return f"{self.read_pct}/{100 - self.read_pct}"

    @property
    def load(self) -> str:
        """The specification's short form: `RND 4K 0/100 T4 Q32`, with the place where loads differ in it alone;
        without threads and depth where these tell nothing apart."""
        kind = {0: "SEQ", 100: "RND"}.get(self.random_pct, f"{self.random_pct}%RND")
        there = f" #{self.place}" if self.place > 1 else ""
        outstanding = f" T{self.threads} Q{self.depth}" if self.threads else ""
        return f"{kind} {self.block} {self.mix}{outstanding}{there}"

    @property
    def loose(self) -> tuple[Any, ...]:
        """The same without threads and depth."""
        return self._replace(threads=0, depth=0)


class Played(NamedTuple):
    """How a test of a run played a trace: whose number, name and settings; how much of it the host sent late.

    `limited` tells that the host, not the drive, ended a search for headroom.
    """

    number: str
    name: str
    pace: str
    mapping: str
    late_share: float
    invalid: bool
    limited: bool


class Outcome(NamedTuple):
    """What one run says: who the drive is, when it began and ended (Unix time), settings by name, figures by key.

    `courses` are the saturations: test -> ((end in seconds, IOPS), ...) a record. `source`, and `lacks`, what the
    original did not tell, are of an imported one. `played` is how tests played a trace.
    """

    name: str
    drive: str
    began_s: float
    ended_s: float
    seed: int
    settings: dict[str, Any]
    rows: dict[Key, Figures]
    capacity_bytes: int
    courses: dict[str, tuple[tuple[float, float], ...]]
    stamps: tuple[str, ...]
    source: Source | None = None
    lacks: tuple[str, ...] = ()
    played: Mapping[str, Played] = MappingProxyType({})

    def share(self, size_bytes: int) -> float:
        """Of its capacity, to a thousandth; 1 for a range of 0 bytes, which is the whole, or where neither is told."""
        return round(size_bytes / self.capacity_bytes, 3) if size_bytes and self.capacity_bytes else 1.0


class Side(NamedTuple):
    """Runs of one thing, and its name on pages."""

    name: str
    runs: tuple[Outcome, ...]

    @property
    def drives(self) -> list[str]:
        """Every drive, in the order of its first run."""
        return list(dict.fromkeys(run.drive for run in self.runs))

    def units(self, key: Key, quantity: str) -> list[float]:
        """What stands for the side, as logarithms: a number a run, or a drive's mean where there are several drives."""
        found: dict[str, list[float]] = {}
        for run in self.runs:
            value = run.rows[key].value(quantity) if key in run.rows else None
            if value:
                found.setdefault(run.drive, []).append(log(value))
        several = len(found) > 1
        return [x for own in found.values() for x in ([fmean(own)] if several else own)]


def side(name: str, runs: Iterable[Outcome]) -> Side:
    """A side; BadInput when a run is there twice."""
    own = tuple(sorted(runs, key=lambda run: run.began_s))
    seen: dict[tuple[float, int], str] = {}
    for run in own:
        if (run.began_s, run.seed) in seen:
            raise BadInput(f"{seen[run.began_s, run.seed]} and {run.name} are the same run; a run counts once")
        seen[run.began_s, run.seed] = run.name
    return Side(name, own)


def outcome(name: str, run: Run, host: dict[str, Any], label: str = "") -> Outcome:
    """A run and host.json, reduced."""
    drive, began = run.plan.device, run.started[0].at
    last = run.ended.t if run.ended else max((r.t for r in run.results), default=0.0)
    return Outcome(
        name=name,
        drive=drive.serial or drive.wwn or f"{drive.model} {drive.target}",
        began_s=began,
        ended_s=began + last,
        seed=run.seed,
        settings=_settings(run, host, label),
        rows={key_of(row): row for row in figures(run)},
        capacity_bytes=drive.capacity_bytes,
        courses=dict(_courses(run)),
        stamps=run.stamps,
        source=run.source,
        lacks=tuple(note.text for note in run.notes) if run.source else (),
        played={test.name: _played(run, test, test.traced) for test in look.tests(run) if test.traced},
    )


def key_of(row: Figures) -> Key:
    """Which figure it is."""
    load = row.workload
    what = f"trace {load.replay.trace[:4]}" if load.replay and row.headroom else load.mix
    return Key(
        *(row.test, row.phase, row.state, load.random_pct, load.read_pct, what or block_label(load.block_bytes)),
        *(load.threads, load.depth, row.place, row.direction),
    )


def _played(run: Run, test: PlannedTest, trace: Traced) -> Played:
    """Of a trace that is wrapped in its range, the range's size is part of how it is laid."""
    own, phase = test.profile.options, test.phases[-1]
    load = next(step.workload for step in phase.round if isinstance(step, Hold))
    fit, range_bytes = load.replay.fit if load.replay else "", load.range_bytes
    searched = headroom.passes(run, test) if phase.name == headroom.PHASE else []
    ended = headroom.evaluate(searched).failed
    pace, _ = replayed(run, test)
    return Played(
        number=trace.number,
        name=trace.name,
        pace=f"p{own['percentile']:g} {own['limit_ms']:g} ms" if searched else f"{own['speed']:g}×",
        mapping=f"{fit}, {binary(range_bytes)}" if fit == "wrap" else fit,
        late_share=pace.host_share,
        invalid=pace.invalid,
        limited=bool(ended and ended.why == "host"),
    )


def _settings(run: Run, host: dict[str, Any], label: str) -> dict[str, Any]:
    """By name; those of `settings.BLOCKING` must be alike, the others are told where they are not."""
    plan, drive, profile = run.plan, run.plan.device, run.plan.profile
    shown = round(drive.capacity_bytes / drive.native_bytes, 2) if drive.native_bytes else 1.0
    told = [float(t.values["temperature_c"]) for t in run.telemetry if t.values.get("temperature_c") is not None]
    if run.source:
        return _imported(run, run.source, host, label)
    return {
        "profile": profile.name,
        "quick": profile.quick,
        "minute": profile.minute_s,
        "rule": profile.steady,
        "range": profile.active_range_pct,
        "range_limit": profile.range_limit_bytes,
        "cache": profile.write_cache,
        "provisioned": shown,
        "engine": "simulated" if drive.virtual else "fio",
        "label": label,
        "model": drive.model or drive.kind,
        "firmware": drive.firmware,
        "serial": drive.serial,
        "capacity": drive.capacity_bytes,
        "interface": " ".join(filter(None, (drive.interface, str(drive.facts.get("link", ""))))),
        "temperature": median(told) if told else None,
        "cpu": f"{host.get('cpu', '')} × {host['cpus']}" if host.get("cpus") else "",
        "kernel": str(host.get("kernel", "")),
        "fio": "" if drive.virtual else str(host.get("fio", "")),
        "stend": run.started[0].version,
        "deviations": "; ".join(plan.deviations),
    }


def _imported(run: Run, source: Source, host: dict[str, Any], label: str) -> dict[str, Any]:
    """Those that another tool told; the others are unknown, and are left out."""
    drive = run.plan.device
    return {
        "profile": run.plan.profile.name,
        "range_limit": run.plan.range_bytes or None,
        "engine": source.tool.lower(),
        "label": label,
        "model": drive.model,
        "firmware": drive.firmware,
        "serial": drive.serial,
        "capacity": drive.capacity_bytes or None,
        "cpu": str(host.get("cpu", "")),
        "kernel": str(host.get("kernel", "")),
        "fio": f"fio-{source.version}" if source.tool == "fio" else "",
        "tool": source.name,
        "stend": run.started[0].version,
    }


def _courses(run: Run) -> Iterator[tuple[str, tuple[tuple[float, float], ...]]]:
    for test in look.tests(run, "write-saturation"):
        records = look.records(run, test.name, look.main_phase(run, test))
        yield test.name, tuple((record.end_s, record.counts.iops) for record in records)


def every_key(sides: Sequence[Side]) -> list[Key]:
    """All figures of all sides, in the order they were measured."""
    return list(dict.fromkeys(key for one in sides for run in one.runs for key in run.rows))
