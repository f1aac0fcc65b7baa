"""Page one: what the drive is, the verdict, uses, key figures in bands, best and worst, claims, how sure."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings import Finding
from stend.findings.judgement import FIT, SAFE, Judged, Reason, Verdict
from stend.findings.judgement.evidence import Evidence
from stend.findings.judgement.uses import uses
from stend.model.published import figure
from stend.model.record import Run
from stend.report.story import Band, Key, Marked
from stend.report.story.rivals import peers
from stend.words import Language
from stend.words.sentences import because_said, facts_said, reason_said, why_said

FIGURES = {
    "reads": "rate", "fresh_writes": "rate", "start": "rate", "writes": "rate", "read_wait": "lat",
    "write_wait": "lat", "write_tail": "lat", "seq_read": "mbs", "seq_write": "mbs", "cache_bytes": "gib",
    "hot_gain": "fold", "outer": "mbs", "server": "rate", "server_wait": "lat",
}  # fmt: skip
"""Figures of evidence that a reader asks for first, and the shapes they are told in."""
MOST_FIGURES = 8
MOST_CLAUSES = 2
SAME = 0.03
"""Two figures of one quantity that differ by less are shown once."""
LESS_IS_BETTER = ("read_wait", "write_wait", "write_tail", "server_wait")
AHEAD = 1.1
"""How far a figure must be beyond that of a rival, which was measured under other conditions."""
COMMON = ("read_wait", "start", "seq_read")
"""Figures that every flash drive passes: no drive is told apart by them alone."""
TAILS = ("longest", "write_tail", "mix_tail")
SERVER = ("read", "mixed", "database", "write")
ROUND = re.compile(r"[.,]0(?=\s)")
"""A last nought behind the point; thousands have three."""
KEPT = {"holds": "kept", "holds_beside": "kept", "near": "near", "only_fresh": "fresh_only", "missed": "broken"}


class Seen(NamedTuple):
    """All that page one is made of."""

    run: Run
    told: Evidence
    verdict: Verdict
    found: tuple[Finding, ...]
    kind: str
    words: Language


def keys(seen: Seen) -> Iterator[Key]:
    """Yield the figures that a reader asks for first, as far as the run has them."""
    known = rivals(seen)
    start, peak = seen.told.get("start", 0.0), seen.told.get("fresh_writes", 0.0)
    hidden = "start" if peak and abs(start / peak - 1) < SAME else ""
    own = [name for name in shown(seen) if name != hidden][:MOST_FIGURES]
    for name in own:
        band = _band(name, seen.told[name], known, seen.words)
        title = "writes_full" if name == "writes" and "sat_s" not in seen.told else name  # no saturation was run
        yield Key(seen.words(f"figure_name.{title}"), _said(seen.told[name], FIGURES[name], seen.words), band)


def shown(seen: Seen) -> list[str]:
    """Return the key figures that the run has; the gain of a cache only where there is one."""
    hot = any(one.use == "hot" for one in seen.verdict.uses)
    return [name for name in FIGURES if seen.told.get(name) and (name != "hot_gain" or hot)]


def rivals(seen: Seen) -> dict[str, dict[str, Any]]:
    """Return what was published of other drives of its class."""
    profile = seen.run.plan.profile
    return peers(seen.run.plan.device, seen.kind, profile.device_class)


def _said(value: float, shape: str, words: Language) -> str:
    return words.show(value, f"said:{shape}") + _unit(shape)


def _unit(told_as: str) -> str:
    """Rates have no unit of their own."""
    return "\u00a0IOPS" if told_as == "rate" else ""


def _band(name: str, own: float, known: dict[str, dict[str, Any]], words: Language) -> Band | None:
    told: dict[str, float] = {}
    for facts in known.values():
        if (theirs := figure(facts, name)) is not None:
            told.setdefault(facts["about"]["title"], theirs)
    if not told:
        return None
    low, high = (math.log(f(*told.values(), own)) for f in (min, max))
    wide = max(high - low, math.log(1.5))
    begin = (low + high - wide) / 2 - wide * 0.08
    places = [(math.log(v) - begin) / (wide * 1.16) for v in (*told.values(), own)]
    names = words(
        "story.known",
        names=", ".join(f"{n} {words.show(v, f'said:{FIGURES[name]}')}" for n, v in told.items()),
    )
    return Band(tuple(sorted(places[:-1])), places[-1], names)


def marked(seen: Seen) -> Iterator[Marked]:
    """The uses, from light to heavy, each with two reasons at most."""
    for one in seen.verdict.uses:
        yield Marked(
            seen.words(f"use_title.{one.use}"),
            one.key,
            seen.words(f"story.{one.key}"),
            _why(one, seen.words),
        )


def _why(one: Judged, words: Language) -> str:
    return sentence(why_said(one.why(MOST_CLAUSES), words))


def verdict(seen: Seen) -> str:
    """Return what the drive is for, what it is not for, each with its own reasons; or why there is no verdict."""
    words, judged = seen.words, seen.verdict
    if why := judged.standing:
        return words(
            "story.rehearsal" if why.key == "shortened" else "story.no_verdict", because=because_said(why, words)
        )
    ladder = [one for one in judged.uses if one.use != "streaming"]
    fit = [one for one in ladder if one.mark in FIT][-2:] or list(judged.of(*FIT))
    no = [one for one in ladder if one.mark == "no"]
    doubt = [one for one in judged.of("doubt") if one.use not in {o.use for o in fit}]
    against, key = (no, "unfit") if no else (doubt[:2], "doubtful")
    cons = _weightiest(against, ())
    said = []
    if fit:
        open_facts = tuple(dict.fromkeys(fact for one in fit for fact in one.facts))
        form = "fit_performance" if open_facts else "fit"
        pros = _weightiest(_heaviest_first(fit), cons)
        said.append(words(f"story.{form}", good=_listed(fit, words), reasons=_clauses(pros, fit, words)))
        said += [sentence(facts_said(open_facts, words))] if open_facts else []
    if against:
        reasons = _clauses(cons, against, words)
        said.append(words(f"story.{key}", bad=_listed(_ends(against), words), reasons=reasons))
    return " ".join(said) or words("story.verdict_none")


def _heaviest_first(fit: Sequence[Judged]) -> list[Judged]:
    """Return the classes that drives are sold by before other uses, the heaviest first."""
    order = {name: place for place, name in enumerate(uses().ladder)}
    return sorted(fit, key=lambda one: order.get(one.use, -1), reverse=True)


def _ends(refused: Sequence[Judged]) -> list[Judged]:
    """Return the lightest and the heaviest of several uses; one for all services of a server where all are refused."""
    if {one.use for one in refused} >= set(SERVER):
        return [refused[-1]._replace(use="server")]
    return [*refused[:1], *refused[1:][-1:]]


def _weightiest(uses: Sequence[Judged], others: Sequence[Reason]) -> list[Reason]:
    """Return the weightiest reasons of these uses, first of the first use; each figure once, and none of the others."""
    taken = {reason.figure for reason in others}
    told: dict[str, Reason] = {}
    for reason in (reason for one in uses for reason in one.reasons):
        if reason.figure not in taken and measured(reason) and not _mere_fall(reason):
            told.setdefault(reason.figure, reason)
    return list(told.values())[:MOST_CLAUSES]


def _clauses(reasons: Sequence[Reason], uses: Sequence[Judged], words: Language) -> str:
    """Return reasons as clauses; without any, all that the first of the uses has."""
    return "; ".join(reason_said(reason, words) for reason in reasons) or why_said(uses[0].why(), words)


def _listed(uses: Sequence[Judged], words: Language) -> str:
    return f" {words('story.and')} ".join(words(f"use_for.{one.use}") for one in uses)


def extremes(seen: Seen) -> tuple[str, str]:
    """Return the best and the worst of the drive as sentences, beside published drives of its class if there are any.

    Without rivals: the demand that it exceeds most, and the one that it misses most; "" where there is none.
    """
    if seen.verdict.standing:
        return "", ""
    ahead, behind = _beside(seen)
    fit = [r for one in seen.verdict.of(*FIT) for r in one.reasons if measured(r) and _distinguishes(r)]
    bad = [r for one in seen.verdict.of("no", "doubt") for r in one.reasons if measured(r)]
    best = max(fit, key=lambda r: r.margin, default=None)
    worst = max(bad, key=lambda r: r.weight, default=None)
    return (
        ahead or (sentence(reason_said(best, seen.words)) if best else ""),
        behind or (sentence(reason_said(worst, seen.words)) if worst else ""),
    )


def _distinguishes(reason: Reason) -> bool:
    """Return whether a passed demand sets a drive apart; a fall that passes is still a fall."""
    if reason.figure in TAILS:
        return reason.beyond >= SAFE
    return reason.figure not in COMMON and not _mere_fall(reason)


def _mere_fall(reason: Reason) -> bool:
    """Return whether a fall passed: it is no argument for the drive unless the rate hardly moved."""
    return reason.figure == "fall" and reason.answer == "pass" and reason.key != "level"


class Rival(NamedTuple):
    """A figure of this drive over that of a rival, above 1 where this drive is better; the rival's figure and title."""

    gain: float
    figure: str
    theirs: float
    title: str


def _beside(seen: Seen) -> tuple[str, str]:
    """Return the figure that is furthest ahead of every rival and the one furthest behind every rival, as sentences."""
    best, worst = [], []
    for name in shown(seen):
        sign = -1 if name in LESS_IS_BETTER else 1
        known = [(told, f["about"]["title"]) for f in rivals(seen).values() if (told := figure(f, name)) is not None]
        gains = [Rival((seen.told[name] / told) ** sign, name, told, title) for told, title in known]
        best += sorted(gains)[:1]  # the strongest rival leaves the smallest gain
        worst += sorted(gains)[-1:]
    ahead = [one for one in best if one.gain >= AHEAD]
    behind = [one for one in worst if one.gain <= 1 / AHEAD]
    return _said_beside(max(ahead, default=None), "ahead", seen), _said_beside(
        min(behind, default=None), "behind", seen
    )


def _said_beside(rival: Rival | None, key: str, seen: Seen) -> str:
    if rival is None:
        return ""
    name, shape = seen.words(f"figure_name.{rival.figure}"), FIGURES[rival.figure]
    own, theirs = (_said(value, shape, seen.words) for value in (seen.told[rival.figure], rival.theirs))
    return seen.words(f"story.{key}", name=name, own=own, theirs=theirs, rival=rival.title)


def measured(reason: Reason) -> bool:
    """Whether a run said so, not the maker or the box."""
    return reason.figure not in ("dwpd", "plp", "capacity")


def claims(seen: Seen) -> Iterator[tuple[str, str, str]]:
    """(which, kept or not, in figures) of each claim of the drive's sheet."""
    for one in seen.found:
        if one.name == "claims":
            mark = KEPT.get(one.key, "untold")
            given = {k: one.values[k] for k in ("claimed", "value") if k in one.values}
            told = {k: _said(number, shape, seen.words) for k, (number, shape) in given.items()}
            claimed, shape = given["claimed"]
            told["claimed"] = ROUND.sub("", seen.words.show(claimed, shape)) + _unit(shape)  # as it was promised
            state = seen.words(f"state.{one.values['state']}") if "state" in one.values else ""
            text = seen.words("story.claimed", **({"value": "–", "state": state} | told))
            yield seen.words(f"claim.{one.values['claim']}"), mark, f"{seen.words(f'story.{mark}')}: {text}"


def sentence(clause: str) -> str:
    """A clause with a capital and a full stop."""
    return clause[:1].upper() + clause[1:].rstrip(".") + "." if clause else ""
