"""What NVMe drives log of themselves: makers' pages of flash writes, power states, and doubts before a run."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from stend.base.units import MiB
from stend.devices import nvme
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling import tools
from stend.words import Language
from tests.played import Place, nvme_drive
from tests.stand import Stand
from tests.test_purge import Bench


def dump(page: bytes) -> str:
    """As `nvme get-log` prints it (nvme-cli 1 and 2): sixteen bytes a row, their characters behind them."""
    head = "Device:nvme0n1 log-id:192 namespace-id:0xffffffff\n       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f\n"
    rows = (page[at : at + 16] for at in range(0, len(page), 16))
    text = (f'{n * 16:04x}: {row.hex(" ")} "{"".join(chr(b) if 33 <= b < 127 else "." for b in row)}"'
            for n, row in enumerate(rows))  # fmt: skip
    return head + "\n".join(text) + "\n"


def dump_of_3(page: bytes) -> str:
    """As nvme-cli 3 prints it (`stdout_d` of v3.0-rc1): a star for rows that equal the one before them."""
    text = "Device:nvme0n1 log-id:192 namespace-id:0xffffffff\n      " + "".join(f"{n:3x}" for n in range(16))
    omitting = False
    for at in range(0, len(page), 16):
        row = page[at : at + 16]
        if at and row == page[at - 16 : at]:
            text += "" if omitting else "\n*"
            omitting = True
            continue
        shown = "".join(chr(b) if 33 <= b < 127 else "." for b in row)
        text += f'\n{at:04x}: {row.hex(" ")} "{shown}"'
        omitting = False
    return text + (f"\n{len(page):04x}:\n" if omitting else "\n")


def ocp_page(*, nand: int = 0, capacitors: int = 100, retrains: int = 0, throttled: int = 0) -> bytes:
    fields = {0: (nand, 16), 96: (throttled, 1), 97: (throttled, 1), 104: (5, 8), 128: (capacitors, 2),
              192: (retrains, 8)}  # fmt: skip
    page = bytearray(512)
    for at, (value, size) in fields.items():
        page[at : at + size] = value.to_bytes(size, "little")
    page[496:512] = logs.OCP_GUID
    return bytes(page)


def intel_page(items: dict[int, int]) -> bytes:
    rows = (bytes([key, 0, 0, 100, 0]) + raw.to_bytes(6, "little") + b"\0" for key, raw in items.items())
    return b"".join(rows).ljust(512, b"\0")


def read(page: bytes, reader: str) -> dict[str, Any]:
    return logs.READERS[reader](logs.page(tools.Output(0, dump(page), "")))


@pytest.mark.parametrize("made", [dump, dump_of_3])
def test_a_page_is_whole_whichever_nvme_cli_dumps_it(made: Callable[[bytes], str]) -> None:
    """Version 3 leaves rows out: the bytes behind them were taken for others."""
    held = bytearray(512)
    held[40:44], held[232:244], held[448:480] = b"abcd", bytes(range(1, 13)), b"x" * 32
    for page in (bytes(held), bytes(512), b"x" * 512, bytes(held[:500]), ocp_page(nand=3), intel_page({0xF4: 7})):
        assert logs.page(tools.Output(0, made(page), "")) == page
    assert logs.page(tools.Output(1, made(bytes(held)), "")) == b""


@pytest.mark.parametrize("wrong", ["0000: 01 02\n0020: 03", "*\n0010: 01", "0000: 01\n*\nffffffff:", "0010: 01"])
def test_a_dump_with_missing_rows_is_none(wrong: str) -> None:
    assert logs.page(tools.Output(0, wrong, "")) == b""


def test_a_datacenter_drive_tells_its_flash_writes_its_throttling_and_its_link() -> None:
    told = read(ocp_page(nand=10**18 + 7, retrains=3, throttled=2), "0xc0")
    assert told == {
        "nand_write_bytes": 10**18 + 7,
        "throttle_events": 2,
        "throttled": 2,
        "link_errors": 5,
        "link_retrains": 3,
        "capacitor_pct": 100,
    }
    assert "capacitor_pct" not in read(ocp_page(capacitors=0xFFFF), "0xc0")


def test_a_page_that_another_maker_put_there_tells_nothing() -> None:
    assert read(bytes(range(256)) * 2, "0xc0") == {}
    assert read(bytes(512), "0xca") == {}
    assert logs.ocp(logs.page(tools.Output(1, dump(ocp_page()), "NVMe status: Invalid Log Page"))) == {}


def test_an_intel_drive_tells_its_flash_writes_in_units_of_32_mib() -> None:
    told = read(intel_page({0xAB: 1, 0xC7: 9, 0xF4: 1000, 0xF5: 500, 0xEA: 4 << 8 | 20}), "0xca")
    assert told == {"nand_write_bytes": 32000 * MiB, "nand_unit_bytes": 32 * MiB, "crc_errors": 9, "throttle_events": 4}


def endurance_page(media: int) -> bytes:
    """Log 09h: bytes 95:80 are the Media Units Written, in billions of bytes (NVMe base 2.0, 5.16.1.10)."""
    page = bytearray(512)
    page[64:80], page[80:96], page[96:112] = ((7).to_bytes(16, "little"), media.to_bytes(16, "little"), b"\1" * 16)
    return bytes(page)


def test_an_endurance_group_tells_its_flash_writes_in_gigabytes() -> None:
    assert read(endurance_page(3000), "0x09") == {"nand_write_bytes": 3 * 10**12, "nand_unit_bytes": 10**9}
    assert read(endurance_page(0), "0x09") == {}, "0: the drive does not state it"


@pytest.mark.parametrize(
    ("ctrl", "held", "wanted"),
    [
        ({"endgidmax": 1}, ("0x09",), "0x09"),
        ({"endgidmax": 2}, ("0x09",), ""),
        ({}, ("0x09",), ""),
        ({"endgidmax": 1}, ("0x09", "0xc0"), "0xc0"),
        ({"endgidmax": 1, "vid": 0x8086}, ("0x09", "0xca"), "0xca"),
        ({"endgidmax": 1, "vid": 0x025E}, ("0x09", "0xca"), "0xca"),
        ({"vid": 0x144D}, ("0xca",), ""),
    ],
)
def test_the_standard_page_is_read_where_no_maker_counts_finer_and_there_is_one_group(
    ctrl: dict[str, Any], held: tuple[str, ...], wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    pages = {"0xc0": ocp_page(nand=5), "0xca": intel_page({0xF4: 7}), "0x09": endurance_page(9)}
    for name in held:
        (bench.bin / name).write_text(dump(pages[name]))
    bench.program("nvme", f'page={bench.bin}/${{3#--log-id=}}; [ -e "$page" ] && cat "$page"')
    assert logs.makers_log("/dev/nvme0", ctrl) == wanted
    assert all(("--lsi=1" in call) == ("0x09" in call) for call in bench.called)


@pytest.mark.parametrize(
    ("rows", "state", "told"),
    [
        ([{"max_power": 825, "flags": 0}], 0, {"power_state": 0, "power_state_max_w": 8.25}),
        ([{}, {"max_power": 450, "flags": 1}], 1, {"power_state": 1, "power_state_max_w": 0.045}),
        ([{"max_power": 900, "max_power_scale": 0}], 0x20, {"power_state": 0, "power_state_max_w": 9.0}),
        ([{"max_power": "8.25 W"}], 0, {"power_state": 0, "power_state_max_w": 8.25}),
        ([], 3, {"power_state": 3}),
        ([], None, {}),
    ],
)
def test_a_power_state_is_told_with_its_watts(rows: list[Any], state: int | None, told: dict[str, Any]) -> None:
    assert logs.power({"psds": rows}, state) == told


@pytest.mark.parametrize("warning", [4, "4", {"value": 4, "nvm_reliability_degraded": 1}])
def test_a_warning_is_read_from_every_layout_and_told_before_the_run(warning: Any) -> None:
    health = logs.smart({"critical_warning": warning, "temperature": 344, "percent_used": 101})
    said = list(logs.doubts(health, 70))
    assert said == [
        "the drive gives a critical warning (0x4) before the run",
        "the drive has 71 °C before the run; it warns from 70 °C",
        "the drive has used 101% of the writes its maker guarantees",
    ]
    assert all(Language("ru").translated(text) != text for text in said)
    assert list(logs.doubts(logs.smart({"critical_warning": 0, "temperature": 320, "percent_used": 3}), 70)) == []


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")


@pytest.mark.block
def test_a_drive_is_asked_for_the_page_it_has_and_tells_it_again_and_again(place: Place) -> None:
    (place.bench.bin / "page").write_text(dump(ocp_page(nand=5000, capacitors=98)))
    power = "get-feature:0x02 (Power Management), Current value:0x00000001"
    device = nvme_drive(
        place,
        f'get-log) [ "$3" = --log-id=0xc0 ] && cat {place.bench.bin}/page;;',
        f'get-feature) echo "{power}";;',
        f"smart-log) echo '{json.dumps({'temperature': 300})}';;",
    )
    facts = device.identity.facts
    assert facts["power_loss_protection"] == "capacitors, 98 % of what they need"
    assert facts["flash_log"] == "0xc0"
    (doubt,) = facts["doubts"]
    assert doubt.startswith("the drive is in power state 1, which is not its fastest: `nvme set-feature ")
    assert Language("ru").translated(doubt) != doubt
    assert device.health()["nand_write_bytes"] == 5000
    assert device.health()["temperature_c"] == 27


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("get-feature:0x6 (Volatile Write Cache), Current value:0x000001", 1),  # nvme-cli 1
        ("get-feature:0x06 (Volatile Write Cache), Current value:00000000", 0),  # 2.0
        ("get-feature:0x06 (Volatile Write Cache), Current value:0x00000001", 1),  # 2.3 and later
        ("NVMe status: Invalid Field in Command", None),
    ],
)
def test_a_feature_is_read_from_every_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, value: int | None
) -> None:
    bench = Bench(tmp_path, monkeypatch)
    bench.program("nvme", f"echo '{printed}'")
    assert nvme.feature("/dev/nvme0", nvme.WRITE_CACHE) == value


@pytest.mark.block
def test_a_drive_without_such_a_page_is_asked_for_it_once(place: Place) -> None:
    device = nvme_drive(place, "get-log) exit 1;;")
    assert "flash_log" not in device.identity.facts
    assert device.identity.facts["power_loss_protection"] == "no volatile write cache"
    device.health()
    assert sum("get-log" in call for call in place.bench.called) == 1
