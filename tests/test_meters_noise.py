"""The specification of a meter at its limits, and its noise by arithmetic, on a clock that the test moves."""

import time
from statistics import fmean, stdev
from typing import Any

import pytest

from stend import meters
from stend.base.errors import BadInput, StepFailed
from stend.meters._types import Value
from stend.model.events import MeterFacts
from stend.words import Sentence


class Fake:
    """A meter that gives one value at each reading, and is closed once."""

    cost = (0, 0.0)

    def __init__(self, period_s: float, values: list[float]) -> None:
        self.facts = MeterFacts(spec="cmd:x", name="command x", scope="machine", period_s=period_s)
        self.values, self.closed, self.readings = [*values], 0, 0

    def read(self) -> list[Value]:
        self.readings += 1
        return [Value(0.0, 1.0, self.values.pop(0), 9.0)] if self.values else []

    def words(self) -> list[Sentence]:
        return []

    def quiet(self, resting: bool) -> None:
        """A drive that rests is no matter here."""

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were slept, on a clock that nothing else moves."""
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(time, "monotonic", lambda: 50.0 + sum(slept))
    monkeypatch.setattr(meters, "LOOK_S", 0.25)
    return slept


@pytest.mark.parametrize(
    ("seconds", "period_s", "lasts_s"), [(0.0, 1.0, 4.0), (3.9, 1.0, 4.0), (10.0, 1.0, 10.0), (0.0, 5.0, 20.0)]
)
def test_noise_is_measured_over_four_periods_at_least(
    seconds: float, period_s: float, lasts_s: float, clock: list[float]
) -> None:
    meter = Fake(period_s, [99.0, *(3.0 + 0.01 * n for n in range(400))])
    found = meters.noise(meter, seconds)
    assert sum(clock) == lasts_s
    assert found["values"] == len(clock) == meter.readings - 1, "what came before is left out"


def test_noise_is_the_scatter_of_the_values_and_the_smallest_step_between_them(clock: list[float]) -> None:
    values = [3.0, 3.5, 3.0, 2.75, 3.0 + 4e-10]
    found = meters.noise(Fake(0.1, [99.0, *values]), 2.0)
    assert found == {
        "spec": "cmd:x",
        "name": "command x",
        "scope": "machine",
        "period_s": 0.1,
        "values": 5,
        "mean_w": fmean(values),
        "deviation_w": stdev(values),
        "least_w": 2.75,
        "most_w": 3.5,
        "step_w": 0.25,
        "notes": [],
    }


@pytest.mark.parametrize(("period_s", "values", "step"), [(0.09, [1.0, 2.0, 3.0], None), (0.1, [2.0, 2.0, 2.0], None)])
def test_means_of_several_values_or_equal_ones_have_no_step(
    period_s: float, values: list[float], step: float | None, clock: list[float]
) -> None:
    assert meters.noise(Fake(period_s, [99.0, *values]), 2.0)["step_w"] == step


@pytest.mark.parametrize(("count", "enough"), [(0, False), (2, False), (3, True)])
def test_three_values_are_needed_for_a_scatter(
    count: int, enough: bool, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    meter, asked = Fake(0.1, [99.0, *range(count)]), list[Any]()

    def opened(*words: Any) -> Fake:
        asked.append(words)
        return meter

    monkeypatch.setattr(meters, "opened", opened)
    if enough:
        assert meters.idle_noise("cmd:x", None, 2.0)["values"] == 3
    else:
        with pytest.raises(StepFailed, match=f"^the meter command x gave {count} values; at least 3 are needed$"):
            meters.idle_noise("cmd:x", None, 2.0)
    assert (asked, meter.closed) == ([("cmd:x", None)], 1)


@pytest.mark.parametrize(("setting", "error"), [("0%", 0.0), ("100%", 100.0), ("2.5%", 2.5), ("1e1%", 10.0)])
def test_the_error_of_a_meter_is_a_percentage(setting: str, error: float) -> None:
    assert meters.parse(f"cmd@{setting}:x").error_pct == error


@pytest.mark.parametrize("setting", ["100.5%", "-0.5%", "2", "%", "nan%", "inf%", "x%", "2 percent"])
def test_what_is_no_percentage_up_to_a_hundred_is_refused(setting: str) -> None:
    with pytest.raises(BadInput) as refused:
        meters.parse(f"cmd@{setting}:x")
    assert str(refused.value) == (
        f"cmd@{setting}:x: the setting {setting} is not drive, machine or an error such as 2%"
    )


def test_a_specification_has_at_most_a_thousand_characters() -> None:
    assert meters.parse("cmd:".ljust(1000, "x")).address == "x" * 996
    with pytest.raises(BadInput, match=rf"^the meter cmd:{'x' * 56} is not one line of at most 1000 characters$"):
        meters.parse("cmd:".ljust(1001, "x"))


def test_a_meter_without_settings_has_the_scope_of_its_kind_and_an_unknown_error() -> None:
    spec = meters.parse("cmd: a b ")
    assert spec == meters.Spec("cmd: a b ", "cmd", "a b", scope="", error_pct=None, quantity="watts")
    for scope, shown in (("drive", "drive"), ("machine", "machine")):
        facts = spec.facts("x", period_s=2.0, scope=scope)
        assert (facts.scope, facts.window_s, facts.error_pct, facts.period_s) == (shown, 0.0, None, 2.0)
    assert meters.parse("cmd@drive:x").facts("x", period_s=1.0, scope="machine").scope == "drive"
    assert meters.parse("cmd@machine,drive:x").scope == "drive", "the last word counts"
