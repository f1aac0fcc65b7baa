"""The table of uses of several runs: a mark per drive and use, with the reason of every mark against a drive."""

from collections.abc import Iterator, Mapping, Sequence

from stend.findings.judgement import FIT, Judged, Why, each_once
from stend.report.story.page_one import FOLDED, Review, use_titles
from stend.sentences import why_said
from stend.words import Language

MOST_DRAWN = 5
"""Runs that a chart shows one by one if some are of the same drive, and drives whose marks have all their reasons."""


def rows_of_uses(reviews: Mapping[str, Review], words: Language) -> Iterator[tuple[str, ...]]:
    """Yield the mark of each drive for each use; `FOLDED` uses or more that are unknown for all are one row.

    Every mark but those of a drive that fits has its reason, which is another one than in the rows above if there is.
    Of more drives than `MOST_DRAWN` it is one reason, because a row is as high as its longest cell.
    """
    brief = len(reviews) > MOST_DRAWN
    given: dict[str, set[str]] = {name: set() for name in reviews}
    marks: dict[str, dict[str, Judged]] = {}
    for name, review in reviews.items():
        for judged in review.verdict.uses:
            marks.setdefault(judged.use, {})[name] = judged
    lacking = [use for use, of in marks.items() if all(judged.key == "unknown" for judged in of.values())]
    lacking = lacking if len(lacking) >= FOLDED else []
    for use, judged_of in marks.items():
        if use not in lacking:
            cells = (
                _mark(judged_of[name], given[name], words, brief=brief) if name in judged_of else "–"
                for name in reviews
            )
            yield words(f"use_title.{use}"), *cells
    if lacking:
        every = ([of[name] for use, of in marks.items() if use in lacking and name in of] for name in reviews)
        yield (
            use_titles(lacking, words),
            *(_mark(_joined(uses), set(), words, brief=brief) if uses else "–" for uses in every),
        )


def _joined(uses: Sequence[Judged]) -> Judged:
    """Return several unknown uses as one, which lacks all that they lack."""
    return uses[0]._replace(
        missing=tuple(dict.fromkeys(name for use in uses for name in use.missing)),
        facts=tuple(dict.fromkeys(name for use in uses for name in use.facts)),
        because=each_once(why for use in uses for why in use.because),
    )


def _mark(judged: Judged, given: set[str], words: Language, *, brief: bool) -> str:
    """Return a mark; if the drive does not fit, with the reason, of which `given` notes the figure."""
    mark = words(f"story.{judged.key}")
    if judged.mark in FIT:
        return mark
    new = tuple(reason for reason in judged.reasons if judged.by_doubts or reason.figure not in given) or judged.reasons
    why = judged._replace(reasons=new, facts=() if new else judged.facts).why(1 + judged.by_doubts)
    given.update(reason.figure for reason in why.reasons)
    return f"{mark}: {why_said(_first(why) if brief else why, words)}"


def _first(why: Why) -> Why:
    """Return the first of several reasons: of a figure, or of the run; without either, all that is missing."""
    if why.reasons or why.because:
        return Why(reasons=why.reasons[:1], because=() if why.reasons else why.because[:1])
    return why
