"""What a plan of acceptance can tell: how likely a lot is accepted, by its share of bad drives."""

from collections.abc import Iterator

from stend.batch.plan import Plan
from stend.batch.verdict import Batch
from stend.charts.parts import BLUE, Drawing, Row, axis, data
from stend.charts.parts.plain import Chart
from stend.words import Language

MOST_PCT = (2, 5, 10, 20, 40, 100)
POINTS = 60


def draw(batch: Batch, words: Language) -> Iterator[Drawing]:
    """The operating characteristic, up to where hardly a lot is accepted; nothing without a plan."""
    if batch.acceptance:
        plan = batch.acceptance.plan
        most = next(pct for pct in MOST_PCT if plan.accepted(pct / 100) < 0.02 or pct == MOST_PCT[-1])
        rows = list(_rows(plan, most))
        told = {"n": plan.sample, "accept": plan.accept}
        x = axis("pct", words("batched.bad_share"))
        y = axis("accepted", words("batched.accepted_share"))
        line = Chart(data()).mark_line(color=BLUE).encode(x=x, y=y).properties(height=220, width=420)
        yield Drawing(words("batched.operating", **told), line, {"rows": rows}, words("batched.operating_says", **told))


def _rows(plan: Plan, most: int) -> Iterator[Row]:
    for k in range(POINTS + 1):
        yield {"pct": most * k / POINTS, "accepted": plan.accepted(most * k / POINTS / 100) * 100}
