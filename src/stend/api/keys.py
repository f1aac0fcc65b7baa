"""Find what a key means: names of tests and charts, and labels of workloads, in the spelling of the user."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from stend.base.errors import BadInput
from stend.base.units import block_label

SOME = 6
"""Names that an error message lists at most."""

WORDS = {
    **dict.fromkeys(("rnd", "rand", "random"), ("rnd",)),
    **dict.fromkeys(("seq", "sequential"), ("seq",)),
    **dict.fromkeys(("w", "write", "writes"), ("0/100",)),
    **dict.fromkeys(("r", "read", "reads"), ("100/0",)),
    "randwrite": ("rnd", "0/100"),
    "randread": ("rnd", "100/0"),
    "seqwrite": ("seq", "0/100"),
    "seqread": ("seq", "100/0"),
}
"""Spellings, also those of fio -> parts of a workload's label."""
PARTS = re.compile(
    r"(?P<mix>\d+\s*[/:]\s*\d+)|(?:threads?|jobs|t)\s*=?\s*(?P<t>\d+)|(?:iodepth|depth|qd|q)\s*=?\s*(?P<q>\d+)"
    r"|(?P<block>\d+(?:\.\d+)?(?:[kmg]i?b?|b)?)|(?P<word>[a-z]+)|(?P<odd>[^\s,_-])"
)


def test(key: str, titles: Mapping[str, Sequence[str]], where: str) -> str:
    """Return the name of the test that a key means: the name or a title, without regard to case and punctuation.

    Raise BadInput, with the nearest name, if no test or several tests match.
    """
    wanted = _bare(key)
    exact = [name for name, others in titles.items() if wanted in map(_bare, (name, *others))]
    part = [name for name, others in titles.items() if any(wanted in _bare(text) for text in (name, *others))]
    found = exact or (part if wanted else [])
    if len(found) != 1:
        raise BadInput(f"{where} has no results of a test {key!r}; {nearest(key, [*titles], found)}")
    return found[0]


def chart(key: str, names: Sequence[str]) -> str:
    """Return the name of a chart that a key means, or the key itself if none does."""
    return next((name for name in names if _bare(name) == _bare(key)), key)


def workload(key: str, labels: Sequence[str], where: str) -> str:
    """Return the label of the workload that a key means: `4k randwrite`, `RND 4K 0/100`, `4KiB write QD32`.

    A key means the workloads whose label has all of its parts. Raise BadInput if none or several labels match.
    """
    if key in labels:
        return key
    wanted = _parts(key)
    found = [label for label in dict.fromkeys(labels) if wanted and wanted <= (_parts(label) or set())]
    if len(found) != 1:
        raise BadInput(f"{where}: there is no workload {key!r}; {nearest(key, labels, found)}" if not found else
                       f"{where}: {key!r} is more than one workload; {nearest(key, found)}")  # fmt: skip
    return found[0]


def nearest(key: str, names: Sequence[str], matches: Sequence[str] = (), *, every: bool = False) -> str:
    """Return the way out of a wrong key: the nearest name if there is one, and some (or every one) of all names."""
    there = list(dict.fromkeys(matches or names))
    most = len(there) if every else SOME
    few = ", ".join([*there[:most], *(["..."] if len(there) > most else ())]) or "none"
    close = get_close_matches(key.lower(), [name.lower() for name in there])
    meant = next((name for name in there if close and name.lower() == close[0]), "")
    return f"did you mean {meant!r}? Choose from: {few}" if meant else f"choose from: {few}"


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _parts(text: str) -> set[str] | None:
    """Return the parts of a label or key in the spelling of labels, or None if it has an unknown part."""
    parts: set[str] = set()
    for match in PARTS.finditer(text.lower()):
        kind, value = str(match.lastgroup), match[str(match.lastgroup)]
        if kind == "mix":
            parts.add(re.sub(r"\s*[/:]\s*", "/", value))
        elif kind in ("t", "q"):
            parts.add(f"{kind}{value}")
        elif kind == "block":
            parts.add(block_label(_bytes(value)).lower())
        elif value in WORDS:
            parts.update(WORDS[value])
        elif kind == "word":
            parts.add(value)
        else:
            return None
    return parts


def _bytes(size: str) -> int:
    """Return a block size in bytes. Blocks are powers of two: `4k`, `4kb` and `4KiB` are equal."""
    number, unit = size.rstrip("ib"), ""
    if number[-1] in "kmg":
        number, unit = number[:-1], number[-1]
    return round(float(number) * 1024.0 ** " kmg".index(unit or " "))
