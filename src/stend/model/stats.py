"""Statistics of numbers and latency bins, without any knowledge of drives or runs.

Steady state: PTS 2.0.2 clause 2.1.24 as transcribed in the open literature. Latency bins: `bins`.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

import numpy as np

from stend.model.bins import BIN_BITS as BIN_BITS  # noqa: PLC0414 -- the bins are part of these statistics
from stend.model.bins import BINS as BINS  # noqa: PLC0414
from stend.model.bins import BINS_PER_GROUP as BINS_PER_GROUP  # noqa: PLC0414
from stend.model.bins import bin_edges_ns as bin_edges_ns  # noqa: PLC0414
from stend.model.bins import bin_index as bin_index  # noqa: PLC0414
from stend.model.events import Verdict
from stend.model.packed import rising, weight_of
from stend.model.tally import NS, Tally

PTS_WINDOW = 5
PTS_EXCURSION = 0.20
PTS_SLOPE = 0.10
REVIEW_WINDOW = 4
REVIEW_BAND = 0.10

MIN_BEYOND = 10
"""A percentile is shown only where at least this many observed IOs lie beyond it; our choice, stated in reports."""

Rounds = Sequence[tuple[int, float]]


def fit(points: Rounds) -> tuple[float, float, float]:
    """Fit value against round number by least squares, and return (slope per round, intercept, Pearson r)."""
    x = np.array([n for n, _ in points], float)
    y = np.array([v for _, v in points], float)
    dx, dy = x - x.mean(), y - y.mean()
    slope = float((dx * dy).sum() / (dx**2).sum())
    spread = math.sqrt(float((dx**2).sum() * (dy**2).sum()))
    return slope, float(y.mean() - slope * x.mean()), float((dx * dy).sum()) / spread if spread else 0.0


def steady_state(
    points: Rounds, window: int = PTS_WINDOW, excursion: float = PTS_EXCURSION, slope: float = PTS_SLOPE
) -> Verdict | None:
    """Apply the PTS rule to the last `window` (round, value) points. Return None if there are fewer.

    Steady when max(y) - min(y) <= 20 % of the mean and the least-squares line moves <= 10 % of the mean over the
    window. `<=` because the sub-clauses require "within" (open point 11: exact ties only).
    """
    return _verdict("pts", points[-window:], excursion, slope) if len(points) >= window else None


def fit_within_90_110(points: Rounds, window: int = REVIEW_WINDOW, band: float = REVIEW_BAND) -> Verdict | None:
    """Apply the rule of the reviews: over four rounds the linear fit stays inside 90-110 % of the mean.

    Return None if there are fewer rounds. The fit is centred on the mean, and so stays within +-10 % exactly when it
    moves no more than 20 % in total.
    """
    if len(points) < window:
        return None
    return _verdict("fit-90-110", points[-window:], math.inf, 2 * band)


WINDOWS = {"pts": PTS_WINDOW, "fit-90-110": REVIEW_WINDOW}
RULES: dict[str, Callable[[Rounds], Verdict | None]] = {"pts": steady_state, "fit-90-110": fit_within_90_110}


def _verdict(rule: str, points: Rounds, excursion: float, slope: float) -> Verdict:
    values = [v for _, v in points]
    average = sum(values) / len(values)
    per_round, intercept, correlation = fit(points)
    measured = max(values) - min(values)
    moved = abs(per_round) * (points[-1][0] - points[0][0])
    tie = 1 + 1e-9  # floating point must not decide an exact tie
    return Verdict(
        rule=rule,
        label="",
        quantity="",
        rounds=tuple(n for n, _ in points),
        values=tuple(values),
        average=average,
        excursion=measured,
        excursion_allowed=excursion * average if math.isfinite(excursion) else None,
        slope_excursion=moved,
        slope_excursion_allowed=slope * average,
        fit=(per_round, intercept),
        correlation=correlation,
        steady=average > 0 and measured <= excursion * average * tie and moved <= slope * average * tie,
    )


def least_beyond(*bins: Mapping[int, int]) -> int:
    """Return the fewest counted IOs that may lie beyond a shown percentile: a scaled virtual drive counts one often."""
    return MIN_BEYOND * weight_of(*bins)


def percentile_s(tally: Tally, percent: float) -> float | None:
    """Return the response time in seconds that `percent` of the IOs do not exceed (see `percentiles_s`)."""
    return percentiles_s(tally, (percent,))[0]


def percentiles_s(tally: Tally, percents: Sequence[float]) -> list[float | None]:
    """Return the response times in seconds that these percents of the IOs do not exceed.

    One is None if fewer than `least_beyond` IOs exceed it. Each is the middle of its bin, moved within the bin where
    recorded values require it: not above the maximum, nor so far from the mean that no distribution could have both.
    The error is at most 0.8 %. If one bin holds every IO, the result is the mean, with an error of at most 1.6 %. fio's
    last bin, above 17.2 s, has no end: there the IOs are taken as spread evenly up to the longest one.
    """
    indices, counts = rising(tally.bins)
    below, least = list(accumulate(counts)), least_beyond(tally.bins)
    total = below[-1] if below else 0
    times: list[float | None] = []
    for percent in percents:
        if round(total * (100 - percent) / 100, 6) < least:
            times.append(None)
            continue
        wanted = math.ceil(total * percent / 100)
        place = bisect_left(below, wanted)
        inside = 1 - (below[place] - wanted) / counts[place]
        times.append(_within(tally, indices[place], indices[0], wanted / total, inside) * NS)
    return times


def _within(tally: Tally, index: int, lowest: int, share: float, inside: float) -> float:
    """Return the position in a bin, in ns, that a share of the IOs does not exceed, and `inside` of those in the bin.

    `lowest` is the first used bin.
    """
    lower, end = bin_edges_ns(index)
    mean, longest = tally.latency_ns / tally.ios if tally.ios else 0.0, tally.max_ns or math.inf
    upper = longest if index == BINS - 1 else min(end, longest)
    wanted = lower + inside * (longest - lower) if index == BINS - 1 and longest < math.inf else (lower + end - 1) / 2
    least = bin_edges_ns(lowest)[0]
    if len(tally.bins) == 1:
        wanted = mean or wanted
    elif least <= mean <= longest < math.inf and share < 1:
        wanted = max(wanted, (mean - (1 - share) * longest) / share)
        wanted = min(wanted, least + (mean - least) / (1 - share))
    return min(max(wanted, lower), upper)
