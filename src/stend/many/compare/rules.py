"""Rules that fail: `iops[*,4K] < -3%` fails when 4 KiB IOPS are shown to have fallen by more than 3 %.

A figure fails when its whole interval is beyond the bound, at Holm's level for all gated figures together, so that any
one false failure among them has at most 2.5 %; it passes when the whole interval is inside; else it is undecided.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from math import log, log1p
from typing import Literal, NamedTuple, get_args

from stend.base.errors import BadInput
from stend.base.units import block_label, parse_bytes
from stend.findings.look.figures import DIRECTIONS, QUANTITIES, State
from stend.many import statistics
from stend.many.compare.differences import Comparison, Difference, difference, paired
from stend.many.settings import Reason
from stend.many.sides import Key

Answer = Literal["failed", "passed", "undecided"]
ONE_SIDED = (1 - statistics.LEVEL) / 2
OTHER_NAMES = {"bw": "throughput", "art": "mean", "avg": "mean", "mrt": "max"}
FORM = "write it like 'iops[*,4K] < -3%' or 'p99.9[latency] > +10%'"
_RULE = re.compile(r"\s*([\w.]+)\s*(?:\[([^\[\]]*)\])?\s*([<>])\s*([+-]?\d{1,6}(?:\.\d{1,6})?)\s*%\s*")


class Rule(NamedTuple):
    """A quantity, the words that pick its figures, and beyond which change (logarithm of a ratio) it fails."""

    text: str
    quantity: str
    where: tuple[str, ...]
    below: bool
    bound: float


class Gated(NamedTuple):
    """A rule's answer for one figure; `p` is Holm's for "it is not beyond the bound", None without an interval."""

    rule: Rule
    figure: Difference
    answer: Answer
    p: float | None
    why: tuple[Reason, ...] = ()


class Judgement(NamedTuple):
    """All rules together: failed when any figure did, undecided when any other is, else passed."""

    gated: tuple[Gated, ...]
    answer: Answer
    undecided: str
    noninferior: bool

    @property
    def final(self) -> Answer:
        """The answer once `undecided` ("pass", "fail" or "") has its say; non-inferiority has to be shown."""
        settled = "fail" if self.noninferior else self.undecided
        if self.answer != "undecided" or not settled:
            return self.answer
        return "passed" if settled == "pass" else "failed"


def parse(text: str) -> Rule:
    """A rule as typed; BadInput says what is wrong with it."""
    match = _RULE.fullmatch(text.replace("\u2212", "-"))
    if not match:
        raise BadInput(f"{text!r} is not a rule; {FORM}")
    quantity = OTHER_NAMES.get(match[1].lower(), match[1].lower())
    if quantity not in QUANTITIES:
        raise BadInput(f"the rule {text!r} names no quantity of ours; there are {', '.join(QUANTITIES)}")
    change = float(match[4]) / 100
    if change <= -1:
        raise BadInput(f"the rule {text!r} can never hold: nothing falls by 100 % or more")
    where = tuple(word.strip() for word in (match[2] or "*").split(","))
    if not all(where):
        raise BadInput(f"the rule {text!r} has an empty place between its commas; {FORM}")
    return Rule(text, quantity, where, match[3] == "<", log1p(change))


def judge(whole: Comparison, rules: Sequence[Rule], undecided: str = "", *, noninferior: bool = False) -> Judgement:
    """Every figure that any rule picks; BadInput when a rule picks none."""
    if noninferior and undecided == "pass":
        raise BadInput("--noninferior passes only what is shown; it cannot go with --undecided pass")
    asked = [(rule, one) for rule in rules for one in picked(whole, rule)]
    shown = [(beyond(rule, one) if one.low is not None else None) for rule, one in asked]
    adjusted = iter(statistics.holm([p for p in shown if p is not None]))
    levels = [None if p is None else next(adjusted) for p in shown]
    gated = tuple(_gated(rule, one, p) for (rule, one), p in zip(asked, levels, strict=True))
    answers = {one.answer for one in gated}
    worst: Answer = "failed" if "failed" in answers else "undecided" if "undecided" in answers else "passed"
    return Judgement(gated, worst, undecided, noninferior)


def _gated(rule: Rule, one: Difference, p: float | None) -> Gated:
    if p is None:
        return Gated(rule, one, "undecided", None, one.why)
    if p < ONE_SIDED:
        return Gated(rule, one, "failed", p)
    if inside(rule, one):
        return Gated(rule, one, "passed", p)
    more = (Reason("more", {"n": one.more}),) if one.more else ()
    return Gated(rule, one, "undecided", p, more)


def beyond(rule: Rule, one: Difference) -> float:
    """The p-value of "the change is not beyond the bound"; for figures known to a bin 0 or 1."""
    if not one.error:
        return 0.0 if _outside(rule, one) else 1.0
    p = float(statistics.beyond(log(one.ratio), one.error, one.freedom, rule.bound))
    return 1 - p if rule.below else p


def _outside(rule: Rule, one: Difference) -> bool:
    edge = one.high if rule.below else one.low
    return edge is not None and (log(edge) < rule.bound) == rule.below


def inside(rule: Rule, one: Difference) -> bool:
    """Whether the whole interval keeps to the bound."""
    edge = one.low if rule.below else one.high
    return edge is not None and (log(edge) >= rule.bound if rule.below else log(edge) <= rule.bound)


def picked(whole: Comparison, rule: Rule) -> Iterator[Difference]:
    """The figures a rule is about: those that all its words fit."""
    pairs, _ = paired(whole.a, whole.b)
    for word in rule.where:
        if not any(fits(word, key) for key, _ in pairs):
            known = dict.fromkeys(key.test for key, _ in pairs)
            raise BadInput(f"{word!r} in the rule {rule.text!r} fits no figure; tests that both sides have: "
                           f"{', '.join(known) or 'none'}")  # fmt: skip
    ways = [word.lower() for word in rule.where if word.lower() in DIRECTIONS] or ["both"]
    own = [pair for pair in pairs if pair[0].direction in ways and all(fits(word, pair[0]) for word in rule.where)]
    found = [one for key, other in own if (one := difference(whole, key, other, rule.quantity))]
    if not found:
        raise BadInput(f"the rule {rule.text!r} fits no figure that both sides have a value of")
    yield from found


def fits(word: str, key: Key) -> bool:
    """Whether a word of a rule's brackets picks this figure."""
    if word.lower() in (*DIRECTIONS, *get_args(State)):
        return word.lower() in (key.direction, key.state)
    if word.upper() in ("RND", "SEQ"):
        return key.random_pct == (100 if word.upper() == "RND" else 0)
    if match := re.fullmatch(r"([tq])(\d{1,6})", word.lower()):
        return int(match[2]) == (key.threads if match[1] == "t" else key.depth)
    if re.fullmatch(r"\d{1,9}(\.\d{1,3})?[km](ib)?", word.lower()):
        return block_label(parse_bytes(word)) == key.block
    return word == key.mix or any(fnmatchcase(name, word.lower()) for name in (key.test, key.phase))
