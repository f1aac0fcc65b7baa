"""Charts whose texts fit: titles in lines, labels that are not cut, legends of as many columns as there is room for."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from textwrap import wrap
from typing import Any

from stend.charts.parts.ticks import GAP, LETTER, rounded

Spec = dict[str, Any]
LABEL_LETTERS, LONG_LETTERS, LONG = 18, 34, 60
"""Letters per line of the label of a row; of rows with a label of more than `LONG` letters."""
PAGE = 700
"""Width of a plot, in pixels, from which it takes the whole width of a PDF page and has room for twice as many."""
LINE = 13
"""Height of a line of labels in pixels."""
MOST_ROWS = 6
"""Most entries of a legend that stand below each other although two columns of names in lines fit."""
KEY = 30
"""Width of the symbol of a legend with its margins in pixels."""
WIDER = 1.12
"""Width of a letter of a bold title in its font size, halved."""
CAPITALS = 1.18
"""Width of a capital letter, in widths of a letter of a bold title."""
UNIT = re.compile(r"(\d) (?=\w{1,4}\b|%)")
"""The space between a number and its unit, where no line ends."""
MARKS = ("color", "shape", "strokeDash", "size", "opacity", "strokeWidth")
LINE_KEY = {"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 2}


def fitted(spec: Spec, width: float, whole: float) -> Spec:
    """Return a chart for plots of `width` pixels with axis titles and labels in `whole` pixels."""
    sets = spec["datasets"]
    made = {**deepcopy({key: value for key, value in spec.items() if key != "datasets"}), "datasets": sets}
    rounded(made, sets, width)
    titled(made["title"], whole)
    shaped = {view["encoding"].get("shape", {}).get("field") for view in units(made)}
    for view in units(made):
        _legends(view["encoding"], sets, width)
        _keys(view["encoding"], shaped)
        _labels(made, view["encoding"], sets, width)
    return made


def titled(title: Spec, whole: float) -> None:
    """Break a title and its subtitle into lines that fit."""
    for key, size in (("text", title.get("fontSize", 14)), ("subtitle", 12)):
        if key in title:
            text = title[key] if isinstance(title[key], str) else " ".join(title[key])
            lines = _wrapped(text, whole / (size * WIDER / 2))
            title[key] = lines if len(lines) > 1 or key == "subtitle" else text


def _wrapped(text: str, room: float) -> list[str]:
    """Break a text into lines of `room` small letters; capital letters are wider."""
    lines, used = list[str](), 0.0
    for word in (part for long in text.split(" ") for part in wrap(long, int(room / CAPITALS))):
        wide = sum(CAPITALS if letter.isupper() else 1.0 for letter in word)
        if lines and used + 1 + wide <= room:
            lines[-1], used = f"{lines[-1]} {word}", used + 1 + wide
        else:
            lines, used = [*lines, word], wide
    return lines


def units(view: Spec) -> Iterator[Spec]:
    """Yield every view with one mark."""
    for part in (*view.get("layer", ()), *view.get("vconcat", ()), *([view["spec"]] if "spec" in view else ())):
        yield from units(part)
    if "encoding" in view:
        yield view


def _names(sets: Spec, field: str) -> list[str]:
    """Return the values of a field in all data sets: parts of a chart share their scales."""
    return list(dict.fromkeys(str(row[field]) for rows in sets.values() for row in rows if field in row))


def _drawn(sets: Spec, field: str) -> list[str]:
    """Return the values of a field that have a mark: a row with an empty value only interrupts a line."""
    return _names({key: [row for row in rows if None not in row.values()] for key, rows in sets.items()}, field)


def alone(spec: Spec) -> list[str]:
    """Return the names of series that a chart shows alone although it can show several. No legend has them then."""
    colours = (view["encoding"].get("color", {}) for view in units(spec))
    several = [c for c in colours if c.get("type") == "nominal" and len((c.get("scale") or {}).get("domain", ())) > 1]
    names = [_drawn(spec["datasets"], channel["field"]) for channel in several]
    return list(dict.fromkeys(name for some in names if len(some) == 1 for name in some))


def _legends(encoding: Spec, sets: Spec, width: float) -> None:
    """Keep the entries that occur, draw no legend with one entry, and let the others wrap in the width of the plot."""
    for channel in (encoding[name] for name in MARKS if encoding.get(name, {}).get("type") == "nominal"):
        names = _pruned(channel, _drawn(sets, channel["field"]))
        if len(names) < 2:
            channel["legend"] = None
        elif channel.get("legend", {}) is not None:
            beside, above = width - LETTER * len(channel.get("title") or ""), width
            columns, full = (_columns(names, room) for room in (beside, above))
            placed: Spec = {"columns": columns, "labelLimit": beside - KEY}
            if -(-len(names) // full) + 1 < -(-len(names) // columns):  # a title above takes a row and saves more
                placed = {"columns": full, "labelLimit": above - KEY, "titleOrient": "top"}
            if len(names) > MOST_ROWS and placed["columns"] == 1 and (lines := _halved(names, width / 2 - KEY)):
                placed |= {"columns": 2, "labelExpr": f"{json.dumps(lines, ensure_ascii=False)}[datum.label]"}
            given = {key: value for key, value in (channel.get("legend") or {}).items() if key != "labelExpr"}
            channel["legend"] = given | placed


def _halved(names: Sequence[str], room: float) -> dict[str, list[str]]:
    """Return the lines of each name of a legend in `room` pixels, or {} if a word is longer."""
    letters = int(room / LETTER)
    lines = {name: wrap(UNIT.sub("\\1\u00a0", name), letters, break_long_words=False) for name in names}
    return lines if all(len(line) <= letters for name in names for line in lines[name]) else {}


def _columns(names: Sequence[str], room: float) -> int:
    """Return how many entries of a legend are side by side in `room` pixels."""
    return max(1, min(len(names), int(room / (LETTER * max(map(len, names)) + KEY))))


def _keys(encoding: Spec, shaped: Collection[str | None]) -> None:
    """Show shapes in a legend, and dashes as pieces of a line where no shape has their field."""
    dash, colour = encoding.get("strokeDash", {}), encoding.get("color", {})
    if dash.get("legend"):
        if dash["field"] in shaped:
            dash["legend"] = None
            return
        dash["legend"] |= LINE_KEY
        if colour.get("legend") and colour["field"] == dash["field"]:
            colour["legend"] |= LINE_KEY


def _pruned(channel: Spec, present: Sequence[str]) -> list[str]:
    """Return the entries of a legend. Drop those without a row from a scale that lists them."""
    scale: Mapping[str, Any] = channel.get("scale") or {}
    if not present or "domain" not in scale or len(scale["domain"]) != len(scale.get("range", ())):
        return list(scale.get("domain", present))
    kept = [i for i, name in enumerate(scale["domain"]) if str(name) in present]
    channel["scale"] = {**scale, **{key: [scale[key][i] for i in kept] for key in ("domain", "range")}}
    return [str(scale["domain"][i]) for i in kept]


def _labels(whole: Spec, encoding: Spec, sets: Spec, width: float) -> None:
    """Break the labels of categories into lines, and give rows the height of their lines."""
    for name in ("x", "y"):
        channel = encoding.get(name, {})
        marks = channel.get("axis", {})
        if channel.get("type") not in ("nominal", "ordinal") or marks is None or marks.get("labelLimit"):
            continue
        if "labelLimit" in marks:  # lines for another width
            marks = {key: value for key, value in marks.items() if key not in ("labelExpr", "labelBaseline")}
        names = _names(sets, channel["field"])
        long = LONG_LETTERS * (2 if width > PAGE else 1)
        rows = long if max(map(len, names), default=0) > LONG else LABEL_LETTERS
        letters = rows if name == "y" else int((width / max(len(names), 1) - GAP / 2) / LETTER)
        lines = {text: wrap(UNIT.sub("\\1\u00a0", text), max(letters, 4), break_long_words=False) for text in names}
        channel["axis"] = marks | {"labelLimit": 0}
        if any(len(text) > 1 for text in lines.values()):
            table = json.dumps(lines, ensure_ascii=False)
            channel["axis"] |= {
                "labelExpr": f"{table}[datum.label]",
                "labelBaseline": "middle" if name == "y" else "top",
            }
        if name == "y" and isinstance(whole.get("height"), int | float):
            tallest = max((len(text) for text in lines.values()), default=1)
            whole["height"] = max(whole["height"], len(names) * (LINE * tallest + 8))
