"""Device-mapper's tables: what a volume lies on now, and whether two volumes share blocks. Asks dmsetup, reads only."""

import re

from stend.base.sysfs import Kernel
from stend.gate.answers import answer

PATIENCE_S = 20
ONE_PLACE = ("linear", "delay", "flakey")
"""Kinds that pass everything to one place of one node: `start length kind node offset ...`."""

Range = tuple[int, int]
ALL: Range = (0, 1 << 62)


def table(kernel: Kernel, node: str) -> str:
    """The live table of a volume; empty for any other node, and on a host without device-mapper.

    Missing without dmsetup, Refused where it does not answer.
    """
    if not kernel.is_volume(node) or not (kernel.dev / "mapper/control").exists():
        return ""
    major, _, minor = kernel.number(node).partition(":")
    asked = ("dmsetup", "table", "--major", major, "--minor", minor)
    return answer(*asked, of=kernel.label(node), what="volumes lie on", limit_s=PATIENCE_S)


def disjoint(one: str, other: str, number: str) -> bool:
    """Whether two volumes of these tables share no block of the node of that number."""
    if _kinds(one) == _kinds(other) == {"thin"}:
        return True  # blocks of a pool belong to one thin volume each, or are copied before they are written
    return not any(a < d and c < b for a, b in ranges(one, number) for c, d in ranges(other, number))


def ranges(told: str, number: str) -> list[Range]:
    """Sectors [first, end) of a node that a table uses; all of them where its kind is not one that tells."""
    found: list[Range] = []
    for line in told.splitlines():
        words = line.split()
        if len(words) < 4:
            return [ALL]
        if _one_place(words):
            places, length = [(words[3], words[4])], int(words[1])
        elif words[2] == "striped":
            places, length = list(zip(words[5::2], words[6::2], strict=False)), int(words[1]) // int(words[3])
        else:
            found += [ALL] if re.search(rf"(?<!\d){re.escape(number)}(?!\d)", line) else []
            continue
        found += [(int(at), int(at) + length) for of, at in places if of == number]
    return found if told else [ALL]


def lies_on(told: str) -> str:
    """Which blocks a table leads to, whether they are reached at once, late or with faults; a line a part of it."""
    parts = (line.split() for line in told.splitlines())
    return "; ".join(" ".join([*p[:2], *p[3:5]] if _one_place(p) else p) for p in parts)


def _one_place(words: list[str]) -> bool:
    """dm-delay may have another place for what is written, after the first one's delay."""
    return len(words) > 4 and words[2] in ONE_PLACE and not (words[2] == "delay" and len(words) > 6)


def _kinds(told: str) -> set[str]:
    return {line.split()[2] for line in told.splitlines() if len(line.split()) > 2}
