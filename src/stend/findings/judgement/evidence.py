"""Collect what a judgement rests on: named figures in base units, each from one test and one state of the drive.

A name without a figure was not measured; `TELLS` names the test that measures it.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stend.findings import Finding, Sheet, look
from stend.findings.judgement.measured import SATURATION, named
from stend.findings.look import grounds, headline
from stend.findings.look.endurance import endurance
from stend.findings.look.figures import Figures, figures
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.saturated import Saturated, saturated
from stend.model.record import Run

MEASURED_BY = {
    "iops": ("reads", "mix"),
    SATURATION: ("writes", "start", "fall", "write_tail", "longest", "uneven"),
    "latency": ("read_wait", "write_wait", "mix_tail"),
    "idle-recovery": ("back",),
    "slc-cache": ("cache_share", "cache_fall"),
    "throughput": ("seq_read", "seq_write"),
    "fresh": ("stream_end",),
    "block-sweep": ("big_share",),
    "profiles": ("server_wait", "database_wait"),
    "hot-range": ("hot_gain", "hot_hits"),
    "journal": ("journal_rate", "journal_wait", "journal_reads"),
    "wake": ("wake_wait",),
    "power": ("idle_watts", "load_watts"),
    "": ("capacity", "redundant"),
}
TELLS = {figure: test for test, figures_of in MEASURED_BY.items() for figure in figures_of}
DISK_TELLS = {"seq_read": "lba-profile", "seq_write": "lba-profile"}
"""Tests of one stream along the range of a disk, where several streams make the heads seek."""
FACTS = ("dwpd", "plp")
"""Figures of a drive sheet: drive writes per day; power-loss protection, 1 if stated, 0 if denied."""
PORTS = {"server_port": ("sas",), "client_port": ("usb", "emmc", "sd")}
"""Figures that are 1 for a drive with one of these interfaces: no desktop has the first, no server the others."""
WITHOUT_REDUNDANCY = ("raid0", "linear")
"""Levels of md arrays that lose all data with one member."""
PERCENTILES = {"write_tail": "p99.9", "mix_tail": "p99.9", "read_p99": "p99", "mix_p99": "p99", "write_p99": "p99"}
"""Figures that are percentiles of response times."""
NEEDS = (grounds.quiet, grounds.undisturbed, grounds.unthrottled, grounds.ruled)
"""Preconditions of a test for its figures to be used."""
WITHOUT_RULE = ("start", "brief_s")
"""Figures of a purged drive, which ask for no steady state."""
WORSENING = ("writes", "fall", "write_tail", "longest")
"""Figures of a saturation that would be worse later if its end has not settled."""
LATER = ("new", "drifts", "fills", "window")
"""Reasons why an end is not a level, for which a longer saturation would show a lower rate."""
AGREE = 1.1
"""An end of a saturation up to this many times the level after preconditioning has reached that level."""
SPARE = 0.5
"""Share of the capacity that is more than the spare area of drives that we know, with a margin. A choice of stend."""
Evidence = dict[str, float]


class Known(NamedTuple):
    """Figures, those that are only a bound because the drive was still getting worse, and those that cannot be used.

    `rows` are the loads that figures come from, `tests` the tests.
    """

    figures: Evidence
    bounds: Mapping[str, Because] = MappingProxyType({})
    unusable: Mapping[str, Because] = MappingProxyType({})
    rows: Mapping[str, Figures] = MappingProxyType({})
    tests: Mapping[str, str] = MappingProxyType({})

    @property
    def usable(self) -> Evidence:
        """Return the figures without those that cannot be used."""
        return {name: value for name, value in self.figures.items() if name not in self.unusable}

    @property
    def ran(self) -> set[str]:
        """Return the tests that gave figures. A further one that they could give has too small a sample."""
        return {row.test for row in self.rows.values()}

    @property
    def repeated(self) -> set[str]:
        """Return the percentiles that only repeat the mean of a load of which another figure is known."""
        loads = [row[:7] for name, row in self.rows.items() if name not in PERCENTILES]
        known = ((name, self.rows[name], quantity) for name, quantity in PERCENTILES.items() if name in self.rows)
        return {name for name, row, quantity in known if row[:7] in loads and headline.even(row, quantity)}


def evidence(run: Run, sheet: Sheet, findings: Sequence[Finding]) -> Known:
    """Return every named figure that the run, its findings and the drive sheet have."""
    rows = [row for row in figures(run) if row.direction == "both"]
    known = {item.name: item for item in named(run, findings) if item.value is not None}
    values = {"capacity": float(run.plan.device.capacity_bytes)} | {k: v.value or 0.0 for k, v in known.items()}
    tests = {name: item.test for name, item in known.items()}
    if "start" in values:
        values.pop("begun_s", None)
    if {"start", "writes"} <= values.keys():
        values["fall"], tests["fall"] = values["start"] / values["writes"], tests["writes"]
    if (lasts_for := endurance(sheet, run.plan.device.capacity_bytes)) is not None:
        values["dwpd"] = lasts_for.dwpd
    values |= {name: 1.0 for name, buses in PORTS.items() if run.plan.device.bus.startswith(buses)}
    if level := str(run.plan.device.facts.get("level", "")):
        values["redundant"] = float(level not in WITHOUT_REDUNDANCY)
    if "power_loss_protection" in sheet:
        values["plp"] = float(bool(sheet["power_loss_protection"]))
    why = {test.name: _unusable(run, test.name) for test in look.tests(run)}
    every = ((name, why.get(test)) for name, test in tests.items())
    unusable = {n: reason for n, reason in every if reason and not (n in WITHOUT_RULE and reason.key == "unruled")}
    if (lasts := _saturation(run)) and lasts.why:  # it ran, but has no end that lasts
        unusable |= {name: lasts.why for name, test in TELLS.items() if test == SATURATION and name not in tests}
    bounds = _bounds(run, rows, tests, values.get("sat_part", 0.0))
    if share := values.get("seq_outer"):
        outer = [name for name in ("seq_read", "seq_write") if tests.get(name) == tests["seq_outer"]]
        bounds |= dict.fromkeys(outer, Because("outer", {"share": share}))
    if any(why.key == "falling" for why in bounds.values()):
        values["still_falling"] = 1.0
    return Known(values, bounds, unusable, {name: item.row for name, item in known.items() if item.row}, tests)


def _unusable(run: Run, name: str) -> Because | None:
    """Return why the figures of a test cannot be used, or None."""
    test = next(iter(look.tests(run, name)))
    records = [record for phase in look.measuring(run, test) for record in look.records(run, name, phase.name)]
    return grounds.unmet(NEEDS, Ground(run, test, records)) if records else None


def _bounds(run: Run, rows: Sequence[Figures], tests: dict[str, str], share: float) -> dict[str, Because]:
    """Return the figures of a saturation that got worse to its end or has no level there, with the reason.

    A saturation of a `share` of the drive (0: of all) had the rest as spare area: a full drive is slower.
    """
    saturation, why = _saturation(run), None
    if saturation and _worsens(saturation) and not _confirmed(run, saturation, rows):
        why = saturation.why or Because("falling")
    elif share:
        why = Because("unfilled", {"share": share})
    return {name: why for name in WORSENING if tests.get(name) == SATURATION} if why else {}


def _saturation(run: Run) -> Saturated | None:
    """Return the saturation of a run, or None without one."""
    tests = ((test.name, look.main_phase(run, test)) for test in look.tests(run, SATURATION))
    return next((found for test, phase in tests if (found := saturated(run, test, phase))), None)


def _worsens(saturation: Saturated) -> bool:
    """Return whether the rate may fall further; one that scatters or rises does not.

    Nor does one that slid down to a rate that it kept for the second half.
    """
    if saturation.declines or saturation.why is None:
        return saturation.declines
    return saturation.why.key in LATER and not (saturation.why.key == "drifts" and saturation.even)


def _confirmed(run: Run, saturation: Saturated, rows: Sequence[Figures]) -> bool:
    """Return whether an end after less than two capacities is the level of the preconditioned drive.

    A sequential fill leaves the spare area free. Equal rates show a level only if the drive has slowed down, or if
    random writes have used up the spare area in the other test too.
    """
    window = headline.level(rows, "write_window")
    if not window or window.steady is False or not saturation.why:
        return False
    records = (r for r in look.records(run, window.test) if r.workload.random_pct)
    random = sum(record.counts.write.bytes for record in records)
    if saturation.ratio < AGREE and random < SPARE * run.plan.device.capacity_bytes:
        return False
    return saturation.why.key == "fills" and saturation.end <= AGREE * window.iops
