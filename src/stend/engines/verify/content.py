"""The content of verified blocks: 64 words of 8 bytes, little-endian, which follow from address, run and pass.

| word | content |
|---|---|
| 0 | `STENDBLK` |
| 1 | address in bytes from the start of the drive |
| 2 | number of the run (its seed) |
| 3 | number of the pass |
| 4 | checksum: the exclusive or of all other words |
| 5 to 63 | fixed random words, each combined (exclusive or) with a key that is mixed from words 1, 2 and 3 |

The exclusive or of a whole block is therefore 0. Blocks do not compress, and two blocks are never equal.
"""

from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from stend.model.verified import BLOCK, Fault, Range, of_blocks

Words = npt.NDArray[np.uint64]
Signed = npt.NDArray[np.int64]
WORDS = BLOCK // 8
HEAD = 5
"""Words of a block before its random words."""
MAGIC = int.from_bytes(b"STENDBLK", "little")
FEW_BITS = BLOCK * 8 // 4
"""A block with at most this many wrong bits is `flipped`. Unrelated content has about half of them wrong."""


class Tag(NamedTuple):
    """The number of the run and of the pass that wrote a block."""

    run: int
    number: int


def _mixed(words: Words) -> Words:
    """Return SplitMix64 of each word (Steele, Lea, Flood 2014)."""
    z = words + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


FIXED = _mixed(np.arange(1, WORDS - HEAD + 1, dtype=np.uint64))
FOLD = np.bitwise_xor.reduce(FIXED)


def written(blocks: Words, addresses: Words, tag: Tag) -> None:
    """Fill blocks, an array [n, 64], with the content of these byte addresses."""
    _fill(blocks, addresses, np.uint64(tag.run), np.uint64(tag.number))


def _fill(blocks: Words, addresses: Words, run: Words | np.uint64, number: Words | np.uint64) -> None:
    key = _mixed(addresses ^ _mixed(np.atleast_1d(run ^ (number << np.uint64(32)))))
    np.bitwise_xor(FIXED, key[:, None], out=blocks[:, HEAD:])
    blocks[:, 0] = MAGIC
    blocks[:, 1] = addresses
    blocks[:, 2] = run
    blocks[:, 3] = number
    # An odd number of words carries the key, so it remains once in their fold.
    blocks[:, 4] = np.uint64(MAGIC) ^ addresses ^ run ^ number ^ FOLD ^ key


def addressed(first_bytes: int, blocks: int) -> Words:
    """Return the byte addresses of contiguous blocks."""
    return np.arange(first_bytes, first_bytes + blocks * BLOCK, BLOCK, dtype=np.uint64)


def bad_ranges(blocks: Words, expected: Words, tag: Tag) -> tuple[Range, ...]:
    """Return the blocks of [n, 64] that differ from the expected ones, as ranges by kind and distance.

    The expected blocks state their addresses, which need not be contiguous.
    """
    wrong = np.flatnonzero((blocks != expected).any(axis=1))
    found, meant = blocks[wrong], expected[wrong]
    address = meant[:, 1].astype(np.int64)
    bits = np.bitwise_count(found ^ meant).sum(axis=1).astype(np.int64)
    kinds = np.full(len(wrong), "dropped", dtype="U10")
    octets = found.view(np.uint8)
    whole = _consistent(found)
    same = whole & (found[:, 2] == tag.run) & (found[:, 3] == tag.number)
    moved = same & (found[:, 1] != meant[:, 1])
    kinds[~whole & (octets == octets[:, :1]).all(axis=1)] = "zeroed"
    kinds[(same & ~moved) | (~whole & (kinds == "dropped") & (bits <= FEW_BITS))] = "flipped"
    kinds[moved] = "wrapped"
    distance = np.where(moved, found[:, 1].astype(np.int64) - address, 0)
    bits[kinds != "flipped"] = 0
    return _ranges(kinds, address, distance, bits)


def _ranges(kinds: "npt.NDArray[np.str_]", address: Signed, distance: Signed, bits: Signed) -> tuple[Range, ...]:
    """Return one range per run of contiguous blocks of the same kind and distance."""
    if not len(kinds):
        return ()
    new = (kinds[1:] != kinds[:-1]) | (distance[1:] != distance[:-1]) | (np.diff(address) != BLOCK)
    begins = np.concatenate(([0], np.flatnonzero(new) + 1))
    counts = np.diff(np.append(begins, len(kinds)))
    wrong_bits = np.add.reduceat(bits, begins)
    return tuple(
        of_blocks(msgspec.convert(str(kinds[at]), Fault), int(address[at]), int(count), int(distance[at]), int(wrong))
        for at, count, wrong in zip(begins.tolist(), counts.tolist(), wrong_bits.tolist(), strict=True)
    )


def _consistent(found: Words) -> npt.NDArray[np.bool_]:
    """Return which blocks are those that their first words name, of any address and run, except for a few bits."""
    again = np.empty_like(found)
    _fill(again, found[:, 1], found[:, 2], found[:, 3])
    wrong_bits: npt.NDArray[np.int64] = np.bitwise_count(found ^ again).sum(axis=1)
    return wrong_bits <= FEW_BITS
