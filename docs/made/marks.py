"""Markdown of generated pages: tables, code, and units from the ends of names."""

import re
from collections.abc import Iterable, Sequence

from docs.made.words import WORDS

UNITS = {
    "bytes_per_s": "bytes/s", "mt_s": "10^6 transfers/s", "bytes": "bytes", "kib": "KiB", "gib": "GiB", "pct": "%",
    "mb_s": "10^6 bytes/s", "s": "s", "ms": "ms", "us": "µs", "ns": "ns", "ns2": "ns²", "rpm": "1/min", "c": "°C",
    "w": "W", "per_w": "K/W", "minutes": "min", "hours": "h", "seconds": "s", "seconds_ratio": "", "iops": "1/s",
    "t": "s", "at": "s, Unix time", "started_at": "s, Unix time", "started_s": "s, Unix time", "tbw": "10^12 bytes",
    "dwpd": "drive writes a day", "years": "years", "fills": "user capacities", "times": "user capacities",
    "minute_s": "s", "mean": "s", "max": "s", "price": "of `currency`", "ms_s": "s", "trial": "s",
    "watts": "W", "uj": "µJ",
}  # fmt: skip
"""Units by the end of a name or the whole name; the longest match counts."""


def unit(name: str) -> str:
    """Return the unit of a field or column from the end of its name; empty for a count or a word."""
    parts = name.split("_")
    ends = ("_".join(parts[first:]) for first in range(len(parts)))
    return next((UNITS[end] for end in ends if end in UNITS), "")


def cell(text: object) -> str:
    """Return a text escaped for a table's cell."""
    plain = " ".join(str(text).split())
    return re.sub(r"(?<!`)<(?=\w)", r"\\<", plain).replace("|", r"\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table without the columns that are empty in every row."""
    cells = [[cell(value) for value in row] for row in rows]
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in cells)]
    lines = [[head[i] for i in kept], ["---"] * len(kept), *([row[i] for i in kept] for row in cells)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def code(word: object) -> str:
    """Return a value as inline code, or an empty string for an empty value."""
    return f"`{word}`" if word not in ("", None) else ""


def listing(text: str, language: str = "") -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def page(name: str, title: str, *parts: str) -> str:
    """Return a page: its title, its introduction from words.toml, and its parts."""
    return "\n".join((f"# {title}\n", f"{WORDS['pages'][name].strip()}\n", *parts)).rstrip() + "\n"
