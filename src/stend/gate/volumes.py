"""Read device-mapper tables by dmsetup: which blocks a volume uses, and whether two volumes share any. Reads only."""

import re

from stend.base.sysfs import Kernel
from stend.gate.answers import answer

PATIENCE_S = 20
ONE_PLACE = ("linear", "delay", "flakey")
"""Targets that map everything to one place of one node: `start length kind node offset ...`."""

Range = tuple[int, int]
ALL: Range = (0, 1 << 62)


def table(kernel: Kernel, node: str) -> str:
    """Return the live table of a volume, or an empty string for any other node, and on a host without device-mapper.

    Raise Missing if dmsetup is not installed, Refused if it does not answer.
    """
    if not kernel.is_volume(node) or not (kernel.dev / "mapper/control").exists():
        return ""
    major, _, minor = kernel.number(node).partition(":")
    command = ("dmsetup", "table", "--major", major, "--minor", minor)
    return answer(*command, of=kernel.label(node), what="volumes are stored on", limit_s=PATIENCE_S)


def disjoint(table: str, other: str, number: str) -> bool:
    """Return True if two volumes with these tables share no block of the node with that number (`major:minor`)."""
    if _kinds(table) == _kinds(other) == {"thin"}:
        return True  # blocks of a pool belong to one thin volume each, or are copied before they are written
    return not any(a < d and c < b for a, b in ranges(table, number) for c, d in ranges(other, number))


def ranges(table: str, number: str) -> list[Range]:
    """Return the sectors [first, end) of a node that a table uses, or ALL if a target's kind does not show them."""
    used: list[Range] = []
    for line in table.splitlines():
        words = line.split()
        if len(words) < 4:
            return [ALL]
        if _one_place(words):
            places, length = [(words[3], words[4])], int(words[1])
        elif words[2] == "striped":
            places, length = list(zip(words[5::2], words[6::2], strict=False)), int(words[1]) // int(words[3])
        else:
            used += [ALL] if re.search(rf"(?<!\d){re.escape(number)}(?!\d)", line) else []
            continue
        used += [(int(at), int(at) + length) for of, at in places if of == number]
    return used if table else [ALL]


def places_of(table: str) -> str:
    """Return the blocks that a table leads to, one part per line of the table, joined by "; ".

    The kind is left out of linear, delay and flakey parts, so that a switch between these counts as no change.
    """
    parts = (line.split() for line in table.splitlines())
    return "; ".join(" ".join([*p[:2], *p[3:5]] if _one_place(p) else p) for p in parts)


def _one_place(words: list[str]) -> bool:
    """Return True if a line maps to one place. dm-delay may have another place for writes after the first delay."""
    return len(words) > 4 and words[2] in ONE_PLACE and not (words[2] == "delay" and len(words) > 6)


def _kinds(table: str) -> set[str]:
    return {line.split()[2] for line in table.splitlines() if len(line.split()) > 2}
