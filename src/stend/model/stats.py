"""Arithmetic on numbers and on latency bins; knows nothing of drives or runs.

Steady state: PTS 2.0.2 clause 2.1.24 as transcribed in the open literature. Latency bins: fio's own, stat.h of fio 3.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from stend.model.packed import rising
from stend.model.record import Tally, Verdict
from stend.model.tally import NS

PTS_WINDOW = 5
PTS_EXCURSION = 0.20
PTS_SLOPE = 0.10
REVIEW_WINDOW = 4
REVIEW_BAND = 0.10

BIN_BITS = 6
BINS_PER_GROUP = 1 << BIN_BITS
BIN_GROUPS = 29
BINS = BIN_GROUPS * BINS_PER_GROUP

MIN_BEYOND = 10  # a percentile is shown only where at least this many IOs lie beyond it; our choice, stated in reports

Rounds = Sequence[tuple[int, float]]


def fit(points: Rounds) -> tuple[float, float, float]:
    """Ordinary least squares of value against round number: (slope per round, intercept, Pearson r)."""
    x = np.array([n for n, _ in points], float)
    y = np.array([v for _, v in points], float)
    dx, dy = x - x.mean(), y - y.mean()
    slope = float((dx * dy).sum() / (dx**2).sum())
    spread = math.sqrt(float((dx**2).sum() * (dy**2).sum()))
    return slope, float(y.mean() - slope * x.mean()), float((dx * dy).sum()) / spread if spread else 0.0


def steady_state(
    points: Rounds, window: int = PTS_WINDOW, excursion: float = PTS_EXCURSION, slope: float = PTS_SLOPE
) -> Verdict | None:
    """The PTS rule on the last `window` (round, value) points; None while there are fewer.

    Steady when max(y) - min(y) <= 20 % of the mean and the least-squares line moves <= 10 % of the mean over the
    window. `<=` because the sub-clauses say "within" (open point 11: exact ties only).
    """
    return _verdict("pts", points[-window:], excursion, slope) if len(points) >= window else None


def fit_within_90_110(points: Rounds, window: int = REVIEW_WINDOW, band: float = REVIEW_BAND) -> Verdict | None:
    """The reviews' rule: over four rounds the linear fit stays inside 90-110 % of the mean; None while there are fewer.

    The fit is centred on the mean, so it stays within +-10 % exactly when it moves no more than 20 % in all.
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


def bin_index(ns: float) -> int:
    """The fio latency bin that holds a response time: exact below 128 ns, then 64 bins to each doubling."""
    value = int(ns)
    shift = value.bit_length() - 1 - BIN_BITS
    return min((shift << BIN_BITS) + (value >> shift), BINS - 1) if shift > 0 else value


def bin_edges_ns(index: int) -> tuple[int, int]:
    """[lower, upper) of a bin in nanoseconds; the last bin also holds all that is longer."""
    if index < 2 * BINS_PER_GROUP:
        return index, index + 1
    shift = (index >> BIN_BITS) - 1
    lower = (BINS_PER_GROUP + (index & (BINS_PER_GROUP - 1))) << shift
    return lower, lower + (1 << shift)


def percentile_s(tally: Tally, percent: float) -> float | None:
    """Return the response time in seconds below which `percent` of the IOs lie (see `percentiles_s`)."""
    return percentiles_s(tally, (percent,))[0]


def percentiles_s(tally: Tally, percents: Sequence[float]) -> list[float | None]:
    """Return response times in seconds below which these percents of the IOs lie; None if fewer than MIN_BEYOND do not.

    Each is the middle of its bin, moved within the bin so that it contradicts nothing that was recorded: not above the
    maximum, nor so far from the mean that no distribution could have both; at most 0.8 % off. Where one bin holds every
    IO, it is their mean; at most 1.6 % off.
    """
    indices, counts = rising(tally.bins)
    below = list(accumulate(counts))
    total = below[-1] if below else 0
    times: list[float | None] = []
    for percent in percents:
        if round(total * (100 - percent) / 100, 6) < MIN_BEYOND:
            times.append(None)
            continue
        wanted = math.ceil(total * percent / 100)
        times.append(_within(tally, indices[bisect_left(below, wanted)], indices[0], wanted / total) * NS)
    return times


def _within(tally: Tally, index: int, lowest: int, share: float) -> float:
    """Where in a bin that share of the IOs ends, in nanoseconds; `lowest` is the first bin that holds any."""
    lower, end = bin_edges_ns(index)
    mean, longest = tally.latency_ns / tally.ios if tally.ios else 0.0, tally.max_ns or math.inf
    upper = longest if index == BINS - 1 else min(end, longest)
    wanted = (lower + end - 1) / 2
    least = bin_edges_ns(lowest)[0]
    if len(tally.bins) == 1:
        wanted = mean or wanted
    elif least <= mean <= longest < math.inf and share < 1:
        wanted = max(wanted, (mean - (1 - share) * longest) / share)
        wanted = min(wanted, least + (mean - least) / (1 - share))
    return min(max(wanted, lower), upper)
