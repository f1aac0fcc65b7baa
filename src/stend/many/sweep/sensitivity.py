"""The effect of each parameter on a figure: shares of its variance, from a polynomial fitted to the drives.

Sobol's indices (1993) of a polynomial chaos expansion (Sudret, Reliability Engineering & System Safety 93, 2008). The
figure's logarithm is a sum of terms, each a polynomial of one parameter or a product of two, orthonormal over the
design. The share of a term in the variance is the square of its coefficient. First order counts the terms of one
parameter alone, total also the products that contain it. Leave-one-out prediction chooses the number of terms and gives
the share explained. The expected contribution of chance is subtracted from the squares. Intervals are 95 %, from the
errors of the coefficients. The rest may be an interaction or a kink that the polynomial does not follow; the interval
of a total share therefore includes all of the rest.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple, cast

import numpy as np

from stend.many.statistics import Array
from stend.many.sweep.design import Design, Range, Value, Values

DEGREES = ((1, 0), (2, 0), (3, 0), (1, 2), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8, 7))
"""Highest degrees of terms of one parameter and of products of two, in the order in which they are tried."""
DRIVES_A_TERM = 3
LEAST_DRIVES = 8
FLAT = 0.002
"""Deviation of the logarithm below which a figure counts as constant."""
DRAWS = 2000
Term = tuple[int, ...]
"""Indices of the parameters in a term, empty for the mean."""


class Share(NamedTuple):
    """A share of a figure's variance with its 95 % interval."""

    value: float
    low: float
    high: float


class Effects(NamedTuple):
    """The effects on one figure: the deviation of its logarithm, the share explained, and the parameters' shares.

    `first` and `total` are by parameter. `pairs` is by two parameters and lacks the pairs that no fit examined: their
    products need more drives. `why` is the reason without a result: "few" drives or a "flat" figure.
    """

    drives: int
    deviation: float
    explained: float
    first: dict[str, Share]
    total: dict[str, Share]
    pairs: dict[tuple[str, str], Share]
    why: str = ""

    @property
    def order(self) -> list[str]:
        """Return the parameters by their total shares, the largest first."""
        return sorted(self.total, key=lambda name: -self.total[name].value)


class _Basis(NamedTuple):
    """One column per polynomial, with its degree. Contrasts have degree 1."""

    columns: Array
    degrees: tuple[int, ...]


class _Fit(NamedTuple):
    terms: list[Term]
    coefficients: Array
    covariance: Array
    explained: float
    noise: float


def effects(design: Design, values: Sequence[Values], y: Array) -> Effects:
    """Return the effects of the parameters of these drives on the logarithm of a figure."""
    deviation = float(np.std(y)) if len(y) else 0.0
    nothing = Effects(len(y), deviation, 0.0, {}, {}, {})
    if len(y) < max(LEAST_DRIVES, DRIVES_A_TERM * (1 + len(design.parameters))):
        return nothing._replace(why="few")
    if deviation < FLAT:
        return nothing._replace(why="flat")
    bases = [_basis(design, name, [row[name] for row in values]) for name in design.parameters]
    fits = [fit for degree in DEGREES if (fit := _fitted(bases, *degree, y))]
    if not fits:  # a parameter without an order has several terms
        return nothing._replace(why="few")
    examined = {term for fit in fits for term in fit.terms if len(term) == 2}
    return _shared(list(design.parameters), max(fits, key=lambda fit: fit.explained), sorted(examined), nothing)


def _basis(design: Design, name: str, column: Sequence[Value]) -> _Basis:
    """Return the polynomials of one parameter at the drives' values, by ascending degree.

    They are orthonormal, also to 1, over all values that the design can draw. Values without an order get contrasts.
    """
    every = design.population(name)
    levels = sorted(set(every), key=repr)
    kind, ordered = design.parameters[name], all(type(value) in (int, float) for value in levels)

    def raw(values: Sequence[Value]) -> Array:
        if not ordered:
            return np.array([[1.0, *(value == level for level in levels[1:])] for value in values])
        x, ends = np.array(values, float), np.array([min(every), max(every)], float)
        if isinstance(kind, Range) and kind.log:
            x, ends = np.log(x), np.log(ends)
        scaled = (2 * x - ends.sum()) / (ends[1] - ends[0])
        return np.asarray(np.polynomial.legendre.legvander(scaled, min(len(levels) - 1, DEGREES[-1][0])), float)

    r = cast(Array, np.linalg.qr(raw(every) / np.sqrt(len(every)), mode="r"))
    columns = np.asarray(np.linalg.solve(r.T, raw(column).T).T[:, 1:], float)
    return _Basis(columns, tuple(range(1, columns.shape[1] + 1)) if ordered else (1,) * columns.shape[1])


def _fitted(bases: Sequence[_Basis], most: int, together: int, y: Array) -> _Fit | None:
    """Fit the terms up to these degrees by least squares. Return None if there are too few drives for them."""
    terms: list[Term] = [()]
    columns = [np.ones(len(y))]
    for i, basis in enumerate(bases):
        alone = [k for k, degree in enumerate(basis.degrees) if degree <= most]
        terms += [(i,)] * len(alone)
        columns += [basis.columns[:, k] for k in alone]
    for i, j in combinations(range(len(bases)), 2):
        first, second = bases[i], bases[j]
        both = [(k, m) for k, a in enumerate(first.degrees) for m, b in enumerate(second.degrees) if a + b <= together]
        terms += [(i, j)] * len(both)
        columns += [first.columns[:, k] * second.columns[:, m] for k, m in both]
    if len(terms) * DRIVES_A_TERM > len(y):
        return None
    x = np.stack(columns, 1)
    inverse = np.linalg.pinv(x.T @ x)
    coefficients = inverse @ x.T @ y
    residual = y - x @ coefficients
    leverage = np.einsum("ij,jk,ik->i", x, inverse, x).clip(max=1 - 1e-9)
    missed = float(np.mean((residual / (1 - leverage)) ** 2))
    noise = float(residual @ residual) / (len(y) - len(terms))
    return _Fit(terms, coefficients, np.asarray(inverse * noise, float), 1 - missed / float(np.var(y)), noise)


def _shared(names: Sequence[str], fit: _Fit, examined: Sequence[tuple[int, int]], nothing: Effects) -> Effects:
    """Return the shares of a fit.

    An examined pair may have no term in it, because its products did not improve the prediction. Its share is 0, and
    its interval includes all of the rest.
    """
    errors = np.diag(fit.covariance)
    dice = np.random.default_rng(0)
    root = np.linalg.cholesky(fit.covariance + np.eye(len(errors)) * 1e-15 * max(errors.max(), 1e-300))
    drawn = fit.coefficients + dice.standard_normal((DRAWS, len(errors))) @ root.T
    squares, spread = fit.coefficients**2 - errors, drawn**2 - 2 * errors
    variance = max(float(squares[1:].sum()), 0.0) + fit.noise

    explained = min(max(fit.explained, 0.0), 1.0)

    def share(of: Callable[[Term], bool], missed: float = 0.0) -> Share:
        chosen = [k for k, term in enumerate(fit.terms) if term and of(term)]
        low, high = np.percentile(spread[:, chosen].sum(1), [2.5, 97.5]) / variance if chosen else (0.0, 0.0)
        whole = float(squares[chosen].sum()) / variance if chosen else 0.0
        return Share(*(float(min(max(value, 0.0), 1.0)) for value in (whole, low, high + missed)))

    return nothing._replace(
        explained=explained,
        first={name: share(lambda term, i=i: term == (i,)) for i, name in enumerate(names)},  # type: ignore[misc]
        total={name: share(lambda term, i=i: i in term, 1 - explained) for i, name in enumerate(names)},  # type: ignore[misc]
        pairs={
            (names[i], names[j]): share(
                lambda term, pair=(i, j): term == pair,  # type: ignore[misc]
                0.0 if (i, j) in fit.terms else 1 - explained,
            )
            for i, j in examined
        },
    )
