"""Verified content on a virtual drive: the extents that a load writes or compares, without any bytes."""

from collections.abc import Iterator

from stend.model.definition import Workload
from stend.model.verified import BLOCK, Fault, Range, Verified, folded, of_blocks
from stend.sim.medium import Extent, Medium, Tag


class Content:
    """The part of a drive's content that one load covers once it has ended."""

    def __init__(self, medium: Medium, load: Workload, seed: int, from_bytes: int, limit_bytes: int | None) -> None:
        assert load.verify  # noqa: S101 for mypy: only a workload with verified content comes here
        self.medium, self.load, self.tag = medium, load, Tag(seed, load.verify.number)
        self.every_bytes, self.from_bytes = load.verify.every_bytes, from_bytes
        self.limit_bytes = load.verify_bytes(from_bytes) if limit_bytes is None else limit_bytes
        self.result: Verified | None = None

    def verified(self) -> Verified:
        """Return the blocks that the load wrote or compared. The first call changes the drive's content."""
        if self.result is None:
            bad = folded(part for first, end in self._extents() for part in self._one(first, end))
            self.result = Verified(blocks=self.limit_bytes // BLOCK, bad=bad)
        return self.result

    def _extents(self) -> Iterator[tuple[int, int]]:
        """Yield the addresses [first, end) that the load covers, in order."""
        load, left, place = self.load, self.limit_bytes, self.from_bytes
        while left > 0:
            room = min(left, load.range_bytes - place)
            size = min(room, load.block_bytes) if self.every_bytes else room
            yield load.start_bytes + place, load.start_bytes + place + size
            left, place = left - size, (place + (self.every_bytes or size)) % load.range_bytes

    def _one(self, first: int, end: int) -> Iterator[Range]:
        if not self.load.read_pct:
            self.medium.write(first, end, self.tag)
            return
        low, high = self.medium.unreadable(first, end)
        if low < high:
            yield _range("unreadable", low, high)
        for begin, until in ((first, low), (high, end)) if low < high else ((first, end),):
            for extent in self.medium.read(begin, until):
                yield from self._compared(extent)

    def _compared(self, extent: Extent) -> Iterator[Range]:
        """Yield the bad ranges of an extent that was read."""
        first, end, shift, tag = extent
        if tag is None:
            yield _range("zeroed", first, end)
        elif tag != self.tag:
            yield _range("dropped", first, end)
        elif shift:
            yield _range("wrapped", first, end, distance=shift)
        else:
            for place in self.medium.flipped(first, end):
                yield _range("flipped", place, place + BLOCK, bits=1)


def _range(fault: Fault, first: int, end: int, *, distance: int = 0, bits: int = 0) -> Range:
    return of_blocks(fault, first, (end - first) // BLOCK, distance, bits)
