"""Fields of drives' logs are where the standards have them, to the byte, and limits are where they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from stend.base.units import GB, MiB, TiB
from stend.devices.purging import prepare_table as table
from stend.devices.purging.table import Drive, No
from stend.devices.telling import evidence, facts, nvme_logs, passport
from stend.devices.telling.tools import Output
from tests.stand import Host


def page(fields: dict[tuple[int, int], int], size: int = 512) -> bytes:
    """A page of ones in which only these fields, by their first byte and their size, have values."""
    whole = bytearray(b"\xff" * size)
    for (at, length), value in fields.items():
        whole[at : at + length] = value.to_bytes(length, "little")
    return bytes(whole)


@pytest.mark.parametrize(
    ("kelvin", "degrees"), [(220, None), (221, -52), (273, 0), (519, 246), (520, None), ("300", 27), (None, None)]
)
def test_a_temperature_is_one_that_a_drive_can_have(kelvin: Any, degrees: int | None) -> None:
    assert nvme_logs.celsius(kelvin) == degrees


@pytest.mark.parametrize(
    ("log", "health"),
    [
        ({}, {}),
        ({"data_units_read": 3, "data_units_written": "4"},
         {"host_read_bytes": 1_536_000, "host_write_bytes": 2_048_000}),
        ({"media_errors": 1, "percent_used": 2, "avail_spare": 3, "power_on_hours": 4},
         {"media_errors": 1, "wear_pct": 2, "spare_pct": 3, "power_on_hours": 4}),
        ({"percentage_used": 0, "available_spare": 100}, {"wear_pct": 0, "spare_pct": 100}),
        ({"percent_used": 1, "percentage_used": 9}, {"wear_pct": 1}),
        ({"avail_spare": 1, "available_spare": 9}, {"spare_pct": 1}),
        ({"thm_temp1_total_time": 5, "thm_temp2_total_time": 7}, {"throttle_s": 12}),
        ({"thm_temp1_total_time": 5}, {}),
        ({"warning_temp_time": 6, "critical_warning": {"value": 2}},
         {"warning_temperature_min": 6, "critical_warning": 2}),
    ],
)  # fmt: skip
def test_a_smart_log_has_units_of_512_000_bytes_and_names_of_two_versions(
    log: dict[str, Any], health: dict[str, Any]
) -> None:
    """NVMe 1.4, figure 194: data units are thousands of 512 bytes."""
    assert {key: value for key, value in nvme_logs.smart(log).items() if value is not None} == health


@pytest.mark.parametrize(
    ("health", "warns_from_c", "keys"),
    [
        ({"temperature_c": 69}, 70, []), ({"temperature_c": 70}, 70, ["hot_before"]), ({"temperature_c": 99}, None, []),
        ({}, 1, []), ({"wear_pct": 99}, 70, []), ({"wear_pct": 100}, 70, ["worn_before"]),
        ({"critical_warning": 0}, 70, []),
        ({"critical_warning": 1, "wear_pct": 255}, 70, ["warned_before", "worn_before"]),
    ],
)  # fmt: skip
def test_a_drive_is_doubted_from_its_limits_on(
    health: dict[str, Any], warns_from_c: int | None, keys: list[str]
) -> None:
    assert [doubt.key for doubt in nvme_logs.doubts(health, warns_from_c)] == keys


@pytest.mark.parametrize(
    ("dump", "log"),
    [
        ("0000: 01\n*\n0005: 02", b"\1\1\1\1\1\2"), ("0000: 01 02\n*\n0005:", b"\1\2\1\2\1"),
        ("0000: 01\n0001: 02", b"\1\2"),
        ("0000: 01 02\n0001: 02", b""), ("0000: 01\n0002: 02", b""), ("*\n0001: 02", b""), ("", b""),
        ("0000: 01\n*\n0002: 02\n0004: 03", b""),
    ],
)  # fmt: skip
def test_a_star_stands_for_rows_like_the_last_one(dump: str, log: bytes) -> None:
    assert nvme_logs.page(Output(0, dump, "")) == log


def test_fields_of_ocp_are_where_its_specification_has_them() -> None:
    """Datacenter NVMe SSD Specification 2.0, 4.8.6: bytes 15:0, 96, 97, 111:104, 129:128, 199:192, and the GUID."""
    fields = {(0, 16): 7 << 50, (96, 1): 3, (97, 1): 4, (104, 8): 5 << 40, (128, 2): 0x1234, (192, 8): 6 << 40}
    log = page(fields)[:496] + nvme_logs.OCP_GUID
    assert nvme_logs.ocp(log) == {
        "nand_write_bytes": 7 << 50, "throttle_events": 3, "throttled": 4, "link_errors": 5 << 40,
        "link_retrains": 6 << 40, "capacitor_pct": 0x1234,
    }  # fmt: skip
    assert nvme_logs.ocp(log[:511]) == nvme_logs.ocp(log[:495] + log[496:]) == {}


@pytest.mark.parametrize(
    ("key", "at", "size", "name", "value"),
    [
        (0xF4, 5, 6, "nand_write_bytes", 9 << 30), (0xC7, 5, 6, "crc_errors", 9 << 40),
        (0xEA, 6, 4, "throttle_events", 9 << 24),
    ],
)  # fmt: skip
def test_an_item_of_intel_has_a_key_and_a_raw_value(key: int, at: int, size: int, name: str, value: int) -> None:
    """Twelve bytes each: key, 0, 0, normalised value, 0, six bytes raw, 0; throttling begins with a percentage."""
    item = bytes([key]) + page({(at - 1, size): value}, 11)
    nand = b"\xf4" + page({(4, 6): 1}, 11)
    unit = 32 * MiB if name == "nand_write_bytes" else 1
    log = bytes(12) + (b"" if key == 0xF4 else nand) + item
    assert nvme_logs.intel(log)[name] == value * unit
    assert name not in nvme_logs.intel(log[:-1])
    assert nvme_logs.intel(item if key != 0xF4 else b"") == {}


def test_media_units_of_an_endurance_group_are_bytes_80_to_95() -> None:
    expected = {"nand_write_bytes": 5 * GB << 20, "nand_unit_bytes": GB}
    assert nvme_logs.endurance(page({(80, 16): 5 << 20})) == expected
    assert nvme_logs.endurance(b"") == {}


@pytest.mark.parametrize(
    ("row", "watts"),
    [
        ({"max_power": 99_999}, 999.99), ({"max_power": 100_000}, None), ({"max_power": 0}, None), ({}, None),
        ({"max_power": 12_345, "max_power_scale": 1}, 1.2345), ({"max_power": 12_345, "flags": 2}, 123.45),
        ({"max_power": 12_345, "flags": 3}, 1.2345), ({"max_power": 5, "flags": 1, "max_power_scale": 0}, 0.05),
        ({"max_power": "12 W"}, 12.0), ({"max_power": "x"}, None),
    ],
)  # fmt: skip
def test_the_most_power_of_a_state_is_in_hundredths_or_ten_thousandths_of_a_watt(
    row: dict[str, Any], watts: float | None
) -> None:
    """NVMe 1.4, figure 249: bit 0 of the flags is Max Power Scale."""
    expected = {"power_state": 1} | ({} if watts is None else {"power_state_max_w": watts})
    assert nvme_logs.power({"psds": [{}, row]}, 1) == expected
    assert nvme_logs.power({"psds": [{}, row]}, 33) == expected
    assert nvme_logs.power({"psds": [{"max_power": 1}]}, 1) == {"power_state": 1}


def test_states_have_their_latencies_and_the_time_before_the_drive_enters_them() -> None:
    """NVMe 1.4, figures 249 and 279: latencies are in us; an entry has its state in bits 7:3, the time in bits 31:8."""
    rows = [
        {"max_power": 100, "entry_lat": 5, "exit_lat": 7000},
        {"flags": 2},
        {"non-operational_state": 0, "flags": 2},
        {},
    ]
    table = b"".join(
        (ms << 8 | state << 3 | 7 | 1 << 40).to_bytes(8, "little") for ms, state in ((100, 2), (9, 2), (0, 1))
    )
    assert nvme_logs.power_states({"psds": rows, "npss": 2}, table + b"\1\1\1\1") == [
        {"state": 0, "watts": 1.0, "entry_ms": 0.005, "exit_ms": 7.0, "idle": False},
        {"state": 1, "entry_ms": 0.0, "exit_ms": 0.0, "idle": True},
        {"state": 2, "entry_ms": 0.0, "exit_ms": 0.0, "idle": False, "after_ms": 100},
    ]
    assert len(nvme_logs.power_states({"psds": [{}] * 40}, b"")) == 32
    last = (0xFFFFFF << 8 | 31 << 3).to_bytes(8, "little")
    assert nvme_logs.power_states({"psds": [{}] * 32}, last)[31]["after_ms"] == 0xFFFFFF


# Passports


def log_06h(*entries: tuple[int, int]) -> bytes:
    """Log 06h: four bytes, then entries of 28 bytes with a result in byte 0 and hours in bytes 11:4."""
    return b"\xff" * 4 + b"".join(page({(0, 1): result, (4, 8): hours}, 28) for result, hours in entries)


@pytest.mark.parametrize(
    ("result", "failed"),
    [(0, None), (1, None), (2, None), (3, None), (4, None), (5, 1), (6, 1), (7, 1), (8, None), (9, None), (0xF, None)],
)
def test_a_self_test_of_nvme_failed_by_its_result(result: int, failed: int | None) -> None:
    """NVMe base 2.0, 5.16.1.7: 5 to 7 are failures, 1 to 4, 8 and 9 aborts; Fh is an unused entry."""
    told = passport.of_nvme(Output(0, '{"power_on_hours": 9}', ""), log_06h((0x10 | result, 5)), b"")
    assert told["hours"] == {"SMART": 9} | ({"self-test log": 5} if result != 0xF else {})
    assert (told.get("self_tests_failed"), told.get("unread")) == (failed, None)


def test_entries_of_the_self_test_log_are_twenty_whole_ones() -> None:
    smart = Output(0, "{}", "")
    many = log_06h(*[(0x25, n + 1) for n in range(21)])
    told = passport.of_nvme(smart, many, b"")
    assert (told["hours"], told["self_tests_failed"]) == ({"self-test log": 20}, 20)
    assert passport.of_nvme(smart, many[: 4 + 28 * 3 - 1], b"")["self_tests_failed"] == 2
    whole, torn = (passport.of_nvme(Output(0, '{"a": 1}', ""), many[:size], b"") for size in (32, 31))
    assert (whole["hours"], "unread" in whole) == ({"self-test log": 1}, False)
    assert torn == {"unread": ["NVMe log 06h (self-test): torn, 31 bytes"]}
    assert passport.of_nvme(Output(3, "", "no"), b"", b"") == {"unread": ["NVMe log 02h (SMART): no"]}


def test_an_endurance_group_has_its_wear_and_host_writes() -> None:
    """NVMe base 2.0, 5.16.1.10: byte 5 is Percentage Used, bytes 79:64 Data Units Written, in thousand millions."""
    told = passport.of_nvme(Output(0, '{"data_units_written": 2}', ""), b"", page({(5, 1): 7, (64, 16): 3}))
    assert told == {
        "written_bytes": {"SMART": 1_024_000, "endurance group": 3 * GB}, "wear_pct": {"endurance group": 7},
    }  # fmt: skip
    for nothing in (page({(5, 1): 7, (64, 16): 3}, 511), bytes(512)):
        assert "wear_pct" not in passport.of_nvme(Output(0, '{"data_units_written": 2}', ""), b"", nothing)


@pytest.mark.parametrize(
    ("log", "part"),
    [
        ({"num_err_log_entries": 1, "unsafe_shutdowns": 2, "power_cycles": 3, "media_errors": 4},
         {"counts": {"error_log": 1, "unsafe_shutdowns": 2, "power_cycles": 3, "media_errors": 4}}),
        ({"percent_used": 0}, {"wear_pct": {"SMART": 0}}), ({"percentage_used": 3}, {"wear_pct": {"SMART": 3}}),
        ({"avail_spare": 100, "spare_thresh": 10}, {"spare": {"pct": 100, "threshold_pct": 10}}),
        ({"available_spare": 99, "available_spare_threshold": 5}, {"spare": {"pct": 99, "threshold_pct": 5}}),
        ({"critical_warning": 0, "power_on_hours": 0}, {"hours": {"SMART": 0}}), ({"critical_warning": 4},
         {"critical_warning": 4}),
        ({"data_units_written": 0}, {"written_bytes": {"SMART": 0}}),
    ],
)  # fmt: skip
def test_a_passport_of_nvme_has_the_values_of_its_log(log: dict[str, Any], part: dict[str, Any]) -> None:
    assert passport.of_nvme(Output(0, str(log).replace("'", '"'), ""), b"", b"") == part


def of_smartctl(**document: Any) -> dict[str, Any]:
    return passport.of_smartctl(Output(0, json.dumps({"serial_number": ""} | document), ""))


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"scsi_self_test_0": 5, "other": {"result": {"value": 7}}}, {}),
        ({"scsi_self_test_0": {"result": {"value": 2}}, "scsi_self_test_1": {"result": {"value": 8}}}, {}),
        ({"scsi_self_test_0": {"result": {"value": 3}}, "scsi_self_test_1": {"result": {"value": 7}}},
         {"self_tests_failed": 2}),
        ({"scsi_background_scan": {"accumulated_power_on_minutes": 119}}, {"hours": {"background scan": 1}}),
        ({"scsi_background_scan": {"accumulated_power_on_minutes": 120}}, {"hours": {"background scan": 2}}),
        ({"scsi_background_scan": {"accumulated_power_on_minutes": "x"}}, {}),
        ({"seagate_farm_log": {"page": {"power_on_hours": 5, "serial_number": " S "}}},
         {"hours": {"FARM": 5}, "serials": {"FARM": "S"}}),
        ({"seagate_farm_log": {"supported": False, "power_on_hours": 5}}, {}),
        ({"smart_status": {"passed": False}}, {"health_passed": False}), ({"smart_status": {"passed": "x"}}, {}),
        ({"scsi_error_counter_log": {"read": {"total_uncorrected_errors": 2}}}, {"counts": {"media_errors": 2}}),
        ({"scsi_error_counter_log": {}}, {}),
        ({"scsi_start_stop_cycle_counter": {"year_of_manufacture": "2019"}}, {}),
        ({"ata_smart_attributes": {"table": [{"name": "Head_Flying_Hours", "raw": {"value": (1 << 32) + 7}}]}},
         {"hours": {"SMART, heads": 7}}),
        ({"ata_smart_attributes": {"table": [{"raw": {"value": 3}}, {"name": "Head_Flying_Hours"},
            {"name": "Offline_Uncorrectable", "raw": {"value": 0}}]}}, {}),
        ({"ata_smart_attributes": {"table": [{"name": "Offline_Uncorrectable", "raw": {"value": (1 << 32) + 3}}]}},
         {"counts": {"uncorrectable": 3}}),
        ({"ata_device_statistics": {"pages": [{"table": [
            {"name": "Power-on Hours", "value": 8},
             {"name": "Head Flying Hours", "value": 9, "flags": {"valid": False}}]}]}},
         {"hours": {"device statistics": 8}}),
        ({"ata_smart_self_test_log": {"extended": {"table": [{"lifetime_hours": 3}]}, "standard": {"table": [
            {"lifetime_hours": 5, "status": {"passed": False}}]}}},
             {"hours": {"self-test log": 5}, "self_tests_failed": 1}),
        ({"ata_smart_error_log": {"extended": {"count": 4}}, "power_cycle_count": 5},
         {"counts": {"error_log": 4, "power_cycles": 5}}),
        ({"scsi_percentage_used_endurance_indicator": 0}, {"wear_pct": {"log page": 0}}),
    ],
)  # fmt: skip
def test_a_passport_has_only_what_a_log_states(document: dict[str, Any], told: dict[str, Any]) -> None:
    """SPC-5, 7.3.19: self-test results 3 to 7 are failures. Pairs of counters share an attribute's six bytes."""
    assert of_smartctl(**document) == told


# Facts and evidence


@pytest.mark.parametrize(
    ("link", "told", "below"),
    [
        (("16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"), ("gen 4 x4", "gen 4 x4"), False),
        (("8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"), ("gen 3 x4", "gen 4 x4"), True),
        (("16.0 GT/s PCIe", "2", "16.0 GT/s PCIe", "4"), ("gen 4 x2", "gen 4 x4"), True),
        (("2.5 GT/s", "1", "128.0 GT/s", "16"), ("gen 1 x1", "128.0 GT/s x16"), True),
        (("Unknown", "4", "16.0 GT/s PCIe", "4"), None, False),
        (("16.0 GT/s PCIe", "", "16.0 GT/s PCIe", "4"), None, False),
    ],
)  # fmt: skip
def test_a_link_below_what_it_can_is_a_doubt(
    link: tuple[str, ...], told: tuple[str, str] | None, below: bool, tmp_path: Path
) -> None:
    for name, word in zip(
        ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"), link, strict=True
    ):
        (tmp_path / name).write_text(word)
    looked = facts.Looked()
    facts.pci_link(looked, tmp_path)
    assert looked.facts == ({"link": told[0], "link_capable": told[1]} if told else {})
    assert [one.key for one in (*looked.doubts, *looked.warnings)] == ["pci_below", "link_below"] * below


def test_counters_of_the_kernel_are_in_sectors_of_512_bytes(tmp_path: Path) -> None:
    """Documentation/block/stat.rst: fields 3, 7 and 14 are sectors read, written and discarded."""
    host = Host(tmp_path / "host")
    host.disk("sda", "8:0", stat="0 0 3 0 0 0 7 0 0 0 0 0 0 11 0", queue__iostats="1")
    host.disk("sda1", "8:1", parent="sda", partition="1", stat="0 0 1 0 0 0 2 0")
    counted = {"kernel_read_bytes": 1536, "kernel_write_bytes": 3584, "kernel_discard_bytes": 5632}
    part = {"kernel_read_bytes": 512, "kernel_write_bytes": 1024}
    assert facts.kernel_counters(host.kernel, "sda") == counted
    assert facts.kernel_counters(host.kernel, "sda1") == part
    for words, length in (("0 0 3 0 0 0", 0), ("0 0 3 0 0 0 7", 2), ("0 0 3 0 0 0 7 0 0 0 0 0 0", 2)):
        host.write("sys/devices/sda/stat", words)
        assert len(facts.kernel_counters(host.kernel, "sda")) == length
    host.write("sys/devices/sda/queue/iostats", "0")
    assert facts.kernel_counters(host.kernel, "sda") == facts.kernel_counters(host.kernel, "sda1") == {}


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (b"6,1,5000000,-;sda: x", True), (b"6,1,4999999,-;sda: x", False), (b"6,1,5000000;sda: x", True),
        (b"6,1;sda: x", False),
        (b"6,1,x,-;sda: x", False), (b"6,1,5000000,-;vsda: x", False), (b"6,1,5000000,-;sdax", False),
    ],
)  # fmt: skip
def test_a_line_of_the_kernel_has_its_time_in_the_third_field(record: bytes, kept: bool) -> None:
    """Documentation/ABI/testing/dev-kmsg: priority, sequence, microseconds, flags; the clocks may differ by 5 s."""
    piece = evidence.kernel_lines({"sda"}, 10.0, lambda: iter([record]))
    assert piece.data == (b"[5.000000] sda: x\n" if kept else b"")
    assert (piece.name, piece.why.key) == ("kernel.log", "" if kept else "evidence_unnamed")


def test_a_line_without_a_time_is_of_the_start_of_the_host() -> None:
    assert evidence.kernel_lines({"sda"}, 5.0, lambda: iter([b"6,1;sda: x"])).data == b"[0.000000] sda: x\n"


def test_the_end_of_a_long_log_is_kept() -> None:
    lines = (b"6,1,9000000,-;sda " + b"%099d" % n for n in range(10_000))
    data = evidence.kernel_lines({"sda"}, 0.0, lambda: lines).data
    assert (len(data), data.endswith(b"9999\n")) == (1 << 20, True)


# Sizes of drives


def layout(**more: Any) -> table.Layout:
    return table.Layout(**({"lba_bytes": 512, "capacity_bytes": 960 * GB} | more))


@pytest.mark.parametrize(
    ("native", "wish", "bytes_or_reason"),
    [
        (0, table.Wish(restore=True), table.MOST), (TiB, table.Wish(restore=True), TiB), (TiB, table.Wish(), 0),
        (TiB, table.Wish(capacity_bytes=TiB), TiB), (TiB, table.Wish(capacity_bytes=TiB + 1), "it has 1.1 TB in all"),
        (TiB, table.Wish(capacity_bytes=TiB - MiB + 1), TiB), (TiB, table.Wish(capacity_bytes=TiB - MiB), TiB - MiB),
        (TiB, table.Wish(capacity_bytes=MiB), MiB),
        (TiB, table.Wish(capacity_bytes=MiB - 1), "are too few to test; request at least 1 MiB"),
        (TiB, table.Wish(capacity_bytes=2 * MiB - 1), MiB), (TiB, table.Wish(capacity_pct=50), TiB // 2),
        (0, table.Wish(capacity_pct=50), "it does not report its full size"), (0, table.Wish(capacity_bytes=MiB), MiB),
        (0, table.Wish(), 0),
    ],
)  # fmt: skip
def test_a_capacity_is_whole_mebibytes_or_all_that_there_is(
    native: int, wish: table.Wish, bytes_or_reason: Any
) -> None:
    answer = table._capacity(layout(native_bytes=native), wish)
    assert bytes_or_reason in answer.why if isinstance(answer, No) else answer == bytes_or_reason


@pytest.mark.parametrize(
    ("wanted", "words"),
    [(100 * GB, "`stend run TEST --active-range 10.4`"), (0, "leave --restore out"), (-1, "leave --restore out"),
     (960 * GB, "leave --restore out"), (960 * GB - 1, "`stend run TEST --active-range 100`"), (1, "range 1.04e-10`")],
)  # fmt: skip
def test_the_lesser_way_is_a_part_of_the_drive(wanted: int, words: str) -> None:
    assert words in table._lesser(layout(), wanted)
    assert "--active-range 50`" in table._lesser(layout(native_bytes=1000), 500)


@pytest.mark.parametrize(("index", "flbas"), [(0, 0), (1, 1), (15, 15), (16, 32), (17, 33), (33, 65), (63, 111)])
def test_an_index_of_a_format_has_its_high_bits_in_bits_5_and_6(index: int, flbas: int) -> None:
    """NVMe base 2.0, figure 97: FLBAS has bits 3:0 and 5:4 of the index in bits 3:0 and 6:5; bit 4 is for metadata."""
    assert table._create("/dev/nvme0", 8, index, shared=False) == (
        "nvme", "create-ns", "/dev/nvme0", "--nsze=8", "--ncap=8", f"--flbas={flbas}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("capacity", "wanted", "long"),
    [
        ((1 << 32) * 512, GB, True), ((1 << 32) * 512 - 512, GB, False), (GB, (1 << 32) * 512, True),
        (GB, (1 << 32) * 512 - 512, False), (GB, table.MOST, False), ((1 << 32) * 512, 0, True),
    ],
)  # fmt: skip
def test_more_blocks_than_32_bits_count_need_a_long_descriptor(capacity: int, wanted: int, long: bool) -> None:
    """SBC-4, 6.5.2: a short block descriptor has four bytes for the number of blocks."""
    drive = Drive(interface="scsi", node="/dev/sda", can=frozenset({"format"}))
    for lba in (0, 512):
        way = table._scsi(drive, layout(capacity_bytes=capacity), lba, wanted)
        assert isinstance(way, table.Way)
        assert ("--long" in way.commands[0]) == long
        assert [word for word in way.commands[0] if "count" in word] == (
            [f"--count={wanted if wanted == table.MOST else wanted // 512}"] if wanted else []
        )
        assert (way.lba_bytes, way.capacity_bytes, way.follow) == (512, max(wanted, 0), "scsi" if lba else "")
