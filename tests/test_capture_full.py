"""A capture whose file lies on a real file system that becomes full: what it keeps, and that none of that is lost."""

import itertools
import mmap
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stend.base.errors import StepFailed
from stend.base.units import KiB, MiB
from stend.capture import running, spool
from stend.capture.running import Captured, Wish, capture
from stend.trace import form
from tests.stand import SIZE, Stand

ROOM = 150 * KiB
ENOUGH = 60_000
"""IOs, whose parts take more than that."""
PLACES = np.random.default_rng(1).integers(0, SIZE // (4 * KiB), 1 << 16).tolist()
"""Where the drive is read, in this order."""
FEW, MOST = 8, 500
"""Successive places by which their position in the order is known, and how many of the kept ones are searched for
them: a read of another process, or one that the kernel had no room for, may be among the first.
"""


def read_on(node: str, ended: threading.Event, made: list[int]) -> None:
    """Reads at random places of a drive until that is told, and appends how many reads that were."""
    room = mmap.mmap(-1, 4 * KiB)
    file = os.open(node, os.O_RDONLY | os.O_DIRECT)
    for number, place in enumerate(itertools.cycle(PLACES)):
        if ended.is_set():
            made.append(number)
            break
        os.preadv(file, [room], place * 4 * KiB)
    os.close(file)


def small(stand: Stand) -> tuple[Path, Path]:
    """Where a file system of 4 MiB is mounted, and what fills it but for `ROOM`."""
    place = stand.mount(stand.formatted(path=stand.loop(stand.file("small.bin", 4 * MiB))))
    free, ballast = os.statvfs(place), place / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - ROOM))
    return place, ballast


def begins(order: "np.ndarray[Any, Any]", kept: "np.ndarray[Any, Any]") -> int:
    """Where in the order the kept reads begin."""
    for shift in range(len(kept) - FEW):
        if len(found := np.flatnonzero((order == kept[shift : shift + FEW]).all(axis=1))) == 1:
            return int(found[0]) - shift
    raise AssertionError(f"no {FEW} reads of the first {len(kept)} follow each other as they were made: {kept[:40]}")


@pytest.mark.parametrize("strange", [[], [0], [3], [7, 9], [2, 11, 20]])
@pytest.mark.parametrize("lost", [0, 1])
def test_where_kept_reads_begin_is_found_beside_reads_of_others(strange: list[int], lost: int) -> None:
    order = np.lib.stride_tricks.sliding_window_view(np.array(PLACES), FEW)
    kept = PLACES[100:105] + PLACES[105 + lost : 200]
    for place in strange:
        kept.insert(place, SIZE)  # no place of the drive
    assert -len(strange) <= begins(order, np.array(kept)) - 100 <= lost


@pytest.mark.block
@pytest.mark.needs("trace points of the block layer", "mkfs.ext4")
@pytest.mark.parametrize("ring", [False, True])
def test_on_a_full_file_system_it_keeps_the_first_or_the_last_and_room_made_later_gives_the_trace(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, ring: bool
) -> None:
    monkeypatch.setattr(running, "PART_IOS", 1000)
    monkeypatch.setattr(running, "LOOK_S", 0.05)
    (place, ballast), node = small(stand), stand.loop()
    into, ended, seen, made = place / "captured", threading.Event(), [Captured.__new__(Captured)], list[int]()
    worker = threading.Thread(target=read_on, args=(node, ended, made))

    def told(went: Captured) -> None:
        if not went.seconds:
            worker.start()
        seen[0] = went

    wish = Wish(target=node, seconds=300, into=into, addresses=True, ring=ring)
    try:
        with pytest.raises(StepFailed, match=r"its parts are in .*--finish"):
            capture(wish, lambda: seen[0].ios > ENOUGH, told)
    finally:
        ended.set()
        worker.join()
    ballast.unlink()
    assert spool.finish(into) > 1  # how many parts fit depends on their sizes
    trace = form.opened(into)
    first, *_ = (np.asarray(batch["offset"])[:MOST] // (4 * KiB) for batch in trace.batches())
    assert seen[0].ios > ENOUGH or not ring
    assert str(seen[0].why or "") == ("" if ring else "the disk is full")
    assert trace.ios + seen[0].gone_ios == seen[0].ios
    order = np.lib.stride_tricks.sliding_window_view(np.resize(PLACES, len(PLACES) + FEW - 1), FEW)
    begin = begins(order, first)
    late = (begin - (seen[0].gone_ios if ring else 0) + len(PLACES) // 2) % len(PLACES) - len(PLACES) // 2
    # others of this host may read the drive too, and a busy host loses records that the kernel has no room for
    assert -max(seen[0].ios - made[0], 0) <= late <= seen[0].lost_records
