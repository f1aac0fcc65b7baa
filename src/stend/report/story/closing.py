"""The conclusion of a review: the weightiest reasons for and against the drive, its price and its endurance."""

from collections.abc import Container, Iterator, Sequence

from stend.base.text import small
from stend.findings import judgement
from stend.findings.judgement.evidence import Evidence
from stend.findings.judgement.uses import more_is_better
from stend.report.parts import Item, Items, Pair, Section
from stend.report.story.page_one import (
    QUANTITY,
    RARE,
    ROOM,
    SHAPES,
    TAILS,
    Review,
    argues,
    behind,
    extremes,
    figure_said,
    measured,
    once,
    quantities,
    sentence,
    title,
    value_shown,
    weaknesses,
)
from stend.report.story.rivals import AHEAD
from stend.report.story.together import Reviews, having, kind, leads
from stend.sentences import finding_said, reason_said
from stend.words import Language

MOST_CLOSING = 5
MOST_BESIDE = 3
"""Figures in which the drive, or another one of the page, is better."""
MOST_TAILS = 2
"""Limit of the response times among them, because rates matter as well."""
SAME = {"fresh_writes": "start"}
"""The best minute of a fresh drive is nearly that in which a saturation starts."""
PART_OF = {"longest": "write_tail"}
"""A longest wait that passes is no argument for a drive whose slow writes are one against it."""


def closing(reviews: Reviews) -> Iterator[Section]:
    """Yield the conclusion: for and against each drive, its price and endurance, or nothing without arguments."""
    every = [_lists(name, reviews) for name in reviews]
    if any(every):
        words = next(iter(reviews.values())).words
        yield Section("closing", words("story.closing"), tuple(Pair(lists) for lists in every if lists))


def _lists(name: str, reviews: Reviews) -> tuple[Items, ...]:
    """Return the lists of a drive, titled with its name if there is one."""
    review = reviews[name]
    words, judged = review.words, review.verdict
    passed = [r for use in judged.of(*judgement.FIT, "doubt") for r in use.reasons if r.answer == "pass"]
    several = len(reviews) > 1  # then published drives are no rivals
    last = "" if judged.standing or several else behind(review)
    doubtful = {*judged.known.bounds, last}  # may become worse, or is behind
    passed = [r for r in passed if r.figure not in doubtful]
    others = [own.verdict.known.usable for drive, own in reviews.items() if drive != name]
    merely = {r.figure for r in passed if not argues(r) or any(_beaten(r, theirs) for theirs in others)}
    fit = [r for r in passed if r.figure not in merely]
    unfit = [r for r in weaknesses(judged) if r.answer in ("fail", "doubt")]
    won = [lead for lead in leads(reviews) if name in (lead.first, *lead.runs)] if several else []
    best = {lead.figure for lead in won if lead.gain >= AHEAD}
    # The sentence with the rival has it; what only raises doubts is no fault beside drives that have less of it.
    apart = [r for r in unfit if r.figure != last and not (r.answer == "doubt" and r.figure in best)]
    told = quantities(unfit)
    told |= {figure for figure, whole in PART_OF.items() if whole in told}
    gains, lost, compared = _beside(name, reviews, {r.figure for r in apart} - best)
    against = (*_reasons(apart, set(), words), *lost, "" if several else extremes(review)[1], unprotected(review))
    lists = (
        ("for", "pro", (*gains, *_reasons(fit, told | compared, words))[:MOST_CLOSING]),
        ("against", "con", tuple(filter(None, dict.fromkeys(against)))),
        ("facts", "", tuple(finding_said(f, words) for f in review.findings if f.name == "value")),
    )
    shown = [(words(f"story.{key}"), tuple(Item(text, mark) for text in texts)) for key, mark, texts in lists if texts]
    return tuple(Items(f"{name}: {small(title)}" if name else title, items) for title, items in shown)


def unprotected(review: Review) -> str:
    """Return what the failure of one member costs an array known to be without redundancy, or "" for other drives."""
    lacks = review.figures.get("redundant") == 0
    return sentence(review.words("reason.redundant.doubt")) if lacks else ""


def _beaten(reason: judgement.Reason, theirs: Evidence) -> bool:
    """Return whether another drive has a figure that is better by more than runs differ. Any room is room."""
    if reason.figure == ROOM[1]:
        return False
    own, other = reason.values[reason.figure], theirs.get(reason.figure, 0.0)
    return own > 0 < other and (other / own if more_is_better(reason.figure) else own / other) >= AHEAD


def _beside(name: str, reviews: Reviews, told: Container[str]) -> tuple[list[str], list[str], set[str]]:
    """Return by how much a drive is the best of the page and by how much another one is better, without figures `told`,
    the largest differences first, those of tails last; then these figures and others that repeat them.
    """
    review, figures = reviews[name], set[str]()
    won: list[tuple[bool, float, str]] = []
    lost: list[tuple[bool, float, str]] = []
    for lead in (lead for lead in leads(reviews) if kind(lead, reviews) != "overlap"):
        first = name in (lead.first, *lead.runs)
        rival = lead.second if first else lead.first
        ranked = {drive: reviews[drive].verdict.known.usable for drive in having(lead.figure, reviews)}
        own, other = (ranked.get(drive, {}).get(lead.figure, 0.0) for drive in (name, rival))
        gain = max(own, other) / min(own, other) if own and other else 1.0
        if gain >= AHEAD and lead.figure not in told:
            shown = [value_shown(value, SHAPES[lead.figure], review.words) for value in (own, other)]
            figure = figure_said(title(lead.figure, review), shown[0], review.words)
            values = {"figure": figure, "theirs": shown[1], "rival": rival}
            text = review.words(f"story.{'ahead' if first else 'behind'}_of_two", gain=gain, **values)
            (won if first else lost).append((lead.figure in RARE, -gain, text))
            repeated = (f for f, of in QUANTITY.items() if of == lead.figure)
            figures |= {lead.figure, f"{lead.figure}_wait", SAME.get(lead.figure, lead.figure), *repeated}
    ahead, behind_of = ([text for *_, text in sorted(one)[:MOST_BESIDE]] for one in (won, lost))
    return ahead, behind_of, figures


def _reasons(reasons: Sequence[judgement.Reason], told: Container[str], words: Language) -> tuple[str, ...]:
    """Return the weightiest reasons, each figure once, without figures that the conclusion has elsewhere."""
    ranked = sorted(reasons, key=lambda r: r.margin if r.answer == "pass" else r.weight, reverse=True)
    kept = once([r for r in ranked if r.figure not in told and (measured(r) or r.figure == "capacity")])
    tails = [r for r in kept if r.figure in TAILS][MOST_TAILS:]
    kept = tuple(r for r in kept if r not in tails)[:MOST_CLOSING]
    return tuple(sentence(reason_said(reason, words)) for reason in kept)
