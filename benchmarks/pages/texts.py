"""Defects of texts, however they were drawn: cut, overlapping, faint, small, truncated or broken at a bad place."""

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import Box, Defect, Found, Text

Image = NDArray[np.uint8]
"""Rows x columns x 3, without any text."""

MARGIN = 0.75
"""Points or pixels by which ink may exceed a clip or enter another text: rounding of glyph boxes."""
LEAST_CONTRAST = 4.5
LEAST_PT = 6.0
LEAST_SHARE = 0.2
"""Share of the area behind a text that a background colour must cover to count; grid lines cover less."""

UNITS = "IOPS|[KMGTkКМГТк]?i?и?[BБ](?:/[sс])?|[mµnмн]?к?[sс]|min|мин|h|ч|days?|%|°C|W|Вт|px"
BAD_BREAKS = (
    (re.compile(r"\w/$"), re.compile(r"^\w{1,2}\b"), "a unit in two lines"),
    (re.compile(r"\d$"), re.compile(rf"^(?:{UNITS})(?!\w)"), "a number without its unit"),
    (re.compile(r"(?<![\w.,])\d{1,3}$"), re.compile(r"^\d{3}(?!\w)"), "a number in two lines"),
    (re.compile(r"\?$"), re.compile(r"^[a-z]+="), "an option in two lines"),
    (re.compile(r"(?<!\S)[A-Za-z][\w.-]{0,10}-$"), re.compile(r"^\d\w{0,3}(?![\w-])"), "a short name in two lines"),
)


def of(texts: Sequence[Text]) -> Found:
    """Yield defects that boxes and sizes show."""
    for text in texts:
        yield from _cut(text)
        if text.drawn and text.text.rstrip().endswith("…"):
            yield Defect("truncated", text.place, f"“{text.text}”")
    yield from _small(texts)
    yield from _overlaps(texts)


def _small(texts: Sequence[Text]) -> Found:
    """Yield one defect per place and size: a small chart has only small texts."""
    small = defaultdict[tuple[str, float], list[str]](list)
    for text in texts:
        if text.size_pt < LEAST_PT - 0.01:
            small[text.place, round(text.size_pt, 1)].append(text.text)
    for (place, size), every in small.items():
        yield Defect("small", place, f"{size} pt: {len(every)} texts, first “{every[0]}”")


def _cut(text: Text) -> Found:
    lost = [(side, abs(a - b)) for side, a, b in zip(Box._fields, text.box, text.visible, strict=True)]
    side, most = max(lost, key=lambda one: one[1])
    if text.visible.width <= 0 or text.visible.height <= 0:
        yield Defect("cut", text.place, f"“{text.text}”: not visible")
    elif most > MARGIN:
        yield Defect("cut", text.place, f"“{text.text}”: {most:.1f} at the {side}")


def _overlaps(texts: Sequence[Text]) -> Found:
    """Sweep from left to right; only visible parts count."""
    near: list[Text] = []
    for text in sorted(texts, key=lambda one: one.visible.left):
        near = [one for one in near if one.visible.right > text.visible.left + MARGIN]
        for other in near:
            common = text.visible.common(other.visible)
            if common.width > MARGIN and common.height > MARGIN:
                yield Defect("overlap", text.place, f"“{other.text}” and “{text.text}”")
        if text.visible.width > 0 and text.visible.height > 0:
            near.append(text)


def faint(texts: Sequence[Text], image: Image, scale: float = 1.0) -> Found:
    """Yield texts whose contrast with a colour behind them (in `image`, drawn without text) is below 4.5."""
    for text in texts:
        left, top, right, bottom = (round(side * scale) for side in text.visible)
        behind = image[max(top, 0) : max(bottom, top + 1), max(left, 0) : max(right, left + 1)].reshape(-1, 3)
        if not len(behind):
            continue
        numbers, counts = np.unique((behind >> 2).astype(np.int64) @ (4096, 64, 1), return_counts=True)
        often = numbers[counts >= LEAST_SHARE * counts.sum()]
        wide = np.stack([often >> 12, often >> 6 & 63, often & 63], axis=1) * 4.0 + 2.0
        least = min((contrast(text.colour, tuple(one)) for one in wide), default=21.0)
        if least < LEAST_CONTRAST - 0.05:
            yield Defect("contrast", text.place, f"“{text.text}”: {least:.1f}")


def contrast(colour: tuple[float, float, float, float], behind: tuple[float, ...]) -> float:
    """Return the contrast ratio (WCAG 2.2) of a colour, which may be transparent, and an opaque one."""
    *front, opacity = colour
    mixed = [opacity * a + (1 - opacity) * b for a, b in zip(front, behind, strict=True)]
    light, dark = sorted((_luminance(mixed), _luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Sequence[float]) -> float:
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def broken(lines: Sequence[tuple[str, str, str]]) -> Found:
    """Yield bad line breaks, each given as (place, end of a line, start of the next)."""
    for place, end, start in lines:
        for before, after, what in BAD_BREAKS:
            if before.search(end.rstrip()) and after.search(start.lstrip()):
                yield Defect("bad break", place, f"“{end[-24:].strip()} ⏎ {start[:16].strip()}”: {what}")
                break
