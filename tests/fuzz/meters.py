"""Meters: their specifications, and the outputs of commands, files, controllers, modules and drives that they read."""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stend import meters
from stend.devices.telling import nvme_cli, nvme_logs, tools
from stend.meters import _series, cmd, file, hwmon, ipmi, own, quarch, redfish
from stend.meters._polled import Polled
from stend.meters._types import Value
from stend.model.events import MeterFacts
from stend.words import Sentence
from tests.fuzz.files import FOLDER
from tests.fuzz.target import Target, senseless, unprintable

FIXTURES = Path(__file__).parent.parent / "fixtures/meters"
FACTS = MeterFacts(spec="cmd:x", name="x", period_s=0.05)
SPECS = [b"hwmon:ina226/power1", b"cmd@drive,2%:power --fast 'a b'", b"own", b"file@machine:watts.csv", b"ipmi@5%"]
LINES = b"3.25\n3250 mW\n4.1W\n\n12 J\n13.5 J\n0.01 Wh\nready\n5\n4 \xc2\xb5W\n"
HEX = b"0000: " + b" ".join([b"07"] * 16) + b"\n*\n0200"


class Fed(Polled):
    """A polled meter without its thread."""

    def __init__(self, poll: Callable[[], float]) -> None:
        self.facts, self.poll = FACTS, poll
        self.series = _series.Series(FACTS.period_s)
        self.count, self.seconds, self.why = 0, 0.0, ""


def _polled(poll: Callable[[bytes], float]) -> Callable[[bytes], Any]:
    """Query twice, because a value covers the time since the one before it."""

    def reading(data: bytes) -> Any:
        meter = Fed(lambda: poll(data))
        for _ in range(2):
            meter._query()
        return _taken(meter.series)

    return reading


def _taken(series: _series.Series) -> tuple[list[Value], list[Sentence]]:
    series.finish(time.monotonic())
    return series.take(all_of_it=True), series.words(end=True)


def _wrong(taken: Any) -> str:
    values, notes = taken
    odd = next((value for value in values if not 0 <= value.mean <= value.most * 1.001 <= 1.01e5), None)
    if not all(math.isfinite(value.end) for value in values):
        return "a time that is not a number"
    figures = [value[1:] for value in values]
    return f"{odd} watts" if odd else senseless(figures) or unprintable("\n".join(notes))


def _command(data: bytes) -> Any:
    output, half = cmd.Output(), len(data) // 2
    output.take(time.monotonic(), data[:half])
    output.series = _series.Series(FACTS.period_s)
    for part in (data[:half], data[half:]):
        output.take(time.monotonic(), part)
    return _taken(output.series)


def _file(data: bytes) -> Any:
    path = FOLDER / "watts.csv"
    now = time.time()
    begin = b"".join(b"%.3f,3.5\n" % (now - 10 + 0.1 * n) for n in range(3))
    path.write_bytes(begin)
    meter = file.File(meters.parse(f"file:{path}"), path)
    rest = data.replace(b"NOW", b"%d" % now)
    path.write_bytes(begin + rest if len(data) % 5 else rest)  # also a file that is replaced
    values = meter.read()
    return [*values, *meter.read()], meter.words()


def _first(data: bytes) -> Any:
    path = FOLDER / "first.csv"
    path.write_bytes(data.replace(b"NOW", b"%d" % time.time()))
    meter = file.File(meters.parse(f"file:{path}"), path)
    return meter.facts


def _stream(data: bytes) -> Any:
    stream, text = quarch.Stream(), data.decode(errors="replace")
    stream.write(text[: len(text) // 2])
    stream.series = _series.Series(0.001)
    stream.write(text[len(text) // 2 :] + "\n")
    values, notes = _taken(stream.series)
    return values, [*notes, stream.wrong]


def _redfish(data: bytes) -> float:
    class Answer:
        full_url = "https://controller/redfish/v1/Chassis/1/Power"

        def open(self, *_: Any, **__: Any) -> Any:
            return self

        def read(self, most: int) -> bytes:
            return data[:most]

        def close(self) -> None:
            """Do nothing."""

    return redfish._read(Answer(), Answer())  # type: ignore[arg-type]  # an opener and its request in one


def _sensor(data: bytes) -> float:
    path = FOLDER / "power1_input"
    path.write_bytes(data)
    return hwmon._watts(path)


def _page(data: bytes) -> Any:
    page = nvme_logs.page(tools.Output(0, data.decode(errors="replace"), ""))
    report, measured = own.smart(page), own.measured(page)
    return {"watts": report.watts or 0.0, "wh": report.lifetime_wh or 0, "error": measured.error_pct or 0}


def _states(data: bytes) -> Any:
    table = b"\x18\x64\0\0\0\0\0\0" * 32 if len(data) % 2 else data[:300]
    return nvme_logs.power_states(tools.Output(0, data.decode(errors="replace"), "").document, table)


def targets() -> list[Target]:
    """All of them."""
    file.FIRST_S = 0.0  # no program writes these files
    pages = [path.read_bytes() for path in sorted(FIXTURES.glob("nvme-*.txt"))]
    power = [path.read_bytes() for path in sorted(FIXTURES.glob("redfish*.json"))]
    power += [b'{"PowerWatts": {"Reading": 3.5}}', b'{"Reading": 210, "ReadingUnits": "W"}']
    controllers = [path.read_bytes() for path in sorted(FIXTURES.glob("ipmitool-*.txt"))]
    states = {"flags": 3, "max_power": 50, "entry_lat": 2000, "exit_lat": 500}
    ctrl = json.dumps({"npss": 4, "psds": [{"max_power": "8.25 W", "max_power_scale": 0}, states, states]}).encode()
    rows = b"NOW.25,3.5\nNOW.5;3600 mW\nNOW000\t9 J\n2026-11-25T10:00:00Z,4\nNOW999,nan\n"
    stream = (FIXTURES / "quarch-stream.csv").read_bytes()[:2000]
    spec = [*SPECS, b"redfish:https://10.0.0.1/redfish/v1/Chassis/1/Power", b"quarch:usb::QTL1999-02-004"]
    ipmi_watts = _polled(lambda data: ipmi.watts(tools.Output(0, data.decode(errors="replace"), "")))
    return [
        Target("meter spec", "text", spec, lambda d: meters.parse(d.decode(errors="surrogateescape")),
               lambda taken: senseless(taken.error_pct or 0), 2),
        Target("meter cmd", "text", [LINES], _command, _wrong, 2),
        Target("meter file", "text", [rows], _file, _wrong, 2),
        Target("meter file's head", "text", [rows], _first, lambda facts: "" if facts.period_s > 0 else "no period"),
        Target("meter quarch", "text", [stream], _stream, _wrong, 2),
        Target("meter redfish", "json", power, _polled(_redfish), _wrong, 2),
        Target("meter ipmi", "text", controllers, ipmi_watts, _wrong),
        Target("meter hwmon", "text", [b"3250000\n", b"12\n"], _polled(_sensor), _wrong, 2),
        Target("meter own", "text", [*pages, HEX], _page, senseless, 2),
        Target("nvme power states", "json", [ctrl], _states, senseless, 2),
        Target("nvme create-ns", "text", [b"create-ns: Success, created nsid:2\n", b"nsid: 2\n"],
               lambda d: nvme_cli.created(tools.Output(0, d.decode(errors="replace"), "")),
               lambda taken: "" if 0 < int(taken) <= nvme_cli.MOST_NSID else taken),
    ]  # fmt: skip
