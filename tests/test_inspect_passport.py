"""Passports: logs of drives side by side; a torn, absurd or absent log gives one clear sentence and no value."""

import json
from typing import Any

import msgspec
import pytest
import tomli_w

from stend.base.units import MiB
from stend.devices.telling import passport
from stend.devices.telling.tools import Output
from stend.findings import passport as passports
from stend.model.record import Run
from stend.sentences import finding_said
from stend.words import Language
from tests.inspected import disk, inspected, said, verdict

USED_ATA: dict[str, Any] = {
    "serial_number": "ZL2ABCDE",
    "smart_status": {"passed": True},
    "power_on_time": {"hours": 121},
    "power_cycle_count": 9,
    "logical_block_size": 512,
    "ata_smart_attributes": {
        "table": [
            {"name": "Reallocated_Sector_Ct", "value": 100, "raw": {"value": 0}},
            {"name": "Current_Pending_Sector", "value": 100, "raw": {"value": 3}},
            {"name": "Head_Flying_Hours", "value": 100, "raw": {"value": (0x1234 << 32) + 23_050}},
        ]
    },
    "ata_smart_self_test_log": {"standard": {"table": [{"lifetime_hours": 22_900, "status": {"passed": True}}]}},
    "seagate_farm_log": {
        "supported": True,
        "page_1_drive_information": {
            "serial_number": "ZL2ABCDE",
            "power_on_hours": 23_419,
            "spindle_power_on_hours": 23_400,
            "head_flight_hours": 23_100,
        },
    },
}
"""Values of a drive sold as new with its hours reset (the cases that heise reported in January 2025)."""
USED_SAS: dict[str, Any] = {
    "serial_number": "S0K1",
    "smart_status": {"passed": True},
    "power_on_time": {"hours": 41_000},
    "scsi_grown_defect_list": 12,
    "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 1}, "write": {"total_uncorrected_errors": 0}},
    "scsi_self_test_0": {"code": {"value": 1}, "result": {"value": 7}, "power_on_time": {"hours": 40_000}},
    "scsi_start_stop_cycle_counter": {"year_of_manufacture": "2019", "week_of_manufacture": "14"},
}


def printed(document: object, code: int = 0) -> Output:
    return Output(code, json.dumps(document), "")


def test_hours_of_every_log_stand_side_by_side() -> None:
    told = passport.of_smartctl(printed(USED_ATA))
    assert told["hours"] == {
        "SMART": 121,
        "FARM": 23_419,
        "FARM, spindle": 23_400,
        "FARM, heads": 23_100,
        "SMART, heads": 23_050,
        "self-test log": 22_900,
    }
    assert told["counts"]["pending"] == 3
    assert told["serials"] == {"SMART": "ZL2ABCDE", "FARM": "ZL2ABCDE"}
    assert "unread" not in told


def test_a_sas_drive_states_defects_a_failed_self_test_and_its_date() -> None:
    told = passport.of_smartctl(printed(USED_SAS))
    assert told["counts"] == {"grown_defects": 12, "media_errors": 1}
    assert told["self_tests_failed"] == 1
    assert told["made"] == {"year": 2019, "week": 14}


def smart(**more: int) -> Output:
    usual = {"power_on_hours": 100, "data_units_written": 2_000_000, "percent_used": 1, "avail_spare": 100,
             "spare_thresh": 10, "power_cycles": 5, "unsafe_shutdowns": 1, "critical_warning": 0}  # fmt: skip
    return printed(usual | more)


def self_tests(*entries: tuple[int, int]) -> bytes:
    """NVMe log 06h of (result, hours)."""
    rows = b"".join(
        bytes([1 << 4 | result, 0, 0, 0]) + hours.to_bytes(8, "little") + bytes(16) for result, hours in entries
    )
    rows += bytes([0x0F]) + bytes(27)
    return (bytes(4) + rows).ljust(564, b"\0")


def test_an_nvme_drive_whose_self_tests_are_older_than_its_hours() -> None:
    told = passport.of_nvme(smart(), self_tests((0, 9000), (7, 8000), (1, 50)), b"")
    assert told["hours"] == {"SMART": 100, "self-test log": 9000}
    assert told["self_tests_failed"] == 1


def test_the_endurance_group_counts_in_units_of_a_billion_bytes() -> None:
    page = bytearray(512)
    page[5], page[64:80] = 7, (1500).to_bytes(16, "little")
    told = passport.of_nvme(smart(), b"", bytes(page))
    assert told["written_bytes"] == {"SMART": 2_000_000 * 512_000, "endurance group": 1500 * 10**9}
    assert told["wear_pct"] == {"SMART": 1, "endurance group": 7}


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Output(127, "", "smartctl is not installed"), "SMART: smartctl is not installed"),
        (Output(2, '{"smartctl": {"exit_status": 2}', ""), "SMART: it printed no complete document"),
        (Output(0, '{"smartctl": {}}', ""), "SMART: it printed no complete document"),
        (Output(0, "\x00\x01", ""), "SMART: it printed no complete document"),
    ],
)
def test_a_torn_or_absent_log_gives_one_sentence_and_no_value(broken: Output, words: str) -> None:
    assert passport.of_smartctl(broken) == {"unread": [words]}


def test_a_torn_self_test_log_is_named_and_the_rest_is_kept() -> None:
    told = passport.of_nvme(smart(), bytes(12), b"")
    assert told["unread"] == ["NVMe log 06h (self-test): torn, 12 bytes"]
    assert told["hours"] == {"SMART": 100}


def test_absurd_values_are_left_out_or_named() -> None:
    absurd = USED_SAS | {"power_on_time": {"hours": -5}, "scsi_grown_defect_list": "many", "serial_number": 7}
    told = passport.of_smartctl(printed(absurd))
    assert "SMART" not in told["hours"]
    assert "grown_defects" not in told["counts"]


def reports(**parts: object) -> str:
    return "\n" + tomli_w.dumps({"reports": parts})


@pytest.mark.parametrize(
    ("parts", "found", "judged"),
    [
        ({"hours": {"SMART": 121, "FARM": 23_419}}, "passport.hours", "back"),
        ({"hours": {"SMART": 1000, "self-test log": 1010}}, "", "fit"),
        ({"hours": {"SMART": 900_000}}, "passport.absurd_hours", "look"),
        ({"hours": {"SMART": 10}, "written_bytes": {"SMART": 10**14}}, "passport.too_fast", "back"),
        ({"wear_pct": {"SMART": 40}, "written_bytes": {"SMART": 10**12}}, "passport.wear", "back"),
        ({"wear_pct": {"SMART": 90}}, "passport.worn", "look"),
        ({"spare": {"pct": 5, "threshold_pct": 10}}, "passport.spare", "back"),
        ({"spare": {"pct": 95, "threshold_pct": 10}, "wear_pct": {"SMART": 0}}, "passport.spare_unworn", "look"),
        ({"counts": {"pending": 3}}, "passport.pending", "look"),
        ({"counts": {"unsafe_shutdowns": 30, "power_cycles": 4}}, "passport.shutdowns", "look"),
        ({"serials": {"SMART": "A", "FARM": "B"}}, "passport.serials", "back"),
        ({"hours": {"SMART": 90_000}, "made": {"year": 2024, "week": 1}}, "passport.older", "back"),
        ({"hours": {"SMART": 9000}, "made": {"year": 2024, "week": 1}}, "", "fit"),
        ({"health_passed": False}, "passport.failing", "back"),
        ({"critical_warning": 0x01}, "passport.warning_spare", "back"),
        ({"critical_warning": 0x01, "spare": {"pct": 5, "threshold_pct": 10}}, "passport.spare", "back"),
        ({"critical_warning": 0x02}, "passport.warning_temperature", "look"),
        ({"critical_warning": 0x04}, "passport.warning_unreliable", "back"),
        ({"critical_warning": 0x08}, "passport.warning_read_only", "back"),
        ({"critical_warning": 0x10}, "passport.warning_backup", "back"),
        ({"critical_warning": 0x20}, "passport.warning", "look"),
        ({"hours": {"SMART": 20_000, "FARM": 20_100, "FARM, heads": 19_000}}, "", "fit"),
    ],
)
def test_contradictions_are_reported_and_plausible_logs_are_not(
    tmp_path: Any, parts: dict[str, object], found: str, judged: str
) -> None:
    record = inspected(disk(tmp_path, reports(**parts)), minutes=0.5)
    cons = [name for name, f in said(record).items() if f.side == "con"]
    assert cons == ([found] if found else [])
    assert verdict(record).removesuffix("_short") == judged
    for lang in ("en", "ru"):
        assert all(finding_said(f, Language(lang)) for f in said(record).values())


@pytest.mark.parametrize(
    ("hours", "written", "sound"), [(9, 36_000_000, True), (9, 36_000_001, False), (8, 36_000_000, False)]
)
def test_bytes_are_too_many_for_hours_of_which_the_last_may_have_just_begun(
    hours: int, written: int, sound: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = inspected(disk(tmp_path, reports(hours={"SMART": hours}, written_bytes={"SMART": written})), minutes=0.5)
    monkeypatch.setattr(passports, "FASTEST", dict.fromkeys(passports.FASTEST, 1000))
    found = said(record).get("passport.too_fast")
    assert (found is None) is sound
    if found:
        rate = written / (hours + 1) / 3600
        assert found.values == {"written": written, "hours": hours, "rate": pytest.approx(rate)}


def test_one_reallocated_sector_agrees_with_its_verb_in_russian() -> None:
    words = Language("ru")
    assert words("finding.passport.reallocated", count=21) == "Переназначен 21 сектор."
    assert words("finding.passport.reallocated", count=22) == "Переназначено 22 сектора."


@pytest.fixture(scope="module")
def healthy() -> Run:
    return inspected("sim:small", minutes=0.05)


FILE = {"kind": "file", "interface": "file"}
NVME = {"kind": "nvme", "interface": "nvme"}
AGED: dict[str, Any] = {"hours": {"SMART": 5}}
FAULTY = {"health_passed": False, "self_tests_failed": 2, "wear_pct": {"SMART": 90}, "critical_warning": 0x08}


@pytest.mark.parametrize(
    ("drive", "facts", "key", "words"),
    [
        (
            NVME,
            {"link": "gen 3 x4", "link_capable": "gen 4 x4"},
            "link",
            "runs at gen 3 x4, and it can run at gen 4 x4",
        ),
        (NVME, {"link": "gen 4 x4", "link_capable": "gen 4 x4"}, "", ""),
        (NVME | {"interface": "sas"}, {"link": "6.0 Gbit x1", "link_capable": "12.0 Gbit x1"}, "", ""),
        (NVME, {"native_bytes": 256 * MiB}, "hidden", "shows 134 MB of 268 MB"),
        (NVME, {"native_bytes": 129 * MiB}, "", ""),
        (NVME, {"passport": AGED | {"self_tests_failed": 1}}, "self_test", "1 self-test of its log failed"),
        (NVME, {"passport": AGED | {"self_tests_failed": 2}}, "self_test", "2 self-tests of its log failed"),
        (
            NVME,
            {"passport": AGED | {"unread": ["SMART: torn", "log 6: torn"]}},
            "unread",
            ": SMART: torn; log 6: torn.",
        ),
        (NVME, {"passport": {"hours": {"FARM": 7}}}, "", ""),
        (NVME, {}, "no_hours", "No log states its power-on hours"),
        (FILE, {}, "", ""),
    ],
)
def test_remarks_on_a_drive_are_there_only_where_they_are_true(
    healthy: Run, drive: dict[str, str], facts: dict[str, Any], key: str, words: str
) -> None:
    """What the port of a host can do does not make a slower SAS disk one whose slot or cable is at fault."""
    record = drives_own(
        healthy, drive, facts if "passport" in facts or not facts or drive is FILE else facts | {"passport": AGED}
    )
    found = {name.removeprefix("passport."): f for name, f in said(record).items() if name.startswith("passport.")}
    assert found.keys() - {"age"} == ({key} if key else set())
    if key:
        assert words in finding_said(found[key], Language("en")).replace("\u00a0", " ")
        assert (found[key].side == "con") == (key not in ("unread", "no_hours"))


def drives_own(record: Run, drive: dict[str, str], facts: dict[str, Any]) -> Run:
    """The record as that of a real drive."""
    (started,) = record.started
    device = msgspec.structs.replace(started.plan.device, virtual=False, facts=facts, **drive)
    plan = msgspec.structs.replace(started.plan, device=device)
    return Run(
        [msgspec.structs.replace(started, plan=plan), *record.results, *([record.ended] if record.ended else [])]
    )


@pytest.mark.parametrize(("warnings", "shown", "more"), [(0x08, 4, 0), (0x0C, 4, 1), (0x1C, 4, 2)])
def test_a_verdict_counts_the_reasons_that_it_does_not_show(healthy: Run, warnings: int, shown: int, more: int) -> None:
    """SMART, failed self-tests and wear, and one reason for each bit of the warning."""
    record = drives_own(healthy, NVME, {"passport": AGED | FAULTY | {"critical_warning": warnings}})
    (found,) = [f for name, f in said(record).items() if name == "incoming.back"]
    for lang, rest in (("en", f"; and {more} more."), ("ru", f"; и ещё {more}.")):
        text = finding_said(found, Language(lang))
        assert text.endswith(rest) == bool(more)
        assert text.count(";") == shown - 1 + bool(more)
