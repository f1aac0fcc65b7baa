"""Measure how far apart the measured phases of drives began that should begin at the same moment."""

from collections.abc import Sequence

from stend.model.record import Run
from stend.session.together.turns import PREPARING


def skews(runs: Sequence[Run]) -> dict[tuple[str, str], float]:
    """Return, by phase, the seconds between the first and the last beginning in two runs or more."""
    begins: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        for place, began in beginnings(run).items():
            begins.setdefault(place, []).append(began)
    return {place: max(times) - min(times) for place, times in begins.items() if len(times) > 1}


def beginnings(run: Run) -> dict[tuple[str, str], float]:
    """Return when the first load of each measured phase began, in Unix time, or {} for interrupted or virtual runs."""
    if len(run.started) != 1 or run.plan.device.virtual:
        return {}
    first: dict[tuple[str, str], float] = {}
    for result in run.results:
        if not result.where.phase.startswith(PREPARING) and result.counts.seconds:
            began = run.started[0].at + result.t - result.counts.seconds
            first.setdefault((result.where.test, result.where.phase), began)
    return first
