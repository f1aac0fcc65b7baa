"""Defects of a chart, read from what Vega drew: legends, lines, ticks and the ends of axes."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, log10
from typing import Any

from benchmarks.pages import Defect, Found

MOST_LINES, LEAST_LABELS = 5, 3
ROUND = (1.0, 2.0, 5.0)
CLOCK = (1.5, 3.0, 6.0)
"""Also round where time is counted: 15 s, 30 min, 6 h."""
TIME = re.compile(
    r"\b(?:s|min|h|hours?|minutes?|seconds?|с|мин|ч|час\w*|минут\w*|секунд\w*|дн\w*|days?)\b", re.IGNORECASE
)
NUMBER = re.compile(r"^([−-]?)(\d[\d\s., ]*)\s?([kMGTкМ%]?)$")
POWERS = {"": 1.0, "%": 1.0, "k": 1e3, "к": 1e3, "M": 1e6, "М": 1e6, "G": 1e9, "T": 1e12}
FARTHEST = 2.5
"""A labelled value within this factor of the end of a logarithmic axis."""


def of(chart: Mapping[str, Any]) -> Found:
    """Yield the defects of one chart (an entry of `charts` of probe.js)."""
    place = chart["place"] or "chart"
    if not chart["marks"]:
        yield Defect("empty chart", place, "a chart without marks")
    for legend in chart["legends"]:
        if len(legend["labels"]) == 1 and not legend["gradient"]:
            yield Defect("legend of one", place, f"“{legend['title']} {legend['labels'][0]}”")
    for count in chart["lines"]:
        if count > MOST_LINES:
            yield Defect("many lines", place, f"{count} lines of one mark")
    for axis in chart["axes"]:
        yield from _axis(axis, place)


def _axis(axis: Mapping[str, Any], place: str) -> Found:
    shown = [label for label in axis["labels"] if label["shown"] and label["text"].strip()]
    values = [number(label["text"]) for label in shown]
    known = [value for value in values if value is not None]
    if not shown or len(known) < len(shown):  # names, not numbers
        return
    named = f"axis “{axis['title']}”: " + " | ".join(label["text"] for label in shown)
    if len(known) < LEAST_LABELS:
        yield Defect("ticks", place, f"{named}: fewer than {LEAST_LABELS} labels")
    if len(known) < 2:
        return
    flat = max(place for place, _ in _centres(shown)) - min(place for place, _ in _centres(shown))
    along = 0 if flat > max(p for _, p in _centres(shown)) - min(p for _, p in _centres(shown)) else 1
    points = sorted((value, centre[along]) for value, centre in zip(known, _centres(shown), strict=True))
    if reason := _uneven(points, TIME.search(axis["title"]) is not None):
        yield Defect("ticks", place, f"{named}: {reason}")
    if axis["line"] and (reason := _open_end(points, (axis["line"][along], axis["line"][along + 2]))):
        yield Defect("axis end", place, f"{named}: {reason}")


def _centres(labels: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    boxes = [label["box"] for label in labels]
    return [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]


Points = Sequence[tuple[float, float]]
"""(value, pixels along the axis), by value."""


def linear(points: Points) -> bool:
    """Return whether pixels are proportional to values (of two labels: if one is not positive)."""
    (low, start), (high, end) = points[0], points[-1]
    if low <= 0 or (len(points) == 2 and high < 3 * low):
        return True
    if len(points) == 2:
        return False
    scale = (end - start) / (high - low)
    return all(abs(start + scale * (value - low) - at) < 4 for value, at in points)


def _uneven(points: Points, time: bool) -> str:
    values = [value for value, _ in points]
    rounds = ROUND + (CLOCK if time else ())
    if not linear(points):
        odd = [value for value in values if value > 0 and not (_mantissa(value) in ROUND or log(value, 2) % 1 == 0)]
        return f"{odd[0]:g} is not 1, 2 or 5" if odd else ""
    steps = [b - a for a, b in pairwise(values)]
    if max(steps) > 1.01 * min(steps):
        return f"steps from {min(steps):g} to {max(steps):g}"
    return "" if _mantissa(steps[0]) in rounds else f"a step of {steps[0]:g}"


def _mantissa(value: float) -> float:
    return round(value / 10 ** int(log10(value) // 1), 3) if value > 0 else 0.0


def _open_end(points: Points, line: tuple[float, float]) -> str:
    """Return which end of an axis has no labelled value near it, or ""."""
    (low, start), (high, end) = points[0], points[-1]
    free = abs(max(line, key=lambda side: (side - start) / (end - start)) - end)
    before = abs(min(line, key=lambda side: (side - start) / (end - start)) - start)
    if linear(points):
        step = abs(end - start) / (high - low) * min(b - a for (a, _), (b, _) in pairwise(points))
        most = 0.95 * step
    else:
        most = abs(end - start) / log(high / low) * log(FARTHEST)
    sides = [side for side, gap in (("the last label", free), ("the first label", before)) if gap > most]
    return f"the axis goes on beyond {sides[0]}" if sides else ""


def number(text: str) -> float | None:
    """Return the number of a label of either language, or None."""
    fits = NUMBER.match(text.strip())
    if not fits:
        return None
    sign, digits, power = fits.groups()
    digits = re.sub(r"\s", "", digits).rstrip(".,")
    grouped = re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", digits)
    digits = digits.replace(",", "") if grouped else digits.replace(",", ".")
    try:
        return (-1 if sign else 1) * float(digits) * POWERS[power]
    except ValueError:
        return None
