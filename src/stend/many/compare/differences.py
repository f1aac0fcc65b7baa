"""Per figure: the ratio of two sides, its interval, and a verdict from both the interval and a threshold."""

import re
from collections.abc import Callable, Iterator, Sequence
from math import exp, log, log1p
from typing import Any, Literal, NamedTuple

from stend.base.errors import BadInput
from stend.many import statistics
from stend.many.settings import Differing, Reason, blocked, differing, meters, obstacles
from stend.many.sides import Key, Outcome, Side, every_key, side
from stend.model.quantities import OTHERS, QUANTITIES
from stend.model.tally import PERCENTS, TAIL

Verdict = Literal["better", "worse", "same", "ahead", "behind", "close", "undecided", "not comparable"]
"""`ahead`, `behind` and `close` are of sides whose repeats are unknown: they state a ratio and prove nothing."""
THRESHOLDS = {"rate": 0.03, "mean": 0.05, "tail": 0.10}
"""Smallest relevant difference as a share, by the kind of quantity. Smaller ones count as the same."""
BEYOND_ONE = {"rate": 0.20, "mean": 0.20, "tail": 1.0}
"""Difference above which a side is ahead or behind although its repeats are unknown: the excursion that PTS allows
within a steady state, and for percentiles and maxima a factor of two."""
TIMED = ("latency", "profiles", "write-saturation", "latency-curve", "thread-queue-sweep")
"""Tests whose response times are a result. In others they follow from IOPS at a fixed queue depth."""
ONE_BIN = 1 / 64
"""Width of a latency bin as a logarithm: the uncertainty if all runs of each side fell into one bin."""
TAILED = ("latency", "write-saturation")
COMPARED = tuple(name for name in TAIL if PERCENTS[name] < 99.999)
"""Percentiles that are compared. p99.999 would need a million IOs on each side."""
REPLAYS = ("replay", "headroom")
CUT = ("unfinished", "failed", "failed_why", "stopped", "stopped_why")
"""Stamps of a run that did not come to its end."""
ENDED = "saturated"
"""The stamp of a test that ended after writing its range four times, not steady."""


class Figure(NamedTuple):
    """A figure and one of its quantities."""

    key: Key
    quantity: str

    @property
    def kind(self) -> str:
        """Return the kind of the quantity: rate, mean or tail."""
        return QUANTITIES[self.quantity].kind

    @property
    def threshold(self) -> float:
        """Return the smallest relevant difference, as a share."""
        return THRESHOLDS[self.kind]


class Difference(NamedTuple):
    """One figure of two sides.

    `a` and `b` are geometric means in base units of `runs` runs each, over `units` independent numbers (runs, or
    drives). `ratio` is b / a. `low` and `high` are its 95 % interval, or None (`why`). `error` and `freedom` belong to
    its logarithm and are 0 if all runs of each side fell into one bin. `p` is the two-sided p-value, `ranked` that of
    Mann and Whitney. `found` is Benjamini and Hochberg's mark over the whole table. `more` is the number of further
    runs per side that would decide the verdict, or None if it is unknown or too large.
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
    """Two sides, settings that differ, figures that both have, and figures that only one has (`alone`)."""

    a: Side
    b: Side
    settings: tuple[Differing, ...]
    differences: tuple[Difference, ...]
    alone: tuple[tuple[Key, ...], tuple[Key, ...]]
    notes: tuple[Reason, ...]
    thresholds: dict[str, float]
    anyway: bool

    @property
    def runs(self) -> tuple[Outcome, ...]:
        """Return the runs of both sides."""
        return *self.a.runs, *self.b.runs


def compared(a: Side, b: Side, limits: dict[str, float] | None = None, *, anyway: bool = False) -> Comparison:
    """Compare all figures that both sides measured; `anyway` turns reasons against a comparison into warnings.

    Raise BadInput if a run is on both sides.
    """
    side("", (*a.runs, *b.runs))
    limits = THRESHOLDS | (limits or {})
    settings = differing(a, b)
    pairs, alone = paired(a, b)
    whole = Comparison(a, b, settings, (), alone, tuple(_notes(a, b)), limits, anyway)
    rows = [row for pair in pairs for name in quantities(pair[0]) if (row := difference(whole, *pair, name))]
    return whole._replace(differences=tuple(_marked(rows)))


def thresholds(typed: Sequence[str]) -> dict[str, float]:
    """Parse `rate=5%` to {"rate": 0.05}. Raise BadInput for any other form."""
    parsed = {}
    for text in typed:
        kind, _, value = text.partition("=")
        if kind not in THRESHOLDS or not re.fullmatch(r"\d{1,3}(\.\d{1,3})?%?", value):
            raise BadInput(f"{text!r} is not a threshold; write it like rate=5%; kinds are {', '.join(THRESHOLDS)}")
        parsed[kind] = float(value.rstrip("%")) / 100
    return parsed


def paired(a: Side, b: Side) -> tuple[list[tuple[Key, Key]], tuple[tuple[Key, ...], tuple[Key, ...]]]:
    """Return pairs of figures of both sides, and the figures without a partner.

    Figures with equal keys are paired first. Others are paired if they differ only in threads and depth, if both are
    replays of any trace, or if one is imported and has the same load.
    """
    first, second = every_key([a]), every_key([b])
    pairs = [(key, key) for key in first if key in set(second)]
    left = [[k for k in keys if (k, k) not in set(pairs)] for keys in (first, second)]
    pairs += [*_matched(left, lambda key: key.loose), *_matched(left, _replay_key), *_matched(left, _load_key)]
    return pairs, (tuple(left[0]), tuple(left[1]))


def _matched(left: list[list[Key]], by: Callable[[Key], Any]) -> Iterator[tuple[Key, Key]]:
    """Yield the pairs that are unique by a property, and remove them from `left`."""
    first, second = left
    for key in list(first):
        equal = [k for k in second if by(k) == by(key)]
        if (
            len(equal) == 1
            and sum(by(k) == by(key) for k in first) == 1
            and (key.test == equal[0].test or "unknown" in (key.state, equal[0].state))
        ):
            yield key, equal[0]
            first.remove(key)
            second.remove(equal[0])


def _replay_key(key: Key) -> tuple[Any, ...]:
    """Return the key of a replay without trace and pace, so that replays of different traces get a reason."""
    return (key.test, key.phase, key.state, key.direction) if key.test in REPLAYS else key


def _load_key(key: Key) -> tuple[Any, ...]:
    return key.random_pct, key.read_pct, key.block, key.threads, key.depth, key.direction, key.service


def quantities(key: Key) -> Iterator[str]:
    """Yield the quantities that a full table shows of a figure, or all that an imported figure may have."""
    if key.state == "unknown":
        yield from ("iops" if key.random_pct else "throughput", "mean", *COMPARED, "max")
        return
    if key.test in REPLAYS:
        yield from _of_replays(key)
        return
    if key.direction == "both" or key.test == "profiles":
        yield "iops" if key.counted else "throughput"
    if key.test == "slc-cache":
        yield "cache_bytes"
    if key.direction == "both":
        shown = ("mean", "ios" if key.counted else "bytes")
        yield from (name for name in OTHERS if QUANTITIES[name].how in shown)
    if key.test in TIMED and key.state != "fresh":
        yield "mean"
    if key.test in TAILED and key.state != "fresh":
        yield from (*(name for name in COMPARED if name != "p99"), "max")


def _of_replays(key: Key) -> Iterator[str]:
    """Yield the quantities of a replay; IOPS only in a closed loop, because otherwise the trace sets them."""
    if key.test == "headroom":
        yield "headroom"
    else:
        yield from ("iops",) if key.direction == "both" and key.block.endswith(" closed") else ()
        yield from ("mean", *(name for name in COMPARED if name != "p99.99"), "max")


def difference(whole: Comparison, key: Key, other: Key, quantity: str) -> Difference | None:
    """Compare one figure. Return None if a side has no value of it."""
    first, second = whole.a.units(key, quantity), whole.b.units(other, quantity)
    if not first or not second:
        return None
    counts = tuple(sum(k in run.rows for run in s.runs) for s, k in ((whole.a, key), (whole.b, other)))
    centre = (sum(first) / len(first), sum(second) / len(second))
    of_meters = meters(whole.a, whole.b) if QUANTITIES[quantity].reading else ()
    reasons = (*blocked(whole.settings), *obstacles(whole.a, whole.b, key, other), *of_meters)
    plain = Difference(
        *(key, quantity, exp(centre[0]), exp(centre[1])),
        *((counts[0], counts[1]), (len(first), len(second)), exp(centre[1] - centre[0])),
        warned=reasons if whole.anyway else (),
    )
    if reasons and not whole.anyway:
        return plain._replace(verdict="not comparable", why=reasons)
    sides = ((whole.a, key, first), (whole.b, other, second))
    single = [Reason(why, {"side": of.name}) for of, own, units in sides if (why := _lone(of, own, units, quantity))]
    if single:
        return plain._replace(verdict=_unproven(plain), why=tuple(single))
    return _judged(plain, first, second, whole.thresholds)


def _lone(of: Side, key: Key, units: list[float], quantity: str) -> str:
    """Return why a side has no spread ("one" run, "one_has" the figure, "copies" of one), or an empty string.

    Percentiles of different runs may share a bin: they are copies if the mean response times are equal too.
    """
    if len(units) < 2:
        return "one" if len(of.runs) == 1 else "copies" if sum(key in run.rows for run in of.runs) > 1 else "one_has"
    exact = of.units(key, "mean") if quantity in PERCENTS else units
    return "copies" if len(set(units)) == len(set(exact)) == 1 else ""


def _unproven(plain: Difference) -> Verdict:
    """Return the verdict on a ratio without an interval."""
    quantity = QUANTITIES[plain.quantity]
    middle, limit = log(plain.ratio), log1p(BEYOND_ONE[quantity.kind])
    if abs(middle) <= limit:
        return "close"
    return "ahead" if (middle > 0) == quantity.more_is_better else "behind"


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
    """Return the verdict on a ratio. All arguments are logarithms.

    A change needs an interval without 0 and a difference above the limit. "same" needs the whole interval within it.
    """
    if -limit < low and high < limit:
        return "same"
    if (low > 0 or high < 0) and abs(middle) > limit:
        return "better" if (middle > 0) == more_is_better else "worse"
    return "undecided"


def _marked(rows: list[Difference]) -> Iterator[Difference]:
    tested = [row.p for row in rows if row.p is not None]
    marks = iter(statistics.discoveries(tested) if tested else [])
    yield from (row if row.p is None else row._replace(found=next(marks)) for row in rows)


def _ends(a: Side, b: Side) -> Iterator[Reason]:
    """Yield tests that ended regularly without a steady state with their sides, and how many runs did not finish."""
    ended: dict[tuple[str, ...], list[str]] = {}
    for each in (a, b):
        tests = dict.fromkeys(stamp.values["test"] for run in each.runs for stamp in run.stamps if stamp.key == ENDED)
        ended.setdefault(tuple(tests), []).append(each.name)
    yield from (Reason(ENDED, {"sides": ", ".join(of), "tests": [*tests]}) for tests, of in ended.items() if tests)
    for each in (a, b):
        if n := sum(any(stamp.key in CUT for stamp in run.stamps) for run in each.runs):
            yield Reason("cut", {"side": each.name, "n": n})


def _notes(a: Side, b: Side) -> Iterator[Reason]:
    """Yield notes on the comparison: regular ends, sides measured apart in time, different drives, imported runs."""
    yield from _ends(a, b)
    if max(len(a.runs), len(b.runs)) > 1:
        for first, second in ((a, b), (b, a)):
            if first.runs and second.runs and first.runs[-1].ended_s <= second.runs[0].began_s:
                yield Reason("apart", {"first": first.name, "second": second.name})
    if len(a.drives) == len(b.drives) == 1 and a.drives != b.drives:
        yield Reason("two_drives", {})
    for each in (a, b):
        sources = [(run.source.name, ", ".join(run.source.unknown)) for run in each.runs if run.source]
        for source, lacks in dict.fromkeys(sources):
            yield Reason("imported", {"side": each.name, "source": source, "lacks": lacks})
        for lack in dict.fromkeys(lack for run in each.runs for lack in run.lacks):
            yield Reason("lack", {"side": each.name, "text": lack})
        if len(each.drives) > 1:
            yield Reason("drives", {"side": each.name, "n": len(each.drives), "runs": len(each.runs)})
