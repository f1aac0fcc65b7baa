"""Rules that can fail: `iops[*,4K] < -3%` fails if 4 KiB IOPS are shown to have dropped by more than 3 %.

A figure fails if its whole interval is beyond the bound, at Holm's level for all figures of the rules together. The
probability of any false failure is then at most 2.5 %. It passes if the whole interval is inside the bound. Otherwise
it is undecided. Rules come from the command line or a TOML file:

    undecided = "fail"            # or "pass"; without it the answer of an undecided gate is "undecided"
    noninferior = false
    fail_if = ["iops[*,4K] < -3%", "p99.9[latency] > +10%"]
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from math import log, log1p
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.units import block_label, parse_bytes
from stend.findings.look.figures import DIRECTIONS, State
from stend.many import statistics
from stend.many.compare.differences import Comparison, Difference, difference, paired
from stend.many.settings import Reason
from stend.many.sides import Key
from stend.model.quantities import QUANTITIES

Answer = Literal["failed", "passed", "undecided"]
ONE_SIDED = (1 - statistics.LEVEL) / 2
OTHER_NAMES = {"bw": "throughput", "art": "mean", "avg": "mean", "mrt": "max"}
FORM = "write it like 'iops[*,4K] < -3%' or 'p99.9[latency] > +10%'"
_RULE = re.compile(r"\s*([\w.]+)\s*(?:\[([^\[\]]*)\])?\s*([<>])\s*([+-]?\d{1,6}(?:\.\d{1,6})?)\s*%\s*")


class Rule(NamedTuple):
    """A quantity, the words that select its figures, and the change (logarithm of a ratio) beyond which it fails."""

    text: str
    quantity: str
    where: tuple[str, ...]
    below: bool
    bound: float


class Gated(NamedTuple):
    """A rule's answer for one figure. `p` is Holm's for "not beyond the bound", or None without an interval."""

    rule: Rule
    figure: Difference
    answer: Answer
    p: float | None
    why: tuple[Reason, ...] = ()


class Judgement(NamedTuple):
    """All rules together: failed if any figure failed, else undecided if any is, else passed."""

    gated: tuple[Gated, ...]
    answer: Answer
    undecided: str
    noninferior: bool

    @property
    def final(self) -> Answer:
        """Return the answer with `undecided` ("pass", "fail" or "") applied. Non-inferiority must be shown."""
        settled = "fail" if self.noninferior else self.undecided
        if self.answer != "undecided" or not settled:
            return self.answer
        return "passed" if settled == "pass" else "failed"


def parse(text: str) -> Rule:
    """Parse a rule. Raise BadInput if it is invalid."""
    match = _RULE.fullmatch(text.replace("\u2212", "-"))
    if not match:
        raise BadInput(f"{text!r} is not a rule; {FORM}")
    quantity = quantity_of(match[1], f"the rule {text!r}")
    change = float(match[4]) / 100
    if change <= -1:
        raise BadInput(f"the rule {text!r} is invalid, because no figure can drop by 100 % or more")
    where = tuple(word.strip() for word in (match[2] or "*").split(","))
    if not all(where):
        raise BadInput(f"the rule {text!r} has an empty word between its commas; {FORM}")
    return Rule(text, quantity, where, match[3] == "<", log1p(change))


def quantity_of(name: str, what: str) -> str:
    """Return the registered quantity of a name. Raise BadInput, which names `what` has it, for an unknown one."""
    quantity = OTHER_NAMES.get(name.lower(), name.lower())
    if quantity not in QUANTITIES:
        raise BadInput(f"{what} names an unknown quantity; choose from {', '.join(QUANTITIES)}")
    return quantity


def judge(whole: Comparison, rules: Sequence[Rule], undecided: str = "", *, noninferior: bool = False) -> Judgement:
    """Judge every figure that a rule selects. Raise BadInput if a rule selects none."""
    if noninferior and undecided == "pass":
        raise BadInput("--noninferior cannot be combined with --undecided pass; leave one out")
    # 1. Find every figure of every rule.
    pairs = [(rule, figure) for rule in rules for figure in picked(whole, rule)]
    # 2. Test each figure, and adjust the p-values for all of them together (Holm).
    single = [(beyond(rule, figure) if figure.low is not None else None) for rule, figure in pairs]
    adjusted = iter(statistics.holm([p for p in single if p is not None]))
    levels = [None if p is None else next(adjusted) for p in single]
    # 3. Answer for each figure, then for all.
    gated = tuple(_gated(rule, figure, p) for (rule, figure), p in zip(pairs, levels, strict=True))
    answers = {answer.answer for answer in gated}
    worst: Answer = "failed" if "failed" in answers else "undecided" if "undecided" in answers else "passed"
    return Judgement(gated, worst, undecided, noninferior)


def _gated(rule: Rule, figure: Difference, p: float | None) -> Gated:
    if p is None:
        return Gated(rule, figure, "undecided", None, figure.why)
    if p < ONE_SIDED:
        return Gated(rule, figure, "failed", p)
    if inside(rule, figure):
        return Gated(rule, figure, "passed", p)
    more = (Reason("more", {"n": figure.more}),) if figure.more else ()
    return Gated(rule, figure, "undecided", p, more)


def beyond(rule: Rule, figure: Difference) -> float:
    """Return the p-value of "the change is not beyond the bound"; 0 or 1 for figures known only to a latency bin."""
    if not figure.error:
        edge = figure.high if rule.below else figure.low
        return 0.0 if edge is not None and (log(edge) < rule.bound) == rule.below else 1.0
    p = float(statistics.beyond(log(figure.ratio), figure.error, figure.freedom, rule.bound))
    return 1 - p if rule.below else p


def inside(rule: Rule, figure: Difference) -> bool:
    """Return whether the whole interval is inside the bound."""
    edge = figure.low if rule.below else figure.high
    return edge is not None and (log(edge) >= rule.bound if rule.below else log(edge) <= rule.bound)


def picked(whole: Comparison, rule: Rule) -> Iterator[Difference]:
    """Yield the figures that all words of a rule match. Raise BadInput if a word or the rule matches none."""
    pairs, _ = paired(whole.a, whole.b)
    for word in rule.where:
        if not any(fits(word, key) for key, _ in pairs):
            known = dict.fromkeys(key.test for key, _ in pairs)
            raise BadInput(f"{word!r} in the rule {rule.text!r} matches no figure; tests that both sides have: "
                           f"{', '.join(known) or 'none'}")  # fmt: skip
    ways = [word.lower() for word in rule.where if word.lower() in DIRECTIONS] or ["both"]
    matching = [pair for pair in pairs if pair[0].direction in ways and all(fits(word, pair[0]) for word in rule.where)]
    figures = [figure for key, other in matching if (figure := difference(whole, key, other, rule.quantity))]
    if not figures:
        raise BadInput(f"the rule {rule.text!r} matches no figure for which both sides have a value")
    yield from figures


def fits(word: str, key: Key) -> bool:
    """Return whether a word in the brackets of a rule matches a figure."""
    if word.lower() in (*DIRECTIONS, *get_args(State)):
        return word.lower() in (key.direction, key.state)
    if word.upper() in ("RND", "SEQ"):
        return key.random_pct == (100 if word.upper() == "RND" else 0)
    if match := re.fullmatch(r"([tq])(\d{1,6})", word.lower()):
        return int(match[2]) == (key.threads if match[1] == "t" else key.depth)
    if re.fullmatch(r"\d{1,9}(\.\d{1,3})?[km](ib)?", word.lower()):
        return block_label(parse_bytes(word)) == key.block
    return word == key.mix or any(fnmatchcase(name, word.lower()) for name in (key.test, key.phase))


SETTLED = ("", "pass", "fail")


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML file of rules."""

    fail_if: tuple[str, ...]
    undecided: str = ""
    noninferior: bool = False


class Gate(NamedTuple):
    """Rules and the result of undecided ones."""

    rules: tuple[Rule, ...]
    undecided: str
    noninferior: bool

    def judge(self, whole: Comparison) -> Judgement | None:
        """Return the judgement of a comparison, or None without rules."""
        return judge(whole, self.rules, self.undecided, noninferior=self.noninferior) if self.rules else None


def chosen(typed: Sequence[str], file: Path | None, undecided: str = "", *, noninferior: bool = False) -> Gate:
    """Join the rules of the command line and a file. Options of the command line override those of the file.

    Raise BadInput for invalid rules, an empty file, or options without rules.
    """
    written = untrusted.toml(untrusted.read(file, "the rules"), Written, f"the rules {file}") if file else Written(())
    settled = undecided or written.undecided
    if settled not in SETTLED:
        raise BadInput(f"undecided is {settled!r}; use pass or fail")
    rules = tuple(parse(text) for text in (*written.fail_if, *typed))
    if file and not written.fail_if:
        raise BadInput(f"the file {file} has no rules: fail_if is empty")
    if not rules and (settled or noninferior):
        raise BadInput("--undecided and --noninferior need rules; give --fail-if or --rules")
    return Gate(rules, settled, noninferior or written.noninferior)
