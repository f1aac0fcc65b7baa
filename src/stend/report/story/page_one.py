"""Page one: what the drive is, the verdict, uses, key figures in bands, best and worst, claims, how sure."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings import Finding
from stend.findings.judgement import Judged, Reason, Verdict
from stend.findings.judgement.evidence import Evidence
from stend.published import figure
from stend.record import Run
from stend.report.story import Band, Key, Marked
from stend.report.story.rivals import peers
from stend.words import Language
from stend.words.sentences import reason_said

FIGURES = {
    "reads": "rate", "fresh_writes": "rate", "start": "rate", "writes": "rate", "read_wait": "lat", "write_tail": "lat",
    "seq_read": "mbs", "seq_write": "mbs", "cache_bytes": "gib", "hot_gain": "fold", "outer": "mbs", "server": "rate",
    "server_wait": "lat",
}  # fmt: skip
"""Figures of evidence that a reader asks for first, and the shapes they are told in."""
MOST_FIGURES = 8
ROUND = re.compile(r"[.,]0(?=\s)")
"""A last nought behind the point; thousands have three."""
KEPT = {"holds": "kept", "holds_beside": "kept", "only_fresh": "fresh_only", "missed": "broken"}


class Seen(NamedTuple):
    """All that page one is made of."""

    run: Run
    told: Evidence
    verdict: Verdict
    found: tuple[Finding, ...]
    kind: str
    words: Language


def keys(seen: Seen) -> Iterator[Key]:
    """The figures that a reader asks for first, as far as the run has them."""
    known = peers(seen.run.plan.device, seen.kind)
    fresh_twice = "start" if seen.told.get("start") == seen.told.get("fresh_writes") else "fresh_writes"
    own = [name for name in FIGURES if seen.told.get(name) and name != fresh_twice][:MOST_FIGURES]
    for name in own:
        band = _band(name, seen.told[name], known, seen.words)
        shown = "writes_full" if name == "writes" and "fall" not in seen.told else name  # nobody wrote for hours
        yield Key(seen.words(f"figure_name.{shown}"), _said(seen.told[name], FIGURES[name], seen.words), band)


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
    if one.mark == "can't tell":
        return words("story.would_tell", tests=", ".join(words(f"test.{name}") for name in one.missing))
    return sentence("; ".join(reason_said(reason, words) for reason in one.reasons[:2]))


def verdict(seen: Seen) -> str:
    """One sentence: for what, not for what, and the three weightiest reasons."""
    words, judged = seen.words, seen.verdict
    ladder = [one for one in judged.uses if one.use != "streaming"]
    yes = [one.use for one in ladder if one.mark == "yes"][-2:] or [one.use for one in judged.of("yes")]
    no = [one.use for one in ladder if one.mark == "no"]
    doubt = [one.use for one in ladder if one.mark == "doubt"]
    reasons = "; ".join(reason_said(one, words) for one in judged.reasons)
    good, bad, unsure = (_listed(names, words) for names in (yes, no[:1] + no[-1:] if len(no) > 1 else no, doubt[:2]))
    if not reasons:
        return words("story.verdict_none")
    if yes and (no or doubt):
        return words(
            "story.verdict_both" if no else "story.verdict_doubt", good=good, bad=bad or unsure, reasons=reasons
        )
    if yes:
        return words("story.verdict_good", good=good, reasons=reasons)
    if no:
        return words("story.verdict_bad", bad=bad, reasons=reasons)
    if doubt:
        return words("story.verdict_unsure", bad=unsure, reasons=reasons)
    return words("story.verdict_none")


def _listed(names: Sequence[str], words: Language) -> str:
    told = [words(f"use_for.{name}") for name in names]
    return f" {words('story.and')} ".join(told)


def extremes(seen: Seen) -> tuple[str, str]:
    """The weightiest thing for the drive and against it, as sentences; "" where there is none."""
    said: list[str] = []
    for answers, marks in ((("pass",), ("yes",)), (("fail", "doubt"), ("no", "doubt"))):
        own = [r for one in seen.verdict.of(*marks) for r in one.reasons if r.answer in answers and measured(r)]
        own = own or [r for one in seen.verdict.uses for r in one.reasons if r.answer in answers]
        said.append(sentence(reason_said(max(own, key=lambda r: r.weight), seen.words)) if own else "")
    return said[0], said[1]


def measured(reason: Reason) -> bool:
    """Whether a run said so, not the maker or the box."""
    return reason.figure not in ("dwpd", "capacity")


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
