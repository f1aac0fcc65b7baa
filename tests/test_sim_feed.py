"""A schedule that virtual drives are asked: every request once, at its time, however it is read and thinned."""

import numpy as np
import pytest

from stend.sim import build, load
from stend.sim.feed import Feed, Words
from stend.sim.requests import loop

SECOND_NS = 10**9


def schedule(ios: int, seconds: float, parts: int, seed: int = 1) -> list[tuple[Words, Words, Words]]:
    """Bursts of 4 KiB reads and writes at random places, in so many batches."""
    draw = np.random.default_rng(seed)
    gaps = draw.gamma(0.3, 1, ios) * np.exp(draw.normal(0, 1, ios // 50 + 1)).repeat(50)[:ios]
    due = (np.cumsum(gaps) / gaps.sum() * seconds * SECOND_NS).astype(np.int64)
    offset, size = draw.integers(0, 16384, ios) * 4096, np.where(draw.random(ios) < 0.5, -4096, 4096)
    return list(zip(*(np.array_split(column, parts) for column in (offset, size, due)), strict=True))


def played(target: str, ios: int, seconds: float, parts: int, slots: int = 64) -> tuple[float, list[int]]:
    """How long a virtual drive was at it, and the IOs of each second."""
    drive = build(load(target))
    drive.play(iter(schedule(ios, seconds, parts)), ios, slots, timed=True)
    counts, passed = [], 0.0
    while True:
        done = drive.advance(1.0)
        counts.append(int(done.tallies[:, 0].sum()))
        passed += done.seconds
        if not done.more:
            return passed, counts


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_a_schedule_that_is_read_in_parts_is_played_once(parts: int) -> None:
    passed, counts = played("small", 3000, 6.0, parts)
    assert sum(counts) == 3000
    assert passed == pytest.approx(6.0, abs=0.05)
    assert counts == played("small", 3000, 6.0, 1)[1]


@pytest.mark.parametrize("ios", [4_000, 60_000])
def test_a_scaled_drive_is_as_long_at_a_schedule_as_that_is_and_as_busy_at_each_time(ios: int) -> None:
    scale = load("sn150").scale
    whole, counts = played("sn150", ios, 20.0, 3)
    assert scale > 100
    assert whole == pytest.approx(20.0, abs=20.0 * 2 / 16)  # to the beginning of its last group, of sixteen at least
    assert sum(counts) == pytest.approx(ios, abs=16 * scale)
    ((_, _, due),) = schedule(ios, 20.0, 1)
    asked = np.histogram(due / SECOND_NS, [0, 5, 10, 15, 20])[0]
    found = [sum(counts[n : n + 5]) for n in (0, 5, 10, 15)]
    assert found == pytest.approx(list(asked), abs=2 * 16 * scale)


@pytest.mark.parametrize("scale", [3, 8, 64])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_one_in_so_many_is_kept_in_the_time_of_all(scale: int, parts: int) -> None:
    batches = schedule(10_000, 50.0, parts)
    feed = Feed(iter(batches), 10_000, scale, 0, timed=True)
    stream = feed.read(loop(4, 4, 0))
    last = max(int(due[-1]) for _, _, due in batches)
    assert len(stream.due) == pytest.approx(10_000 / scale, abs=10_000 / scale / 16 + 1)
    assert np.all(np.diff(stream.due) >= 0)
    assert stream.due[-1] * scale <= last
    every = np.concatenate([due for _, _, due in batches])
    for part in (0.25, 0.5, 0.75):
        then = np.searchsorted(every, last * part) / 10_000
        assert np.searchsorted(stream.due, last * part / scale) / len(stream.due) == pytest.approx(then, abs=0.08)


@pytest.mark.parametrize("claimed", [0, 1, 3])
@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_requests_that_slots_claimed_ahead_have_new_times_when_the_speed_changes(claimed: int, speed: float) -> None:
    """A slot that waits for its request's time is woken, and the request is served again at its new time."""
    feed, slots = Feed(iter(schedule(100, 10.0, 2)), 100, 1, 0, timed=True), loop(4, 4, 0)
    stream = feed.read(slots)
    before, begun = stream.due.copy(), 20
    now_ns = int(before[begun - claimed]) - 1
    slots.claimed[:claimed] = np.arange(begun - claimed, begun) + 1
    stream.at[:2] = begun, len(before)
    sent = feed.sent(slots)
    assert not feed.keep_time(now_ns, 1.0, slots), "it is the speed already"
    assert feed.keep_time(now_ns, speed, slots)
    assert feed.unserved == len(before) - begun + claimed, "claimed ones are served again"
    slots.claimed[:] = 0
    assert feed.sent(slots) == sent == begun - claimed
    later = before > now_ns
    assert feed.stream.due[~later].tolist() == before[~later].tolist()
    assert feed.stream.due[later] == pytest.approx(now_ns + (before[later] - now_ns) * speed, abs=1)
