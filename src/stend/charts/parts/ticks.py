"""Ticks of axes: 1, 2 or 5 times a power of ten, with a labelled tick at both ends of the axis."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

Spec = dict[str, Any]
Uses = dict[str, list[tuple[Spec, list[float]]]]
"""Axis, x or y -> its channels, each with its values."""

LETTER, GAP = 6.2, 14
"""Width of a letter of a label and least distance between labels, in pixels."""
MOST_TICKS, FEW_TICKS = 7, 4
TALL = 150
"""From this height an axis has more than `FEW_TICKS` ticks."""
LINE = 20
"""Height of a label with its distance to the next one, in pixels."""
TIME, JUST = "t", 1.01
"""Field of the time of a course. One of 10 h and 1 s ends there, not at the next round number, which is 12 h."""
WIDE = 10
"""Below this ratio of the highest to the lowest value an axis is linear and begins at zero: a fall keeps its size."""
STEPS = ((1, 2, 5), (1, 5), (1,))


def rounded(view: Spec, sets: Spec, width: float) -> None:
    """Set the ticks of all axes of a view whose data sets are `sets`. Its plots are `width` pixels wide."""
    _close(_uses(view, sets, [], width), view, width)


def _uses(view: Spec, sets: Spec, rows: Sequence[Spec], width: float) -> Uses:
    """Return the axes that a view shares with its neighbours; finish those that it does not share."""
    rows = sets.get(view.get("data", {}).get("name"), rows)
    for part in view.get("vconcat", ()):
        _close(_uses(part, sets, rows, width), part, width)
    if "spec" in view:
        _close(_uses(view["spec"], sets, [], width), view["spec"], view["spec"].get("width", width))
    apart = {name for name, how in view.get("resolve", {}).get("scale", {}).items() if how == "independent"}
    shared: Uses = {}
    for part in view.get("layer", ()):
        for name, channels in _uses(part, sets, rows, width).items():
            if name in apart:
                _close({name: channels}, view, width)
            else:
                shared.setdefault(name, []).extend(channels)
    for name in ("x", "x2", "y", "y2"):
        channel = view.get("encoding", {}).get(name, {})
        if "field" in channel and (name[1:] or channel.get("type") == "quantitative"):
            shared.setdefault(name[0], []).append((channel, list(_numbers(rows, channel["field"]))))
    return shared


def _numbers(rows: Sequence[Spec], field: str) -> Iterator[float]:
    for row in rows:
        value = row.get(field)
        if isinstance(value, int | float) and isfinite(value):
            yield float(value)


def _close(uses: Uses, view: Spec, width: float) -> None:
    for name, channels in uses.items():
        values = [value for _, some in channels for value in some]
        room = view.get("width", width) if name == "x" else view.get("height", 2 * TALL)
        for channel, _ in channels:
            given = "values" in (channel.get("axis") or {}) and not _own(channel)
            if channel.get("type") == "quantitative" and not given:
                _place(channel, values, name, float(room) if isinstance(room, int | float) else width)


def _place(channel: Spec, values: list[float], name: str, room: float) -> None:
    scale, marks = dict(channel.get("scale") or {}), dict(channel.get("axis") or {})
    if scale.get("type") == "log":
        if _own(channel):
            scale = {"type": "log", "nice": True} | {key: scale[key] for key in scale if key == "domainMin"}
        ends = scale.get("domain") or [scale.get("domainMin"), None]
        positive = [value for value in values if value > 0]
        low = ends[0] or min(positive, default=None)
        high = ends[1] or max(positive, default=None)
        if not low or not high:
            return
        if scale.get("nice") and high < WIDE * low:
            marks.pop("format", None)
            channel |= {"scale": {"zero": True, "nice": True}, "axis": marks}
            _place(channel, values, name, room)
            return
        wide = max(_letters(low), _letters(high)) * LETTER + GAP
        ticks = logarithmic(low, high, room / (wide if name == "x" else LINE))
        if scale.get("nice"):
            scale |= {"nice": False, "domain": [ticks[0], ticks[-1]]}
            scale |= {"domainMin": ticks[0]} if "domainMin" in scale else {}
        low, high = scale.get("domain", (ticks[0], ticks[-1]))
        within = [tick for tick in ticks if low <= tick <= high]
        marks |= {"values": within} if len(within) > 2 or ends[1] is None else {}
    else:
        count = _count(max(map(abs, values), default=0), name, room)
        if scale.get("nice"):
            scale["nice"] = count
            if name == "x" and channel["field"] == TIME and _just_above(max(values, default=0)):
                scale |= {"nice": False, "domain": [0 if scale.get("zero") else min(values), max(values)]}
        marks["tickCount"] = count
    channel["scale"] = scale
    if channel.get("axis", {}) is not None:
        channel["axis"] = marks


def _just_above(end: float) -> bool:
    """Return whether a number is just above a round one, which has a label."""
    round_number = float(f"{end:.1g}")
    return 0 < round_number < end <= JUST * round_number and f"{end:.0e}"[0] != "9"


def _own(channel: Spec) -> bool:
    """Return whether ticks and domain of a logarithmic axis are from here: they end together."""
    scale, values = channel.get("scale") or {}, (channel.get("axis") or {}).get("values") or [None]
    ours = scale.get("type") == "log" and "base" not in scale
    return ours and scale.get("domain") == [values[0], values[-1]]


def _count(most: float, name: str, room: float) -> int:
    """Return the number of ticks to request; Vega may draw up to 1.4 times as many to keep them round."""
    if name == "y":
        return FEW_TICKS + (room >= TALL)
    return max(2, min(MOST_TICKS, int(room / ((LETTER * _letters(most) + GAP) * 1.42))))


def _letters(value: float) -> int:
    return len(f"{value:,.0f}" if value >= 1 else f"{value:.1g}")


def logarithmic(low: float, high: float, most: float) -> list[float]:
    """Return round numbers from at most `low` to at least `high`: `most` of the least distance fit on the axis."""
    for steps in STEPS:
        decades = range(floor(log10(low)), ceil(log10(high)) + 1)
        ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
        first = max(tick for tick in ticks if tick <= low * (1 + 1e-9))
        last = min((tick for tick in ticks if tick >= high * (1 - 1e-9) and tick > first), default=ticks[-1])
        kept = [tick for tick in ticks if first <= tick <= last]
        least = min(log10(after / before) for before, after in pairwise(kept))
        if most * least >= log10(last / first):
            break
    return kept
