"""Stalls: a drive sometimes answers no request for some milliseconds (it saves its map, refreshes blocks, levels wear).

They come at random in time (a Poisson process), and more often under writes (`write_stalls_per_s`). Each lasts between
`stall_ms` and LONGEST times as long, by a Pareto distribution. These three parameters determine the 99.99 % response
times of all loads: the longer an IO is outstanding, the likelier a stall hits it. A stall costs its time, and every
outstanding IO waits for it (Little's law).
"""

from random import Random

import numpy as np
import numpy.typing as npt

from stend.sim.requests import Pattern
from stend.sim.spec import Tail

SHAPE = 1.5
"""Shape of the Pareto distribution; assumed, the same for all drives."""
LONGEST = 6.0
"""Ratio of the longest stall to the shortest; assumed, the same for all drives."""
GOLDEN = (5**0.5 - 1) / 2
"""Steps by the golden ratio cover the distribution evenly, so that the few stalls of a minute resemble those of an
hour."""
MOST = 0.5
"""Largest share of an interval that stalls take."""


def write_share(pattern: Pattern) -> float:
    """Return the share of writes (0-1) among the requests of a pattern."""
    if not pattern.weighted:
        return 1 - pattern.read_pct / 100
    return sum(kind.weight for kind in pattern.weighted if not kind.read) / sum(
        kind.weight for kind in pattern.weighted
    )


class Stalls:
    """The stalls of one drive, drawn from its seed. Each is reported once."""

    def __init__(self, tail: Tail, seed: int) -> None:
        self.tail, self.dice = tail, Random(seed)  # noqa: S311 drives, not secrets
        self.write_share = 0.0
        self._ahead, self._turn = self.dice.expovariate(1.0), self.dice.random()
        self._drawn_ms = list[float]()

    def drawn_s(self, seconds: float) -> float:
        """Draw the stalls of an interval, and return the seconds that they take."""
        rate = self.tail.stalls_per_s + self.tail.write_stalls_per_s * self.write_share
        if not rate:
            return 0.0
        self._ahead -= seconds * rate
        drawn_ms = list[float]()
        while self._ahead < 0:
            self._ahead += self.dice.expovariate(1.0)
            drawn_ms.append(self._one_ms())
        lost_s = sum(drawn_ms) / 1e3
        if lost_s > MOST * seconds:
            drawn_ms, lost_s = [ms * MOST * seconds / lost_s for ms in drawn_ms], MOST * seconds
        self._drawn_ms += drawn_ms
        return lost_s

    def waits_ns(self, *loads: tuple[int, float]) -> list[npt.NDArray[np.float64]]:
        """Return the extra waits since the last call for each load, which is (outstanding IOs, IOPS).

        In a closed loop each stall hits all outstanding IOs. In an open loop, which has 0 of them here, IOs that arrive
        in a stall wait for its end.
        """
        taken = self._taken_ns()
        return [np.tile(taken, crowd) if crowd else self._arrived(taken, iops) for crowd, iops in loads]

    def _arrived(self, taken: npt.NDArray[np.float64], iops: float) -> npt.NDArray[np.float64]:
        many = [int(iops * ns / 1e9 + self.dice.random()) for ns in taken]
        left = [ns * (np.arange(n) + 0.5) / max(n, 1) for ns, n in zip(taken, many, strict=True)]
        return np.concatenate([np.zeros(0), *left])

    def _taken_ns(self) -> npt.NDArray[np.float64]:
        taken, self._drawn_ms = self._drawn_ms, []
        return np.array(taken, float) * 1e6

    def _one_ms(self) -> float:
        rest: float = LONGEST**-SHAPE
        self._turn = (self._turn + GOLDEN) % 1
        longer: float = (rest + (1 - rest) * self._turn) ** (-1 / SHAPE)
        return self.tail.stall_ms * longer
