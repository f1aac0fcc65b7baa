"""The result of reading written content back: bad blocks by kind and place, as ranges of bytes.

A block is 512 bytes. It carries its address, the run's number and the number of the pass. Everything else in it follows
from these. Its expected content is therefore known without a list, and so is the block that a bad one came from.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

import msgspec

from stend.base import limits

BLOCK = 512
"""Bytes of a block, the smallest sector of a drive."""
MOST_RANGES = 256
"""Most ranges of a Verified. Neighbours of one kind are joined beyond that, the nearest first."""

Fault = Literal["wrapped", "dropped", "zeroed", "flipped", "unreadable", "unwritable", "reread"]
"""Kinds of bad blocks.

`wrapped`: the block of another address of this pass. `dropped`: content of another run or pass, or unknown content, so
the write was lost. `zeroed`: one byte value throughout. `flipped`: at most a quarter of its bits differ. `unreadable`
and `unwritable`: an IO error. `reread`: the first read failed and a repetition returned the right content.
"""
FAULTS: tuple[Fault, ...] = ("wrapped", "dropped", "zeroed", "flipped", "unreadable", "unwritable", "reread")
LOST: tuple[Fault, ...] = ("wrapped", "dropped", "zeroed", "flipped", "unreadable")
"""Kinds that do not return what was written."""


class Range(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Blocks of one kind between two byte addresses of the drive. `end_bytes` is behind the last one.

    `blocks` is their number. If it is smaller than the range, blocks between them are good or of another kind.
    `distance_bytes` is the address that wrapped blocks carry minus their own, `bits` the number of flipped bits.
    """

    fault: Fault
    first_bytes: limits.Count
    end_bytes: limits.Count
    blocks: limits.Count
    distance_bytes: limits.Signed = 0
    bits: limits.Count = 0

    def joined(self, other: "Range") -> "Range":
        """Return one range over both, which are in order and of one kind and distance."""
        return Range(
            fault=self.fault,
            first_bytes=self.first_bytes,
            end_bytes=max(self.end_bytes, other.end_bytes),
            blocks=self.blocks + other.blocks,
            distance_bytes=self.distance_bytes,
            bits=self.bits + other.bits,
        )


def of_blocks(fault: Fault, first_bytes: int, blocks: int, distance_bytes: int = 0, bits: int = 0) -> Range:
    """Return the range of contiguous blocks."""
    return Range(
        fault=fault,
        first_bytes=first_bytes,
        end_bytes=first_bytes + blocks * BLOCK,
        blocks=blocks,
        distance_bytes=distance_bytes,
        bits=bits,
    )


class Verified(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Blocks that a step wrote or compared (`blocks`), and the bad ones among them in the order of their addresses."""

    blocks: limits.Count = 0
    bad: tuple[Range, ...] = ()

    def count(self, *faults: Fault) -> int:
        """Return the number of bad blocks of these kinds, of all kinds if none is named."""
        return sum(part.blocks for part in self.bad if not faults or part.fault in faults)


def summed(parts: Iterable[Verified]) -> Verified:
    """Return the sum of the results of several steps, with at most `MOST_RANGES` ranges."""
    every = list(parts)
    return Verified(blocks=sum(part.blocks for part in every), bad=folded(r for part in every for r in part.bad))


def folded(ranges: Iterable[Range], most: int = MOST_RANGES) -> tuple[Range, ...]:
    """Return ranges in order of address: adjacent equal ones joined, and the nearest ones of a kind beyond `most`."""
    rows = _adjacent(sorted(ranges, key=lambda part: (part.first_bytes, part.end_bytes)), 0)
    while len(rows) > most:
        gaps = sorted(b.first_bytes - a.end_bytes for a, b in pairwise(rows) if _alike(a, b))
        if not gaps:
            rows = _by_kind(rows)
            break
        rows = _adjacent(rows, gaps[min(len(rows) - most, len(gaps)) - 1])
    return tuple(rows)


def _alike(a: Range, b: Range) -> bool:
    return (a.fault, a.distance_bytes) == (b.fault, b.distance_bytes)


def _adjacent(rows: Iterable[Range], gap_bytes: int) -> list[Range]:
    """Return the ranges with equal neighbours joined that are at most this far apart."""
    kept: list[Range] = []
    for part in rows:
        if kept and _alike(kept[-1], part) and part.first_bytes - kept[-1].end_bytes <= gap_bytes:
            kept[-1] = kept[-1].joined(part)
        else:
            kept.append(part)
    return kept


def _by_kind(rows: Iterable[Range]) -> list[Range]:
    """Return one range per kind and distance, for ranges of different kinds that alternate too often to be listed."""
    found: dict[tuple[str, int], Range] = {}
    for part in rows:
        key = part.fault, part.distance_bytes
        found[key] = found[key].joined(part) if key in found else part
    most = sorted(found.values(), key=lambda part: -part.blocks)[:MOST_RANGES]
    return sorted(most, key=lambda part: part.first_bytes)
