"""A quantity that is registered in `QUANTITIES` reaches comparisons and rules without further code."""

import pytest

from stend.many.compare import compared, differences
from stend.many.compare.rules import judge, parse
from stend.model.quantities import OTHERS, QUANTITIES, Quantity
from stend.model.tally import NS
from tests.sides import key, of_rates, row
from tests.sides import load as workload

PER_WAIT = Quantity("1/s", True, "rate", formula=lambda tally, _: tally.ios / (tally.latency_ns * NS))


def test_a_newly_registered_quantity_is_compared_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUANTITIES, "per_wait", PER_WAIT)
    monkeypatch.setattr(differences, "OTHERS", (*OTHERS, "per_wait"))
    whole = compared(of_rates("a", 1280.0, 1281.0), of_rates("b", 2560.0, 2562.0, first_s=1000.0))
    (row,) = (row for row in whole.differences if row.quantity == "per_wait")
    assert [row.a, row.b] == pytest.approx([10.0, 20.0], rel=1e-3)
    assert row.verdict == "better"
    (gated,) = judge(whole, [parse("per_wait[iops] < +50%")]).gated
    assert (gated.figure.quantity, gated.answer) == ("per_wait", "passed")


def test_a_newly_registered_percentile_is_compared_and_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = differences.COMPARED
    load = key(row(workload(), 1000.0, test="latency"))
    replay = load._replace(test="replay", phase="replay")
    before = [list(differences.quantities(of)) for of in (load, replay)]
    monkeypatch.setitem(QUANTITIES, "p95", Quantity("s", False, "tail"))
    monkeypatch.setattr(differences, "COMPARED", ("p95", *usual))
    after = [list(differences.quantities(of)) for of in (load, replay)]
    assert [[name for name in names if name != "p95"] for names in after] == before
    assert all("p95" in names for names in after)
