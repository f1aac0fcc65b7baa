"""Whom a drive is for: each use judged on steady figures, the fall from fresh, tails, rests, cache and endurance.

The thresholds, their weights and sources are data (uses.toml). A use is "yes", "doubt", "no" or "can't tell"; the last
names the test that would tell.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from stend.findings import Finding, Sheet
from stend.findings.judgement.evidence import TELLS, Evidence, evidence
from stend.findings.judgement.uses import Demand, Use, uses
from stend.record import Run

Mark = Literal["yes", "doubt", "no", "can't tell"]
MOST_REASONS = 3
MOST_BEYOND = 10.0
"""By how far a bound is missed counts up to so many times."""
HEAVY = 3
"""A demand of this weight decides alone."""


class Reason(msgspec.Struct, frozen=True):
    """A figure that speaks for or against a use: its answer ("pass", "doubt" or "fail") and all that is known."""

    figure: str
    answer: str
    weight: float
    values: Evidence

    @property
    def key(self) -> str:
        """Which clause says so: "pass", "doubt", "fail", or "level" where the figure hardly moved."""
        level = self.values[self.figure] < uses().level.get(self.figure, 0.0)
        return "level" if level else self.answer


class Missing(msgspec.Struct, frozen=True):
    """The tests that would tell what nobody can tell without them."""

    tests: tuple[str, ...]


class Judged(NamedTuple):
    """A use, its mark, the reasons for it with the weightiest first, and tests that would tell more."""

    use: str
    mark: Mark
    reasons: tuple[Reason, ...]
    missing: tuple[str, ...]

    @property
    def key(self) -> str:
        """The mark as a key of sentences: "yes", "doubt", "no" or "unknown"."""
        return "unknown" if self.mark == "can't tell" else self.mark


def judge(told: Evidence, kind: str) -> tuple[Judged, ...]:
    """Every use that a drive of this kind ("flash", "disk", "array") is asked, from light to heavy."""
    table = uses()
    return tuple(_judged(name, table.use[name], told) for name in table.order if _asked(table.use[name].only, kind))


def _asked(only: str, kind: str) -> bool:
    kinds = {"any": ("flash", "disk", "array"), "server": ("flash", "array"), "member": ("flash",), "disk": ("disk",)}
    return kind in kinds[only]


def _judged(name: str, use: Use, told: Evidence) -> Judged:
    demands = [d for d in use.demands if not (d.unless and told.get(d.unless.figure, 9e9) < d.unless.below)]
    known = [d for d in demands if d.figure in told]
    reasons = [_reason(demand, told) for demand in known]
    fails = [r for r in reasons if r.answer == "fail"]
    doubts = [r for r in reasons if r.answer == "doubt"]
    missing = tuple(dict.fromkeys(TELLS[d.figure] for d in demands if d.needed and d.figure not in told))
    mark: Mark = "yes"
    if any(_weight(demands, r) >= HEAVY for r in fails) or len(fails) > 1:
        mark = "no"
    elif missing or not known:
        mark = "can't tell"
    elif fails or doubts:
        mark = "doubt"
    return Judged(name, mark, _ranked(reasons, mark), missing)


def _reason(demand: Demand, told: Evidence) -> Reason:
    value = told[demand.figure]
    answer, beyond = demand.answer(value), min(demand.beyond(value), MOST_BEYOND)
    weight = demand.weight * (1 if answer == "pass" else 1 + beyond / MOST_BEYOND)
    return Reason(demand.figure, answer, weight, told)


def _weight(demands: Iterable[Demand], reason: Reason) -> int:
    return next(d.weight for d in demands if d.figure == reason.figure)


def _ranked(reasons: Sequence[Reason], mark: Mark) -> tuple[Reason, ...]:
    """Those that made the mark what it is, the weightiest first."""
    wanted = {
        "yes": ("pass",),
        "doubt": ("fail", "doubt"),
        "no": ("fail", "doubt"),
        "can't tell": ("fail", "doubt", "pass"),
    }
    own = [r for r in reasons if r.answer in wanted[mark]]
    own.sort(key=lambda r: (-wanted[mark].index(r.answer) if mark != "can't tell" else 0, r.weight), reverse=True)
    return tuple(own)


class Verdict(NamedTuple):
    """The heaviest class of the ladder that fits ("" none, None when nobody can tell), all uses, reasons, evidence."""

    best: str | None
    uses: tuple[Judged, ...]
    reasons: tuple[Reason, ...]
    told: Evidence

    def of(self, *marks: Mark) -> tuple[Judged, ...]:
        """Those so marked, from light to heavy."""
        return tuple(one for one in self.uses if one.mark in marks)


def concluded(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Verdict:
    """The whole judgement of a run, by what else was found."""
    return verdict(evidence(run, sheet, found), kind(run))


def kind(run: Run) -> str:
    """ "disk", "array" or "flash"."""
    drive = run.plan.device
    if drive.rotational:
        return "disk"
    return (
        "array" if "raid" in f"{drive.interface} {drive.kind} {drive.model}".lower() or drive.kind == "md" else "flash"
    )


def verdict(told: Evidence, kind: str) -> Verdict:
    """The whole judgement, argued by its three weightiest reasons: against what is refused, for what is not."""
    judged = judge(told, kind)
    marks = {one.use: one.mark for one in judged}
    ladder = [name for name in uses().ladder if name in marks]
    best: str | None = next((name for name in reversed(ladder) if marks[name] == "yes"), "")
    if ladder and not best and all(marks[name] == "can't tell" for name in ladder):
        best = None
    return Verdict(best, judged, _weightiest(judged, best), told)


def _weightiest(judged: Sequence[Judged], best: str | None) -> tuple[Reason, ...]:
    """What keeps it from the lightest use it is refused or doubted for first, then what makes it fit."""
    fit = [one for one in judged if one.mark == "yes" and one.use in (best, "hot", "database")] or [
        one for one in judged if one.mark == "yes"
    ]
    unfit = [one for one in judged if one.mark == "no"] or [one for one in judged if one.mark == "doubt"]
    against = [r for one in unfit[:2] for r in one.reasons if r.answer == "fail"] or [
        r for one in unfit[:1] for r in one.reasons
    ]
    pro = [r for one in fit[-1:] for r in one.reasons]
    against.sort(key=lambda r: r.weight, reverse=True)
    told: dict[str, Reason] = {}
    for reason in (*against[:2], *pro, *against[2:]):
        told.setdefault(reason.figure, reason)
    return tuple(told.values())[:MOST_REASONS]
