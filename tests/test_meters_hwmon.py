"""Power sensors in a copied tree of sysfs: which files are sensors, and how often each is read."""

from pathlib import Path

import pytest

from stend.base.errors import BadInput, StepFailed
from stend.meters import hwmon, parse
from stend.meters._polled import Polled
from stend.meters.hwmon import Sensor


@pytest.fixture
def chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four chips: one of a line, one of the machine, one of a processor, one without a name."""
    files = {
        "hwmon0": {"name": "ina226", "power1_input": "3250000", "power1_average": "1", "power1_label": "12V",
                   "power2_average": "5", "power1_cap": "9", "power1_input_lowest": "2", "update_interval": "250"},
        "hwmon1": {"name": "power_meter", "power1_average": "7"},
        "hwmon2": {"name": "zenergy_x", "power1_input": "7"},
        "hwmon3": {"power1_input": "-5", "update_interval": "1000000"},
    }  # fmt: skip
    for chip, known in files.items():
        folder = tmp_path / "class/hwmon" / chip
        folder.mkdir(parents=True)
        for name, text in known.items():
            (folder / name).write_text(f"{text}\n")
    monkeypatch.setattr(hwmon, "SYS", tmp_path)
    return tmp_path / "class/hwmon"


def test_a_sensor_is_an_input_or_an_average_without_an_input(chips: Path) -> None:
    found = hwmon.sensors()
    assert found == [
        Sensor("ina226", "power1", chips / "hwmon0/power1_input", "12V", 0.25),
        Sensor("ina226", "power2", chips / "hwmon0/power2_average", "", 0.25),
        Sensor("power_meter", "power1", chips / "hwmon1/power1_average", "", 0.0),
        Sensor("hwmon3", "power1", chips / "hwmon3/power1_input", "", 0.0),
    ]
    assert [sensor.name for sensor in found[:2]] == ["ina226/power1 (12V)", "ina226/power2"]


def test_present_sensors_are_shown_with_what_they_measure(chips: Path) -> None:
    assert hwmon.present() == [
        ("hwmon:ina226/power1", "power sensor of the line that it is wired to, labelled 12V"),
        ("hwmon:ina226/power2", "power sensor of the line that it is wired to"),
        ("hwmon:power_meter/power1", "power sensor of the whole machine"),
        ("hwmon:hwmon3/power1", "power sensor of the line that it is wired to"),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1", 0.001),
        ("35", 0.035),
        ("999999", 999.999),
        ("1000000", 0.0),
        ("", 0.0),
        ("x", 0.0),
        ("-1", 0.0),
        ("0.5", 0.0),
    ],
)
def test_an_interval_is_in_milliseconds_of_at_most_six_digits(text: str, seconds: float, chips: Path) -> None:
    (chips / "hwmon0/update_interval").write_text(f"{text}\n")
    assert hwmon._interval(chips / "hwmon0") == seconds


@pytest.mark.parametrize(("interval", "period_s"), [("250", 0.25), ("100", 0.1), ("20", 0.1), ("", 0.1)])
def test_a_sensor_is_read_ten_times_a_second_or_as_often_as_it_changes(
    interval: str, period_s: float, chips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Polled, "linger", lambda self: None)
    (chips / "hwmon0/update_interval").write_text(interval)
    meter = hwmon.opened(parse("hwmon:ina226/power1"), None)
    meter.close()
    assert (meter.facts.period_s, meter.facts.scope) == (period_s, "drive")


@pytest.mark.parametrize(
    ("text", "watts"), [("3250000", 3.25), ("0", 0.0), ("-5", -5e-6), ("", None), ("x" * 50, None), ("1.5", None)]
)
def test_a_value_is_a_whole_number_of_microwatts(text: str, watts: float | None, chips: Path) -> None:
    path = chips / "hwmon0/power1_input"
    path.write_text(f"{text}\n")
    if watts is not None:
        assert hwmon._watts(path) == pytest.approx(watts, rel=1e-12)
        return
    with pytest.raises(StepFailed) as failed:
        hwmon._watts(path)
    assert str(failed.value) == f"{path} " + (f"has {text[:40]!r}" if text else "cannot be read")


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("ina226/power2", "hwmon0/power2_average"),
        ("power_meter", "hwmon1/power1_average"),
        ("{chips}/hwmon0/power1_input", "hwmon0/power1_input"),
        ("{chips}/hwmon1", "hwmon1/power1_average"),
        ("{chips}/../hwmon/hwmon3/", "hwmon3/power1_input"),
    ],
)
def test_a_sensor_is_chosen_by_its_name_or_its_path(address: str, place: str, chips: Path) -> None:
    assert hwmon._chosen(parse(f"hwmon:{address.format(chips=chips)}")).path == chips / place


def test_a_name_of_no_or_of_several_sensors_is_refused_with_those_there_are(chips: Path) -> None:
    with pytest.raises(BadInput) as several:
        hwmon._chosen(parse("hwmon:ina226"))
    paths = ", ".join(str(chips / "hwmon0" / name) for name in ("power1_input", "power2_average"))
    assert str(several.value) == f"hwmon:ina226 fits 2 power sensors ({paths}); name one by its path"
    with pytest.raises(BadInput) as none:
        hwmon._chosen(parse("hwmon:ina226/power3"))
    known = "ina226/power1, ina226/power2, power_meter/power1, hwmon3/power1"
    assert str(none.value) == f"hwmon:ina226/power3 is not a power sensor of this host; it has {known}"
    for folder in chips.iterdir():
        (folder / "name").write_text("amdgpu")
    with pytest.raises(BadInput, match=r"of this host; it has none \(/sys/class/hwmon\)$"):
        hwmon._chosen(parse("hwmon:ina226"))
