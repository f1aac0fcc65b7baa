"""Measure the noise of a meter while nothing uses the drive."""

import time
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any

from stend.base.errors import StepFailed
from stend.meters._series import BLOCK_S
from stend.meters._types import Meter

LEAST = 3
LOOK_S = 0.2


def noise(meter: Meter, seconds: float) -> dict[str, Any]:
    """Read a meter for some seconds, and return its facts and the scatter of its values in watts.

    `step_w` is the smallest difference of two values, None if values are means of several. Raise StepFailed if the
    meter gives fewer than three values.
    """
    meter.read()
    until, values = time.monotonic() + max(seconds, (LEAST + 1) * meter.facts.period_s), list[float]()
    while time.monotonic() < until:
        time.sleep(LOOK_S)
        values += [value.mean for value in meter.read()]
    if len(values) < LEAST:
        raise StepFailed(f"the meter {meter.facts.name} gave {len(values)} values; at least {LEAST} are needed")
    steps = [after - before for before, after in pairwise(sorted({round(value, 9) for value in values}))]
    return {
        "spec": meter.facts.spec,
        "name": meter.facts.name,
        "scope": meter.facts.scope,
        "period_s": meter.facts.period_s,
        "values": len(values),
        "mean_w": fmean(values),
        "deviation_w": stdev(values),
        "least_w": min(values),
        "most_w": max(values),
        "step_w": min(steps) if steps and meter.facts.period_s >= BLOCK_S else None,
        "notes": meter.words(),
    }
