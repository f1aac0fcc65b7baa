"""Page one: description of the drive, verdict, uses, key figures, best and worst, claims, certainty."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from stend.base.text import capital, small
from stend.findings import Finding, Sheet
from stend.findings.judgement import FIT, SAFE, Judged, Reason, Verdict, Why, along
from stend.findings.judgement.evidence import Evidence
from stend.findings.judgement.uses import uses
from stend.model.record import Run
from stend.report.parts import Band, Key, Marked
from stend.report.story.rivals import AHEAD, Misfit, Place, Rival, misfits, place
from stend.sentences import reason_said, why_said
from stend.words import Language

FIGURES = {
    "reads": "rate", "fresh_writes": "rate", "start": "rate", "writes": "rate", "read_wait": "lat",
    "write_wait": "lat", "reads_per_watt": "per_watt", "idle_watts": "watts", "cache_bytes": "gib", "seq_read": "mbs",
    "seq_write": "mbs", "write_tail": "lat", "writes_per_watt": "per_watt", "load_watts": "watts",
    "wake_wait": "lat", "hot_gain": "fold", "outer": "mbs", "inner": "mbs", "server": "rate",
    "server_wait": "lat", "database": "rate", "database_wait": "lat", "read_p99": "lat", "mix_p99": "lat",
    "write_p99": "lat", "journal_rate": "rate", "journal_wait": "lat",
}  # fmt: skip
"""Figures of evidence that page one shows, in order of importance, and their shapes."""
SHAPES = FIGURES | {"writes_filled": "rate"}
"""Figures of drives side by side and of a lab's site too: filled drives are compared where one was not saturated."""
MOST_FIGURES = 8
MOST_CLAUSES = 2
ROOM = ("streaming", "capacity")
"""The use for which the capacity of a drive is an argument of the headline."""
ROOMY = 2.0
"""A capacity this many times its bound is an argument for a drive."""
DECIDES = 2
"""Weight from which one reason is sufficient."""
FOLDED = 3
SAME = 0.03
"""Two figures of one quantity that differ by less are shown once."""
AT = {
    "server": "server_depth", "server_wait": "server_depth", "database": "database_depth",
    "database_wait": "database_depth", "write_tail": "write_tail_at",
}  # fmt: skip
"""Figures, and those that state their numbers of outstanding IOs: at other numbers they are not alike."""
LESS_IS_BETTER = (
    "read_wait", "write_wait", "write_tail", "server_wait", "database_wait", "idle_watts", "load_watts", "wake_wait",
    "read_p99", "mix_p99", "write_p99", "journal_wait",
)  # fmt: skip
UNLIKE = {"writes": "writes_unlike", "write_tail": "write_tail_ended", "seq_write": "seq_write_unlike"}
"""Figures whose titles name a state, and the titles of runs that were in unlike states."""
BY_SIZE = ("cache_bytes",)
"""Figures that grow with the capacity: no drive is better by them than one of another capacity."""
COMMON = ("read_wait", "start", "seq_read")
"""Figures that every flash drive passes: alone they do not set a drive apart."""
TAILS = {"longest": 10.0, "write_tail": SAFE, "mix_tail": SAFE}
"""Response times, and how many times each is below the strictest bound of any use where it argues for a drive."""
RARE = (*TAILS, "read_p99", "mix_p99", "write_p99", "journal_wait")
"""Key figures of rare response times: they come after rates and means, however much they differ."""
QUANTITY = {"fall": "writes", "cache_fall": "stream_end"}
"""Figures whose sentences state another figure too: of such reasons one is shown."""
SERVER = ("read", "mixed", "database", "write")
ROUND = re.compile(r"[.,]0(?=\s)")
"""A final zero after the decimal point; groups of thousands have three digits."""
KEPT = {"holds": "kept", "holds_beside": "kept", "near": "near", "only_fresh": "fresh_only", "missed": "broken"}

NO_FACTS: Sheet = {}


class Review(NamedTuple):
    """Input of page one: a run, its figures, verdict and findings, the kind of drive, the language, other drives,
    and the facts of the drive's sheet.
    """

    run: Run
    figures: Evidence
    verdict: Verdict
    findings: tuple[Finding, ...]
    kind: str
    words: Language
    rivals: tuple[Rival, ...] = ()
    facts: Sheet = NO_FACTS


def keys(review: Review) -> Iterator[Key]:
    """Yield the most important figures. Those of a virtual drive that are far from its real drive's state that too."""
    words, far = review.words, unlike_real(review)
    for name in _most_important(review):
        shape = FIGURES[name]
        note = words("story.of_real", real=value_shown(far[name].real, shape, words)) if name in far else ""
        value = value_shown(review.figures[name], shape, words)
        yield Key(_title_alone(name, review), value, _band(name, review), note)


def unlike_real(review: Review) -> dict[str, Misfit]:
    """Return the figures of page one in which a virtual drive is far from what is published of its real drive.

    Figures at a number of outstanding IOs are left out, because publications have other numbers.
    """
    names = [] if review.verdict.standing else _most_important(review)
    usable = {name: review.figures[name] for name in names if name not in AT and comparable(name, review)}
    return {one.figure: one for one in misfits(review.run, usable)}


def _most_important(review: Review) -> list[str]:
    """Return the names of the key figures; of two equal rates of the fresh drive that of the sentences.

    The sentences have the start of a saturation. Without a saturation it is the best minute itself.
    """
    start, peak = review.figures.get("start", 0.0), review.figures.get("fresh_writes", 0.0)
    hidden = "start" if start == peak else "fresh_writes" if peak and abs(start / peak - 1) < SAME else ""
    return [name for name in shown(review) if name != hidden][:MOST_FIGURES]


def title(name: str, review: Review) -> str:
    """Return the title of a figure of this run, which names its state or that it is a mean along the range."""
    values = {name: review.figures.get(name, 1.0) for name in ("seq_part", "brief_s", "sat_part")}
    return review.words(f"figure_name.{_title_key(name, review)}", **values)


def _title_key(name: str, review: Review) -> str:
    key = name if comparable(name, review) else "writes_filled"
    if key == "writes_filled" and {"seq_part", "writes_cached"} & review.figures.keys():
        key = "writes_cached" if "writes_cached" in review.figures else "writes_filled_part"
    elif place := along(name, review.figures):
        key = f"{name}{place}"
    elif name == "seq_write" and "seq_part" in review.figures:
        key = "seq_write_part"
    elif key == "writes" and "still_falling" in review.figures:
        key = "writes_falling"
    elif key == "writes" and "sat_part" in review.figures:
        key = "writes_part"
    elif key == "write_tail" and {"ended", "still_falling"} & review.figures.keys():  # it had not settled
        key = "write_tail_ended"
    elif key == "start" and review.kind == "array":  # a controller has no purge, and takes writes into its cache first
        key = "start_array"
    elif key == "start" and "brief_s" in review.figures:  # shorter than the minutes of other tests
        key = "start_brief"
    return key


def title_of_all(name: str, reviews: Sequence[Review]) -> str:
    """Return the title of a figure of several runs, which is true of each of them."""
    own = {title(name, review) for review in reviews}
    return own.pop() if len(own) == 1 else reviews[0].words(f"figure_name.{UNLIKE.get(name, name)}")


def _title_alone(name: str, review: Review) -> str:
    """Return the title of a figure; of a mean that few long waits raise, it states the usual one and the longest.

    A percentile of many outstanding IOs is mostly their queue, so that its title states their number.
    """
    if name == "write_tail" and (depth := review.figures.get(AT[name])):
        return review.words(f"figure_name.{_title_key(name, review)}_alone", depth=depth)
    of = name.removesuffix("_wait")
    usual, longest = (review.figures.get(f"{of}_{end}") for end in ("usual", "longest"))
    if of == name or not (usual and longest):
        return title(name, review)
    return review.words(f"figure_name.{name}_rare", usual=usual, longest=longest)


def shown(review: Review) -> list[str]:
    """Return the names of key figures that the run has, each fact once; the gain of a cache only if it has one."""
    hot, repeated = any(use.use == "hot" for use in review.verdict.uses), review.verdict.known.repeated
    names = [name for name in FIGURES if review.figures.get(name) and name not in repeated]
    return [name for name in names if name != "hot_gain" or hot]


def value_shown(value: float, shape: str, words: Language) -> str:
    """Return a figure rounded for running text, with its unit."""
    return words.show(value, f"said:{shape}") + unit(shape)


def unit(told_as: str) -> str:
    """Return the unit after a value. Only rates need one."""
    return "\u00a0IOPS" if told_as == "rate" else ""


def comparable(name: str, review: Review) -> bool:
    """Return whether a figure is of the state that other drives publish: saturated, if it is of random writes."""
    return name != "writes" or "sat_s" in review.figures


def _band(name: str, review: Review) -> Band | None:
    value, words = review.figures[name], review.words
    values = {rival.name: rival.figures[name] for rival in review.rivals if rival.figures.get(name)}
    if not values or not comparable(name, review):
        return None
    low, high = (math.log(f(*values.values(), value)) for f in (min, max))
    wide = max(high - low, math.log(1.5))
    begin = (low + high - wide) / 2 - wide * 0.08
    places = [(math.log(v) - begin) / (wide * 1.16) for v in (*values.values(), value)]
    shape = f"said:{FIGURES[name]}"
    known = [rival for rival in review.rivals if rival.name in values]
    names = ", ".join(f"{rival.name}: {words.ranged(rival.ends(name), shape)}" for rival in known)
    if not review.verdict.standing and name not in review.verdict.known.unusable:
        ranked = place(value, list(values.values()), less_is_better=name in LESS_IS_BETTER)
        last = ranked.place == ranked.drives and not ranked.joint
        between = " " if ranked.drives == 2 else "; "
        names = f"{ranked.text(words)}{between}{names}" if last or name not in review.verdict.known.bounds else names
    return Band(tuple(sorted(places[:-1])), places[-1], names)


def marked(review: Review, stated: str) -> Iterator[Marked]:
    """Yield the uses from light to heavy, each with at most two reasons; neighbours with one reason are one entry.

    `FOLDED` uses or more that only lack tests are one entry at the end, with all these tests. Figures that no earlier
    use has come first, after the weightiest if they weigh little, but a refused use shows what it fails. A reason that
    an earlier entry or the headline `stated` has is short, and what the drive sheet does not state is in the headline.
    """
    words, facts_stated, earlier = review.words, open_facts(review.verdict.of(*FIT)), set[str]()

    def shown(judged: Judged) -> tuple[str, Why]:
        roomy = tuple(reason for reason in judged.reasons if reason.figure != ROOM[1] or argues(reason))
        judged = judged._replace(reasons=roomy or judged.reasons)
        new = tuple(reason for reason in judged.reasons if reason.figure not in earlier)
        fails = {reason.figure for reason in judged.reasons if reason.answer == "fail"}
        if fails and not fails & {reason.figure for reason in new}:
            new = ()
        if all(reason.weight < DECIDES for reason in new):  # alone they would not carry the mark
            new = (*judged.reasons[:1], *new) if new else judged.reasons
        why = (judged if judged.by_doubts else judged._replace(reasons=once(new))).why(MOST_CLAUSES)
        earlier.update(reason.figure for reason in why.reasons)
        if why.reasons and set(why.facts) <= set(facts_stated):
            why = msgspec.structs.replace(why, facts=())
        return judged.key, why

    lacking = [use for use in review.verdict.uses if use.key == "unknown" and use.missing and not use.because]
    lacking = lacking if len(lacking) >= FOLDED else []
    tests = tuple(dict.fromkeys(name for use in lacking for name in use.missing))
    facts = tuple(dict.fromkeys(name for use in lacking for name in use.facts))
    open_ends = "unknown", Why(tests=tests, facts=facts)
    every = [(shown(use), use) for use in review.verdict.uses if use not in lacking]
    every += [(open_ends, use) for use in lacking]
    for (mark, why), group in groupby(every, lambda pair: pair[0]):
        text = sentence(why_said(why, words, stated))
        stated += text
        yield Marked(use_titles([judged.use for _, judged in group], words), mark, words(f"story.{mark}"), text)


def use_titles(names: Sequence[str], words: Language) -> str:
    """Return the titles of uses as one."""
    first, *others = (words(f"use_title.{name}") for name in names)
    return ", ".join((first, *map(small, others)))


def open_facts(fit: Sequence[Judged]) -> tuple[str, ...]:
    """Return the facts that these uses depend on and no drive sheet states."""
    return tuple(dict.fromkeys(fact for use in fit for fact in use.facts))


def quantities(reasons: Iterable[Reason]) -> set[str]:
    """Return the figures of reasons, and those that their sentences state too."""
    names = {reason.figure for reason in reasons}
    return names | {QUANTITY.get(name, name) for name in names}


def once(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Return the first reason of each quantity."""
    first: dict[str, Reason] = {}
    for reason in reasons:
        first.setdefault(QUANTITY.get(reason.figure, reason.figure), reason)
    return tuple(first.values())


def extremes(review: Review) -> tuple[str, str]:
    """Return the best and the worst of the drive as sentences, compared with the other drives of the page.

    Without rivals: the demand that it exceeds most, and the one that it misses most, or "" without such a demand.
    """
    if review.verdict.standing:
        return "", ""
    first, last = _gains(review)
    ahead, later = _rival_sentence(first, "ahead", review), _rival_sentence(last, "behind", review)
    fit = [r for use in review.verdict.of(*FIT) for r in use.reasons if r.figure not in COMMON and argues(r)]
    bad = [r for r in weaknesses(review.verdict) if measured(r)]
    best = max(filter(measured, fit), key=lambda r: r.margin, default=None)
    worst = max(bad, key=lambda r: r.weight, default=None)
    return (
        ahead or (sentence(reason_said(best, review.words)) if best else ""),
        later or (sentence(reason_said(worst, review.words)) if worst else ""),
    )


def weaknesses(judged: Verdict) -> list[Reason]:
    """Return the reasons against uses, without those that are only unmeasured inner tracks of a disk."""
    reasons = [reason for use in judged.of("no", "doubt") for reason in use.reasons]
    return [reason for reason in reasons if reason.caveat is None or reason.caveat.key != "outer"]


def argues(reason: Reason) -> bool:
    """Return whether a passed demand is an argument for the drive. A fall or a capacity that merely passes is not.

    A tail is an argument only if it is well within the strictest bound of any use: of two drives the one with the
    shorter tail must not have it against it while the other has it in its favour.
    """
    if reason.figure == ROOM[1]:
        return reason.answer != "pass" or reason.beyond >= ROOMY
    if reason.figure in TAILS:
        bounds = (
            d.at_most[0] for use in uses().use.values() for d in use.demands if d.figure == reason.figure and d.at_most
        )
        return reason.values[reason.figure] * TAILS[reason.figure] <= min(bounds)
    if reason.figure == "back":  # a pause that gains nothing is none
        return reason.values["back_iops"] >= uses().level["fall"] * reason.values.get("unrested", 0.0)
    return not mere_fall(reason)


def mere_fall(reason: Reason) -> bool:
    """Return whether a reason is a fall that passed: it is an argument for the drive only if the rate hardly moved."""
    if reason.figure == "cache_fall":
        return reason.answer == "pass" and reason.values["cache_fall"] > uses().level["fall"]
    return reason.figure == "fall" and reason.answer == "pass" and reason.key != "level"


class Gain(NamedTuple):
    """A figure of this drive over that of a rival, above 1 if this drive is better; the rival's figure and name."""

    gain: float
    figure: str
    theirs: float
    name: str
    drives: int


def behind(review: Review) -> str:
    """Return the name of the figure that is furthest behind every rival, or ""."""
    last = _gains(review)[1]
    return last.figure if last else ""


def _gains(review: Review) -> tuple[Gain | None, Gain | None]:
    """Return the figure that is furthest ahead of every rival and the one furthest behind every rival."""
    best, worst, unusable = [], [], (*BY_SIZE, *review.verdict.known.unusable)
    for name in (name for name in shown(review) if comparable(name, review) and name not in unusable):
        sign = -1 if name in LESS_IS_BETTER else 1
        known = [(theirs, rival.dated(review.words)) for rival in review.rivals if (theirs := rival.figures.get(name))]
        value = review.figures[name]
        gains = [Gain((value / theirs) ** sign, name, theirs, title, len(known) + 1) for theirs, title in known]
        if name not in review.verdict.known.bounds:  # a rate that still falls may end below its rivals
            best += sorted(gains)[:1]  # the strongest rival leaves the smallest gain
        worst += sorted(gains)[-1:]
    ahead = [one for one in best if one.gain >= AHEAD]
    later = [one for one in worst if one.gain <= 1 / AHEAD]
    return max(ahead, default=None), min(later, default=None)


def _rival_sentence(one: Gain | None, key: str, review: Review) -> str:
    if one is None:
        return ""
    words, name, shape = review.words, _title_alone(one.figure, review), FIGURES[one.figure]
    own, theirs = (value_shown(value, shape, words) for value in (review.figures[one.figure], one.theirs))
    said = Place(1 if key == "ahead" else one.drives, one.drives).text(words)
    gain = max(one.gain, 1 / one.gain)
    key = f"{key}_of_two" if one.drives == 2 else key
    figure = figure_said(name, own, words)
    return words(f"story.{key}", figure=figure, theirs=theirs, rival=one.name, place=said, gain=gain)


def figure_said(name: str, value: str, words: Language) -> str:
    """Return a figure in a sentence: `Sequential reads: 498 MB/s`, `99% of single reads finish within 2 ms`."""
    is_open = name.endswith(words("story.open"))
    return words("story.figure_open" if is_open else "story.figure", name=name, own=value)


def measured(reason: Reason) -> bool:
    """Return whether a figure was measured by the run, as opposed to data of the maker."""
    return reason.figure not in ("dwpd", "plp", "capacity")


def claims(review: Review) -> Iterator[tuple[str, str, str]]:
    """Yield (claim, kept or not, in figures) of each claim of the drive's sheet."""
    words = review.words
    for finding in review.findings:
        if finding.name == "claims":
            mark = KEPT.get(finding.key, "untold")
            given = {k: finding.values[k] for k in ("claimed", "value") if k in finding.values}
            values = {k: value_shown(number, shape, words) for k, (number, shape) in given.items()}
            claimed, shape = given["claimed"]
            values["claimed"] = ROUND.sub("", words.show(claimed, shape)) + unit(shape)  # as the vendor wrote it
            state = words(f"state.{finding.values['state']}") if "state" in finding.values else ""
            text = words("story.claimed", **({"value": "–", "state": state, "mark": words(f"story.{mark}")} | values))
            yield words.claim(finding.values["claim"]), mark, text


def sentence(clause: str) -> str:
    """Return a clause with a capital letter and a full stop."""
    return capital(clause).rstrip(".") + "." if clause else ""


def after(name: str, text: str) -> str:
    """Return a sentence after a name and a colon. It begins small unless with an acronym or the titles of tests."""
    first, _, rest = text.partition(" ")
    titled = re.match(r"[A-ZА-Я][a-zа-я]", rest) or re.match(r"[^:]*, [A-ZА-Я][a-zа-я].*:", text)
    title = titled or first.endswith((":", ","))
    return f"{name}: {small(text) if not title and (text[1:2].islower() or text[1:2] == ' ') else text}"
