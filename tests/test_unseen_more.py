"""Further small places that no quick test watched, found by changing them (`python -m benchmarks.mutations`)."""

import os
import re
import socket
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import imports
from stend.base.sysfs import HOST
from stend.cli import _view
from stend.devices.virtual import find
from stend.engines.replay.load import BesideLoad
from stend.gate import mounts, swap
from stend.gate.stack import Layer
from stend.imports import diskspd_text, diskspd_xml, elbencho
from stend.imports.given import Given
from stend.meters import _series
from stend.meters._lines import UNITS
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.progress import Present
from stend.sim import requests
from stend.suite import latency_curve
from stend.suite._clauses import random
from stend.trace.form import FLUSH
from stend.trace.readers import blkparse
from tests.imported import SAMPLES


def test_a_load_of_diskspd_without_response_times_has_a_mean_of_zero() -> None:
    body = "Read IO\nthread |       bytes     |     I/Os     |    MiB/s\ntotal:  8192 |  2 |  0.01\n"
    assert diskspd_text._tally(body, "Read", 0.0) == Tally(ios=2, bytes=8192)


def test_the_state_of_a_stream_has_a_place_for_each_of_its_indices() -> None:
    assert max(requests.ENDED, requests.DRAWN) == requests.STATE - 1
    assert max(requests.SLOW_SHARE, requests.FUA, requests.EVERY, requests.FAILED_AT) == requests.PLAN - 1


@pytest.mark.parametrize(("cpus", "said"), [(2, True), (3, True), (4, False)])
def test_senders_without_a_processor_for_the_rest_are_a_remark(
    monkeypatch: pytest.MonkeyPatch, cpus: int, said: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cpus)
    load: Any = SimpleNamespace(others=[1, 2])
    remarks = BesideLoad.remarks.fget(load)  # type: ignore[attr-defined]
    assert [remark.key for remark in remarks] == ["few_processors"] * said


def test_units_of_energy_are_those_of_joules_and_watt_hours() -> None:
    assert {unit for unit, (energy, _) in UNITS.items() if energy} == {"J", "mJ", "uJ", "µJ", "Wh", "mWh", "kWh"}
    assert {unit for unit, (energy, _) in UNITS.items() if not energy} >= {"W", "mW", "uW", "µW", "kW"}


def test_before_the_first_byte_no_pace_is_known() -> None:
    present = Present()
    assert present.seconds_a_byte() == 0.0
    present.sample(Counts(seconds=1.0))
    assert present.seconds_a_byte() == 0.0


def test_no_rate_of_an_open_loop_is_below_one_io_a_second() -> None:
    (test,) = planning.draw(
        ["latency-curve"], planning.load_profile("enterprise-2.0.2"), find("sim:small").identity
    ).tests
    steps = latency_curve._at_rates(test.profile, random(100, 4, 1, 1), 3)
    rates = [step.workload.rate_iops for step in steps if isinstance(step, Hold)]
    assert sorted({*rates}) == [1.0, 1.5, 2.2, 2.7], "a quarter, a half, three quarters and nine tenths of three"


@pytest.mark.parametrize(("letters", "meaning"), [(b"F", (FLUSH, 0)), (b"FN", (FLUSH, 0)), (b"N", (-1, 0))])
def test_a_flush_of_blkparse_has_no_marks(letters: bytes, meaning: tuple[int, int]) -> None:
    assert blkparse._meaning(letters) == meaning


@pytest.mark.parametrize(("ended", "counts"), [(None, []), ("end", [Counts(seconds=1.0)]), ("end", [])])
def test_a_run_that_has_no_load_yet_or_any_more_shows_none(ended: str | None, counts: list[Counts]) -> None:
    course: Any = SimpleNamespace(ended=ended)
    assert not [*_view._load(course, counts, "")]


@pytest.mark.parametrize("profiles", [0, 1, 3])
def test_a_time_span_of_diskspd_needs_no_profile_and_a_profile_no_time_span(profiles: int) -> None:
    text = (SAMPLES / "diskspd.xml").read_text()
    begin, end = text.rindex("<TimeSpan>"), text.rindex("</TimeSpan>") + len("</TimeSpan>")
    text = text[:end] + text[begin:end] + text[end:]  # a second result
    planned = text.index("<TimeSpan>"), text.index("</TimeSpan>") + len("</TimeSpan>")
    text = text[: planned[0]] + profiles * text[slice(*planned)] + text[planned[1] :]
    loads = diskspd_xml.read(Given("x", (("x", text.encode()),))).loads
    assert len(loads) == 2
    assert loads[0].counts == loads[1].counts


@pytest.mark.parametrize(("cell", "value"), [("0.5", 0.5), ("1", 1.0), ("0", 0.0), ("-2", 0.0), ("", 0.0)])
def test_a_rate_of_elbencho_below_one_is_a_rate(cell: str, value: float) -> None:
    assert elbencho._last({"iops [last]": cell}, "iops") == value


def test_only_what_the_kernel_calls_swap_is_swap(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(bytes(4096))
    link.symlink_to(file)
    there = file.stat()
    for path in (file, link, tmp_path / "gone"):
        assert not swap._is_swap(Layer(file=(there.st_dev, there.st_ino), path=str(path)))


def test_the_mount_of_a_socket_is_known_without_opening_it(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as open_one:
        open_one.bind(str(tmp_path / "socket"))
        assert mounts._mount_id(HOST, str(tmp_path / "socket")) == mounts._mount_id(HOST, str(tmp_path)) != ""


@pytest.mark.parametrize(("mode", "random_pct"), [("randread", 100), ("read", 0), ("randrw75", 100), ("rw75", 0)])
def test_the_access_of_bench_fio_is_in_the_name_of_its_file(mode: str, random_pct: int, tmp_path: Path) -> None:
    (sample, *_) = sorted((SAMPLES / "bench-fio").rglob("*.json"))
    (tmp_path / f"{mode}-8-2.json").write_bytes(sample.read_bytes())
    _, _, taken = imports.taken_from(tmp_path)
    assert {load.workload.random_pct for load in taken.loads} == {random_pct}
    assert {(load.workload.depth, load.workload.threads) for load in taken.loads} == {(8, 2)}


def test_without_the_last_bucket_the_longest_response_of_diskspd_is_unknown() -> None:
    text = (SAMPLES / "diskspd.xml").read_text()
    whole = diskspd_xml.read(Given("x", (("x", text.encode()),))).loads[0].counts.both
    cut = re.sub(r"<Bucket>\s*<Percentile>100(\.0*)?</Percentile>.*?</Bucket>", "", text, flags=re.DOTALL)
    assert whole.max_s > 0
    assert diskspd_xml.read(Given("x", (("x", cut.encode()),))).loads[0].counts.both.max_s == 0.0


@pytest.mark.parametrize("period_s", [0.1, 1.0, 60.0])
def test_a_meter_waits_for_its_next_value_but_not_long(monkeypatch: pytest.MonkeyPatch, period_s: float) -> None:
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    meter: Any = SimpleNamespace(over=False, facts=SimpleNamespace(period_s=period_s))
    _series.Recorder.linger(meter)
    assert slept == [min(_series.SLACK * period_s, _series.LINGER_S)]
    assert slept[0] <= 2.0
