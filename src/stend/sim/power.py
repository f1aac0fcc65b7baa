"""Watts of a drive over its own time, in blocks of at most a second."""

from collections import deque

BLOCK_S = 1.0
MOST = 200_000
"""Blocks that are kept until they are read."""


class Power:
    """The power of a drive; `read` returns what was not read before."""

    def __init__(self) -> None:
        self.now_s = self.watts = 0.0
        self._blocks: deque[tuple[float, float, float, float]] = deque(maxlen=MOST)

    def spend(self, seconds: float, watts: float) -> None:
        """Let time pass at a power."""
        end, self.watts = self.now_s + seconds, watts
        while self.now_s < end:
            step = min(BLOCK_S, end - self.now_s)
            self.now_s += step
            self._blocks.append((self.now_s, step, watts, watts))

    def until(self, now_s: float) -> None:
        """Let time pass up to a moment of the drive's clock, at the present power."""
        self.spend(now_s - self.now_s, self.watts)

    def read(self) -> list[tuple[float, float, float, float]]:
        """Return (end, seconds, mean, highest) of the blocks since the last call."""
        blocks = list(self._blocks)
        self._blocks.clear()
        return blocks
