"""Figures that need a meter: watts and what is derived from them, of a drive's own meter and of the whole machine's."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import session, store
from stend.charts import watts
from stend.findings import look
from stend.findings.look.figures import figures
from stend.findings.look.metered import level, span
from stend.model.events import Reading, Result
from stend.model.record import Run
from stend.report.parts.records import rows
from stend.runner.bench import Bench
from stend.session import metering


class Clock:
    """An engine whose time passes only while it idles, a little more than it was told to, and a meter beside it."""

    def __init__(self) -> None:
        self.at, self.queried = 0.0, list[float]()
        self.resting = False

    def now(self) -> float:
        return self.at

    def idle(self, seconds: float) -> None:
        self.at += seconds + 1e-4

    def quiet(self, resting: bool) -> None:
        if self.resting and not resting:
            self.queried.append(self.at)
        self.resting = resting


def test_a_meter_that_queries_the_drive_does_so_once_at_the_end_of_a_rest() -> None:
    """A rest comes in slices, so that a run can be stopped; a query between two slices would wake the drive."""
    clock: Any = Clock()
    bench = Bench(metering.quieted(clock, clock), lambda: False)
    bench.ended = 0.0
    bench.rest(3.2)
    assert clock.queried == [pytest.approx(3.2, abs=0.01)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("metered") / "run"
    request = session.Request(["fresh"], "sim:ideal", quick=True, seed=1, meter="own", into=str(into))
    with session.start(request) as running:
        assert sum(isinstance(event, Result) for event in running) > 4
    return into


def _machine(run: Run) -> Run:
    """Return the run as if its meter had included the whole machine."""
    meters = [msgspec.structs.replace(meter, scope="machine") for meter in run.started[0].meters]
    run.started[0] = msgspec.structs.replace(run.started[0], meters=tuple(meters))
    return run


def test_work_per_watt_is_ios_and_bytes_over_the_energy_of_the_load(folder: Path) -> None:
    held = [row for row in figures(store.load(folder)) if row.power]
    assert held
    for row in held:
        joules = row.number("watts") * row.seconds
        assert row.value("iops_per_watt") == pytest.approx(row.tally.ios / joules)
        assert row.value("bytes_per_joule") == pytest.approx(row.tally.bytes / joules)
        assert row.number("watts_max") >= row.number("watts") > 0


def test_readings_of_other_loads_change_no_figure_of_a_load(tmp_path: Path) -> None:
    """A reading may be shorter than a thousandth of the next load, which ends when it does. A resumed run lacks it."""
    short: dict[str, Any] = {"quick": True, "minute_s": 0.2, "rounds": 2, "seed": 7}
    request = session.Request(["latency"], "sim:small", meter="own", into=str(tmp_path / "run"), **short)
    with session.start(request) as running:
        events = list(running)
    run = store.load(tmp_path / "run")
    assert sum(isinstance(event, Reading) for event in events) > 20
    for result in run.results:
        _, begin, end = span(run, result)
        alone = Run()
        for event in events:
            if not isinstance(event, Reading) or begin < event.t - event.seconds / 2 < end:
                alone.add(event)
        assert level(alone, [result]) == pytest.approx(level(run, [result]), rel=1e-9)


def test_the_watts_of_a_machine_give_no_work_per_watt_of_a_drive(folder: Path) -> None:
    held = [row for row in figures(_machine(store.load(folder))) if row.power]
    assert held
    assert all(row.value("watts") and row.value("iops_per_watt") is None for row in held)
    assert all(row.value("bytes_per_joule") is None for row in held)


def test_tables_have_the_watts_of_each_step(folder: Path) -> None:
    loads = [row for row in rows(store.load(folder), "run") if row["kind"] == "hold"]
    assert loads
    assert all(row["watts_max"] >= row["watts"] > 0 for row in loads)


def test_a_run_without_a_meter_has_no_watts(folder: Path, tmp_path: Path) -> None:
    request = session.Request(["fresh"], "sim:ideal", quick=True, seed=1, into=str(tmp_path / "run"))
    with session.start(request) as running:
        for _ in running:
            pass
    plain = store.load(tmp_path / "run")
    assert len(plain.readings) == 0
    assert not any(row.value("watts") for row in figures(plain))
    counts = [result.counts for result in store.load(folder).results]
    assert counts == [result.counts for result in plain.results], "a meter changes no figure"


def test_a_chart_places_readings_by_the_delay_of_their_own_meter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, meters = store.load(folder), list[str]()
    monkeypatch.setattr(watts, "offset", lambda run, stretch, quantity="watts": meters.append(quantity))
    assert not list(watts._points(run, run.plan.tests[0], "volts"))
    assert set(meters) == {"volts"}


def test_the_first_record_and_the_end_of_a_saturation_have_their_own_watts(tmp_path: Path) -> None:
    request = session.Request(
        ["write-saturation"], "sim:x25e?scale=16", profile="review", quick=True, seed=1, meter="own", into=str(tmp_path)
    )
    with session.start(request) as running:
        for _ in running:
            pass
    run = store.load(tmp_path)
    (test,) = run.plan.tests
    first, last = (row for row in figures(run) if row.phase == "saturate")
    records = look.records(run, test.name, "saturate")
    ends = {"first": records[:1], "last": look.last_records(run, test, "saturate")}
    assert (first.window, last.window) == ("first", "last")
    for row in (first, last):
        expected = level(run, [record.result for record in ends[row.window]])
        assert row.power == expected is not None
        assert row.value("iops_per_watt") == pytest.approx(row.iops / row.number("watts"), rel=0.01)
