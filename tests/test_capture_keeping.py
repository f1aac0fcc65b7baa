"""What a capture keeps, by arithmetic: sizes of buffers, secret shifts, parts by number and by time, notes."""

import hashlib
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.base.units import MiB
from stend.capture import running, spool
from stend.capture.drive import Counters, Drive
from stend.capture.running import Captured, Wish
from stend.trace import form, steps
from stend.trace.form import DISCARD, FLUSH, READ, WRITE
from stend.words import text

DRIVE = Drive("sdx", 7, 64 * MiB, 512, "Disk of words", "begins", "ends")


def batch(count: int, op: int = READ, at_ns: int = 0) -> dict[str, Any]:
    """Requests of 4 KiB, one after another in time and place."""
    made = {name: np.zeros(count, kind) for name, kind in form.COLUMNS.items()}
    places = np.arange(count)
    return made | {
        "t_ns": places + at_ns, "op": np.full(count, op, np.uint8), "offset": places * 4096,
        "length": np.full(count, 4096), "latency_ns": np.full(count, 1000), "depth": np.full(count, 1, np.int32),
    }  # fmt: skip


def keeping(folder: Path, *, addresses: bool, limit_bytes: int = 1 << 62, ring: bool = False) -> running._Keeping:
    wish = Wish(target="sdx", seconds=1, into=folder / "trace", addresses=addresses)
    kept = spool.Spool(wish.into, limit_bytes, ring=ring)
    return running._Keeping(wish, kept, form.About(source="test"), lambda offset: offset + 512)


def test_a_wish_is_for_steps_of_a_second_without_limit_ring_or_shift() -> None:
    wish = Wish(target="sdx", seconds=1, into=Path("x"))
    assert (wish.addresses, wish.step_ns, wish.ring, wish.shift) == (False, 10**9, False, "")
    assert wish.limit_bytes >= 2**60


@pytest.mark.parametrize(("processors", "each"), [(1, 8), (32, 8), (33, 256 / 33), (64, 4), (256, 1), (300, 1)])
def test_buffers_take_256_mib_together_but_each_from_1_to_8_mib(processors: int, each: float, tmp_path: Path) -> None:
    for number in range(processors):
        (tmp_path / f"per_cpu/cpu{number}").mkdir(parents=True)
    assert running._buffer_bytes(tmp_path) == int(each * MiB)


@pytest.mark.parametrize("capacity", [1, MiB, 5 * MiB + 17, 1 << 40])
def test_a_secret_shifts_by_a_whole_number_of_mib_within_the_drive(capacity: int, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"words")
    shift = running._shift(str(tmp_path / "secret"), capacity)
    whole = max(capacity // MiB, 1)
    number = int.from_bytes(hashlib.blake2b(b"words", digest_size=16).digest(), "big") % whole
    places = np.array([0, 512, (whole - 1) * MiB + 4096], np.int64)
    assert shift(places).tolist() == [(int(place) + number * MiB) % (whole * MiB) for place in places]
    assert running._shift("", capacity)(places) is places


def test_a_random_shift_is_another_one_each_time_and_keeps_the_place_within_a_mib() -> None:
    shifted = {running._shift("random", 1 << 60)(4096) for _ in range(3)}
    assert len(shifted) == 3
    assert {place % MiB for place in shifted} == {4096}


@pytest.mark.parametrize("addresses", [True, False])
def test_a_part_is_written_when_it_is_full_or_thirty_seconds_old(
    addresses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [50.0]
    monkeypatch.setattr(running, "PART_IOS", 1000)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    made = keeping(tmp_path, addresses=addresses)
    total = 0
    for count, waits_s, numbers, left in (
        (999, 0, 0, 999),
        (1, 0, 1, 0),
        (10, 30, 1, 10),
        (10, 0.5, 2, 0),
        (10, 30, 2, 10),
        (1000, 0, 3, 0),
    ):
        now[0] += waits_s
        made.add(batch(count, at_ns=total))
        total += count
        assert made.ios == left, (count, waits_s)
        if addresses:
            assert made.kept.numbers == numbers, (count, waits_s)
    made.end(10**9)
    made.kept.join(form.About(source="test"))
    if addresses:
        offsets = [place for part in form.opened(made.wish.into).batches() for place in part["offset"].tolist()]
        assert len(offsets) == 2030
        assert offsets[:2] == [512, 4096 + 512], "shifted"
    else:
        assert sum(step.ios for step in steps.opened(made.wish.into)) == 2030


def test_a_capture_without_ios_has_a_trace_without_ios(tmp_path: Path) -> None:
    made = keeping(tmp_path, addresses=True)
    made.end(10**9)
    assert made.kept.numbers == 1
    made.end(10**9)
    assert made.kept.numbers == 1, "one empty part is enough"
    made.kept.join(form.About(source="test"))
    assert form.opened(made.wish.into).ios == 0


def test_ios_that_no_part_has_room_for_are_counted_as_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PART_IOS", 1000)
    made = keeping(tmp_path, addresses=True, limit_bytes=1)
    with pytest.raises(spool.Full):
        made.add(batch(3500))
    assert made.kept.gone_ios == 3500, "the part that did not fit, and those after it"


@pytest.mark.parametrize(("op", "reads", "writes"), [(READ, 3, 0), (WRITE, 0, 3), (DISCARD, 0, 3), (FLUSH, 0, 0)])
def test_a_discard_counts_as_a_write_and_a_flush_as_neither(op: int, reads: int, writes: int) -> None:
    went = Captured(DRIVE)
    for _ in range(2):
        running._count(went, batch(3, op))
    assert (went.ios, went.reads, went.writes) == (6, 2 * reads, 2 * writes)


@pytest.mark.parametrize(
    ("counts", "gone", "why", "on_drive", "keys"),
    [
        ({}, 0, None, False, []),
        ({"own": 3, "zeroes": 0, "other": 1, "unanswered": 2, "stray": 9}, 0, None, False,
         ["capture_own", "capture_other", "capture_unanswered"]),
        ({"zeroes": 1}, 2, "full", True, ["capture_gone", "capture_early", "capture_on_drive", "capture_zeroes"]),
    ],
)  # fmt: skip
def test_notes_state_why_a_capture_is_not_whole(
    counts: dict[str, int], gone: int, why: str | None, on_drive: bool, keys: list[str], tmp_path: Path
) -> None:
    kept: Any = SimpleNamespace(gone_parts=gone, gone_ios=5)
    held = list[Path]()

    def holds(path: Path) -> bool:
        held.append(path)
        return on_drive

    drive: Any = SimpleNamespace(holds=holds)
    went = Captured(drive, counts=counts, why=text(why) if why else None)
    wish = Wish(target="sdx", seconds=1, into=tmp_path / "trace")
    assert [sentence.key for sentence in running._sentences(wish, went, kept)] == keys
    assert held == [tmp_path]


@pytest.mark.parametrize(("shift", "addresses", "shifted"), [("", True, False), ("x", True, True), ("x", False, False)])
def test_a_trace_states_its_drive_and_whether_its_places_are_shifted(
    shift: str, addresses: bool, shifted: bool
) -> None:
    wish = Wish(target="sdx", seconds=1, into=Path("x"), shift=shift, addresses=addresses)
    about = running._about(wish, DRIVE, 12.5)
    assert (about.source, about.device) == ("stend capture (begins, ends)", "Disk of words")
    assert (about.capacity_bytes, about.block_bytes, about.begun_s) == (64 * MiB, 512, 12.5)
    assert about.shifted is shifted


@pytest.mark.parametrize(
    ("counted", "lost_records", "own", "at_ends", "lost", "off"),
    [
        (Counters(100, 0, 0, 0), 0, 0, 0, 5, 0.0),
        (Counters(103, 0, 0, 9), 0, 0, 0, 5, 3 / 103),
        (Counters(90, 6, 4, 0), 1, 0, 0, 5, 0.0),
        (Counters(110, 0, 0, 0), 1, 0, 0, 15, 10 / 110),
        (Counters(110, 0, 0, 0), 1, 4, 0, 11, 6 / 110),
        (Counters(110, 0, 0, 0), 1, 0, 9, 15, 1 / 110),
        (Counters(110, 0, 0, 0), 1, 0, 10, 15, 0.0),
        (Counters(95, 0, 0, 0), 3, 0, 0, 5, 5 / 95),
        (Counters(0, 0, 0, 5), 7, 0, 0, 5 + 3, 0.0),
    ],
)
def test_lost_ios_are_those_that_the_counters_have_and_the_file_has_not(
    counted: Counters, lost_records: int, own: int, at_ends: int, lost: int, off: float
) -> None:
    """A hundred IOs were captured, and five were in parts that are gone."""
    went = Captured(DRIVE, reads=60, writes=40, counted=counted, lost_records=lost_records, gone_ios=5, at_ends=at_ends)
    went.counts = {"own": own}
    assert went.lost == lost
    assert went.off == pytest.approx(off)
