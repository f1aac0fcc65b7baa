"""Meters of power: how one is chosen, what each kind reads, and the sentence of each that cannot be used."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stend import devices, meters, store
from stend.base import sysfs
from stend.base.errors import BadInput, StepFailed
from stend.cli import main
from stend.findings.look import metered
from stend.meters import _polled
from stend.meters._lines import stated
from stend.meters._series import MOST_NOTES, Recorder, Series
from tests.waits import wait_for

# --- choosing one


def test_every_file_of_the_package_is_a_kind() -> None:
    assert meters.kinds() == ["cmd", "file", "hwmon", "ipmi", "own", "quarch", "redfish"]


def test_the_operator_states_what_only_he_knows() -> None:
    spec = meters.parse("cmd@machine,2.5%:usb-meter --port 3:4")
    assert spec[1:] == ("cmd", "usb-meter --port 3:4", "machine", 2.5, "watts")
    facts = spec.facts("a name", period_s=0.5)
    assert (facts.scope, facts.error_pct, facts.spec) == ("machine", 2.5, "cmd@machine,2.5%:usb-meter --port 3:4")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("hwmno:ina226", "there is no meter 'hwmno'; did you mean 'hwmon'?"),
        ("volts", "there is no meter 'volts'"),
        ("hwmon", "the meter hwmon needs an address: hwmon:NAME"),
        ("cmd: ", "the meter cmd needs an address"),
        ("ipmi:bmc", "the meter ipmi has no address, but ipmi:bmc gives one"),
        ("cmd@wall:x", "the setting wall is not drive, machine or an error such as 2%"),
        ("cmd@-1%:x", "the setting -1% is not"),
        ("cmd@nan%:x", "the setting nan% is not"),
        ("cmd@x%:x", "the setting x% is not"),
        ("cmd:a\nb", "is not one line"),
        ("cmd:" + "a" * 2000, "is not one line"),
        ("ipmi@drive", "IPMI measures the whole machine, never a drive alone"),
        ("redfish@drive:https://bmc/x", "Redfish measures the whole machine, never a drive alone"),
        ("own", "the meter own is part of a drive"),
    ],
)
def test_what_cannot_be_a_meter_is_refused_in_one_sentence(spec: str, reason: str) -> None:
    with pytest.raises(BadInput) as refused:
        meters.opened(spec, None)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_virtual_drive_has_only_its_own_meter() -> None:
    device = devices.find("sim:small")
    with pytest.raises(BadInput, match="sim:small is virtual and has only the meter own, not ipmi"):
        meters.opened("ipmi", device)
    with pytest.raises(BadInput, match="never one of the whole machine"):
        meters.opened("own@machine", device)
    meter = meters.opened("own", device)
    assert (meter.facts.spec, meter.facts.scope, meter.facts.error_pct) == ("own", "drive", 0.0)
    meter.close()


def test_orders_of_a_fleet_choose_no_meter_that_runs_or_reads_what_they_name() -> None:
    refused = {kind: bool(meters.refusal_in_order(f"{kind}:x" if kind not in ("own", "ipmi") else kind))
               for kind in meters.kinds()}  # fmt: skip
    assert refused == {
        "cmd": True, "file": True, "hwmon": False, "ipmi": False, "own": False, "quarch": True, "redfish": True
    }  # fmt: skip
    assert meters.refusal_in_order("cmd:rm -r /") == "the meter cmd is not allowed in a fleet, only hwmon, ipmi, own"


# --- the series


def test_a_command_may_print_another_registered_quantity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meters, "READINGS", ("watts", "interrupts"))
    spec = meters.parse("cmd@interrupts:count")
    assert (spec.quantity, spec.facts("", period_s=1.0).quantity) == ("interrupts", "interrupts")
    assert stated("3", "interrupts") == (3.0, False)
    assert stated("3 W", "interrupts") is None, "a unit of power is not one of this quantity"
    series = Series(1.0, quantity="interrupts")
    for n, value in enumerate([2e5, -1.0]):
        series.add(10.0 + n, value)
    assert [value.mean for value in series.take()] == [2e5], "only power has a highest plausible value"
    with pytest.raises(BadInput, match="the setting interrupts is not"):
        meters.parse("hwmon@interrupts:ina226")


def test_values_that_cannot_be_are_dropped_and_told() -> None:
    series = Series(1.0)
    for n, watts in enumerate([3.0, -1.0, 2e5, float("nan"), float("inf"), 4.0]):
        series.add(10.0 + n, watts)
    assert [(value.end, value.seconds, value.mean) for value in series.take()] == [(10.0, 1.0, 3.0), (15.0, 1.0, 4.0)]
    assert len([word for word in series.words() if "is not plausible" in word]) == 4


def test_a_value_after_a_gap_covers_one_period_and_the_gap_is_told() -> None:
    series = Series(1.0)
    for at in (10.0, 11.0, 12.4, 20.0, 21.0):
        series.add(at, 5.0)
    spans = [(round(value.end - value.seconds, 6), value.end) for value in series.take()]
    assert spans == [(9.0, 10.0), (10.0, 11.0), (11.0, 12.4), (19.0, 20.0), (20.0, 21.0)]
    assert series.words() == ["the meter gave no value for 6.6 s"]
    series.finish(30.0)
    assert series.words() == ["the meter gave no value for the last 9 s"]


def test_short_gaps_are_told_together_at_the_end() -> None:
    series = Series(0.1)
    for at in (10.0, 10.1, 10.6, 10.7, 11.2, 11.3):
        series.add(at, 5.0)
    assert series.words() == []
    assert series.words(end=True) == ["the meter gave no value for less than 1 s 2 times, 800 ms in total"]
    assert series.words(end=True) == []


def test_a_mean_over_a_window_covers_no_more_than_the_window() -> None:
    series = Series(1.0, window_s=1.0)
    for at in (10.0, 10.9, 12.2):
        series.add(at, 5.0)
    assert [value.seconds for value in series.take()] == [pytest.approx(s) for s in (1.0, 0.9, 1.0)]


def test_a_counter_gives_the_mean_since_its_last_change() -> None:
    series = Series(0.5)
    for at, joules in ((10.0, 100.0), (10.5, 100.0), (11.0, 104.0), (11.5, 105.0), (12.0, 2.0), (12.5, 4.0)):
        series.add_energy(at, joules)
    assert [(value.end, value.seconds, value.mean) for value in series.take()] == [
        (11.0, 1.0, 4.0), (11.5, 0.5, 2.0), (12.5, 0.5, 4.0)
    ]  # fmt: skip
    assert series.words() == [
        "the meter's counter went from 105 to 2 J: it wrapped or was reset; the 500 ms before it have no value"
    ]


def test_a_counter_that_stands_still_is_zero_watts_at_last_and_one_that_jumps_is_not_believed() -> None:
    series = Series(1.0)
    for n in range(12):
        series.add_energy(10.0 + n, 7.0)
    assert [(value.seconds, value.mean) for value in series.take()] == [(10.0, 0.0)]
    series.add_energy(22.0, 1e9)
    series.add_energy(23.0, float("nan"))
    series.add_energy(24.0, -5.0)
    assert series.take() == []
    assert len(series.words()) == 3


def test_notes_are_bounded_and_the_rest_is_counted() -> None:
    series = Series(1.0)
    for n in range(100):
        series.add(10.0 + n, -1.0)
    assert len(series.words()) == MOST_NOTES
    assert series.words() == []
    assert series.words(end=True) == ["there were 80 more notes like these on the meter"]


# --- meters that are queried


def test_a_meter_that_fails_is_told_once_per_reason_and_tried_again() -> None:
    answers: list[Any] = [1.0, StepFailed("no contact"), StepFailed("no contact"), StepFailed("gone"), 2.0]

    def poll() -> float:
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return float(answer)

    meter = _polled.Polled(meters.parse("ipmi").facts("IPMI", period_s=0.01), poll)
    wait_for(lambda: len(answers) == 1)
    wait_for(meter.read)
    meter.close()
    words = [word for word in meter.words() if "gave no value:" in word]
    assert words == ["the meter IPMI gave no value: no contact", "the meter IPMI gave no value: gone"]


def test_a_slow_meter_has_the_period_that_it_can_keep() -> None:
    assert _polled.period("ipmi", lambda: 1.0, 0.5) == 0.5

    def slow() -> float:
        time.sleep(0.2)
        return 1.0

    assert _polled.period("ipmi", slow, 0.1) >= 0.4


# --- a run


def test_a_meter_that_cannot_be_used_ends_the_run_before_anything_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--target", str(tmp_path / "file"), "--create", "64MiB", "--into", str(tmp_path / "run")]
    assert main(["run", "iops", *words, "--meter", "cmd:no-such-meter"]) == 4
    assert "no-such-meter" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


def test_the_doctor_lists_the_meters_of_this_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(meters, "present", lambda: [("ipmi", "the whole machine"), ("hwmon:ina226/power1", "a line")])
    main(["doctor"])
    said = capsys.readouterr().out
    assert (
        "meters of power, for --meter:\n  ipmi                 the whole machine\n  hwmon:ina226/power1  a line\n"
        in said
    )
    monkeypatch.setattr(meters, "present", list)
    main(["doctor"])
    assert "meters of power: none found; cmd and file read any other meter" in capsys.readouterr().out


class Scattered(Recorder):
    """A meter that gives values around 3 W."""

    def __init__(self, values: list[float]) -> None:
        self.facts = meters.parse("ipmi").facts("IPMI", period_s=0.2, scope="machine")
        self.series, self.left = Series(0.2), values

    def read(self) -> list[meters.Value]:
        if self.left:
            self.series.add(time.monotonic(), self.left.pop())
        return super().read()

    def close(self) -> None:
        self.finish()


def test_the_noise_of_a_meter_is_its_scatter_and_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = Scattered([3.0, 3.1, 2.8, 3.0, 3.1, 99.0])
    monkeypatch.setattr(meters, "opened", lambda spec, device: meter)
    noise = meters.idle_noise("ipmi", None, 1.2)
    assert (noise["name"], noise["scope"]) == ("IPMI", "machine")
    assert noise["values"] >= 3
    assert noise["mean_w"] == pytest.approx(3.0, abs=0.1)
    assert 0 < noise["deviation_w"] < 0.2
    assert noise["step_w"] == pytest.approx(0.1)
    assert meter.over
    with pytest.raises(StepFailed, match="the meter IPMI gave 0 values; at least 3 are needed"):
        meters.idle_noise("ipmi", None, 0.1)


@pytest.mark.fio
def test_a_run_keeps_the_readings_of_a_command_and_ends_it(tmp_path: Path) -> None:
    script = "import time\nwhile True:\n    print(4.25, flush=True)\n    time.sleep(0.1)\n"
    (tmp_path / "meter.py").write_text(script)
    words = ["--target", str(tmp_path / "file"), "--create", "64MiB", "--into", str(tmp_path / "run")]
    meter = f"cmd@2%:{sys.executable} {tmp_path / 'meter.py'}"
    assert main(["run", "fresh", *words, "--quick", "--round-seconds", "1", "--meter", meter]) == 0
    run = store.load(tmp_path / "run")
    (facts,) = run.started[0].meters
    assert (facts.spec, facts.error_pct, facts.scope) == (meter, 2.0, "drive")
    rows = run.readings.table("watts", 0)
    assert len(rows) > 5
    assert {round(value, 6) for value in rows[:, 2].tolist()} == {4.25}
    levels = [level for result in run.results if (level := metered.level(run, [result]))]  # of a busy host some lack
    assert levels
    assert {round(level.mean, 6) for level in levels} == {4.25}
    running = [sysfs.text(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
    assert not [words for words in running if str(tmp_path / "meter.py") in words]


def test_a_counter_may_stand_at_nought_before_it_counts_and_after_it_wrapped() -> None:
    """A counter of energy wraps to 0 (Linux, powercap: energy_uj goes from 0 to max_energy_range_uj)."""
    series = Series(0.5)
    for at, joules in ((10.0, 0.0), (10.5, 2.0), (11.0, 0.0), (11.5, 3.0)):
        series.add_energy(at, joules)
    assert [(value.end, value.mean) for value in series.take()] == [(10.5, 4.0), (11.5, 6.0)]
    assert len(series.words()) == 1
