"""A Comparison at a glance: a warning about unlike runs, then which side is better at what, the largest first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import get_args

from stend.charts.overlay.ratio_map import change, interval, verdict_named
from stend.charts.parts.figures import way_named
from stend.many.compare import Comparison
from stend.many.compare.differences import BEYOND_ONE, Difference, Verdict
from stend.many.compare.groups import DOWN, UNPROVEN, UP, Class, Group, alone, classes, groups
from stend.many.settings import Reason
from stend.model.quantities import QUANTITIES, shape
from stend.report.parts import Table
from stend.sentences.settings import difference_reason
from stend.words import Language

COUNTED: dict[Class, tuple[Verdict, ...]] = {"up": UP, "ahead": UP, "down": DOWN, "behind": DOWN}
MOST_KINDS, MOST_CONSISTENT = 2, 3
"""Kinds of load that the title of a comparison names for each class, and those of a sentence on small changes."""
LONE = {"one_has": "few_have", "copies": "copies"}
"""Why figures of several runs have no spread, and the sentence on it."""
ABOUT = "≈\u202f"
"""Precedes a change without an interval."""


def warning(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield a sentence if settings make the runs incomparable."""
    blocking = [words(f"setting.{setting.name}") for setting in whole.settings if setting.blocks]
    if blocking:
        yield words("versus.unlike_anyway" if whole.anyway else "versus.unlike", settings="; ".join(blocking))


def unproven(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield sentences if the repeats of a side are unknown, why, and how such figures are judged."""
    lone = [side for side in (whole.a, whole.b) if len(side.runs) == 1]
    reasons = {reason.key for row in whole.differences if row.verdict in UNPROVEN for reason in row.why}
    if reasons and lone:
        yield words(f"versus.{'one_of' if len(lone) == 1 else 'one_each'}", side=lone[0].name, **BEYOND_ONE)
    elif reasons:
        yield from (words(f"versus.{text}") for key, text in LONE.items() if key in reasons)


def incomparable(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield why figures are not comparable, each figure in one sentence. Settings have a warning."""
    rows = (row for row in whole.differences if row.verdict == "not comparable")
    reasons = Counter(why([reason for reason in row.why if reason.key != "setting"], words) for row in rows)
    for reason, count in reasons.most_common():
        if reason:
            yield words("versus.incomparable", n=count, reason=reason)


def why(reasons: Sequence[Reason], words: Language) -> str:
    """Return reasons as half a sentence."""
    return "; ".join(dict.fromkeys(difference_reason(reason, words) for reason in reasons))


def counts(whole: Comparison, words: Language) -> str:
    """Return a sentence with the number of figures per verdict that occurs."""
    if not whole.differences:
        cut = ", ".join(note.values["side"] for note in whole.notes if note.key == "cut")
        return words("versus.nothing_cut", sides=cut) if cut else words("versus.nothing")
    found = Counter[str](row.verdict for row in whole.differences)
    listed = [
        words("versus.counted", n=found[verdict], verdict=verdict_named(verdict, words))
        for verdict in get_args(Verdict)
        if found[verdict]
    ]
    names = {"a": whole.a.name, "b": whole.b.name}
    return words("versus.counts", n=len(whole.differences), listed=", ".join(listed), **names)


def conclusion(whole: Comparison, words: Language) -> str:
    """Return in how many figures the second side is better and worse, and at which kinds of load throughout.

    Without such figures it states that none differs, or that no difference is shown; "" if nothing is comparable.
    """
    found = Counter(row.verdict for row in whole.differences)
    if not (total := found.total() - found["not comparable"]):
        return ""
    told = [verdict for verdict in (UP[0], DOWN[0], UP[1], DOWN[1]) if found[verdict]]
    if not told:
        return words("versus.even" if found["same"] == total else "versus.unshown", n=total)
    listed = [words(f"versus.counted_{verdict}", n=found[verdict]) for verdict in told]
    counted = words("versus.conclusion", n=total, listed=listed, a=whole.a.name, b=whole.b.name)
    return " ".join((counted, *_throughout(classes(whole.differences), words)))


def largest(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield the largest change each way in which the second side is better or worse: of rates and means, of tails.

    One figure alone of many of its kind, such as a drop that moved to the next queue depth, comes after the others.
    """
    every = groups(whole.differences)
    for tail in ("", "_tail"):
        of_kind = [group for group in every if (QUANTITIES[group.quantity].kind == "tail") == bool(tail)]
        for key, verdicts in (("gain", UP), ("loss", DOWN)):
            moved = [(row, group) for group in of_kind for row in group.differences if row.verdict in verdicts]
            of_all = [one for one in moved if one[1].direction == "both"]  # reads and writes are parts of it
            if moved := of_all or moved:
                row, group = max(moved, key=lambda one: (not _lone(one[1], verdicts), abs(log(one[0].ratio))))
                alike = group.count(verdicts), len(group.differences)
                few = words("versus.few", n=alike[0], of=alike[1]) if alike[0] < alike[1] else ""
                larger, _ = max(moved, key=lambda one: abs(log(one[0].ratio)))
                if abs(log(larger.ratio)) > abs(log(row.ratio)):
                    few += words("versus.lone", figure=_one(larger, whole, words))
                yield words(f"versus.{key}{tail}", figure=_one(row, whole, words), few=few)


def _lone(group: Group, verdicts: Sequence[Verdict]) -> bool:
    return group.count(verdicts) == 1 and len(group.differences) > 2


def consistent(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield the kinds of several loads without a difference beyond the threshold that all changed one way."""
    level = (group for group in classes(whole.differences)["level"] if len(group.differences) > 2 and group.one_way)
    small = [group for group in level if group.count(("close", "same")) == len(group.differences)]
    rates = [group for group in small if QUANTITIES[group.quantity].kind != "tail"]
    if shown := rates[:MOST_CONSISTENT]:
        some = "_some" if len(small) > len(shown) else ""
        listed = "; ".join(f"{name(group, words)} ({span(group, words)})" for group in shown)
        yield words(f"versus.consistent{some}", listed=listed)


def _throughout(kinds: Mapping[Class, Sequence[Group]], words: Language) -> Iterator[str]:
    """Yield at which kinds of several loads the second side is better, ahead, worse or behind in most and never the
    opposite, with the number of loads: rates and means before tails.
    """
    for sort, alike in kinds.items():
        several = [group for group in alike if len(group.differences) > 1 and sort in COUNTED]
        several = sorted(several, key=lambda group: QUANTITIES[group.quantity].kind == "tail")[:MOST_KINDS]
        values = [{"kind": name(group, words), "span": span(group, words)} for group in several]
        counts = [{"n": group.count(COUNTED[sort]), "of": len(group.differences)} for group in several]
        if listed := "; ".join(words("versus.kind", **a, **b) for a, b in zip(values, counts, strict=True)):
            yield words(f"versus.all_{sort}", listed=listed)


def _one(row: Difference, whole: Comparison, words: Language) -> str:
    """Return test, phase, load and quantity of a figure, both values and the change; of a part of a mix also how the
    whole changed. The phase is left out where it is the only one with this load.
    """
    group, key = alone(row), row.key
    phases = {d.key.phase for d in whole.differences if d.key._replace(phase=key.phase, state=key.state) == key}
    phase = words.phase(key.phase) if group.phase or len(phases) > 1 else ""
    place = ", ".join(filter(None, (words.title(group.test, group.test), phase, _way(row, words))))
    said = f"{place}: {words.quantity(row.quantity)} {_values(row, words)} ({change(row.ratio, words)}"
    return f"{said}{_whole(row, whole, words)})"


def _way(row: Difference, words: Language) -> str:
    """Return the load of a figure; if the second side had other threads or depth, those after it."""
    named = way_named(row.key, words)
    return next((f"{named} → {why.values['b']}" for why in (*row.why, *row.warned) if why.key == "outstanding"), named)


def _whole(row: Difference, whole: Comparison, words: Language) -> str:
    """Return how the rate of a mix changed of which a figure is the reads or the writes."""
    key = row.key._replace(direction="both")
    rates = (d for d in whole.differences if d.key == key and d.quantity == "iops" and row.key.direction != "both")
    return next((words("versus.whole", change=change(d.ratio, words)) for d in rates), "")


def _values(row: Difference, words: Language) -> str:
    return " → ".join(words.show(value, shape(row.quantity)) for value in (row.a, row.b))


def about(row: Difference, words: Language) -> str:
    """Return the change of a figure. One without an interval is marked as approximate."""
    return ("" if row.low is not None else ABOUT) + change(row.ratio, words)


def tables(whole: Comparison, words: Language) -> Iterator[Table]:
    """Yield a table per class: where the second side is better, ahead, worse, behind, some of them, or none."""
    names = (words("column.figure"), words("column.change"), words("column.largest"), whole.a.name, whole.b.name)
    for sort, alike in classes(whole.differences).items():
        counted = [way for way in (UP, DOWN) if COUNTED.get(sort, way) == way and sort != "level"]
        head = (*names, *(words(f"column.counted_{'better' if way is UP else 'worse'}") for way in counted))
        if alike:
            rows = tuple(_row(group, counted, words) for group in alike)
            yield Table(words(f"versus.class_{sort}", b=whole.b.name), head, rows, (1, *range(3, len(head))))


def lines(whole: Comparison, words: Language, most: int) -> Iterator[str]:
    """Yield the classes as lines of text, at most `most` per class."""
    for sort, alike in classes(whole.differences).items():
        if alike:
            yield words(f"versus.class_{sort}", b=whole.b.name)
            for group in alike[:most]:
                row = group.largest
                ends = f"; {words('column.interval')} {interval(row, words)}" if row.low is not None else ""
                yield f"  {span(group, words):<18} {name(group, words)} ({_values(row, words)}{ends})"
            if len(alike) > most:
                yield f"  … {len(alike) - most}"


def _row(group: Group, counted: Sequence[Sequence[Verdict]], words: Language) -> tuple[str, ...]:
    row = group.largest
    values = (words.show(value, shape(row.quantity)) for value in (row.a, row.b))
    return (
        name(group, words),
        span(group, words),
        _way(row, words),
        *values,
        *(f"{group.count(verdicts)} / {len(group.differences)}" for verdicts in counted),
    )


def name(group: Group, words: Language) -> str:
    """Return test, phase or state, kind of load, direction if it is only one of two, and quantity.

    A state that is unknown or the window of rounds is left out, and a quantity that the test is named after.
    """
    test, quantity = words.title(group.test, group.test), words.quantity(group.quantity)
    place = words.phase_beside(group.phase, test, load=False) if group.phase else words(f"kept_state.{group.state}")
    load = [words.format_of.loads.get(group.access, group.access.replace("_", " "))]
    load += [words(f"direction.{group.direction}").lower()] if group.direction != "both" else []
    load += [quantity] if quantity != test else []
    return ", ".join(
        [test, *([place] if place and (group.state not in ("window", "unknown") or group.phase) else []), *load]
    )


def span(group: Group, words: Language) -> str:
    """Return the smallest and the largest change of a group."""
    ends: Sequence[Difference] = (
        min(group.differences, key=lambda d: d.ratio),
        max(group.differences, key=lambda d: d.ratio),
    )
    texts = list(dict.fromkeys(change(row.ratio, words) for row in ends))
    return ("" if ends[0].low is not None else ABOUT) + " … ".join(texts)
