"""Write amplification by closed formulas, from the literature and by derivation; tests compare the simulation to them.

`alpha` is physical over user capacity, 1 + over-provisioning. Writes are uniform and random unless stated otherwise.
"""

import math
from collections.abc import Callable, Sequence


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a continuous function that changes sign between two points (200 bisections)."""
    falling = function(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        if (function(middle) > 0) == falling:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fifo(alpha: float) -> float:
    """Return it for FIFO, or greedy with infinite blocks: A = 1/(1-x), alpha = -ln x/(1-x) (Menon 1995)."""
    x = root(lambda x: -math.log(x) / (1 - x) - alpha, 1e-12, 1 - 1e-12)
    return 1 / (1 - x)


def greedy(alpha: float, pages: int) -> float:
    """Return it for greedy with many blocks of `pages` pages: the victim holds k or k+1 current pages (mean field).

    In the steady state blocks descend through all fills at equal rates. Desnoyers 2012 agrees within 0.5 %.
    """
    sums = [0.0]
    for i in range(1, pages + 1):
        sums.append(sums[-1] + 1 / i)

    def excess(v: float) -> float:
        c = math.ceil(v)
        return pages / alpha * (sums[pages] - sums[c] + ((c - v) / c if c else 0)) - (pages - v)

    return pages / (pages - root(excess, 1e-9, pages / alpha))


def classes(alpha: float, shares: Sequence[tuple[float, float]]) -> float:
    """Return it for FIFO with hot and cold data in one log (Desnoyers 2012).

    `shares` is ((share of the data, share of the writes), ...).
    """

    def rate(tau: float) -> float:
        return sum(r / -math.expm1(-r / f * tau) if r else f / tau for f, r in shares)

    return rate(root(lambda t: t * rate(t) - alpha, 1e-9, 1e4))
