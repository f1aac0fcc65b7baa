"""The power that an NVMe drive reports itself: SMART bytes 232-243 and log 25h, in the dumps of nvme-cli 2 and 3.

The bytes are composed after the NVMe base specification 2.3; no drive that reports its power was at hand.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import devices, meters
from stend.base.errors import BadInput, StepFailed
from stend.devices.nvme import NvmeDevice
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling import tools
from stend.meters import _polled, own
from stend.meters._series import Recorder
from stend.meters._types import Value
from stend.model.events import Ended, MeterFacts, Note, Reading, Started
from stend.session import metering
from stend.words import Sentence, text
from tests.played import Place, nvme_drive
from tests.stand import Stand
from tests.synthetic import made
from tests.test_nvme_logs import dump, dump_of_3
from tests.waits import wait_for

FOLDER = Path(__file__).parent / "fixtures/meters"
CENTI, TENTH_MILLI = 2 << 16, 1 << 16


def smart(field: int = 0, energy_wh: int = 0) -> bytes:
    page = bytearray(512)
    page[1:3] = (313).to_bytes(2, "little")
    page[232:240], page[240:244] = energy_wh.to_bytes(8, "little"), field.to_bytes(4, "little")
    return bytes(page)


def power(*, attributes: int = 1, error: int = 255) -> bytes:
    page = bytearray(64)
    page[2:4], page[4:8], page[56] = attributes.to_bytes(2, "little"), (64).to_bytes(4, "little"), error
    page[40:44] = (CENTI | 612).to_bytes(4, "little")
    return bytes(page)


@pytest.mark.parametrize(
    ("field", "watts"),
    [(CENTI | 612, 6.12), (TENTH_MILLI | 523, 0.0523), (CENTI | 0xFFFF, 655.35), (0, None), (CENTI, None), (612, None),
     (3 << 16 | 612, None), (0xFFFC0000 | CENTI | 5, 0.05)],
)  # fmt: skip
def test_the_scale_and_the_value_of_a_field_make_watts(field: int, watts: float | None) -> None:
    read = own.watts(field)
    assert read == watts or (read is not None and read == pytest.approx(watts))


@pytest.mark.parametrize(
    ("name", "report"),
    [("nvme-smart-2.3-without.txt", (None, None)), ("nvme-smart-2.3-with.txt", (4.87, 1532)),
     ("nvme-smart-3.0-with.txt", (4.87, 1532)), ("nvme-smart-3.0-without.txt", (None, None))],
)  # fmt: skip
def test_the_dumps_of_both_versions_tell_the_same(name: str, report: tuple[float | None, int | None]) -> None:
    told = own.smart(logs.page(tools.Output(0, (FOLDER / name).read_text(), "")))
    assert told == (None if report[0] is None else pytest.approx(report[0]), report[1])


def test_log_25h_tells_the_error_and_whether_it_is_an_estimate() -> None:
    told = logs.page(tools.Output(0, (FOLDER / "nvme-power-3.0.txt").read_text(), ""))
    assert own.measured(told) == (5, True)
    assert own.measured(power(attributes=1, error=255)) == (None, False)
    assert own.measured(power(attributes=4, error=101)) == (None, True)
    assert own.measured(power(attributes=4, error=100)) == (100, True)
    assert own.measured(b"") == (None, False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with contextlib.ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")


def drive(place: Place, page: bytes, more: bytes = b"", *, made: Callable[[bytes], str] = dump) -> NvmeDevice:
    """A drive that nvme-cli plays; with log 25h if it has one."""
    (place.bench.bin / "smart").write_text(made(page))
    (place.bench.bin / "power").write_text(made(more) if more else "")
    folder = place.bench.bin
    case = f'case "$*" in *log-id=2\\ *) cat {folder}/smart;; *log-id=37*) cat {folder}/power;; *) exit 1;; esac;;'
    device = nvme_drive(place, f"get-log) {case}")
    ctrl = json.loads((folder / "ctrl").read_text())
    (folder / "ctrl").write_text(json.dumps(ctrl | ({"ctratt": 1 << 21 | 7} if more else {})))
    return device


@pytest.mark.block
@pytest.mark.parametrize("made", [dump, dump_of_3])
def test_a_drive_that_reports_its_power_is_read_each_second(place: Place, made: Callable[[bytes], str]) -> None:
    meter = meters.opened("own", drive(place, smart(CENTI | 612, 9), power(attributes=5, error=3), made=made))
    facts = meter.facts
    assert (facts.name, facts.scope, facts.period_s, facts.window_s) == ("NVMe SMART", "drive", 1.0, 1.0)
    assert (facts.error_pct, facts.estimated) == (3, True)
    value = wait_for(meter.read)[0]
    assert value.mean == pytest.approx(6.12)
    assert value.most == pytest.approx(value.mean)
    assert value.seconds == 1.0
    meter.close()
    assert any("was queried for its power" in word and "never in a rest" in word for word in meter.words())


@pytest.mark.block
def test_the_error_that_the_operator_states_is_the_one_that_counts(place: Place) -> None:
    device = drive(place, smart(CENTI | 612), power(error=3))
    meter = meters.opened("own@1%", device)
    meter.close()
    assert (meter.facts.error_pct, meter.facts.estimated) == (1.0, False)


@pytest.mark.block
def test_a_drive_without_the_log_is_not_asked_for_it(place: Place) -> None:
    meter = meters.opened("own", drive(place, smart(CENTI | 612)))
    meter.close()
    assert (meter.facts.error_pct, meter.facts.estimated) == (None, False)
    assert not [call for call in place.bench.called if "log-id=37" in call]


@pytest.mark.block
@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (smart(), "the drive does not report its power; use another meter"),
        (smart(energy_wh=1532), r"does not report its power \(its lifetime energy, 1532 Wh, is too coarse\)"),
        (smart()[:256], "log 02h cannot be read"),
    ],
)
def test_a_drive_that_does_not_report_its_power_is_told_in_one_sentence(place: Place, page: bytes, reason: str) -> None:
    with pytest.raises((BadInput, StepFailed), match=reason):
        meters.opened("own", drive(place, page))


def test_a_file_does_not_report_its_power(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    with pytest.raises(BadInput, match="does not report its power, because only NVMe drives can; use another meter"):
        meters.opened("own", devices.find(str(tmp_path / "file")))


def test_what_stores_nothing_has_no_power_and_no_other_meter_is_advised_for_it() -> None:
    null = devices.find("null")
    with pytest.raises(BadInput, match=r"^null has no power to measure; name a drive, or a virtual one such as sim:"):
        meters.opened("own", null)
    with pytest.raises(BadInput, match="null is virtual and has only the meter own"):
        meters.opened("hwmon:1", null)


class Asked:
    """A drive that counts how often it is asked."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> float:
        self.count += 1
        return 1.0 + self.count


def disturbing(asked: Asked) -> _polled.Disturbing:
    facts = meters.parse("own").facts("NVMe SMART", period_s=0.15, window_s=1.0)
    return _polled.Disturbing(facts, asked)


def test_a_resting_drive_is_not_asked_and_the_end_of_its_rest_is_read_before_the_load() -> None:
    asked = Asked()
    meter = disturbing(asked)
    wait_for(lambda: asked.count > 2)
    meter.quiet(True)
    before = asked.count
    rested = time.monotonic()
    time.sleep(0.5)
    meter.quiet(True)
    assert asked.count == before
    meter.read()
    meter.quiet(False)
    assert asked.count > before
    first = meter.read()[0]
    assert first.mean == before + 2
    assert first.seconds == pytest.approx(0.15)
    assert first.end - rested >= 0.5
    meter.close()
    assert not [word for word in meter.words() if "no value" in word]


def test_the_cost_of_asking_is_counted_and_told() -> None:
    asked = Asked()
    meter = disturbing(asked)
    wait_for(lambda: asked.count > 2)
    meter.close()
    told = [word for word in meter.words() if word.startswith("the drive was queried for its power ")]
    assert [word.split()[7:9] for word in told] == [[str(asked.count), "times,"]]  # a busy host has notes on gaps too
    meter.close()
    assert meter.words() == []


def test_the_end_of_a_rest_that_was_just_read_is_not_read_again() -> None:
    """A rest before a load ends twice: once for the record, and 0.3 s later for the load."""
    asked = Asked()
    meter = disturbing(asked)
    meter.facts = msgspec.structs.replace(meter.facts, period_s=30.0)
    wait_for(lambda: asked.count > 0)
    for count in (1, 1):
        meter.quiet(True)
        meter.quiet(False)
        assert asked.count == count
    meter.close()
    assert meter.cost[0] == asked.count


class Metered:
    """A meter whose values are given, and which queried the drive three times."""

    cost = (3, 0.75)

    def __init__(self, facts: MeterFacts, *values: list[Value]) -> None:
        self.facts, self.values, self.told, self.closed = facts, list(values), ["a gap"], False

    def read(self) -> list[Value]:
        return self.values.pop(0) if self.values else []

    def words(self) -> list[Sentence]:
        return [text(self.told.pop())] if self.told else []

    def close(self) -> None:
        self.closed = True


def test_readings_and_notes_stand_before_the_event_after_them_and_the_end_has_the_cost() -> None:
    facts = MeterFacts(spec="own", name="x")
    before, inside = Value(103, 4, 1.0, 2.0), Value(108, 3, 5.0, 9.0)
    meter = Metered(facts, [before], [before, inside], [])
    clock = iter((90.0, 100.0))
    run = Started(at=0, version="", plan=made("wake", interval_s=60.0).plan, seed=1)
    events = (event for event in (run, Note(t=9.0, text=text("a note")), Ended(t=11.0, outcome="complete")))
    found = list(metering.kept(events, meter, SimpleNamespace(now=lambda: next(clock))))  # type: ignore[arg-type]
    begun, reading, gap, note, ended = found
    assert isinstance(begun, Started)
    assert begun.meters == (facts,)
    assert reading == Reading(t=8, quantity=facts.quantity, value=5.0, seconds=3, most=9.0)
    assert gap == Note(t=9.0, text=text("a gap"))
    assert isinstance(note, Note)
    assert ended == Ended(t=11.0, outcome="complete", queries=3, queries_s=0.75)
    assert meter.closed
    for kind in (own.Virtual, Recorder):
        cost = kind.cost
        assert (cost.fget(None) if isinstance(cost, property) else cost) == (0, 0.0), "nothing asks the drive"


class Healthy:
    """A drive of which only its health is known."""

    identity = SimpleNamespace(target="/dev/nvme0n1", virtual=False)

    def __init__(self, **health: float) -> None:
        self.health = lambda: health


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meters, "READINGS", ("watts", "temperature_c"))


@pytest.mark.usefixtures("_registered")
def test_a_registered_number_of_the_drives_health_is_read_beside_a_load() -> None:
    device: Any = Healthy(temperature_c=43)
    meter = meters.opened("own@temperature_c", device)
    assert (meter.facts.quantity, meter.facts.name, meter.facts.of_drive) == ("temperature_c", "drive's health", True)
    assert wait_for(meter.read)[0].mean == 43.0
    meter.close()


@pytest.mark.usefixtures("_registered")
def test_a_drive_without_this_number_and_a_virtual_one_are_told_in_one_sentence() -> None:
    device: Any = Healthy(wear_pct=1)
    with pytest.raises(BadInput, match="does not report a number 'temperature_c'"):
        meters.opened("own@temperature_c", device)
    with pytest.raises(BadInput, match="virtual drive has a meter of watts only"):
        meters.opened("own@temperature_c", devices.find("sim:small"))


def test_the_power_of_a_virtual_drive_before_the_meter_was_opened_is_not_read() -> None:
    rows = [[(1.0, 1.0, 5.0, 5.0)], [(2.0, 1.0, 6.0, 7.0)], []]
    model = SimpleNamespace(read=lambda: rows.pop(0))
    device: Any = SimpleNamespace(sim=SimpleNamespace(drive=SimpleNamespace(power=model)))
    meter = own.Virtual(device)
    assert meter.read() == [Value(2.0, 1.0, 6.0, 7.0)]
    assert (meter.read(), meter.words(), meter.cost) == ([], [], (0, 0.0))
    assert (meter.facts.spec, meter.facts.name, meter.facts.error_pct) == ("own", "model", 0.0)
