"""The content of a virtual drive, as extents of written addresses, and drives whose content is not what was written.

Only verified content is tracked. A drive of any capacity costs a few extents, because content follows from its address.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from stend.sim.spec import Spec

BITS = 8
BLOCK = 512
MIX = 0x9E3779B97F4A7C15


class Tag(NamedTuple):
    """The number of the run and of the pass that wrote an extent."""

    run: int
    number: int


class Extent(NamedTuple):
    """Places [first, end) in bytes that hold the content of addresses `shift` higher. `tag` None is zeros."""

    first: int
    end: int
    shift: int
    tag: Tag | None


class Medium:
    """Written extents of a drive in the order of their places, and the faults of the drive's `lies`."""

    def __init__(self, spec: Spec) -> None:
        self.lies, self.seed, self.capacity_bytes = spec.lies, spec.seed, spec.capacity_bytes
        self.clear()

    def clear(self) -> None:
        """Forget all content."""
        self.extents: list[Extent] = []
        self.recent: deque[tuple[int, int]] = deque()
        self.recent_bytes = 0

    def write(self, first: int, end: int, tag: Tag) -> None:
        """Write the content of the addresses [first, end)."""
        lies, zeroes = self.lies, self.lies.zeroes_from_bytes
        if lies.drops_from_bytes:
            end = min(end, lies.drops_from_bytes)
        if not zeroes:
            self._place(first, end, tag)
            return
        self._place(first, min(end, zeroes), tag)
        self._place(max(first, zeroes), end, None)

    def _place(self, first: int, end: int, tag: Tag | None) -> None:
        wrap = self.lies.wrap_bytes or self.capacity_bytes
        first = max(first, end - wrap)  # of more than one turn only the last remains
        while first < end:
            turn = first // wrap * wrap
            until = min(end, turn + wrap)
            self._put(Extent(first - turn, until - turn, turn, tag))
            first = until

    def _put(self, extent: Extent) -> None:
        """Put an extent in the place of others. A drive that keeps only its last bytes forgets older ones."""
        self._replace(extent.first, extent.end, [extent])
        keeps = self.lies.keeps_bytes
        if not keeps:
            return
        self.recent.append((extent.first, extent.end))
        self.recent_bytes += extent.end - extent.first
        while self.recent_bytes > keeps:
            first, end = self.recent.popleft()
            cut = min(end - first, self.recent_bytes - keeps)
            self._replace(first, first + cut, [])
            self.recent_bytes -= cut
            if first + cut < end:
                self.recent.appendleft((first + cut, end))

    def _replace(self, first: int, end: int, by: list[Extent]) -> None:
        """Replace the content of places [first, end)."""
        low = bisect_right(self.extents, first, key=lambda extent: extent.end)
        high = bisect_left(self.extents, end, key=lambda extent: extent.first)
        old = self.extents[low:high]
        before = [e._replace(end=first) for e in old if e.first < first]
        after = [e._replace(first=end) for e in old if e.end > end]
        self.extents[low:high] = [*before, *by, *after]

    def read(self, first: int, end: int) -> Iterator[Extent]:
        """Yield the content of the addresses [first, end) in order, as extents of addresses."""
        wrap = self.lies.wrap_bytes or self.capacity_bytes
        while first < end:
            turn = first // wrap * wrap
            until = min(end, turn + wrap)
            for place in self._held(first - turn, until - turn):
                yield Extent(place.first + turn, place.end + turn, place.shift - turn, place.tag)
            first = until

    def _held(self, first: int, end: int) -> Iterator[Extent]:
        """Yield the content of places [first, end), zeros where nothing was written."""
        low = bisect_right(self.extents, first, key=lambda extent: extent.end)
        for extent in self.extents[low:]:
            if extent.first >= end:
                break
            if extent.first > first:
                yield Extent(first, extent.first, 0, None)
            yield extent._replace(first=max(first, extent.first), end=min(end, extent.end))
            first = min(end, extent.end)
        if first < end:
            yield Extent(first, end, 0, None)

    def flipped(self, first: int, end: int) -> Iterator[int]:
        """Yield the addresses of blocks with a flipped bit: one in each `flips_one_in` bits, at a drawn place."""
        every = self.lies.flips_one_in
        if not every:
            return
        for turn in range(first * BITS // every, end * BITS // every + 1):
            drawn = ((turn + 1) * MIX ^ self.seed * 0xBF58476D1CE4E5B9) % (1 << 64)
            place = (turn * every + drawn % every) // BITS // BLOCK * BLOCK
            if first <= place < end:
                yield place

    def unreadable(self, first: int, end: int) -> tuple[int, int]:
        """Return the part of the addresses [first, end) that cannot be read. The part is empty if all can be read."""
        begin = self.lies.unreadable_from_bytes
        low, high = max(first, begin), min(end, begin + self.lies.unreadable_bytes)
        return (low, high) if low < high else (0, 0)
