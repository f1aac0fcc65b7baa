"""A quantity that is registered in `QUANTITIES` reaches comparisons and rules without further code."""

import pytest

from stend.findings.look.metered import Level
from stend.many.compare import compared, differences
from stend.many.compare.rules import judge, parse
from stend.model.quantities import OTHERS, QUANTITIES, Quantity, shape
from stend.model.tally import NS, PERCENTS
from stend.report import openmetrics
from stend.words import Language
from tests.sides import key, of_rates, row
from tests.sides import load as workload

NEW = "p98.7"
"""A percentile that `PERCENTS` lacks."""
CELSIUS = Quantity("°C", False, "mean", "celsius")
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
    monkeypatch.setitem(QUANTITIES, NEW, Quantity("s", False, "tail"))
    monkeypatch.setattr(differences, "COMPARED", (NEW, *usual))
    after = [list(differences.quantities(of)) for of in (load, replay)]
    assert [[name for name in names if name != NEW] for names in after] == before
    assert all(NEW in names for names in after)


def test_percentiles_are_in_ascending_order_as_columns_and_the_highest_of_them_are() -> None:
    assert list(PERCENTS.values()) == sorted(PERCENTS.values())


@pytest.mark.parametrize(("lang", "expected"), [("en", "42.3\u00a0°C"), ("ru", "42,3\u00a0°C")])
def test_a_value_in_a_unit_without_a_format_has_the_unit_beside_it(
    lang: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUANTITIES, "celsius", CELSIUS)
    assert Language(lang).show(42.29, shape("celsius")) == expected


def test_a_value_of_zero_or_below_has_no_ratio_and_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    below = CELSIUS._replace(reading="", formula=lambda tally, _: -5.0)
    monkeypatch.setitem(QUANTITIES, "celsius", below)
    monkeypatch.setattr(differences, "OTHERS", (*OTHERS, "celsius"))
    whole = compared(of_rates("a", 1280.0, 1281.0), of_rates("b", 2560.0, 2562.0, first_s=1000.0))
    assert whole.differences
    assert not [row for row in whole.differences if row.quantity == "celsius"]


def test_openmetrics_have_each_quantity_of_a_meter() -> None:
    level = Level(42.3, 44.0, 60.0, 1.0)
    measured = row(workload(), 1000.0, test="latency")._replace(levels={"watts": level})
    values = {name: value for name in openmetrics.FIGURES for _, _, value in openmetrics._samples(name, measured)}
    assert (values["stend_watts"], values["stend_watts_max"]) == (42.3, 44.0)
    assert values["stend_iops_per_watt"] == pytest.approx(1000.0 / 42.3, rel=1e-3)
    assert {name for name in OTHERS if f"stend_{name}" not in openmetrics.FIGURES} == set()
