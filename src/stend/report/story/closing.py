"""The conclusion of a review: the weightiest reasons for and against the drive, its price and its endurance."""

from collections.abc import Container, Iterator, Mapping, Sequence

from stend.base.text import small
from stend.findings import judgement
from stend.report.parts import Item, Items, Pair, Section
from stend.report.story.page_one import (
    SHAPES,
    TAILS,
    Review,
    argues,
    behind,
    extremes,
    measured,
    once,
    quantities,
    sentence,
    title,
    value_shown,
)
from stend.report.story.rivals import AHEAD
from stend.report.story.together import leads
from stend.sentences import finding_said, reason_said
from stend.words import Language

MOST_CLOSING = 5
MOST_BEHIND = 3
"""Figures in which another drive of the page is better."""
MOST_TAILS = 2
"""Limit of the response times among them, because rates matter as well."""
PART_OF = {"longest": "write_tail"}
"""A longest wait that passes is no argument for a drive whose slow writes are one against it."""


def closing(reviews: Mapping[str, Review]) -> Iterator[Section]:
    """Yield the conclusion: for and against each drive, its price and endurance, or nothing without arguments."""
    every = [_lists(name, reviews) for name in reviews]
    if any(every):
        words = next(iter(reviews.values())).words
        yield Section("closing", words("story.closing"), tuple(Pair(lists) for lists in every if lists))


def _lists(name: str, reviews: Mapping[str, Review]) -> tuple[Items, ...]:
    """Return the lists of a drive, titled with its name if there is one."""
    review = reviews[name]
    words, judged = review.words, review.verdict
    passed = [r for use in judged.of(*judgement.FIT, "doubt") for r in use.reasons if r.answer == "pass"]
    last = "" if judged.standing else behind(review)
    doubtful = {*judged.known.bounds, last}  # may become worse, or is behind
    passed = [r for r in passed if r.figure not in doubtful]
    merely = {r.figure for r in passed if not argues(r)}  # by the strictest of these uses
    fit = [r for r in passed if r.figure not in merely]
    unfit = [r for use in judged.of("no", "doubt") for r in use.reasons if r.answer in ("fail", "doubt")]
    apart = [r for r in unfit if r.figure != last]  # the sentence with the rival has it
    beaten = _beaten(name, reviews, {r.figure for r in apart})
    against = (*_reasons(apart, (), words), *beaten, extremes(review)[1], unprotected(review))
    lists = (
        ("for", "pro", _reasons(fit, unfit, words)),
        ("against", "con", tuple(filter(None, dict.fromkeys(against)))),
        ("facts", "", tuple(finding_said(f, words) for f in review.findings if f.name == "value")),
    )
    shown = [(words(f"story.{key}"), tuple(Item(text, mark) for text in texts)) for key, mark, texts in lists if texts]
    return tuple(Items(f"{name}: {small(title)}" if name else title, items) for title, items in shown)


def _beaten(name: str, reviews: Mapping[str, Review], told: Container[str]) -> list[str]:
    """Return by how much which drive of the page is better, the largest differences first, without figures `told`."""
    review = reviews[name]
    lost: list[tuple[float, str]] = []
    for lead in leads(reviews):
        own, first = (reviews[drive].verdict.known.usable.get(lead.figure, 0.0) for drive in (name, lead.first))
        gain = max(own, first) / min(own, first) if own and first else 1.0
        if gain >= AHEAD and lead.figure not in told:
            shown = [value_shown(value, SHAPES[lead.figure], review.words) for value in (own, first)]
            values = {"name": title(lead.figure, review), "own": shown[0], "theirs": shown[1], "rival": lead.first}
            lost.append((gain, review.words("story.behind_of_two", gain=gain, **values)))
    return [text for _, text in sorted(lost, reverse=True)[:MOST_BEHIND]]


def unprotected(review: Review) -> str:
    """Return what the failure of one member costs an array that is known to be of RAID 0, or "" for other drives."""
    return review.words("story.raid0") if review.run.plan.device.facts.get("level") == "raid0" else ""


def _reasons(
    reasons: Sequence[judgement.Reason], without: Sequence[judgement.Reason], words: Language
) -> tuple[str, ...]:
    """Return the weightiest reasons, each figure once, without those that speak against the drive elsewhere."""
    against = quantities(without)
    against |= {figure for figure, whole in PART_OF.items() if whole in against}
    ranked = sorted(reasons, key=lambda r: r.margin if r.answer == "pass" else r.weight, reverse=True)
    kept = once([r for r in ranked if r.figure not in against and (measured(r) or r.figure == "capacity")])
    tails = [r for r in kept if r.figure in TAILS][MOST_TAILS:]
    kept = tuple(r for r in kept if r not in tails)[:MOST_CLOSING]
    return tuple(sentence(reason_said(reason, words)) for reason in kept)
