"""Changes between two readings of a drive, each at both sides of its limit."""

from typing import Any

import pytest

from stend.base.units import GB
from stend.model.events import Telemetry
from stend.runner import telemetry as watch
from stend.runner.telemetry import Incident
from tests.test_watch import load, run_with


@pytest.mark.parametrize(
    ("before", "now", "incidents"),
    [
        ({}, {}, []),
        ({"media_errors": 1}, {"media_errors": 3, "crc_errors": 2}, [Incident("media_errors", {"growth": 2})]),
        ({"link": "x4"}, {"link": "x2"}, [Incident("link", {"was": "x4", "now": "x2"})]),
        ({"link": "x4"}, {"link": "x4"}, []),
        ({"link": "x4"}, {}, []),
        ({}, {"link": "x4"}, []),
        ({}, {"critical_warning": 1}, [Incident("critical_warning", {"bits": "0x1"})]),
        ({"critical_warning": 1}, {"critical_warning": 3}, [Incident("heat_warning", {"bits": "0x3"})]),
        ({"critical_warning": 2}, {"critical_warning": 2}, []),
        ({"critical_warning": 3}, {"critical_warning": 1}, []),
        ({"critical_warning": None}, {"critical_warning": 16}, [Incident("critical_warning", {"bits": "0x10"})]),
        ({"resync": ""}, {"resync": "check"}, [Incident("resync", {"what": "check"})]),
        ({"resync": "check"}, {"resync": "check, 5"}, []),
        ({"resync": "check"}, {"resync": ""}, []),
    ],
)
def test_incidents_are_what_is_new_since_the_reading_before(
    before: dict[str, Any], now: dict[str, Any], incidents: list[Incident]
) -> None:
    """Bit 1 of NVMe's critical warning is the temperature."""
    assert list(watch.incidents(before, now)) == incidents


def test_every_counter_of_errors_is_an_incident_of_its_name() -> None:
    names = ["crc_errors", "media_errors", "reallocated", "grown_defects", "link_errors", "link_retrains", "degraded"]
    told = list(watch.incidents(dict.fromkeys(names, 1), dict.fromkeys(names, 2)))
    assert [incident.key for incident in told] == names
    keys = ["crc", "media", "reallocated", "grown", "link_errors", "link_retrains", "missing"]
    said = list(watch.doubts(run_with(dict.fromkeys(names, 1), dict.fromkeys(names, 2))))
    assert [sentence.values["what"].key for sentence in said] == keys
    assert {(sentence.values["n"], sentence.values["a"], sentence.values["b"]) for sentence in said} == {(1, 0, 5)}


@pytest.mark.parametrize(
    ("limit", "was", "is_now", "said"),
    [(70, 69, 70, True), (70, 69, 69, False), (70, 70, 75, False), (70, None, 70, True), (70, 69, None, False),
     (None, 69, 99, False), (0, 69, 99, False), (70, None, 69, False)],
)  # fmt: skip
def test_a_drive_is_hot_once_it_reaches_the_temperature_of_its_warning(
    limit: int | None, was: int | None, is_now: int | None, said: bool
) -> None:
    run = run_with({"temperature_c": was}, {"temperature_c": is_now}, facts={"warning_temperature_c": limit})
    told = [(sentence.key, sentence.values) for sentence in watch.doubts(run)]
    assert told == [("hot", {"t": is_now, "m": 5, "limit": limit})] * said


@pytest.mark.parametrize(("t", "minute"), [(0.0, 0), (29.0, 0), (31.0, 1), (89.0, 1), (91.0, 2), (3600.0, 60)])
def test_the_minute_of_a_reading_is_the_nearest(t: float, minute: int) -> None:
    assert watch._minute(run_with(), Telemetry(t=t, values={})) == minute


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        ([0, 1, 1, 0], [("throttled", 0, 10)]),
        ([0, 0, 1, 0, 0], [("throttled", 5, 10)]),
        ([1, 0], []),
        ([0, 1], []),
    ],
)
def test_a_drive_that_only_says_that_it_throttles_has_no_seconds(looks: list[int], said: list[Any]) -> None:
    """The state holds for the time before a reading. The sentence comes with the reading that ends it."""
    told = []
    values = [{"throttled": look} for look in looks]
    for count in range(2, len(values) + 1):
        told += [(s.key, s.values["a"], s.values["b"]) for s in watch.doubts(run_with(*values[:count]))]
    assert told == said
    assert bool(list(watch.at_the_end(run_with(*values)))) is bool(looks[-1])


@pytest.mark.parametrize(("unit", "slack"), [({}, 2 * 512_000 + 4096), ({"host_unit_bytes": 512}, 2 * 512 + 4096)])
def test_a_counter_of_the_drive_may_lag_by_two_of_its_units_and_the_io_in_flight(
    unit: dict[str, int], slack: int
) -> None:
    """NVMe counts thousands of 512 bytes. The load has 4 KiB in flight, and moved nothing that was counted."""
    for more, said in ((slack, 0), (slack + 1, 1)):
        run = run_with({"host_write_bytes": 0} | unit, {"host_write_bytes": more} | unit)
        load(run, 0)
        assert len(list(watch.mismatches(run))) == said
    for more, said in ((4096, 0), (4097, 1)):
        run = run_with({"kernel_read_bytes": 0}, {"kernel_read_bytes": more})
        load(run, 0)
        assert len(list(watch.mismatches(run))) == said


@pytest.mark.parametrize(("counted", "said"), [(101 * GB, False), (101 * GB + 4096, False), (101 * GB + 4097, True)])
def test_a_load_is_proved_within_a_percent_of_its_bytes(counted: int, said: bool) -> None:
    run = run_with({"kernel_write_bytes": 0}, {"kernel_write_bytes": counted})
    load(run, 100 * GB)
    told = list(watch.mismatches(run))
    assert bool(told) is said
    if told:
        assert told[0].key == "proof_written"
        assert told[0].values | {"who": ""} == {"x": 100 * GB, "who": "", "y": counted, "a": 0, "b": 5}


def test_the_wear_of_a_phase_begins_with_the_reading_before_its_first_step() -> None:
    values = [{"host_write_bytes": n * 100 * GB, "nand_write_bytes": n * 150 * GB} for n in range(4)]
    run = run_with(*values, every_min=720)
    load(run, 100 * GB, t=720 * 60)
    load(run, 200 * GB, t=2160 * 60)
    (said,) = watch.of_phase(run, "write-saturation", "saturate")
    assert said.values | {"wa": 1.5, "days": 2.0} == said.values, "300 GB in a day and a half to a drive of 100 GB"
    assert (said.values["host"], said.values["nand"]) == (300 * GB, 450 * GB)
