"""Figure by figure: the ratio of two sides, its interval, and a verdict that needs interval and threshold both."""

import re
from collections.abc import Callable, Iterator, Sequence
from math import exp, log1p
from typing import Any, Literal, NamedTuple

from stend.base.errors import BadInput
from stend.findings.look.figures import QUANTITIES
from stend.many import statistics
from stend.many.settings import Differing, Reason, blocked, differing, obstacles
from stend.many.sides import Key, Side, every_key, side

Verdict = Literal["better", "worse", "same", "undecided", "not comparable"]
THRESHOLDS = {"rate": 0.03, "mean": 0.05, "tail": 0.10}
"""What matters in practice, by the kind of quantity; smaller differences are the same to a user."""
TIMED = ("latency", "profiles", "write-saturation", "latency-curve", "thread-queue-sweep")
"""Tests whose response times are a result; elsewhere they follow from IOPS at a fixed number outstanding."""
ONE_BIN = 1 / 64
"""All runs of both sides in one bin each: the logarithm of their ratio is known to a bin's width."""
TAILED = ("latency", "write-saturation")
REPLAYS = ("replay", "headroom")


class Figure(NamedTuple):
    """Which figure and which quantity of it."""

    key: Key
    quantity: str

    @property
    def kind(self) -> str:
        """Of its quantity: rate, mean or tail."""
        return QUANTITIES[self.quantity].kind

    @property
    def threshold(self) -> float:
        """What matters in practice, as a share."""
        return THRESHOLDS[self.kind]


class Difference(NamedTuple):
    """One figure of two sides.

    `a`, `b` are geometric means in base units of `runs` runs each, by `units` that stand for them (runs, or drives);
    `ratio` is b / a, `low` and `high` its 95 % interval, None where there is none (`why`); `error` and `freedom` are
    those of its logarithm, 0 where all runs of both sides fell into one bin each; `p` is its two-sided p-value,
    `ranked` that of Mann and Whitney; `found` is Benjamini and Hochberg's mark over the whole table; `more` says how
    many more runs a side would tell, None where that is not known or would not do.
    """

    key: Key
    quantity: str
    a: float
    b: float
    runs: tuple[int, int]
    units: tuple[int, int]
    ratio: float
    low: float | None = None
    high: float | None = None
    error: float = 0.0
    freedom: float = 0.0
    p: float | None = None
    ranked: float | None = None
    verdict: Verdict = "undecided"
    why: tuple[Reason, ...] = ()
    warned: tuple[Reason, ...] = ()
    more: int | None = None
    found: bool = False


class Comparison(NamedTuple):
    """Two sides, what differs in how they were measured, every figure both have, and figures that only one has."""

    a: Side
    b: Side
    settings: tuple[Differing, ...]
    differences: tuple[Difference, ...]
    alone: tuple[tuple[Key, ...], tuple[Key, ...]]
    notes: tuple[Reason, ...]
    thresholds: dict[str, float]
    anyway: bool


def compared(a: Side, b: Side, limits: dict[str, float] | None = None, *, anyway: bool = False) -> Comparison:
    """Everything both sides measured; `anyway` turns what makes figures incomparable into warnings.

    BadInput when a run is on both sides.
    """
    side("", (*a.runs, *b.runs))
    limits = THRESHOLDS | (limits or {})
    settings = differing(a, b)
    pairs, alone = paired(a, b)
    whole = Comparison(a, b, settings, (), alone, tuple(_notes(a, b)), limits, anyway)
    rows = [one for pair in pairs for name in quantities(pair[0]) if (one := difference(whole, *pair, name))]
    return whole._replace(differences=tuple(_marked(rows)))


def thresholds(typed: Sequence[str]) -> dict[str, float]:
    """`rate=5%` -> {"rate": 0.05}; BadInput for anything else."""
    found = {}
    for text in typed:
        kind, _, value = text.partition("=")
        if kind not in THRESHOLDS or not re.fullmatch(r"\d{1,3}(\.\d{1,3})?%?", value):
            raise BadInput(f"{text!r} is not a threshold; write it like rate=5%; kinds are {', '.join(THRESHOLDS)}")
        found[kind] = float(value.rstrip("%")) / 100
    return found


def paired(a: Side, b: Side) -> tuple[list[tuple[Key, Key]], tuple[tuple[Key, ...], tuple[Key, ...]]]:
    """Figures of both sides; those left over are paired where only threads and depth tell them apart, replays of
    whatever trace, and those of another tool by their load alone."""
    first, second = every_key([a]), every_key([b])
    pairs = [(key, key) for key in first if key in set(second)]
    left = [[k for k in keys if (k, k) not in set(pairs)] for keys in (first, second)]
    pairs += [*_matched(left, lambda key: key.loose), *_matched(left, _as_replay), *_matched(left, _as_load)]
    return pairs, (tuple(left[0]), tuple(left[1]))


def _matched(left: list[list[Key]], by: Callable[[Key], Any]) -> Iterator[tuple[Key, Key]]:
    """Those of both sides that are alike by that and nothing else is; they are taken away from what is left."""
    mine, theirs = left
    for key in list(mine):
        alike = [k for k in theirs if by(k) == by(key)]
        if len(alike) == 1 and sum(by(k) == by(key) for k in mine) == 1 and _may(key, alike[0]):
            yield key, alike[0]
            mine.remove(key)
            theirs.remove(alike[0])


def _as_replay(key: Key) -> tuple[Any, ...]:
    """Which trace, at which pace, is not told: who compares two is to hear why they are not comparable."""
    return (key.test, key.phase, key.state, key.direction) if key.test in REPLAYS else key


def _as_load(key: Key) -> tuple[Any, ...]:
    return key.random_pct, key.read_pct, key.block, key.threads, key.depth, key.direction


def _may(key: Key, other: Key) -> bool:
    return key.test == other.test or "unknown" in (key.state, other.state)


def quantities(key: Key) -> Iterator[str]:
    """What a full table shows of a figure; a rule may ask for any other. Of another tool all that it told."""
    if key.state == "unknown":
        yield from ("iops" if key.random_pct else "throughput", "mean", "p99", "p99.9", "p99.99", "max")
        return
    if key.test in REPLAYS:
        yield from _of_replays(key)
        return
    if key.direction == "both" or key.test == "profiles":
        yield "iops" if key.random_pct else "throughput"
    if key.test in TIMED and key.state != "fresh":
        yield "mean"
    if key.test in TAILED and key.state != "fresh":
        yield from ("p99.9", "p99.99", "max")


def _of_replays(key: Key) -> Iterator[str]:
    """IOPS are the trace's own, but where its times do not hold it back."""
    if key.test == "headroom":
        yield "headroom"
    else:
        yield from ("iops",) if key.direction == "both" and key.block.endswith(" closed") else ()
        yield from ("mean", "p99", "p99.9", "max")


def difference(whole: Comparison, key: Key, other: Key, quantity: str) -> Difference | None:
    """One figure; None where a side has no value of it."""
    first, second = whole.a.units(key, quantity), whole.b.units(other, quantity)
    if not first or not second:
        return None
    counts = tuple(sum(k in run.rows for run in s.runs) for s, k in ((whole.a, key), (whole.b, other)))
    centre = (sum(first) / len(first), sum(second) / len(second))
    reasons = (*blocked(whole.settings), *obstacles(whole.a, whole.b, key, other))
    plain = Difference(
        *(key, quantity, exp(centre[0]), exp(centre[1])),
        *((counts[0], counts[1]), (len(first), len(second)), exp(centre[1] - centre[0])),
        warned=reasons if whole.anyway else (),
    )
    if reasons and not whole.anyway:
        return plain._replace(verdict="not comparable", why=reasons)
    sides = ((whole.a, first), (whole.b, second))
    single = [Reason(why, {"side": one.name}) for one, own in sides if (why := _lone(own, quantity))]
    if single:
        return plain._replace(why=tuple(single))
    return _judged(plain, first, second, whole.thresholds)


def _lone(units: list[float], quantity: str) -> str:
    """Why a side has no spread of its own: one run, or copies of one; response times may fall into one bin."""
    if len(units) < 2:
        return "one"
    return "" if len(set(units)) > 1 or QUANTITIES[quantity].kind == "tail" else "copies"


def _judged(plain: Difference, first: list[float], second: list[float], limits: dict[str, float]) -> Difference:
    interval = statistics.welch(first, second)
    quantity = QUANTITIES[plain.quantity]
    limit = log1p(limits[quantity.kind])
    middle, low, high = (float(x) for x in interval[:3])
    if not interval.error:
        low, high = middle - ONE_BIN, middle + ONE_BIN
    verdict = verdict_of(middle, low, high, limit, more_is_better=quantity.more_is_better)
    more = None
    if verdict == "undecided":
        needed = statistics.runs_needed(statistics.spread(first, second), max(abs(middle), limit))
        more = max(needed - min(len(first), len(second)), 1) if needed else None
    return plain._replace(
        low=exp(low),
        high=exp(high),
        error=float(interval.error),
        freedom=float(interval.freedom) if interval.error else 0.0,
        p=float(statistics.two_sided(interval)) if interval.error else None,
        ranked=statistics.ranks(first, second),
        verdict=verdict,
        more=more,
    )


def verdict_of(middle: float, low: float, high: float, limit: float, *, more_is_better: bool) -> Verdict:
    """Logarithms of ratios: a change needs an interval without 0 and a difference above the limit; sameness needs the
    whole interval within it."""
    if -limit < low and high < limit:
        return "same"
    if (low > 0 or high < 0) and abs(middle) > limit:
        return "better" if (middle > 0) == more_is_better else "worse"
    return "undecided"


def _marked(rows: list[Difference]) -> Iterator[Difference]:
    asked = [row.p for row in rows if row.p is not None]
    marks = iter(statistics.discoveries(asked) if asked else [])
    yield from (row if row.p is None else row._replace(found=next(marks)) for row in rows)


def _notes(a: Side, b: Side) -> Iterator[Reason]:
    """What makes differences of time look like differences of sides."""
    if max(len(a.runs), len(b.runs)) > 1:
        for first, second in ((a, b), (b, a)):
            if first.runs and second.runs and first.runs[-1].ended_s <= second.runs[0].began_s:
                yield Reason("apart", {"first": first.name, "second": second.name})
    if len(a.drives) == len(b.drives) == 1 and a.drives != b.drives:
        yield Reason("two_drives", {})
    for one in (a, b):
        told = [(run.source.name, ", ".join(run.source.unknown)) for run in one.runs if run.source]
        for source, lacks in dict.fromkeys(told):
            yield Reason("imported", {"side": one.name, "source": source, "lacks": lacks})
        for text in dict.fromkeys(text for run in one.runs for text in run.lacks if not text.startswith("not told: ")):
            yield Reason("lack", {"side": one.name, "text": text})
        if len(one.drives) > 1:
            yield Reason("drives", {"side": one.name, "n": len(one.drives), "runs": len(one.runs)})
