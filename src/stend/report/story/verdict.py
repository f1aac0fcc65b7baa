"""The verdict on a drive: what it is fit for, not fit for and fit for with reservations, each with its reasons."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from stend.base.text import small
from stend.findings import Finding
from stend.findings.judgement import FIT, Judged, Reason, Verdict
from stend.findings.judgement.uses import uses
from stend.report.story.page_one import (
    MOST_CLAUSES,
    ROOM,
    SERVER,
    Review,
    argues,
    measured,
    mere_fall,
    once,
    open_facts,
    quantities,
    sentence,
)
from stend.sentences import because_said, facts_said, finding_said, of_run, reason_said, why_said
from stend.words import Language

GRANTS = ("fit", "fit_performance")
"""Sentences on what a drive is fit for, by key; they name all services of a server in another case than the others."""


def verdict(review: Review, *, brief: bool = False) -> str:
    """Return every use that the drive is fit for, not fit for and fit for with reservations, with their weightiest
    reasons; or why a verdict is impossible.

    If `brief`, for a page that lists the uses with their reasons below, each use has one reason, and doubts of several
    reasons none.
    """
    words, judged = review.words, review.verdict
    if capacity := _capacity(review):
        return finding_said(capacity, words)
    if why := judged.standing:
        return words(
            "story.rehearsal" if why.key == "shortened" else "story.no_verdict", because=because_said(why, words)
        )
    refused, doubted = judged.of("no"), judged.of("doubt")
    one = {use.use for use in judged.uses if use.mark != "can't tell"} == {"streaming"}
    if one or not (refused or judged.of(*FIT) or any(use.reasons for use in doubted)):
        refused = doubted = ()  # a run of one test opens with what it measured, and what was not measured is no verdict
    granted, most = judged.of(*FIT), 1 if brief else MOST_CLAUSES
    denied = [_fewest("unfit", refused, [], most, words)] if refused else []
    doubts = [*_doubts(doubted, denied, 1 if denied else most if granted else MOST_CLAUSES, words)]
    if brief and len(doubts) + sum(one.parts for one in doubts) > 2 and (denied or granted):
        doubts = [Told(words("story.doubtful_named", uses=_listed(doubted, words, "server")))]
    denied += doubts
    if sentences := [*_granted(judged, _told(denied), most, words), *(one.text for one in denied)]:
        said = " ".join(sentences)
        return words("story.by_array", verdict=small(said)) if review.kind == "array" else said
    undecided = [use for use in judged.uses if use.because and not use.missing]
    if undecided and all(use.key == "unknown" for use in judged.uses):
        why = of_run(undecided[0].because[0])
        return words("story.no_verdict", because=because_said(why, words))
    return words("story.verdict_none")


def _granted(judged: Verdict, told: Sequence[Reason], most: int, words: Language) -> Iterator[str]:
    """Yield what the drive is fit for, with reasons not `told` yet, and which facts of its sheet that depends on."""
    if fit := judged.of(*FIT):
        good, sure, order = judged.of("performance"), judged.of("yes"), _heaviest_first(fit)
        pros = _clauses(_weightiest(order, told)[:most], fit, words)
        if good and sure:
            listed = {"good": _listed(good, words, "servers"), "sure": _listed(sure, words, "servers")}
            yield words("story.fit_also", **listed, reasons=pros)
        else:
            key = "fit_performance" if good else "fit"
            each = _fewest(key, order, told, most, words)
            of_all = words(f"story.{key}", uses=_listed(fit, words, "servers"), reasons=pros)
            yield each.text if each.parts <= MOST_CLAUSES else of_all
        if facts := open_facts(fit):
            yield sentence(facts_said(facts, words))


class Told(NamedTuple):
    """A sentence on uses, its number of parts with reasons of their own, and these reasons."""

    text: str
    parts: int = 0
    reasons: Sequence[Reason] = ()


def _told(said: Sequence[Told]) -> list[Reason]:
    """Return the reasons that these sentences state."""
    return [reason for one in said for reason in one.reasons]


def _doubts(uses: Sequence[Judged], told: Sequence[Told], most: int, words: Language) -> Iterator[Told]:
    """Yield at most two sentences that name each of these uses once: one of those whose reasons are `told` already, if
    these are of one group of uses, one of the others, each with a reason that it has, the first with at most `most`.
    """
    known = quantities(_told(told)) if sum(one.parts for one in told) == 1 else set[str]()
    same = [use for use in uses if use.reasons and quantities(use.reasons) <= known]
    if same:
        yield Told(words("story.doubtful_too", uses=_listed(same, words, "server")))
    if left := [use for use in uses if use not in same]:
        yield _each("doubtful", left, _told(told), most, words)


def _fewest(key: str, uses: Sequence[Judged], told: Sequence[Reason], most: int, words: Language) -> Told:
    """Return the sentence of `_each` with the fewest parts, if the first may have `most` to `MOST_CLAUSES` reasons."""
    ways = (_each(key, uses, told, count, words) for count in range(most, MOST_CLAUSES + 1))
    return min(ways, key=attrgetter("parts"))


def _each(key: str, uses: Sequence[Judged], told: Sequence[Reason], most: int, words: Language) -> Told:
    """Return a sentence that names each of these uses once, after it a reason that it has, the first with at most
    `most`. Large files, a use with reasons of its own, are last.
    """
    left = sorted(uses, key=lambda use: use.use == ROOM[0])
    servers, last = "servers" if key in GRANTS else "server", "or" if key == "unfit" else "and"
    parts, stated = list[str](), list[Reason]()
    while left:
        reasons = _weightiest(left, [*told, *stated])[:most]
        alike = [use for use in left if quantities(use.reasons) & quantities(reasons)]
        alike = alike or [use for use in left if use.why() == left[0].why()]
        if {use.use for use in left}.issuperset(SERVER) and any(use.use in SERVER for use in alike):
            alike = [use for use in left if use in alike or use.use in SERVER]  # they are named as one use
        clauses, named = _clauses(reasons, alike, words), _listed(alike, words, servers, last)
        parts.append(words(f"story.{key}", uses=named, reasons=clauses).rstrip("."))
        left, most, key = [use for use in left if use not in alike], 1, "more_uses"
        stated += reasons
    return Told(sentence("; ".join(parts)), len(parts), stated)


def _heaviest_first(fit: Sequence[Judged]) -> list[Judged]:
    """Return the classes that drives are sold by before other uses, the heaviest first."""
    order = {name: place for place, name in enumerate(uses().ladder)}
    return sorted(fit, key=lambda use: order.get(use.use, -1), reverse=True)


def _merged(uses: Sequence[Judged], name: str) -> list[str]:
    """Return the names of these uses; all services of a server together are one use of this name."""
    services = [use for use in uses if use.use in SERVER]
    if len(services) < len(SERVER):
        return [use.use for use in uses]
    return [*(use.use for use in uses if use not in services), name]


def _weightiest(uses: Sequence[Judged], others: Sequence[Reason]) -> list[Reason]:
    """Return the weightiest reasons of these uses, each figure once, without those that `others` state.

    Reasons of the first use come first.
    """
    taken = quantities(others)
    every = [(use.use, reason) for use in uses for reason in use.reasons if reason.figure not in taken]
    every = [(of, r) for of, r in every if measured(r) or ((of, r.figure) == ROOM and argues(r))]
    if len(uses) > 1:  # the capacity is a reason of one of them alone
        every.sort(key=lambda pair: pair[1].figure == ROOM[1])
    return list(once([reason for _, reason in every if not mere_fall(reason)]))[:MOST_CLAUSES]


def _capacity(review: Review) -> Finding | None:
    """Return the finding on the capacity if data was lost, or if the run tested nothing else; None otherwise."""
    found = next((finding for finding in review.findings if finding.name == "media"), None)
    alone = all(test.name == "media" for test in review.run.plan.tests)
    return found if found and (found.side == "con" or alone) else None


def _clauses(reasons: Sequence[Reason], uses: Sequence[Judged], words: Language) -> str:
    """Return reasons as clauses; without any, all reasons of the first use."""
    return "; ".join(reason_said(reason, words) for reason in reasons) or why_said(uses[0].why(), words)


def _listed(uses: Sequence[Judged], words: Language, servers: str, last: str = "and") -> str:
    """Return what uses are for, as one phrase; all services of a server are named as one use by this key. The
    conjunction before the last one is "and", or "or" after a negation.
    """
    names = [words(f"use_for.{name}") for name in _merged(uses, servers)]
    return f" {words(f'story.{last}')} ".join(filter(None, (words("story.comma").join(names[:-1]), *names[-1:])))
