"""How often `stend lot` states two groups: of one kind of drives, and of two; prints docs/method/data/lot-groups.csv.

    python -m benchmarks.lot_groups [lots]

Of 20 figures one separates the two halves of a lot by so many standard deviations of the drives of a half.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from stend.many.batch import groups
from stend.many.batch.lot import Drive, Lot
from stend.many.compare.differences import Figure
from stend.many.sides import Key

Drawn = npt.NDArray[np.float64]
LOTS, FIGURES = 400, 20
SIZES, APART = (8, 12, 24, 48), (6, 8, 10, 14)
DEVIATION = 0.02
KEY = Key("iops", "rounds", "window", 100, 0, "4K", 4, 32, 1, "both")
DICE = np.random.default_rng(5)
KINDS: dict[str, Callable[[tuple[int, int]], Drawn]] = {
    "normal": DICE.standard_normal,
    "heavy tails (t with 4)": lambda shape: DICE.standard_t(4, shape),
    "skewed (log-normal 0.5)": lambda shape: np.exp(0.5 * DICE.standard_normal(shape)),
    "exponential": DICE.standard_exponential,
}


def lot_of(deviations: Drawn) -> Lot:
    """A lot of (drives, figures) deviations."""
    figures = [Figure(KEY._replace(block=f"{k + 1}K"), "iops") for k in range(deviations.shape[1])]
    values = np.exp(9 + DEVIATION * deviations)
    rows = [dict(zip(figures, map(float, row), strict=True)) for row in values]
    return Lot(tuple(Drive(f"d{i}", (), row) for i, row in enumerate(rows)), tuple(figures), ())


def share(lots: int, draw: Callable[[], Drawn]) -> str:
    """The share of lots of which two groups are stated."""
    return f"{sum(groups.detect(lot_of(draw())) is not None for _ in range(lots)) / lots:.1%}"


def halves(size: int, apart: float) -> Drawn:
    """Deviations of two kinds of normal drives."""
    deviations = DICE.standard_normal((size, FIGURES))
    deviations[: size // 2, 0] -= apart
    return deviations


def table(lots: int) -> list[str]:
    """Lines of CSV."""
    lines = ["drives," + ",".join([*KINDS, *(f"two kinds {apart} deviations apart" for apart in APART)])]
    for size in SIZES:
        alone = [share(lots, partial(draw, (size, FIGURES))) for draw in KINDS.values()]
        apart = [share(lots, partial(halves, size, by)) for by in APART]
        lines.append(",".join([str(size), *alone, *apart]))
    return lines


if __name__ == "__main__":
    print("\n".join(table(int(sys.argv[1]) if len(sys.argv) > 1 else LOTS)))
