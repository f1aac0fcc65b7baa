"""Further small places that no quick test watched, found by changing them (`python -m benchmarks.mutations`)."""

import os
from types import SimpleNamespace
from typing import Any

import pytest

from stend.cli import _view
from stend.devices.virtual import find
from stend.engines.replay.load import BesideLoad
from stend.imports import diskspd_text, diskspd_xml, elbencho
from stend.imports.given import Given
from stend.meters._lines import UNITS
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.progress import Present
from stend.sim import requests
from stend.suite import latency_curve
from stend.suite._clauses import random
from stend.trace.form import FLUSH
from stend.trace.readers import blkparse
from tests.imported import SAMPLES


def test_a_load_of_diskspd_without_response_times_has_a_mean_of_zero() -> None:
    body = "Read IO\nthread |       bytes     |     I/Os     |    MiB/s\ntotal:  8192 |  2 |  0.01\n"
    assert diskspd_text._tally(body, "Read", 0.0) == Tally(ios=2, bytes=8192)


def test_the_state_of_a_stream_has_a_place_for_each_of_its_indices() -> None:
    assert max(requests.ENDED, requests.DRAWN) == requests.STATE - 1
    assert max(requests.SLOW_SHARE, requests.FUA, requests.EVERY, requests.FAILED_AT) == requests.PLAN - 1


@pytest.mark.parametrize(("cpus", "said"), [(2, True), (3, True), (4, False)])
def test_senders_without_a_processor_for_the_rest_are_a_remark(
    monkeypatch: pytest.MonkeyPatch, cpus: int, said: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cpus)
    load: Any = SimpleNamespace(others=[1, 2])
    remarks = BesideLoad.remarks.fget(load)  # type: ignore[attr-defined]
    assert [remark.key for remark in remarks] == ["few_processors"] * said


def test_units_of_energy_are_those_of_joules_and_watt_hours() -> None:
    assert {unit for unit, (energy, _) in UNITS.items() if energy} == {"J", "mJ", "uJ", "µJ", "Wh", "mWh", "kWh"}
    assert {unit for unit, (energy, _) in UNITS.items() if not energy} >= {"W", "mW", "uW", "µW", "kW"}


def test_before_the_first_byte_no_pace_is_known() -> None:
    present = Present()
    assert present.seconds_a_byte() == 0.0
    present.sample(Counts(seconds=1.0))
    assert present.seconds_a_byte() == 0.0


def test_no_rate_of_an_open_loop_is_below_one_io_a_second() -> None:
    (test,) = planning.draw(
        ["latency-curve"], planning.load_profile("enterprise-2.0.2"), find("sim:small").identity
    ).tests
    steps = latency_curve._at_rates(test.profile, random(100, 4, 1, 1), 3)
    rates = [step.workload.rate_iops for step in steps if isinstance(step, Hold)]
    assert sorted({*rates}) == [1.0, 1.5, 2.2, 2.7], "a quarter, a half, three quarters and nine tenths of three"


@pytest.mark.parametrize(("letters", "meaning"), [(b"F", (FLUSH, 0)), (b"FN", (FLUSH, 0)), (b"N", (-1, 0))])
def test_a_flush_of_blkparse_has_no_marks(letters: bytes, meaning: tuple[int, int]) -> None:
    assert blkparse._meaning(letters) == meaning


@pytest.mark.parametrize(("ended", "counts"), [(None, []), ("end", [Counts(seconds=1.0)]), ("end", [])])
def test_a_run_that_has_no_load_yet_or_any_more_shows_none(ended: str | None, counts: list[Counts]) -> None:
    course: Any = SimpleNamespace(ended=ended)
    assert not [*_view._load(course, counts, "")]


@pytest.mark.parametrize("profiles", [0, 1, 3])
def test_a_time_span_of_diskspd_needs_no_profile_and_a_profile_no_time_span(profiles: int) -> None:
    text = (SAMPLES / "diskspd.xml").read_text()
    begin, end = text.rindex("<TimeSpan>"), text.rindex("</TimeSpan>") + len("</TimeSpan>")
    text = text[:end] + text[begin:end] + text[end:]  # a second result
    planned = text.index("<TimeSpan>"), text.index("</TimeSpan>") + len("</TimeSpan>")
    text = text[: planned[0]] + profiles * text[slice(*planned)] + text[planned[1] :]
    loads = diskspd_xml.read(Given("x", (("x", text.encode()),))).loads
    assert len(loads) == 2
    assert loads[0].counts == loads[1].counts


@pytest.mark.parametrize(("cell", "value"), [("0.5", 0.5), ("1", 1.0), ("0", 0.0), ("-2", 0.0), ("", 0.0)])
def test_a_rate_of_elbencho_below_one_is_a_rate(cell: str, value: float) -> None:
    assert elbencho._last({"iops [last]": cell}, "iops") == value
