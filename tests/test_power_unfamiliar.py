"""Predictions for the chapters power, wake and heat on drives that nobody tuned, written down before they were run.

The right answers follow from the parameters of each drive: its watts, its states, its heating.
"""

from pathlib import Path
from typing import Any

import pytest

from stend import findings
from stend.model.record import Run
from stend.report.parts.document import protocol
from stend.report.parts.states import states
from stend.words import Language
from tests.test_power_predicted import ran


def found(run: Run, name: str) -> dict[str, dict[str, Any]]:
    return {finding.key: finding.values for finding in findings.find(run) if finding.name == name}


def test_a_drive_of_3_watts_at_rest_and_no_states_is_level_at_3_watts(tmp_path: Path) -> None:
    """Its highest load is between rest and the 9 W of its writes."""
    told = found(
        ran(tmp_path / "run", "power", "small?power.idle_w=3&power.read_w=7&power.write_w=9", quick=True), "power"
    )
    assert told["idle_level"]["watts"] == pytest.approx(3.0, rel=0.02)
    assert 3.0 < told["load"]["watts"] <= 9.0 * 1.001
    assert told["load"]["peak"] <= 9.0 * 1.001


def test_a_disk_that_turns_all_the_time_takes_its_idle_watts_and_names_its_meter(tmp_path: Path) -> None:
    run = ran(tmp_path / "run", "power", "sas15k?power.idle_w=6.5", quick=True)
    assert found(run, "power")["idle_level"]["watts"] == pytest.approx(6.5, rel=0.02)
    says = " ".join(text for section in protocol([(None, run, {})], "en").sections for text in _texts(section))
    assert "model of the virtual drive" in says


def test_an_array_without_states_has_no_wake_up_latency_and_no_table_of_states(tmp_path: Path) -> None:
    run = ran(tmp_path / "run", "wake", "x25e-raid", quick=True)
    assert "awake" in (told := found(run, "wake"))
    assert not {"latency", "latency_after", "sleeps", "sleeps_soon"} & told.keys()
    assert not list(states(run, run.plan.tests[0], Language("en")))


def test_the_power_of_an_inspection_is_read_and_its_drive_stays_untouched(tmp_path: Path) -> None:
    run = ran(tmp_path / "run", "inspect", "small?power.idle_w=3&power.read_w=7", quick=True, meter="own")
    assert len(run.readings)
    assert found(run, "untouched")
    watts = run.readings.table("watts", 0)[:, 2]
    assert 3.0 * 0.999 <= watts.min() <= watts.max() <= 7.0 * 1.001


def test_a_drive_that_stays_cool_is_not_said_to_throttle(tmp_path: Path) -> None:
    """1 K/W and 5 W end at 30 °C: below every limit."""
    told = found(ran(tmp_path / "run", "heat", "small?thermal.kelvin_per_w=1&thermal.seconds=60", quick=True), "heat")
    assert told.keys() <= {"brief"}
    assert all(values["top"] <= 31 for values in told.values() if "top" in values)


def _texts(section: Any) -> list[str]:
    return [str(block) for block in section.blocks]
