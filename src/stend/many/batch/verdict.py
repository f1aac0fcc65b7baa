"""A batch judged: odd drives with their evidence, bad ones with the limits they broke, and what becomes of the lot."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from stend.base.errors import BadInput
from stend.findings.look.figures import QUANTITIES
from stend.many.batch import odd
from stend.many.batch.acceptance import Plan
from stend.many.batch.lot import Lot
from stend.many.batch.odd import Odd, Spread
from stend.many.compare.differences import Figure
from stend.many.compare.rules import OTHER_NAMES, fits
from stend.many.limits import Limit

Verdict = Literal["accepted", "rejected", "undecided"]


class Broken(NamedTuple):
    """A limit that a drive is beyond: its value and the bound, in base units; value None where it gave none."""

    limit: Limit
    figure: Figure
    value: float | None
    bound: float


class Acceptance(NamedTuple):
    """Of the plan's sample: `judged` drives, those that are bad with what they broke, and the lot's verdict.

    `more` are drives beyond the sample, which do not count; `missing` is how many the plan wants besides.
    """

    plan: Plan
    judged: int
    bad: dict[int, tuple[Broken, ...]]
    verdict: Verdict
    more: int
    missing: int


class Batch(NamedTuple):
    """Everything that is said of a batch."""

    lot: Lot
    spreads: dict[Figure, Spread]
    distances: tuple[Odd, ...]
    odd: dict[int, list[Odd]]
    acceptance: Acceptance | None


def judged(lot: Lot, plan: Plan | None) -> Batch:
    """The whole of it; BadInput where a limit fits no figure."""
    far = tuple(odd.distances(lot))
    named = odd.named(far)
    return Batch(lot, odd.spreads(lot), far, named, _accepted(lot, plan, list(named)) if plan else None)


def _accepted(lot: Lot, plan: Plan, named: Sequence[int]) -> Acceptance:
    bounds = [(limit, one, limit.bound(one.quantity)) for limit in plan.limits for one in picked(lot, limit)]
    count = min(len(lot.drives), plan.sample)
    broken = {i: tuple(_broken(lot, i, bounds)) for i in range(len(lot.drives))}
    bad = {i: own for i, own in broken.items() if own or (plan.odd_is_bad and i in named)}
    inside = sum(i < count for i in bad)
    missing = plan.sample - count
    verdict: Verdict = "rejected" if inside > plan.accept else "undecided"
    if inside + missing <= plan.accept:
        verdict = "accepted"
    return Acceptance(plan, count, bad, verdict, len(lot.drives) - count, missing)


def _broken(lot: Lot, drive: int, bounds: Sequence[tuple[Limit, Figure, float]]) -> Iterator[Broken]:
    for limit, figure, bound in bounds:
        value = lot.drives[drive].values.get(figure)
        if value is None or not limit.holds(value, bound):
            yield Broken(limit, figure, value, bound)


def picked(lot: Lot, limit: Limit) -> list[Figure]:
    """The figures of a batch that a limit is of; BadInput where there are none."""
    quantity = OTHER_NAMES.get(limit.name.lower(), limit.name.lower())
    if quantity not in QUANTITIES:
        raise BadInput(f"the limit {limit.text!r} names no quantity of ours; there are {', '.join(QUANTITIES)}")
    own = [one for one in lot.figures if one.quantity == quantity]
    found = [one for one in own if all(fits(word, one.key) for word in limit.where or ())]
    if not found:
        known = ", ".join(dict.fromkeys(f"{one.quantity}[{one.key.test},{one.key.state}]" for one in lot.figures))
        raise BadInput(f"the limit {limit.text!r} fits no figure of these drives; there are {known}")
    return found
