"""What write amplification must be, from the literature and by derivation: the oracles of the tests.

`alpha` is physical over user capacity, 1 + over-provisioning; writes are uniform and random unless said otherwise.
"""

import math
from collections.abc import Callable, Sequence


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a continuous function that changes sign between two points is zero (bisection, to 1e-13 of the span)."""
    falling = function(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        if (function(middle) > 0) == falling:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fifo(alpha: float) -> float:
    """First in, first out, and greedy with endless blocks: A = 1/(1-x), alpha = -ln x/(1-x) (Menon 1995)."""
    x = root(lambda x: -math.log(x) / (1 - x) - alpha, 1e-12, 1 - 1e-12)
    return 1 / (1 - x)


def greedy(alpha: float, pages: int) -> float:
    """Greedy with blocks of `pages` pages, many blocks: the victim holds k or k+1 current pages (mean field).

    In the steady state blocks descend through all fills at equal rates; Desnoyers 2012 has the same within 0.5 %.
    """
    sums = [0.0]
    for i in range(1, pages + 1):
        sums.append(sums[-1] + 1 / i)

    def excess(v: float) -> float:
        c = math.ceil(v)
        return pages / alpha * (sums[pages] - sums[c] + ((c - v) / c if c else 0)) - (pages - v)

    return pages / (pages - root(excess, 1e-9, pages / alpha))


def classes(alpha: float, shares: Sequence[tuple[float, float]]) -> float:
    """FIFO, hot and cold in one log; `shares` is ((part of the data, part of the writes), ...) (Desnoyers 2012)."""

    def rate(tau: float) -> float:
        return sum(r / -math.expm1(-r / f * tau) if r else f / tau for f, r in shares)

    return rate(root(lambda t: t * rate(t) - alpha, 1e-9, 1e4))
