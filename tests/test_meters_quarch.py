"""A power module of Quarch: the stream that quarchpy writes, on the clock of this host. No module was at hand."""

import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import meters
from stend.base import extras
from stend.base.errors import BadInput, Missing, StepFailed
from stend.meters import quarch
from stend.meters._series import Series
from tests.waits import wait_for

FOLDER = Path(__file__).parent / "fixtures/meters"
HEADER = "Time uS,12V voltage mV,12V current uA,3.3V voltage mV,3.3V current uA,12V power uW,3.3V power uW,Tot power uW"


def test_the_total_is_read_where_there_is_one_else_the_rails_are_added_up() -> None:
    assert quarch.columns(HEADER) == (1e-6, ((7, 1e-6),))
    rails = quarch.columns(HEADER.rpartition(",")[0])
    assert rails.powers == ((5, 1e-6), (6, 1e-6))
    assert quarch.parsed("1024,12000,250000,3300,10000,3000000,33000", rails) == pytest.approx((0.001024, 3.033))
    assert quarch.columns("Time nS,5V power mW") == (1e-9, ((1, 1e-3),))
    for header in ("Time uS,5V voltage mV", "Stripe,5V power uW", "Time weeks,5V power uW", ""):
        with pytest.raises(StepFailed, match="the stream has no power; its columns are"):
            quarch.columns(header)
    endless = "1e999,12000,250000,3300,10000,3000000,33000"
    for line in ("", "Warning: Max file size exceeded before end of stream.", "1024,1", endless):
        assert quarch.parsed(line, rails) is None


@given(
    names=st.lists(
        st.tuples(
            st.sampled_from(["12V", "3.3V", "5V empower", "Tot", "total"]),
            st.sampled_from(["power", "voltage", "powers", "peak"]),
            st.sampled_from([*quarch.POWERS, "mV", "VA", ""]),
        ),
        max_size=6,
    )
)
def test_power_is_what_is_called_so_and_has_a_unit_of_power(names: list[tuple[str, str, str]]) -> None:
    powers = [(at, rail, quarch.POWERS[unit]) for at, (rail, word, unit) in enumerate(names, 1)
              if word == "power" and unit in quarch.POWERS]  # fmt: skip
    header = ", ".join(["Time uS", *(" ".join(part for part in name if part) for name in names)])
    if not powers:
        with pytest.raises(StepFailed, match="the stream has no power"):
            quarch.columns(header)
        return
    totals = [(at, watts) for at, rail, watts in powers if rail.casefold().startswith("tot")]
    rails = [(at, watts) for at, _, watts in powers]
    assert quarch.columns(header) == (1e-6, tuple(totals[:1] or rails))


def test_a_recorded_stream_is_placed_on_the_clock_of_this_host(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    stream = quarch.Stream()
    text = (FOLDER / "quarch-stream.csv").read_text()
    head = len(HEADER) + 1
    stream.write(text[:head])
    stream.series = Series(0.001024)
    for at, end, delay in ((head, 3000, 0.9), (3000, 6000, 0.05), (6000, len(text), 0.4)):
        last = text[:end].rpartition("\n")[0].rpartition("\n")[2]
        now[0] = 1000.0 + int(last.partition(",")[0]) * 1e-6 + delay
        stream.write(text[at:end])
    values = stream.series.take(all_of_it=True)
    late = [value for value in values if value.end > 1000.0 + 0.12]
    assert late
    assert all(value.mean == pytest.approx(4.2, abs=0.2) for value in values)
    last_s = int(text.rstrip().rpartition("\n")[2].partition(",")[0]) * 1e-6
    assert values[-1].end == pytest.approx(1000.0 + last_s + 0.05, abs=0.002)
    assert max(value.most for value in values) == pytest.approx(9.5)


class Module:
    """A power module as quarchpy offers it: it streams a value a millisecond until it is stopped."""

    def __init__(self, header: str = HEADER, refuses: str = "") -> None:
        self.header, self.refuses = header, refuses
        self.commands: list[str] = []
        self.running, self.closed = False, False

    def send_command(self, command: str) -> str:
        self.commands.append(command)
        return "FAIL: 0x41 -Command not recognised" if self.refuses and self.refuses in command else "OK"

    def start_stream(self, *, output_file_handle: Any) -> None:
        self.running = True
        self.thread = threading.Thread(target=self._stream, args=(output_file_handle,), daemon=True)
        self.thread.start()

    def _stream(self, out: Any) -> None:
        out.write(f"{self.header}\n")
        number = 5000  # its clock began before the stream
        while self.running:
            out.write("".join(f"{(number + n) * 1024},1,2,3,4,1500000,1000000,2500000\r\n" for n in range(20)))
            number += 20
            time.sleep(0.0205)

    def stream_running_status(self) -> str:
        return "Running" if self.running else "Stopped: Device buffer overrun"

    def stop_stream(self) -> None:
        self.running = False

    def close_connection(self) -> None:
        self.closed = True


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Module:
    """quarchpy, as far as stend uses it, with one module."""
    played = Module()
    library, api, qis = ModuleType("quarchpy"), ModuleType("quarchpy.device"), ModuleType("quarchpy.qis")
    library.__spec__ = sys.__spec__
    vars(api).update(getQuarchDevice=lambda address, ConType: address, quarchPPM=lambda device: played)  # noqa: N803
    vars(qis).update(isQisRunning=lambda: True)
    for name, known in {"quarchpy": library, "quarchpy.device": api, "quarchpy.qis": qis}.items():
        monkeypatch.setitem(sys.modules, name, known)
    return played


def test_a_module_is_set_read_and_left(module: Module) -> None:
    meter = meters.opened("quarch:usb::QTL1999-02-004", None)
    assert meter.facts.name == "Quarch usb::QTL1999-02-004"
    assert meter.facts.period_s == pytest.approx(0.001024)
    assert module.commands == list(quarch.SETUP)
    assert wait_for(meter.read)[0].mean == pytest.approx(2.5)
    meter.close()
    assert (module.running, module.closed) == (False, True)
    meter.close()


def test_the_end_of_its_stream_is_told_once(module: Module) -> None:
    meter = meters.opened("quarch:usb::QTL1999-02-004", None)
    module.running = False
    words = wait_for(meter.words)
    assert "the stream of the module ended: Stopped: Device buffer overrun; no values follow" in words
    assert meter.words() == []
    meter.close()


def test_a_module_that_refuses_or_has_no_power_is_refused(module: Module) -> None:
    module.refuses = "power enable"
    with pytest.raises(BadInput, match="the module refuses `stream mode power enable`: FAIL: 0x41"):
        meters.opened("quarch:usb::QTL1", None)
    module.refuses, module.header = "", "Time uS,5V voltage mV"
    with pytest.raises(BadInput, match="the stream has no power"):
        meters.opened("quarch:usb::QTL1", None)
    assert module.closed


def test_without_qis_or_the_library_the_way_to_it_is_told(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["quarchpy.qis"], "isQisRunning", lambda: False)
    with pytest.raises(BadInput, match=r"needs a running QIS: start it with `python -m quarchpy\.run qis`"):
        meters.opened("quarch:usb::QTL1", None)
    monkeypatch.setattr(extras, "missing", lambda module: True)
    with pytest.raises(Missing, match="quarch needs quarchpy, which is not installed: `pip install quarchpy`"):
        meters.opened("quarch:usb::QTL1", None)
