"""A meter's rate is known from several values over a second; one that is closed is complete."""

import threading
from types import SimpleNamespace

import pytest

from stend.meters import cmd
from stend.meters._polled import Polled
from stend.model.events import MeterFacts
from tests.waits import PATIENCE_S


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 100])
@pytest.mark.parametrize("span_s", [0.5, 1.0, 5.0])
def test_a_rate_needs_three_values_and_a_second(count: int, span_s: float) -> None:
    each_s = span_s / max(count - 1, 1)
    output = SimpleNamespace(arrivals=[(10 + each_s * number, 1) for number in range(count)])
    span_s = 0.0 if count < 2 else span_s
    assert cmd.Command._enough(SimpleNamespace(output=output)) is (count >= 3 and span_s >= 0.99)  # type: ignore[arg-type]


def test_a_closed_meter_has_no_thread_and_gives_all_its_values() -> None:
    asked = threading.Event()

    def poll() -> float:
        asked.set()
        return 5.0

    meter = Polled(MeterFacts(spec="own", name="fake", period_s=0.01), poll)
    assert asked.wait(PATIENCE_S)
    assert not meter.over
    meter.close()
    assert meter.over
    assert not meter.thread.is_alive()
    assert {value.mean for value in meter.read()} == {5.0}
    assert meter.read() == []
