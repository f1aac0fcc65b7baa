"""Small places that no other quick test watched, found by changing them (`python -m benchmarks.mutations`)."""

import errno
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

from stend import store
from stend.base import limits
from stend.base.units import duration
from stend.charts.beside import courses
from stend.cli import _matrix
from stend.engines import _fio_json as fio
from stend.engines.replay import kernel, memory, parts
from stend.engines.verify.load import VerifyLoad
from stend.findings import look, media, slc_cache
from stend.findings.look import fall
from stend.findings.look.pieces import Line
from stend.gate import locks
from stend.host.memory import Module, advice, modules
from stend.imports import tkperf
from stend.imports.taken import Rates
from stend.live import state
from stend.many.batch import lot
from stend.meters import cmd
from stend.meters._series import SLACK_S, Series
from stend.model.counts import Counts
from stend.model.definition import Hold, Phase, Seconds
from stend.model.tally import Tally
from stend.model.traced import Traced
from stend.model.verified import BLOCK, of_blocks
from stend.model.workload import Workload
from stend.publish import page
from stend.report.story import found
from stend.session.together import arrange
from stend.store import verify
from stend.suite import _played
from stend.words import Language


def module(cpu: str, channel: str, slot: int, runs_mt_s: int = 2400) -> Module:
    return Module(f"{cpu}_{channel}{slot}", cpu, channel, 32 << 30, "DDR4", 3200, runs_mt_s, 2)


def test_the_fullest_channel_of_any_processor_explains_slow_modules() -> None:
    places = [module("0", "A", 1), module("0", "A", 2), module("0", "B", 1), module("0", "B", 2)]
    places += [module("1", channel, 1) for channel in "AB"]
    assert "Modules for 3200 MT/s run at 2400 with 2 in a channel" in list(advice(places))
    alone = [module(cpu, channel, 1) for cpu in "01" for channel in "AB"]
    assert "Modules for 3200 MT/s run at 2400, look at the board's settings" in list(advice(alone))


@pytest.mark.parametrize(
    ("target", "slug"), [("/dev/nvme0n1", "nvme0n1"), ("sim:a?b=c&d=2", "sim-a-b-c-d-2"), ("/x/..y--z..", "y-z")]
)
def test_the_folder_of_a_member_is_its_target_in_letters_and_digits(target: str, slug: str) -> None:
    asked: Any = SimpleNamespace(request=SimpleNamespace(target=target))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(arrange, "Member", lambda name, *_: name)
        assert str(arrange._member(3, asked, (), {}, ())) == f"03-{slug}"


@pytest.mark.parametrize("unfinished", [0, 2])
def test_raw_files_of_steps_that_were_cut_off_are_counted(
    unfinished: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raw").mkdir()
    for number in range(unfinished):
        (tmp_path / "raw" / f"unfinished-{number}.zst").write_bytes(b"")
    load = Workload(random_pct=100, read_pct=100, block_bytes=4096, threads=1, depth=1)
    result = SimpleNamespace(
        seed=1,
        step=Hold(workload=load, amount=Seconds(seconds=1)),
        counts=Counts(1.0, 0.0, Tally(ios=10, bytes=40960), Tally()),
    )
    folder: Any = verify.Folder.__new__(verify.Folder)
    folder.folder = tmp_path
    folder.run = SimpleNamespace(plan=SimpleNamespace(sent_by_stend=()), results=[result])
    monkeypatch.setattr(verify, "_documents", lambda path: [10])
    monkeypatch.setattr(store, "raw_name", lambda result: "raw")
    monkeypatch.setattr(fio, "total", lambda total, way: Tally(ios=total * (way == "read"), bytes=4096 * total))
    check = folder.raw()
    assert check.sound
    assert ("cut off" in check.words) is bool(unfinished)
    assert (f"; {unfinished} of steps" in check.words) is bool(unfinished)


@pytest.mark.parametrize(("periods", "gap"), [(1.4, False), (1.6, True), (2.4, True)])
def test_a_value_of_a_meter_is_late_after_one_and_a_half_periods(periods: float, *, gap: bool) -> None:
    series = Series(10.0)
    series.add(0.0, 5.0)
    series.add(10.0 * periods + SLACK_S / 2, 5.0)
    assert any(note.key == "meter_gap" for note in series.notes) is gap


def test_a_line_of_proc_locks_is_read_if_it_has_the_place_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/locks").write_text(
        "1: POSIX  ADVISORY  WRITE 11 08:01:77\n"
        "2: FLOCK  ADVISORY  WRITE 12 08:01:78 0 EOF\n"
        "3: LEASE  ACTIVE    WRITE 13\n"
        "4: LEASE  ACTIVE    WRITE 14 08:01:77 0 EOF\n"
    )
    monkeypatch.setattr(locks, "_places", lambda *_: {"08:01:77"})
    kernel: Any = SimpleNamespace(at=lambda name: tmp_path / name)
    layer: Any = None
    found = [line[0] for line in locks._entries(kernel, layer)]
    assert found == ["1:", "4:"]


@pytest.mark.parametrize("due", range(13))
def test_ios_that_are_due_are_counted_wherever_the_ring_begins(due: int) -> None:
    at = np.zeros(max(memory.TAKEN, memory.FED) + 1, np.int64)
    at[memory.TAKEN], at[memory.FED] = 11, 23
    ring = SimpleNamespace(due=np.empty(16, np.int64))
    ring.due[np.arange(11, 23) % 16] = np.arange(1, 13) * 100
    waiting = getattr(kernel.waiting, "py_func", kernel.waiting)
    assert waiting(at, ring, 100 * due + 50) == due


def test_a_lot_states_the_fewest_and_the_most_runs_of_a_drive() -> None:
    run = SimpleNamespace(settings={}, failed=None)
    drives: Any = [SimpleNamespace(name="d", runs=[run] * count) for count in (3, 1, 2)]
    notes = list(lot._notes(drives, []))
    assert [(note.key, note.values) for note in notes] == [("counts", {"least": 1, "most": 3})]


def test_the_period_of_a_meter_is_from_its_first_line_to_its_last_over_the_values_between() -> None:
    class Running:
        output: Any = SimpleNamespace(arrivals=[(10.0, 5), (11.0, 2), (12.0, 2)], wrong="")
        thread = SimpleNamespace(is_alive=lambda: True)
        name, spec = "x", SimpleNamespace(facts=lambda *_, period_s: {"period_s": period_s}, quantity="watts")
        _enough = cmd.Command._enough
        facts: Any = None

    meter: Any = Running()
    cmd.Command.begin(meter)
    assert meter.facts == {"period_s": 0.5}


@pytest.mark.parametrize(("quantity", "shown"), [("iops", "12,300\u00a0IOPS"), ("mean", "123\u00a0µs")])
def test_iops_in_an_authors_text_have_their_unit(quantity: str, shown: str) -> None:
    row: Any = SimpleNamespace(quantity=quantity, value=12_300.0 if quantity == "iops" else 123e-6)
    assert page._shown_by(Language("en"))(row).replace(" ", "\u00a0") == shown


def test_levels_of_a_sequential_write_are_numbered_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally(ios=1, bytes=300)
    record = SimpleNamespace(counts=Counts(10.0, 0.0, Tally(), tally))
    monkeypatch.setattr(look, "records", lambda *_: [record])
    values = {"state": "fresh", "size": 100, "first": 50.0, "ends": [100, 200], "rates": (50.0, 25.0, 25.0)}
    rows = list(found._fills(SimpleNamespace(), [SimpleNamespace(values=values, test="slc-cache")]))  # type: ignore[arg-type,list-item]
    assert [(row[1], row[2], row[3]) for row in rows] == [(1, 100, 50.0), (2, 100, 25.0), (3, 100, 25.0)]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(3600, "1 h"), (7200, "2 h"), (86400, "1 d"), (86400 + 7200, "1 d 2 h"), (180000, "2 d 2 h"), (8640000, "100 d")],
)
def test_whole_hours_have_no_minutes(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_a_piece_that_cannot_be_written_is_at_its_own_place() -> None:
    task = SimpleNamespace(piece_bytes=2 * BLOCK, writes=True)
    load: Any = SimpleNamespace(task=task, _check_presence=lambda: None)
    load._io = lambda blocks, place: len(blocks) == 2 and place != 40 * BLOCK + 4 * BLOCK
    (bad,) = VerifyLoad._moved(load, np.zeros(8, np.uint64), 40 * BLOCK)
    assert (bad.fault, bad.first_bytes, bad.end_bytes) == ("unwritable", 44 * BLOCK, 46 * BLOCK)


@pytest.mark.parametrize(("reached_s", "samples"), [(4.0, 2), (6.0, 0)])
def test_a_slow_start_takes_at_most_half_of_the_first_level(reached_s: float, samples: int) -> None:
    course: Any = SimpleNamespace(rates=np.array([10.0, 20.0, 100.0, 100.0]), s=np.array([1.0, 2.0, reached_s, 9.0]))
    fall: Any = SimpleNamespace(level=100.0, s=10.0)
    assert slc_cache._slow_start(course, fall) == samples


def test_the_senders_codes_are_those_of_the_kernel() -> None:
    assert (parts.EIO, parts.EAGAIN) == (errno.EIO, errno.EAGAIN)


@pytest.mark.parametrize("more", [0, 1])
def test_steps_that_a_table_cannot_tell_apart_are_no_table(more: int) -> None:
    """Four loads make a table of two depths and two blocks, but not together with one of other data."""
    loads = [
        Workload(random_pct=100, read_pct=0, block_bytes=block, threads=1, depth=depth, entropy_pct=entropy)
        for block in (4096, 8192)
        for depth in (1, 2)
        for entropy in (100, 50)[: 1 + more * (block == depth * 4096 == 4096)]
    ]
    phase = Phase(name="x", round=tuple(Hold(workload=load, amount=Seconds(seconds=1)) for load in loads))
    assert (_matrix.cells_of(phase) is None) is bool(more)


def test_the_block_of_a_trace_is_its_mean_in_whole_sectors() -> None:
    trace = Traced(
        number="0" * 64, name="x", source="blkparse", ios=3, seconds=1.0, read=Tally(ios=3, bytes=16_000),
        write=Tally(), span_bytes=1 << 20, longest_bytes=8192, depth=4.0,
    )  # fmt: skip
    assert _played.played(trace, 1.0, "wrap", 1 << 30).block_bytes == 5120


def test_the_scatter_of_a_stretch_is_that_of_means_as_long_as_the_level() -> None:
    """Every other sample is a tenth faster: means of one sample scatter, those of ten samples hardly do."""
    done = np.cumsum([0.0, *(100.0, 110.0) * 500])
    course = Line(np.arange(1001.0), done, done)
    assert fall._error(course, 0, 1000, 1.0) > 10 * fall._error(course, 0, 1000, 10.0)


def test_a_result_of_tkperf_without_options_is_of_one_thread_at_qd1() -> None:
    rates = Rates(1000.0, 4_096_000.0)
    load = tkperf._load(ElementTree.Element("test"), 100, 0, 4096, rates, "iops")
    assert (load.workload.threads, load.workload.depth) == (1, 1)


def test_scattered_losses_that_begin_at_address_0_are_no_cache() -> None:
    """A drive that loses every 13th write can lose the one at address 0 too, which depends on the order of threads."""
    gone = [of_blocks("dropped", place * BLOCK * 1000, 512) for place in range(12)]
    size = 48 << 20
    seen: Any = SimpleNamespace(whole=True, capacity_bytes=size, kept_bytes=size - 12 * 512 * BLOCK)
    assert media._shape(gone, seen, "dropped") == "scattered_dropped"
    assert media._shape([of_blocks("dropped", 0, 12 * 512)], seen, "dropped") == "cached"


def test_a_published_course_begins_with_the_run_and_lasts_as_long_as_its_test() -> None:
    facts = {"saturation": {"start": 400_000, "knee_min": 2, "end": [90_000, 110_000]}, "conditions": {"minutes": 30}}
    assert list(courses._published(facts)) == [
        {"t": 0, "value": 400_000.0}, {"t": 120, "value": 100_000.0}, {"t": 1800, "value": 100_000.0},
        {"t": 1800, "from": 90_000, "to": 110_000},
    ]  # fmt: skip


@pytest.mark.parametrize(("reason", "shown"), [("", "stopped"), ("by its user", "stopped: by its user")])
def test_the_state_of_an_ended_run_has_its_reason(tmp_path: Path, reason: str, shown: str) -> None:
    course: Any = SimpleNamespace(ended=SimpleNamespace(outcome="stopped", reason=reason))
    assert state.state(tmp_path, course) == state.State("ended", shown)


def test_the_processor_of_a_slot_may_be_named_by_its_bank() -> None:
    text = "Memory Device\n\tLocator: DIMM 0\n\tBank Locator: P1 CHANNEL B\n\tSize: 32 GB\n"
    (one,) = modules(text)
    assert (one.cpu, one.channel) == ("1", "B")
    split = "Memory Device\n\tLocator: CPU1\n\tBank Locator: CHANNEL C\n\tSize: 32 GB\n"
    (one,) = modules(split)
    assert (one.cpu, one.channel) == ("1", "C")


def test_bytes_of_an_io_may_be_none_and_a_block_has_one() -> None:
    assert msgspec.convert(0, limits.Bytes) == 0
    for value, kind in ((-1, limits.Bytes), (0, limits.Block), (limits.MOST_BLOCK + 1, limits.Block)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value, kind)
