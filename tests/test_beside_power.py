"""Rests and heat of several drives on one chart: each mark is one recorded figure of one drive."""

from functools import cache
from typing import Any

import pytest

from stend.charts.beside import Side, picture
from stend.devices.virtual import VirtualDevice
from stend.findings import look
from stend.findings.look.woken import rests
from stend.model.record import Run
from stend.sim import load
from stend.words import Language
from tests.rehearsal import rehearsed

WORDS = Language("en")
DRIVES = ("sn150", "kc2000")


@cache
def sides(test: str) -> tuple[Side, ...]:
    return tuple(
        Side(name, Run(rehearsed(VirtualDevice("sim", load(name)), test, interval_s=10.0, second_s=0.2)))
        for name in DRIVES
    )


def rows(drawn: Any, drive: str) -> list[float]:
    return [row["value"] for data in drawn.spec["datasets"].values() for row in data if row["drive"] == drive]


def test_rests_of_two_drives_are_lines_on_one_chart() -> None:
    (drawn,) = picture("wakes", sides("wake"), WORDS, [])
    for side in sides("wake"):
        assert side.run
        medians = [rest.usual_s * 1e3 for rest in rests(side.run, "wake")[1]]
        assert len(medians) > 2
        assert rows(drawn, side.name) == pytest.approx(medians, rel=1e-5)


def test_rate_and_temperature_of_two_drives_are_lines_on_one_chart() -> None:
    rate, heat, *_ = picture("heats", sides("heat"), WORDS, [])
    for side in sides("heat"):
        assert side.run
        rates = [record.counts.bytes_per_s / 1e6 for record in look.records(side.run, "heat", "heat-writes")]
        assert rows(rate, side.name) == pytest.approx(rates, rel=1e-5)
        assert 10 < min(rows(heat, side.name)) < max(rows(heat, side.name)) < 100
    assert "°C" in str(heat.spec.get("layer", heat.spec))


@pytest.mark.parametrize(("kind", "test"), [("wakes", "wake"), ("heats", "heat")])
def test_one_drive_alone_has_no_such_chart(kind: str, test: str) -> None:
    assert not list(picture(kind, sides(test)[:1], WORDS, []))
    assert not list(picture(kind, [sides(test)[0], Side("empty")], WORDS, []))
