"""Markdown of made pages: tables, code, and units that names end in."""

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
}  # fmt: skip
"""What a name ends in, or is, and which unit that tells; the longest end counts."""


def unit(name: str) -> str:
    """The unit of a field or column, told by the end of its name; empty for a count or a word."""
    parts = name.split("_")
    ends = ("_".join(parts[first:]) for first in range(len(parts)))
    return next((UNITS[end] for end in ends if end in UNITS), "")


def cell(text: object) -> str:
    """As it stands in a table's cell."""
    plain = " ".join(str(text).split())
    return re.sub(r"(?<!`)<(?=\w)", r"\\<", plain).replace("|", r"\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; columns that are empty in every row are left out."""
    told = [[cell(one) for one in row] for row in rows]
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in told)]
    lines = [[head[i] for i in kept], ["---"] * len(kept), *([row[i] for i in kept] for row in told)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def code(word: object) -> str:
    """As code, where there is something."""
    return f"`{word}`" if word not in ("", None) else ""


def listing(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def page(name: str, title: str, *parts: str) -> str:
    """A page of parts, begun by what words.toml says it is of."""
    return "\n".join((f"# {title}\n", f"{WORDS['pages'][name].strip()}\n", *parts)).rstrip() + "\n"
