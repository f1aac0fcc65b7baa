"""Places that no quick test watched, found by changing them (`python -m benchmarks.mutations`): the draws of 29
and 30 November.
"""

import asyncio
import itertools
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from starlette.exceptions import HTTPException

from stend import session
from stend.base.errors import Refused
from stend.base.units import KiB, MiB
from stend.engines.replay import aio, sender
from stend.findings import look, stimulus_change
from stend.fleet import tasks
from stend.fleet.file import Fleet, Order, Study
from stend.fleet.tasks import Outcome
from stend.gate import refusals
from stend.gate.stack import Layer
from stend.host import stream
from stend.imports import fio
from stend.live.now import Now
from stend.live.server import Server
from stend.many import statistics
from stend.meters import own
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Workload
from stend.model.events import Ended, Event, Position, Result
from stend.model.record import Run
from stend.model.tally import Tally
from stend.publish import pool
from stend.runner.progress import QUICK, SLOW, USUAL, Learned
from stend.session import engine, opening
from stend.session.together import turns
from stend.trace import _places, readers
from stend.trace.form import FLUSH, READ, WRITE
from stend.trace.readers import msr
from stend.words import Language
from tests.synthetic import events


def test_a_synced_write_of_a_replay_asks_the_kernel_for_its_own_flag() -> None:
    assert aio.DSYNC == os.RWF_DSYNC


def test_a_fleet_repeats_nothing_unless_it_is_told_to() -> None:
    words = {"name": "lab", "drives": ["S1"], "studies": [{"tests": ["iops"]}]}
    assert msgspec.convert(words, Fleet).retries == 0
    for retries, right in ((0, True), (100, True), (-1, False), (101, False)):
        try:
            assert msgspec.convert(words | {"retries": retries}, Fleet).retries == retries
            assert right
        except msgspec.ValidationError:
            assert not right


@pytest.mark.parametrize("there", [False, True])
def test_a_chart_that_was_drawn_is_answered_and_no_other(tmp_path: Path, *, there: bool) -> None:
    async def drawn(_: object) -> Path:
        return tmp_path

    server: Any = SimpleNamespace(_drawn=drawn)
    request: Any = SimpleNamespace(path_params={"number": 3})
    if there:
        (tmp_path / "3.svg").write_text("<svg/>")
        answer: Any = asyncio.run(Server.picture(server, request))
        assert (Path(answer.path), answer.media_type) == (tmp_path / "3.svg", "image/svg+xml")
    else:
        with pytest.raises(HTTPException) as refused:
            asyncio.run(Server.picture(server, request))
        assert refused.value.status_code == 404


def test_a_p_value_at_its_limit_is_a_discovery() -> None:
    limit = 1 - statistics.LEVEL
    assert statistics.discoveries([limit]) == [True]
    assert statistics.discoveries([np.nextafter(limit, 1)]) == [False]


def test_a_format_is_judged_by_its_share_of_sound_lines() -> None:
    good, bad = b"128166372003061629,usr,0,Read,7014609920,24576,41286\n", b"128166372003061629,usr,0,Erase,1,2,3\n"
    assert readers.parsed_share(msr.Reader, good * 4) == 1.0
    assert readers.parsed_share(msr.Reader, good * 3 + bad) == pytest.approx(0.75)


@pytest.mark.parametrize("watts", [None, 0.0, 7.5])
def test_a_drive_is_a_meter_of_itself_if_it_reports_its_power(
    monkeypatch: pytest.MonkeyPatch, watts: float | None
) -> None:
    monkeypatch.setattr("stend.meters.own.tools.try_run", lambda *_: "")
    monkeypatch.setattr("stend.meters.own.logs.page", lambda _: b"")
    monkeypatch.setattr(own, "smart", lambda _: SimpleNamespace(watts=watts))
    assert own._reports("/dev/nvme7") is (watts is not None)


def unended() -> list[Event]:
    made = events(["iops"], rounds=5, shorten=600, interval_s=10.0)
    return [event for event in made if not isinstance(event, Ended)]


@pytest.mark.parametrize(("outcome", "cut"), [("failed", True), ("stopped", True), ("done", False), ("", True)])
def test_a_test_is_cut_off_by_a_failure_a_stop_or_a_run_that_lasts(outcome: str, *, cut: bool) -> None:
    every = [
        event for event in events(["iops"], rounds=5, shorten=600, interval_s=10.0) if not isinstance(event, Ended)
    ]
    begun = every[: len(every) // 2]
    ended = [Ended(t=1.0, outcome=outcome, reason="")] if outcome else []  # type: ignore[arg-type]
    run = Run([*begun, *ended])
    assert run.cut_off(run.plan.tests[0]) is cut


def test_a_whole_test_is_not_cut_off_by_what_ends_its_run_later() -> None:
    every = [
        event for event in events(["iops"], rounds=5, shorten=600, interval_s=10.0) if not isinstance(event, Ended)
    ]
    run = Run([*every, Ended(t=1e6, outcome="failed")])
    assert not run.cut_off(run.plan.tests[0])


@pytest.mark.parametrize(("drives", "workers", "apart"), [(3, 4, False), (4, 1, False), (4, 2, True), (4, 4, True)])
def test_few_drives_are_made_without_further_processes(
    monkeypatch: pytest.MonkeyPatch, drives: int, workers: int, *, apart: bool
) -> None:
    class Started(Exception):
        """Other processes were asked for."""

    def start(*_: object, **__: object) -> None:
        raise Started

    monkeypatch.setattr(pool, "ProcessPoolExecutor", start)
    monkeypatch.setattr(pool, "make", str)
    orders: Any = list(range(drives))
    if apart:
        with pytest.raises(Started):
            [*pool.run(orders, workers)]
    else:
        assert [*map(str, pool.run(orders, workers))] == list(map(str, orders))


def test_the_ends_of_sequential_groups_are_medians_of_their_last_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    def group(*last: float) -> list[Any]:
        rates = [500.0] * (20 - len(last)) + list(last)
        return [SimpleNamespace(counts=SimpleNamespace(bytes_per_s=rate), end_s=n) for n, rate in enumerate(rates)]

    groups = {"sequential": group(100.0, 300.0), "sequential-again": group(40.0, 80.0)}
    monkeypatch.setattr(look, "tests", lambda *_: [SimpleNamespace(name="cross-stimulus")])
    monkeypatch.setattr(look, "records", lambda _, __, phase: groups[phase])
    run: Any = None
    (finding,) = stimulus_change.find(run, {})
    assert (finding.values["before"], finding.values["after"]) == (200.0, 60.0)


def test_a_path_that_is_no_drive_is_refused_before_all_else() -> None:
    uses: Any = SimpleNamespace(kernel=None)
    assert refusals._of_drive("/dev/gone", [Layer(node="")], (), uses).key == "gate_no_drive"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "random_pct"),
    [
        ({"rw": "randread", "percentage_random": "30"}, 30),
        ({"rw": "read", "percentage_random": "30,40"}, 30),
        ({"rw": "randread"}, 100),
        ({"rw": "read"}, 0),
    ],
)
def test_the_random_share_of_a_job_of_fio_is_its_option_or_its_way(words: dict[str, str], random_pct: int) -> None:
    counts = Counts(1.0, 0.0, Tally(10, 10 * 4 * KiB), Tally())
    load, _ = fio.workload(words | {"bs": "4k"}, counts, "job", 1)
    assert load.random_pct == random_pct


def test_the_maps_of_a_trace_have_reads_and_writes_where_they_touch_it() -> None:
    """Cells of 4 KiB are touched as far as an IO goes; it starts in one cell of 16 KiB; flushes are in no map."""
    ops = np.array([READ, WRITE, FLUSH, WRITE], np.int8)
    offsets, lengths = np.array([0, 8, 0, 12]) * KiB, np.array([4, 8, 64, 0]) * KiB
    touched, counts, heat = np.zeros((2, 4), np.uint8), np.zeros((3, 4), np.int64), np.zeros((2, 2, 2), np.int64)
    at = np.array([0, 5, 6, 7], np.int64)
    _places.place(at, ops, offsets, lengths, 4 * KiB, 16 * KiB, touched, counts[:2], heat, 4, 8 * KiB)
    assert touched[:, 0].tolist() == [0b1, 0b1100]
    assert not touched[:, 1:].any()
    assert counts.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], "nothing beyond the maps"
    assert heat.tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 1]]]


def test_bytes_of_memory_kernels_are_counted_as_stream_counts_them() -> None:
    """STREAM counts the arrays that a kernel reads or writes: two of copy and scale, three of add and triad."""
    assert {name: arrays for name, (_, arrays) in stream.KERNELS.items()} == {
        "copy": 2,
        "scale": 2,
        "add": 3,
        "triad": 3,
    }


def test_a_fill_of_a_measured_kind_is_not_expected_at_twice_its_rate() -> None:
    """The range of an estimate is narrow for a kind of fill that was measured, and wide for one that was not."""
    learned, fill = Learned(), Workload(read_pct=0, random_pct=0, block_bytes=MiB)
    done = Counts(10.0, 0.0, Tally(), Tally(1000, 1000 * MiB))
    where = Position("test", "precondition", 1)
    learned.add(Result(where, 0, Hold(fill, Bytes(1000 * MiB)), 10.0, done), 10.0, None)
    measured, other = (
        [learned.bytes_per_s(load, view, 1.0) / (100 * MiB) for view in (SLOW, USUAL, QUICK)]
        for load in (fill, msgspec.structs.replace(fill, random_pct=100))
    )
    assert 0.7 < measured[0] < measured[1] == 1 < measured[2] < 1.3
    assert other[0] < 0.7 < 1.3 < other[2]


def test_a_run_that_goes_on_says_again_that_its_virtual_drive_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = session.Request(["iops"], "sim:small", quick=True, into=str(tmp_path / "run"))
    with session.start(request) as running:
        list(itertools.islice(running, 5))
    monkeypatch.setattr(engine, "slow", lambda target: f"{target} is slow")
    heard: list[str] = []
    operator = SimpleNamespace(report=heard.append, names=lambda _: None)
    with session.resume(tmp_path / "run", operator=operator):  # type: ignore[arg-type]
        pass
    assert "sim:small is slow" in heard


@pytest.mark.parametrize("processors", [1, 8])
def test_a_sender_runs_before_others_where_processors_are_left(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int, int]] = []
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    monkeypatch.setattr(os, "sched_setscheduler", lambda pid, how, at: asked.append((pid, how, at.sched_priority)))
    sender._raise_priority(cast("Any", SimpleNamespace(loads=1)))
    assert asked == [(0, os.SCHED_RR, 1)] * (processors > 1), "0 is the sender itself"


def test_a_run_of_a_fleet_with_another_study_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    monkeypatch.setattr(tasks, "HOME", tmp_path)
    monkeypatch.setattr(tasks, "DRIVES", {"S1": "sim:small"})
    monkeypatch.setattr("stend.fleet.tasks.series.ended", lambda folder: "complete")
    monkeypatch.setattr(tasks, "otherwise", lambda order: "it was another study")
    order = Order("lot", "S1-01", "S1", Study(["fresh"]), ("S1-01",))
    assert tasks._carry(order) == Outcome("S1-01", "refused", "it was another study")


def test_a_file_that_one_process_may_create_leaves_no_part_behind(tmp_path: Path) -> None:
    turns._once(tmp_path / "turn", "mine")
    with pytest.raises(FileExistsError):
        turns._once(tmp_path / "turn", "theirs")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"turn": "mine"}


def test_a_number_that_the_live_page_is_not_sent_is_nought() -> None:
    """`page/run.js` takes 0 for what is missing, and what has its default is not sent."""
    numbers = [one for one in msgspec.structs.fields(Now) if one.type in (int, float)]
    assert len(numbers) > 7
    assert {one.name: one.default for one in numbers} == dict.fromkeys([one.name for one in numbers], 0)


@pytest.mark.parametrize(
    ("name", "end"), [("curve-65", "65/35"), ("rounds-50", "50\u00a0%"), ("beside-reads-write-1", "1")]
)
def test_a_number_in_the_name_of_a_phase_is_a_mix_a_share_or_a_depth(name: str, end: str) -> None:
    assert Language("ru").phase(name).endswith(f", {end}")


def test_a_drive_in_use_is_named_with_its_use_and_without_a_way_to_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.session.opening.devices.use", lambda drive: "is mounted on /srv; unmount it")
    drive, plan = (
        cast("Any", SimpleNamespace(identity=SimpleNamespace(target="/dev/sdx"))),
        SimpleNamespace(reads_only=1),
    )
    refused = r"^/dev/sdx is mounted on /srv; to read it while it is in use, add --in-use$"
    with pytest.raises(Refused, match=refused):
        opening.opened(drive, cast("Any", plan), opening.Permission(), cast("Any", None), tmp_path)
