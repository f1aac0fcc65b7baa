"""Operating characteristic of an acceptance plan: the probability of acceptance by the share of bad drives."""

from collections.abc import Iterator

from stend.charts.parts import BLUE, Drawing, Row, axis
from stend.charts.parts.vega import Chart
from stend.many.batch.acceptance import Plan
from stend.many.batch.verdict import Batch
from stend.words import Language

MOST_PCT = (2, 5, 10, 20, 40, 100)
POINTS, MOST_STEPS = 60, 1000


def draw(batch: Batch, words: Language) -> Iterator[Drawing]:
    """Yield the operating characteristic, up to where less than 2 % of lots are accepted, or nothing without a plan."""
    if batch.acceptance:
        plan = batch.acceptance.plan
        most = next(pct for pct in MOST_PCT if plan.accepted(pct / 100) < 0.02 or pct == MOST_PCT[-1])
        rows = list(_rows(plan, most))
        values = {"n": plan.sample, "accept": plan.accept}
        x = axis("pct", words("batched.bad_share"))
        y = axis("accepted", words("batched.accepted_share"))
        line = Chart().mark("line", color=BLUE).encode(x=x, y=y).properties(height=220, width=420)
        yield Drawing(
            words("batched.operating", **values), line, {"rows": rows}, words("batched.operating_says", **values)
        )


def _rows(plan: Plan, most: int) -> Iterator[Row]:
    """Yield one point per whole number of bad drives if the lot size is known and small, else `POINTS` steps."""
    steps = plan.lot if plan.lot and plan.lot <= MOST_STEPS else POINTS * MOST_PCT[-1] // most
    for k in range(steps + 1):
        if k * 100 <= most * steps:
            yield {"pct": k / steps * 100, "accepted": plan.accepted(k / steps) * 100}
