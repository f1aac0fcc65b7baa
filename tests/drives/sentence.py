"""Numbers of an English sentence that are none of its finding's values."""

import re
from collections.abc import Iterator
from typing import Any

from stend.findings import Finding
from stend.words import Language

UNITS = {
    "MB/s": 1e6, "GB": 1e9, "TB": 1e12, "MB": 1e6, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "µs": 1e-6,
    "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400, "%": 0.01,
}  # fmt: skip
NUMBER = r"(?<![\w/.,])[-\u2212]?\d[\d,]*(?:\.\d+)?"
DURATION = re.compile(rf"({NUMBER})\s(d|h|min)\s({NUMBER})\s(h|min|s)\b")
SINGLE = re.compile(rf"({NUMBER})\s?(MB/s|[KMGT]iB|[GTM]B|µs|ms|min|s\b|h\b|d\b|%)?")
CONSTANTS = {99.99, 99.9, 99, 95, 90}
"""Percentiles and shares that stand in the sentences themselves."""


def flat(value: Any) -> Iterator[float]:
    """Yield every number within a value."""
    match value:
        case bool():
            return
        case int() | float():
            yield float(value)
        case str():
            yield from (float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", value))
        case dict():
            for one in value.values():
                yield from flat(one)
        case list() | tuple():
            for one in value:
                yield from flat(one)
        case _ if hasattr(value, "values") and isinstance(value.values, dict):
            yield from flat(value.values)


def strangers(finding: Finding, text: str) -> list[str]:
    """Return the numbers of a sentence that its values do not give within one per cent."""
    known, found = list(flat(finding.values)), []

    def take(value: float, shown: str, unit: float, half: float) -> str:
        candidates = [(value, half)] if not unit or unit == 1 else [(value, half), (value / unit, half / unit)]
        candidates += [(value * 1e6, half * 1e6)] if unit == 1 else []  # the first of "700 -> 485 MB/s"
        same = any(abs(one - each) <= off + 0.002 * one for one, off in candidates for each in known)
        if not same and value / (unit or 1) not in CONSTANTS:
            found.append(f"number {shown!r} of the sentence is none of its values")
        return " "

    def number(text: str) -> float:
        return float(text.replace(",", "").replace("\u2212", "-"))

    if "class" in finding.values:
        text = text.replace(Language("en")(f"tail.{finding.values['class']}"), "")
    text = re.sub(r"\bbit \d+", " ", text.replace("\u00a0", " ").replace("\u202f", " "))
    for value in finding.values.values():
        text = text.replace(value, " ") if isinstance(value, str) and re.search(r"\d", value) else text
    text = DURATION.sub(
        lambda m: take(number(m[1]) * UNITS[m[2]] + number(m[3]) * UNITS[m[4]], m[0], 0, UNITS[m[4]]), text
    )
    for match in SINGLE.finditer(text):
        unit = UNITS.get(match[2] or "", 1)
        places = len(match[1].partition(".")[2])
        take(number(match[1]) * unit, match[0], unit, 0.51 * unit * 10.0**-places)
    return found
