"""One side of a comparison: runs, each reduced to its figures, settings and IOPS over time of saturations."""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean, median
from types import MappingProxyType
from typing import Any, NamedTuple

from stend import findings
from stend.base.errors import BadInput
from stend.base.units import access_label, binary, block_label, mix_label
from stend.findings import look
from stend.findings.look import metered
from stend.findings.look.figures import Figures, figures
from stend.findings.look.replayed import replayed
from stend.model import headroom
from stend.model.definition import Identity, PlannedTest, Workload
from stend.model.events import Source
from stend.model.record import Run
from stend.model.traced import Traced
from stend.words import Sentence

REPEATS = ("seed", "run", "pace")
"""Options of a virtual drive that do not change the drive."""
SIMULATED = "simulated"
"""The setting `engine` of a run on a virtual drive."""


class Key(NamedTuple):
    """The identity of a figure across drives. It does not include the sizes of the drive and the range.

    `service` is the part of its load's label that only loads of services have: rate, synced writes, trims.
    """

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
    service: str = ""

    @property
    def mix(self) -> str:
        """Return the read/write mix as `65/35`."""
        return mix_label(self.read_pct)

    @property
    def load(self) -> str:
        """Return the specification's short form: `RND 4K 0/100 T4 Q32`.

        The place is added if loads differ only in it. Threads and depth are left out if no loads differ in them.
        """
        kind = access_label(self.random_pct)
        there = f" #{self.place}" if self.place > 1 else ""
        outstanding = f" T{self.threads} Q{self.depth}" if self.threads else ""
        return f"{kind} {self.block} {self.mix}{outstanding}{self.service}{there}"

    @property
    def closed(self) -> bool:
        """Return False for a load with a rate, which has no queue depth."""
        return not self.service.lstrip()[:1].isdigit()

    @property
    def counted(self) -> bool:
        """Return True if the rate of its load is stated in IOs: of random access, and of synced writes."""
        return self.random_pct > 0 or "FLUSH" in self.service or "FUA" in self.service

    @property
    def loose(self) -> tuple[Any, ...]:
        """Return the key without threads and depth."""
        return self._replace(threads=0, depth=0)


class Played(NamedTuple):
    """How a test of a run played a trace: number and name of the trace, settings, share of IOs sent late.

    `limited` is true if the host, not the drive, ended a search for headroom.
    """

    number: str
    name: str
    pace: str
    mapping: str
    late_share: float
    invalid: bool
    limited: bool


class Outcome(NamedTuple):
    """One run reduced: drive, start and end (Unix time), settings by name, figures by key.

    `courses` are the saturations: test -> ((end in seconds, IOPS), ...), one pair per record. `source` and `lacks`, the
    facts that the original lacks, belong to an imported run. `played` states how tests played a trace.
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
    stamps: tuple[Sentence, ...]
    source: Source | None = None
    lacks: tuple[Sentence, ...] = ()
    played: Mapping[str, Played] = MappingProxyType({})
    scope: str = ""

    @property
    def failed(self) -> Sentence | None:
        """Return the stamp of a run that failed, or None."""
        return next((stamp for stamp in self.stamps if stamp.key in ("failed", "failed_why")), None)

    @property
    def virtual(self) -> bool:
        """Return True if its drive was simulated."""
        return self.settings.get("engine") == SIMULATED

    def share(self, size_bytes: int) -> float:
        """Return a size as a share of the capacity, to a thousandth. 0 bytes (the whole drive) and no capacity give
        1."""
        return round(size_bytes / self.capacity_bytes, 3) if size_bytes and self.capacity_bytes else 1.0


class Side(NamedTuple):
    """A set of runs and its name on pages."""

    name: str
    runs: tuple[Outcome, ...]

    @property
    def drives(self) -> list[str]:
        """Return every drive in the order of its first run."""
        return list(dict.fromkeys(run.drive for run in self.runs))

    def units(self, key: Key, quantity: str) -> list[float]:
        """Return the logarithms of a figure: one per run, or with several drives the mean of each drive.

        A virtual drive repeats a run of the same seed to the last IO: such copies count once.
        """
        logs: dict[str, list[float]] = {}
        known = set[tuple[str, int, float]]()
        for run in self.runs:
            value = run.rows[key].value(quantity) if key in run.rows else None
            copy = run.virtual and (run.drive, run.seed, value) in known
            if value and value > 0 and not copy:
                known.add((run.drive, run.seed, value))
                logs.setdefault(run.drive, []).append(log(value))
        several = len(logs) > 1
        return [x for values in logs.values() for x in ([fmean(values)] if several else values)]


def side(name: str, runs: Iterable[Outcome]) -> Side:
    """Return a side with its runs sorted by time. Raise BadInput if a run appears twice."""
    ordered = tuple(sorted(runs, key=lambda run: run.began_s))
    known: dict[tuple[float, int], str] = {}
    for run in ordered:
        if (run.began_s, run.seed) in known:
            raise BadInput(f"{known[run.began_s, run.seed]} and {run.name} are the same run; leave one out")
        known[run.began_s, run.seed] = run.name
    return Side(name, ordered)


def outcome(name: str, run: Run, host: dict[str, Any], label: str = "") -> Outcome:
    """Reduce a run and its host.json. A phase that a failure, a stop or the present moment cut off has no figures."""
    drive, began = run.plan.device, run.started[0].at
    caches = {
        (f.test, f.values["state"]): f.values["size"]
        for f in findings.named("slc_cache", run, {})
        if "size" in f.values
    }
    unended = {(test.name, phase) for test in run.plan.tests for phase in run.cut_phases(test)}
    whole = [row for row in figures(run) if (row.test, row.phase) not in unended]
    return Outcome(
        name=name,
        drive=drive.serial or drive.wwn or f"{drive.model} {drive.target}",
        began_s=began,
        ended_s=run.ended_at,
        seed=run.seed,
        settings=_settings(run, host, label),
        rows={key_of(row): _with_cache(caches, _of_histogram(run, row)) for row in whole},
        capacity_bytes=drive.capacity_bytes,
        courses={
            test.name: tuple((r.end_s, r.counts.iops) for r in look.records(run, test.name, look.main_phase(run, test)))
            for test in look.tests(run, "write-saturation")
        },
        stamps=run.stamps,
        source=run.source,
        lacks=tuple(note.text for note in run.notes if not _unstated(note.text)) if run.source else (),
        played={test.name: _played(run, test, test.traced) for test in look.tests(run) if test.traced},
        scope=power.scope if (power := metered.meter(run)) else "",
    )


def _with_cache(caches: Mapping[tuple[str, str], float], row: Figures) -> Figures:
    """Return a row with the bytes that a fast cache took in its phase, if that is known."""
    size = caches.get((row.test, row.phase)) if row.direction == "both" else None
    return row._replace(determined={"cache_bytes": size}) if size else row


def _of_histogram(run: Run, row: Figures) -> Figures:
    """Return a row. One of a histogram is not steady if the rounds before it were not."""
    if not look.is_histogram(row.phase):
        return row
    test = run.plan.test(row.test)
    names = look.phase_names(test)
    before = [(run.holder(row.test, name), name) for name in names[: names.index(row.phase)]]
    judged = [place for place in before if place in run.judgements]
    missed = {(judgement.where.test, judgement.where.phase) for judgement in run.unmet}
    return row._replace(steady=False) if judged and judged[-1] in missed else row


def key_of(row: Figures) -> Key:
    """Return the key of a figure."""
    load = row.workload
    what = f"trace {load.replay.trace[:4]}" if load.replay and row.determined else load.mix
    return Key(
        *(row.test, row.phase, row.state, load.random_pct, load.read_pct, what or block_label(load.block_bytes)),
        *(load.threads, load.depth, row.place, row.direction, _service(load)),
    )


def _service(load: Workload) -> str:
    """Return the part of a key by which loads of services differ, and the loads beside them."""
    return " + ".join([load.service, *(other.label for other in load.beside)])


def _played(run: Run, test: PlannedTest, trace: Traced) -> Played:
    """Return how a test played its trace. The mapping of a wrapped trace includes the size of the range."""
    options, phase = test.profile.options, test.phases[-1]
    load = phase.holds[0].workload
    fit, range_bytes = load.replay.fit if load.replay else "", load.range_bytes
    searched = headroom.passes(run, test) if phase.name == headroom.PHASE else []
    ended = headroom.evaluate(searched).failed
    pace, _ = replayed(run, test)
    return Played(
        number=trace.number,
        name=trace.name,
        pace=f"p{options['percentile']:g} {options['limit_ms']:g} ms" if searched else f"{options['speed']:g}×",
        mapping=f"{fit}, {binary(range_bytes)}" if fit == "wrap" else fit,
        late_share=pace.host_share,
        invalid=pace.invalid,
        limited=bool(ended and ended.why == "host"),
    )


def _settings(run: Run, host: dict[str, Any], label: str) -> dict[str, Any]:
    """Return the settings of a run by name: those of `settings.BLOCKING` and `settings.STATED`."""
    plan, drive, profile = run.plan, run.plan.device, run.plan.profile
    shown = round(drive.capacity_bytes / drive.native_bytes, 2) if drive.native_bytes else 1.0
    temperatures = [
        float(t.values["temperature_c"]) for t in run.telemetry if t.values.get("temperature_c") is not None
    ]
    if run.source:
        return _imported(run, run.source, host, label)
    return {
        "profile": profile.name,
        "quick": profile.quick,
        "minute": profile.minute_s,
        "rule": profile.steady,
        "range": profile.active_range_pct,
        "range_limit": profile.range_limit_bytes,
        "cache": str(drive.facts.get("write_cache_set") or drive.facts.get("write_cache") or ""),
        "provisioned": shown,
        "engine": SIMULATED if drive.virtual else "fio",
        "label": label,
        "meter": f"{power.name} ({power.scope})" if (power := metered.meter(run)) else "",
        "model": drive.model or drive.kind,
        "array": array(drive.facts),
        "virtual": described(drive) if drive.virtual else "",
        "firmware": drive.firmware,
        "serial": drive.serial,
        "capacity": drive.capacity_bytes,
        "interface": " ".join(filter(None, (drive.interface, str(drive.facts.get("link", ""))))),
        "temperature": median(temperatures) if temperatures else None,
        "cpu": f"{host.get('cpu', '')} × {host['cpus']}" if host.get("cpus") else "",
        "kernel": str(host.get("kernel", "")),
        "fio": "" if drive.virtual else str(host.get("fio", "")),
        "stend": run.started[0].version,
        "deviations": Sentence("parts", parts=list(plan.deviations)) if plan.deviations else "",
    }


def array(facts: Mapping[str, Any]) -> str:
    """Return level, members and chunk of an array: `RAID 5 × 8, 64 KiB`, or an empty string for other drives."""
    level, members = str(facts.get("level", "")), facts.get("raid_disks", "?")
    chunk_bytes = facts.get("chunk_bytes")
    chunk = f", {binary(chunk_bytes)}" if isinstance(chunk_bytes, int) and chunk_bytes else ""
    return f"{level.upper().replace('RAID', 'RAID ')} × {members}{chunk}" if level else ""


def changed(drive: Identity) -> list[str]:
    """Return the options of a virtual drive, without those that only distinguish repeats: `["thermal.limit_c=80"]`."""
    query = drive.target.partition("?")[2] if drive.virtual else ""
    return [part for part in query.split("&") if part and part.partition("=")[0] not in REPEATS]


def described(drive: Identity) -> str:
    """Return a virtual drive with its parameters, without those that only distinguish repeats."""
    name = Path(drive.target.partition("?")[0].removeprefix("sim:")).name
    return "&".join([f"sim:{name}", *changed(drive)]).replace("&", "?", 1)


def _imported(run: Run, source: Source, host: dict[str, Any], label: str) -> dict[str, Any]:
    """Return the settings of an imported run. Settings that the tool does not record are left out."""
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


def every_key(sides: Sequence[Side]) -> list[Key]:
    """Return the keys of all figures of all sides, in the order of measurement."""
    return list(dict.fromkeys(key for side in sides for run in side.runs for key in run.rows))


def _unstated(lack: Sentence) -> bool:
    """Return True for the note that lists unknown settings. Records without keys have its text."""
    return lack.key == "imported.untold" if lack.key else lack.startswith("not told: ")
