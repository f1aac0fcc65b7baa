"""The judgement of a batch: outliers with their evidence, bad drives with the limits they violate, and the verdict."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Literal, NamedTuple

from stend.base.errors import BadInput
from stend.many.batch import groups, odd
from stend.many.batch.acceptance import Plan
from stend.many.batch.groups import Groups
from stend.many.batch.lot import Lot
from stend.many.batch.odd import Odd, Spread
from stend.many.compare.differences import Figure
from stend.many.compare.rules import fits, quantity_of
from stend.many.limits import Limit

Verdict = Literal["accepted", "rejected", "undecided"]


class Broken(NamedTuple):
    """A limit that a drive violates: its value and the bound in base units. The value is None if it has none."""

    limit: Limit
    figure: Figure
    value: float | None
    bound: float


class Acceptance(NamedTuple):
    """The sample of the plan: number of `judged` drives, bad ones with their violated limits, and the lot's verdict.

    `more` is the number of drives beyond the sample, which do not count. `missing` is how many the sample still lacks.
    """

    plan: Plan
    judged: int
    bad: dict[int, tuple[Broken, ...]]
    verdict: Verdict
    more: int
    missing: int

    @property
    def beyond(self) -> list[int]:
        """Return the bad drives beyond the sample."""
        return [drive for drive in self.bad if drive >= self.judged]


class Batch(NamedTuple):
    """All results of a batch. `suspect` is the evidence against a drive that may be an outlier if none is.

    `groups` is None too if all drives of the smaller group are outliers.
    """

    lot: Lot
    spreads: dict[Figure, Spread]
    distances: tuple[Odd, ...]
    odd: dict[int, list[Odd]]
    suspect: Odd | None
    groups: Groups | None
    acceptance: Acceptance | None

    @property
    def largest(self) -> Odd | None:
        """Return the largest difference of the drive that is farthest from the others, or None of too few drives."""
        own = (one for one in self.distances if one.drive == self.distances[0].drive)
        return max(own, key=lambda one: abs(log(one.ratio)), default=None)


def judged(lot: Lot, plan: Plan | None) -> Batch:
    """Judge a batch, with a plan also its lot. Raise BadInput if a limit matches no figure."""
    far = tuple(odd.distances(lot))
    named = odd.named(far)
    apart = groups.detect(lot)
    apart = None if apart and set(apart.few) <= set(named) else apart
    suspect = None if named or apart else odd.suspected(far)
    acceptance = _accepted(lot, plan, list(named), blind=not far) if plan else None
    return Batch(lot, odd.spreads(lot), far, named, suspect, apart, acceptance)


def _accepted(lot: Lot, plan: Plan, named: Sequence[int], *, blind: bool) -> Acceptance:
    """Judge the sample. A drive with a run that failed is bad, whatever its limits.

    If outliers count as bad and the drives are too few to identify any, none is accepted.
    """
    bounds = [(limit, figure, limit.bound(figure.quantity)) for limit in plan.limits for figure in picked(lot, limit)]
    count = min(len(lot.drives), plan.sample)
    broken = {i: tuple(_broken(lot, i, bounds)) for i in range(len(lot.drives))}
    wrong = {i for i, drive in enumerate(lot.drives) if drive.failed} | (set(named) if plan.odd_is_bad else set())
    bad = {i: limits for i, limits in broken.items() if limits or i in wrong}
    inside = sum(i < count for i in bad)
    missing = plan.sample - count
    verdict: Verdict = "rejected" if inside > plan.accept else "undecided"
    if inside + missing <= plan.accept and not (plan.odd_is_bad and blind):
        verdict = "accepted"
    return Acceptance(plan, count, bad, verdict, len(lot.drives) - count, missing)


def _broken(lot: Lot, drive: int, bounds: Sequence[tuple[Limit, Figure, float]]) -> Iterator[Broken]:
    for limit, figure, bound in bounds:
        value = lot.drives[drive].values.get(figure)
        if value is None or not limit.holds(value, bound):
            yield Broken(limit, figure, value, bound)


def picked(lot: Lot, limit: Limit) -> list[Figure]:
    """Return the figures of a batch that a limit matches, or else those that one drive alone has.

    Raise BadInput if there are none.
    """
    quantity = quantity_of(limit.name, f"the limit {limit.text!r}")
    every = list(dict.fromkeys(figure for drive in lot.drives for figure in drive.values))
    matching = [f for f in every if f.quantity == quantity and all(fits(word, f.key) for word in limit.where or ())]
    if not matching:
        known = ", ".join(dict.fromkeys(f"{f.quantity}[{f.key.test},{f.key.state}]" for f in every)) or "none"
        raise BadInput(f"the limit {limit.text!r} matches no figure of these drives; known figures: {known}")
    return [figure for figure in matching if figure in lot.figures] or matching
