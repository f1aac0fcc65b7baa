"""Judge what a drive is for, by lasting figures, the fall from fresh, tails, rests, cache and drive sheet.

Demands, bounds, weights and sources are data (uses.toml). A use is marked

- `yes`: every demand is met;
- `performance`: every measured demand is met, but the drive sheet does not state endurance or power-loss protection;
- `doubt`: a demand is met in part, or a figure is missing that the use does not strictly need;
- `no`: a decisive demand fails, two demands fail, or the doubts together weigh as much (`HEAVY_DOUBTS`);
- `can't tell`: a needed figure was not measured, or the run cannot support it.

A run that is shortened, unfinished, damaged or of a tiny target has no marks at all (`standing`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from stend.findings import Finding, Sheet
from stend.findings.judgement.evidence import DISK_TELLS, FACTS, TELLS, Evidence, Known, evidence
from stend.findings.judgement.standing import standing
from stend.findings.judgement.uses import Demand, Use, uses
from stend.findings.look.grounds import Because
from stend.model.record import Run

Mark = Literal["yes", "performance", "doubt", "no", "can't tell"]
RANK: tuple[Mark, ...] = ("no", "can't tell", "doubt", "performance", "yes")
"""From the worst mark to the best."""
FIT: tuple[Mark, ...] = ("yes", "performance")
MOST_REASONS = 3
MOST_BEYOND = 10.0
"""The ratio by which a bound is missed counts up to this value."""
HEAVY = 3
"""A demand of this weight decides alone."""
HEAVY_DOUBTS = 5
"""Doubts decide too if their weights add up to this value."""
ALONG = ("seq_read", "seq_write")
"""Figures that are means over all positions if `seq_along` is known."""
SAFE = 3.0
"""A figure this many times beyond its bound passes even if the drive was still getting worse."""
SLOW = 0.9
"""A drop that takes this share of the saturation has no end that the text could give apart from it."""


def along(figure: str, values: Evidence) -> str:
    """Return "_along" for a sequential rate that is a mean along a disk, "_outer" for one at its start, else ""."""
    places = (place for place in ("_along", "_outer") if figure in ALONG and values.get(f"seq{place}"))
    return next(places, "")


class Reason(msgspec.Struct, frozen=True):
    """A figure for or against a use: its answer ("pass", "doubt" or "fail"), all figures, and a caveat.

    `near` is whether it misses a bound by little: rounded for running text it could look like the bound.
    """

    figure: str
    answer: str
    weight: float
    values: Evidence
    caveat: Because | None = None
    clause: str = ""
    beyond: float = 1.0
    near: bool = False

    @property
    def margin(self) -> float:
        """Return the weight of the demand times how far the figure is beyond its bound, by its logarithm."""
        return self.weight * math.log(self.beyond)

    @property
    def key(self) -> str:
        """Return the key of its sentence: the demand's, "level" if the rate surely held one, else the answer.

        That of a mean along the range of a disk ends in "_along", at its start in "_outer". That of writes that no
        saturation shows ends in "_filled". A drop that takes nearly all of the saturation has "slow", a slow end of a
        write after a fast cache "after". That of a stream in rounds over a filled range, and not of a write of the
        whole drive, ends in "_rounds".
        """
        level = self.values[self.figure] < uses().level.get(self.figure, 0.0) and self.values.get("held")
        key = "level" if level else self.clause or self.answer
        if self.figure in ("writes", "fall") and "sat_s" not in self.values:
            return f"{key}_filled"
        if self.figure == "stream_end" and self.values.get("stream_rounds"):
            return f"{key}_rounds"
        if key in ("doubt", "fail"):
            if self.figure == "fall" and self.values["fallen_s"] >= SLOW * self.values["sat_s"]:
                return "slow"
            if self.figure == "stream_end" and self.values.get("cache_bytes"):
                return "after"
        return key + along(self.figure, self.values)


class Why(msgspec.Struct, frozen=True):
    """Why a use has its mark: reasons, unusable figures, tests that did not run, facts that no sheet states."""

    reasons: tuple[Reason, ...] = ()
    because: tuple[Because, ...] = ()
    tests: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


class Judged(NamedTuple):
    """A use, its mark, the reasons for it with the weightiest first, and what is missing.

    `missing` are tests that did not run. `facts` is what the drive sheet does not state ("dwpd", "plp"). `because`
    holds the reasons why figures of this run cannot be used.
    """

    use: str
    mark: Mark
    reasons: tuple[Reason, ...]
    missing: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    because: tuple[Because, ...] = ()

    @property
    def key(self) -> str:
        """Return the mark as a key of sentences: "yes", "performance", "doubt", "no" or "unknown"."""
        return "unknown" if self.mark == "can't tell" else self.mark

    @property
    def by_doubts(self) -> bool:
        """Return whether several doubts together refuse the use, without a demand that fails."""
        return self.mark == "no" and all(reason.answer != "fail" for reason in self.reasons)

    def why(self, most: int = MOST_REASONS) -> Why:
        """Return the reasons of the mark, at most `most`; missing facts and tests only if they decided it."""
        if self.mark == "no":
            return Why(self.reasons[:most])
        reasons = () if self.mark == "can't tell" else self.reasons[:most]
        return Why(reasons, self.because, self.missing, self.facts)


def judge(known: Known, kind: str) -> tuple[Judged, ...]:
    """Judge every use that applies to a drive of this kind ("flash", "disk", "array"), from light to heavy."""
    table, done = uses(), dict[str, Judged]()
    for name in table.order:
        use = table.use[name]
        lacks = use.applies and known.figures.get(use.applies.figure, 0.0) < use.applies.above
        if kind in use.kinds and not lacks and not _excused(use, known.figures):
            done[name] = _no_better(_judged(name, use, known, kind), done.get(use.no_better))
    return tuple(done.values())


def demands_of(verdict: "Verdict", kind: str) -> Iterator[tuple[str, Demand]]:
    """Yield each use that has a mark with each of its demands: those that are made of such a drive with these figures.

    A figure that is not known and that the use does not suffer from is left out.
    """
    figures = verdict.known.usable
    for name in (judged.use for judged in verdict.uses if judged.mark != "can't tell"):
        known, unknown = _demands(uses().use[name], figures, kind)
        yield from ((name, demand) for demand in uses().use[name].demands if demand in (*known, *unknown))


def _demands(use: Use, figures: Evidence, kind: str) -> tuple[list[Demand], list[Demand]]:
    """Return the demands of a use whose figures are known, and those that it suffers from where they are not."""
    made = [d for d in use.demands if kind in d.kinds and not _excused(d, figures)]
    unknown = [d for d in made if d.figure not in figures and not d.optional and d.instead not in figures]
    return [d for d in made if d.figure in figures], unknown


def _no_better(judged: Judged, other: Judged | None) -> Judged:
    """Lower the mark to that of another use, with the reasons of that one."""
    if other is None or RANK.index(judged.mark) <= RANK.index(other.mark):
        return judged
    return other._replace(use=judged.use)


def _judged(name: str, use: Use, known: Known, kind: str) -> Judged:
    # 1. Answer the demands whose figures are usable.
    figures = known.usable
    demands, unknown = _demands(use, figures, kind)
    reasons = [_reason(demand, known) for demand in demands]
    fails = [r for r in reasons if r.answer == "fail"]
    doubts = [r for r in reasons if r.answer == "doubt"]
    # 2. Sort the others by what is missing: a fact of the sheet, a test, a usable figure.
    facts = tuple(d.figure for d in unknown if d.figure in FACTS)
    unknown = [d for d in unknown if d.figure not in FACTS]
    tells = TELLS | (DISK_TELLS if kind == "disk" else {})
    missing = tuple(dict.fromkeys(tells[d.figure] for d in unknown if d.figure not in known.unusable))
    scant = tuple(name for name in missing if name in known.ran)
    missing = tuple(name for name in missing if name not in scant)
    because = each_once(known.unusable[d.figure] for d in unknown if d.figure in known.unusable)
    because += (Because("scant", {"tests": list(scant)}),) if scant else ()
    # 3. Choose the mark.
    mark: Mark = "yes"
    decisive = any(_weight(demands, r) >= HEAVY for r in fails) or len(fails) > 1
    if decisive or _weighed(demands, [r for r in (*fails, *doubts) if not r.caveat]) >= HEAVY_DOUBTS:
        mark = "no"
    elif any(d.needed for d in unknown) or not reasons:
        mark = "can't tell"
    elif fails or doubts or unknown:
        mark = "doubt"
    elif facts:
        mark = "performance"
    return Judged(name, mark, _ranked(reasons, mark), missing, facts, because)


def each_once(reasons: Iterable[Because]) -> tuple[Because, ...]:
    """Return the first of equal reasons; of temperatures that were reached, the highest."""
    distinct: list[Because] = []
    for reason in reasons:  # reasons hold dicts, which cannot be hashed
        hot = next((n for n, why in enumerate(distinct) if why.key == reason.key == "hot"), None)
        if hot is not None:
            distinct[hot] = max(distinct[hot], reason, key=lambda why: float(why.values["top"]))
        elif reason not in distinct:
            distinct.append(reason)
    return tuple(distinct)


def _excused(asked: Demand | Use, figures: Evidence) -> bool:
    """Return whether the demand is not made of this drive, or the use not judged."""
    unless = asked.unless
    known = None if unless is None else figures.get(unless.figure)
    return unless is not None and known is not None and not unless.below <= known <= unless.above


def _reason(demand: Demand, known: Known) -> Reason:
    value = known.figures[demand.figure]
    answer, beyond = demand.answer(value), min(demand.beyond(value), MOST_BEYOND)
    caveat = known.bounds.get(demand.figure) if answer == "pass" and beyond < SAFE else None
    if caveat:  # the truth is worse than the figure
        answer = "doubt"
    weight = demand.weight * (1 if answer == "pass" else 1 + beyond / MOST_BEYOND)
    clause = demand.clause if answer != "pass" else ""
    return Reason(
        demand.figure, answer, weight, known.figures, caveat, clause, max(beyond, 1.0), near=demand.near(value)
    )


def _weighed(demands: Sequence[Demand], reasons: Iterable[Reason]) -> int:
    """Return the weights of doubts together. A fall and the rate at its end are one fact."""
    weights: dict[str, int] = {}
    for reason in reasons:
        fact = "writes" if reason.figure == "fall" else reason.figure
        weights[fact] = max(_weight(demands, reason), weights.get(fact, 0))
    return sum(weights.values())


def _weight(demands: Iterable[Demand], reason: Reason) -> int:
    return next(d.weight for d in demands if d.figure == reason.figure)


def _ranked(reasons: Sequence[Reason], mark: Mark) -> tuple[Reason, ...]:
    """Return the reasons that decided the mark, the weightiest first."""
    wanted = {"doubt": ("fail", "doubt"), "no": ("fail", "doubt"), "can't tell": ("fail", "doubt", "pass")}
    answers = wanted.get(mark, ("pass",))
    chosen = [r for r in reasons if r.answer in answers]
    chosen.sort(key=lambda r: (answers.index(r.answer) if mark != "can't tell" else 0, -r.weight))
    return tuple(chosen)


class Verdict(NamedTuple):
    """The heaviest class that fits, all uses, the evidence, and the reason if there cannot be a verdict.

    `best` is "" if no class fits and None if that is unknown.
    """

    best: str | None
    uses: tuple[Judged, ...]
    known: Known
    standing: Because | None = None

    @property
    def figures(self) -> Evidence:
        """Return every figure, including unusable ones."""
        return self.known.figures

    def unjudged(self, kind: str) -> list[str]:
        """Return the uses that a drive of this kind is not judged for because of its interface."""
        every = ((name, uses().use[name]) for name in uses().order)
        return [name for name, use in every if kind in use.kinds and not use.applies and _excused(use, self.figures)]

    def of(self, *marks: Mark) -> tuple[Judged, ...]:
        """Return the uses with these marks, from light to heavy."""
        return tuple(use for use in self.uses if use.mark in marks)


def concluded(run: Run, sheet: Sheet, findings: Sequence[Finding]) -> Verdict:
    """Return the judgement of a run from its findings and drive sheet."""
    return verdict(evidence(run, sheet, findings), kind(run), standing(run))


def kind(run: Run) -> str:
    """Return "disk", "array" or "flash"."""
    drive = run.plan.device
    if drive.rotational:
        return "disk"
    return (
        "array" if "raid" in f"{drive.interface} {drive.kind} {drive.model}".lower() or drive.kind == "md" else "flash"
    )


def verdict(known: Known, kind: str, because: Because | None = None) -> Verdict:
    """Return the whole judgement; with a reason `because`, every use is marked as unknown."""
    judged = judge(known, kind)
    if because:
        judged = tuple(Judged(use.use, "can't tell", (), because=(because,)) for use in judged)
    marks = {use.use: use.mark for use in judged}
    ladder = [name for name in uses().ladder if name in marks]
    best: str | None = next((name for name in reversed(ladder) if marks[name] in FIT), "")
    if ladder and not best and all(marks[name] == "can't tell" for name in ladder):
        best = None
    return Verdict(best, judged, known, because)
