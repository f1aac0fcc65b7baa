"""What each kind of meter reads, and the sentence of each that cannot be used: hwmon, IPMI, Redfish, files."""

import base64
import json
import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from stend import meters
from stend.base.errors import BadInput, Missing, StepFailed
from stend.devices.telling import tools
from stend.meters import file, hwmon, ipmi, redfish
from tests.test_purge import Bench
from tests.waits import wait_for

FOLDER = Path(__file__).parent / "fixtures/meters"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


# --- hwmon


def sensors(root: Path, *chips: tuple[str, dict[str, str]]) -> None:
    for number, (name, files) in enumerate(chips):
        folder = root / f"class/hwmon/hwmon{number}"
        folder.mkdir(parents=True)
        for file_name, text in {"name": name, **files}.items():
            (folder / file_name).write_text(f"{text}\n")


@pytest.fixture
def sys_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hwmon, "SYS", tmp_path)
    return tmp_path


def test_a_power_sensor_of_linux_is_read_in_microwatts(sys_root: Path) -> None:
    sensors(
        sys_root, ("nvme", {"temp1_input": "40000"}), ("ina226", {"power1_input": "3250000", "power1_label": "12V"})
    )
    assert meters.present()[0][0] == "hwmon:ina226/power1"
    meter = meters.opened("hwmon:ina226", None)
    assert (meter.facts.name, meter.facts.scope, meter.facts.period_s) == ("hwmon ina226/power1 (12V)", "drive", 0.1)
    assert wait_for(meter.read)[0].mean == pytest.approx(3.25)
    for text in ("nothing", "9" * 400):
        (sys_root / "class/hwmon/hwmon1/power1_input").write_text(text)
        wait_for(partial(noted, meter, f"has '{text[:40]}'"))
    meter.close()


def noted(meter: meters.Meter, words: str) -> bool:
    return any(words in note for note in meter.words())


def test_the_sensor_of_the_whole_machine_is_told_from_one_in_a_line(sys_root: Path) -> None:
    sensors(sys_root, ("power_meter", {"power1_average": "210000000", "update_interval": "1000"}))
    meter = meters.opened("hwmon:power_meter", None)
    assert (meter.facts.scope, meter.facts.period_s) == ("machine", 1.0)
    meter.close()


def test_sensors_are_told_apart_and_those_of_processors_are_none(sys_root: Path) -> None:
    two = {"power1_input": "1", "power2_input": "2000000", "power1_average": "5", "power1_cap": "9"}
    sensors(sys_root, ("amdgpu", {"power1_average": "1"}), ("ina3221", two), ("ina3221", {"power1_input": "7000000"}))
    with pytest.raises(BadInput, match=r"fits 3 power sensors .*name one by its path"):
        meters.opened("hwmon:ina3221", None)
    with pytest.raises(BadInput, match=r"is not a power sensor of this host; it has ina3221/power1, ina3221/power2"):
        meters.opened("hwmon:amdgpu", None)
    meter = meters.opened("hwmon:ina3221/power2", None)
    assert wait_for(meter.read)[0].mean == pytest.approx(2.0)
    meter.close()
    by_path = meters.opened(f"hwmon:{sys_root}/class/hwmon/hwmon2", None)
    assert wait_for(by_path.read)[0].mean == pytest.approx(7.0)
    by_path.close()


def test_a_path_that_is_no_sensor_is_not_read(sys_root: Path) -> None:
    sensors(sys_root, ("ina226", {"power1_input": "1"}))
    (sys_root / "secret").write_text("17")
    for path in (sys_root / "secret", sys_root / "class/hwmon/hwmon0/name", "/etc/shadow", "/nothing"):
        with pytest.raises(BadInput, match="is not a power sensor of this host"):
            meters.opened(f"hwmon:{path}", None)


def test_a_sensor_without_a_value_is_refused(sys_root: Path) -> None:
    sensors(sys_root, ("ina226", {"power1_input": ""}))
    with pytest.raises(BadInput, match=r"hwmon:ina226 cannot be used: .*power1_input cannot be read"):
        meters.opened("hwmon:ina226", None)


# --- IPMI


def test_a_management_controller_is_read(bench: Bench) -> None:
    bench.program("ipmitool", f"cat {FOLDER}/ipmitool-reading.txt")
    meter = meters.opened("ipmi", None)
    assert (meter.facts.name, meter.facts.scope) == ("IPMI DCMI", "machine")
    assert wait_for(meter.read)[0].mean == 332.0
    meter.close()
    assert bench.called[0] == "ipmitool dcmi power reading"


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ((FOLDER / "ipmitool-deactivated.txt").read_text(), 0, "power reading is deactivated"),
        ("DCMI request failed because: Invalid command (c1)", 1, "Invalid command (c1)"),
        ("Could not open device at /dev/ipmi0: No such file or directory", 1, "Could not open device"),
        ("", 0, "exit code 0"),
    ],
)
def test_a_controller_that_measures_nothing_is_refused(bench: Bench, text: str, code: int, reason: str) -> None:
    (bench.bin / "text").write_text(text)
    bench.program("ipmitool", f"cat {bench.bin}/text; exit {code}")
    with pytest.raises(BadInput, match="the meter ipmi cannot be used: ") as refused:
        meters.opened("ipmi", None)
    assert reason in str(refused.value)


def test_without_ipmitool_its_package_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bench.bin))
    with pytest.raises(Missing, match=r"ipmitool is not installed: `.*ipmitool`"):
        meters.opened("ipmi", None)


def test_the_node_of_a_controller_is_what_the_doctor_looks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ipmi, "ROOT", tmp_path)
    assert ipmi.present() == []
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/ipmi0").touch()
    assert [spec for spec, _ in ipmi.present()] == ["ipmi"]


def test_a_recorded_reading_has_its_watts() -> None:
    assert ipmi.watts(tools.Output(0, (FOLDER / "ipmitool-reading.txt").read_text(), "")) == 332.0


# --- Redfish


LARGE = b'{"PowerWatts": {"Reading": 3}, "Oem": "' + b"x" * (3 << 19) + b'"}'
"""A resource of 1.5 MiB, more than is read."""
TEXTS = {
    "/text": b"<html>",
    "/deep": b"[" * 100_000,
    "/huge": b'{"PowerWatts": {"Reading": ' + b"9" * 400 + b"}}",
    "/large": LARGE,
}
"""What is no resource of Redfish, by its path."""


class Controller(BaseHTTPRequestHandler):
    """A management controller with one resource, and one that leads elsewhere."""

    seen: list[str | None] = []  # noqa: RUF012

    def do_GET(self) -> None:
        Controller.seen.append(self.headers["Authorization"])
        known = f"Basic {base64.b64encode(b'root:calvin').decode()}"
        body = (FOLDER / "redfish-power.json").read_bytes()
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/redfish/v1/Chassis/1/Power")
        elif self.path in TEXTS:
            body = TEXTS[self.path]
            self.send_response(200)
        else:
            self.send_response(200 if self.headers["Authorization"] == known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Controller)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login root password calvin\n")
    monkeypatch.setenv("NETRC", str(netrc))
    Controller.seen.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_redfish_service_is_read_with_the_password_of_netrc_that_nothing_shows(address: str) -> None:
    meter = meters.opened(f"redfish:{address}/redfish/v1/Chassis/1/Power", None)
    assert wait_for(meter.read)[0].mean == 344.0
    meter.close()
    assert (meter.facts.scope, meter.facts.name) == ("machine", "Redfish 127.0.0.1")
    assert "calvin" not in str(meter.facts) + str(meter.words())


@pytest.mark.parametrize(
    ("path", "reason"), [("/elsewhere", "answered 302"), *((path, "did not answer with JSON") for path in TEXTS)]
)
def test_no_redirect_is_followed_and_no_other_text_is_read(address: str, path: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        meters.opened(f"redfish:{address}{path}", None)
    assert len(Controller.seen) == 1


def test_a_wrong_password_is_told_without_it(address: str, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login root password wrong-secret\n")
    with pytest.raises(BadInput, match="answered 401") as refused:
        meters.opened(f"redfish:{address}/x", None)
    assert "wrong-secret" not in str(refused.value)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 oops wrong-secret\n")
    with pytest.raises(BadInput, match=r"cannot be read: it is not in the format of netrc\(5\)") as broken:
        meters.opened(f"redfish:{address}/x", None)
    assert "wrong-secret" not in str(broken.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://root:calvin@bmc/redfish/v1", "has a user name, a password or a query in it"),
        ("https://bmc/redfish/v1?token=calvin", "has a user name, a password or a query in it"),
        ("ftp://bmc/x", "is not an address such as https://HOST"),
        ("https:///x", "is not an address such as https://HOST"),
        ("http://[bad", "is not an address such as https://HOST"),
        ("http://127.0.0.1:1/x", "does not answer"),
    ],
)
def test_an_address_that_would_show_a_secret_or_is_none_is_refused(url: str, reason: str) -> None:
    with pytest.raises(BadInput) as refused:
        meters.opened(f"redfish:{url}", None)
    assert reason in str(refused.value)
    assert "calvin" not in str(refused.value)


def test_a_password_is_not_sent_in_clear_to_another_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine bmc.example login root password calvin\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with pytest.raises(BadInput, match=r"is not encrypted, and ~/\.netrc has a password for bmc\.example; use https"):
        meters.opened("redfish:http://bmc.example/redfish/v1/Chassis/1/Power", None)


@pytest.mark.parametrize(
    ("resource", "watts"),
    [
        ({"PowerControl": [{"PowerConsumedWatts": 344}]}, 344.0),
        ({"PowerWatts": {"Reading": 231.5}}, 231.5),
        ({"Reading": 92.1, "ReadingUnits": "W"}, 92.1),
        ({"PowerConsumedWatts": 590, "PowerControl": "x"}, 590.0),
        ({"Reading": 92.1, "ReadingUnits": "Cel"}, None),
        ({"PowerControl": [{"PowerConsumedWatts": None}]}, None),
        ({"PowerControl": [{"PowerConsumedWatts": True}]}, None),
        ([], None),
    ],
)
def test_the_three_resources_with_power_are_read(resource: Any, watts: float | None) -> None:
    if watts is not None:
        assert redfish.watts(json.loads(json.dumps(resource))) == watts
        return
    with pytest.raises(StepFailed, match="none of PowerControl"):
        redfish.watts(resource)


# --- a file


def lines(*pairs: tuple[float, float], unit: float = 1.0) -> str:
    return "".join(f"{at * unit:.3f},{watts}\n" for at, watts in pairs)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1795000000", 1_795_000_000.0),
        ("1795000000123", 1_795_000_000.123),
        ("1795000000123456", 1_795_000_000.123456),
        ("1795000000123456789", 1_795_000_000.123457),
        ("2026-11-18T10:26:40+00:00", 1_794_997_600.0),
        ("12.5", None),
        ("nan", None),
        ("time", None),
    ],
)
def test_times_are_those_since_1970_in_any_unit(text: str, at: float | None) -> None:
    assert file.moment(text) == (at if at is None else pytest.approx(at, abs=1e-5))


def test_a_file_that_grows_is_read_from_now_on(tmp_path: Path) -> None:
    path, now = tmp_path / "power.csv", time.time()
    path.write_text("time,watts\n" + lines(*((now - 5 + n, 9.0) for n in range(6))))
    meter = meters.opened(f"file@machine:{path}", None)
    assert meter.facts.period_s == pytest.approx(1.0)
    assert meter.facts.scope == "machine"
    assert meter.read() == []
    with path.open("a") as growing:
        growing.write(lines((now + 0.5, 3.0)) + f"{now + 1:.3f}\t450")
    first = meter.read()
    assert [value.mean for value in first] == [3.0]
    assert first[0].end == pytest.approx(time.monotonic() + now + 0.5 - time.time(), abs=0.05)
    with path.open("a") as growing:
        growing.write(f"0 mW\n{now + 0.75:.3f},1\nwhat\n")
    assert [value.mean for value in meter.read()] == [pytest.approx(4.5)]
    assert [word.partition(";")[0] for word in meter.words()] == [
        "the meter's file has times that do not increase",
        "the meter's file has the line 'what', which is not `time,watts`",
    ]
    path.write_text(lines((now + 1.5, 6.0)))
    assert [value.mean for value in meter.read()] == [6.0]
    assert "became shorter" in meter.words()[0]
    path.unlink()
    assert meter.read() == []
    assert "cannot be read now" in meter.words()[0]
    meter.close()


def test_a_file_whose_clock_is_ahead_is_told(tmp_path: Path) -> None:
    path, now = tmp_path / "power.csv", time.time()
    path.write_text(lines((now - 2, 1.0), (now - 1, 1.0)))
    meter = meters.opened(f"file:{path}", None)
    with path.open("a") as growing:
        growing.write(lines((now + 100, 3.0), (now + 101, 3.0)))
    meter.read()
    assert len([word for word in meter.words() if "ahead of this host's clock" in word]) == 1
    meter.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no two lines `time,watts`"),
        ("0.1,3\n0.2,3\n0.3,3\n", "has no two lines `time,watts`; its last line is '0.3,3'"),
        ("1795000000,3\n1795000000,3\n", "has times that do not increase"),
    ],
)
def test_a_file_of_something_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    monkeypatch.setattr(file, "FIRST_S", 0.0)
    path = tmp_path / "power.csv"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        meters.opened(f"file:{path}", None)
    assert reason in str(refused.value)


def test_what_is_not_a_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(BadInput, match="is not a file"):
            meters.opened(f"file:{path}", None)
