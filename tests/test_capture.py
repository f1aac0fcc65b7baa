"""Captures of real drives while a real program works on them, beside what the block layer counted itself."""

import ctypes
import mmap
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from stend.base.errors import BadInput, Missing
from stend.base.units import KiB, MiB
from stend.capture import drive as drives
from stend.capture import running, spool, tracefs
from stend.capture.drive import Counters
from stend.capture.running import Captured, Wish, capture
from stend.trace import form, steps
from tests.stand import Stand, sh, zram
from tests.waits import PATIENCE_S, wait_for

REAL = pytest.mark.needs("trace points of the block layer", "mkfs.ext4")


def work(folder: Path, transactions: int = 60) -> None:
    """A database at work: pages and journals, written and synced; read again without the page cache."""
    path = folder / "work.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table told (number integer primary key, words text)")
        for n in range(transactions):
            database.executemany(
                "insert into told (words) values (?)", [("x" * (97 * (n + k) % 3000),) for k in range(40)]
            )
            database.commit()
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    while os.read(file, 64 * KiB):
        pass
    os.close(file)


def quiet(node: str) -> None:
    """Write out all that is dirty, and wait until the block layer has nothing in flight."""
    os.sync()
    wait_for(lambda: (Path("/sys/block") / Path(node).name / "inflight").read_text().split() == ["0", "0"])


def captured(wish: Wish, folder: Path) -> Captured:
    """A capture that begins before a database's work and ends behind it."""
    ended = threading.Event()
    quiet(wish.target)

    def works() -> None:
        work(folder)
        quiet(wish.target)
        ended.set()

    worker = threading.Thread(target=works)

    def told(went: Captured) -> None:
        if not went.seconds:
            worker.start()

    try:
        return capture(wish, ended.is_set, told)
    finally:
        worker.join()


def once(act: Callable[[], None]) -> Callable[[Captured], None]:
    """What somebody else than the capture does as soon as it has begun."""

    def told(went: Captured) -> None:
        if not went.seconds:
            thread = threading.Thread(target=act)
            thread.start()
            thread.join()

    return told


@contextmanager
def formatted(stand: Stand, kind: str) -> Iterator[str]:
    with zram(128 * MiB) if kind == "zram" else ExitStack() as made:
        node = made if isinstance(made, str) else stand.loop(stand.file(size=128 * MiB))
        stand.formatted(path=node)
        yield node


@pytest.mark.block
@REAL
@pytest.mark.needs("zram in the kernel")
@pytest.mark.parametrize(("kind", "begins"), [("loop", "block_rq_issue"), ("zram", "block_bio_queue")])
@pytest.mark.parametrize("addresses", [False, True])
def test_what_is_captured_of_a_database_is_what_the_block_layer_counted(
    stand: Stand, kind: str, begins: str, addresses: bool
) -> None:
    with formatted(stand, kind) as node:
        place = stand.mount(node)
        into = stand.folder / "captured"
        went = captured(Wish(target=node, seconds=120, into=into, addresses=addresses), place)
        sh("umount", place)
    assert went.drive.begins == begins
    assert went.reads > 5
    assert went.writes > 100
    assert went.off <= 0.001
    assert went.at_ends < went.ios / 10
    assert went.lost == 0
    told = form.opened(into).ios if addresses else sum(step.ios for step in steps.opened(into))
    assert told == went.ios
    assert not spool.parts_of(into).exists()
    assert not instances(os.getpid())


@pytest.mark.block
@REAL
def test_every_io_is_told_with_its_place_its_time_and_its_depth(stand: Stand) -> None:
    node, into = stand.loop(), stand.folder / "captured"
    data = os.urandom(64 * KiB)

    def writes() -> None:
        file = os.open(node, os.O_RDWR)
        for n in range(20):
            os.pwrite(file, data, n * MiB)
            os.fsync(file)
        os.close(file)

    went = capture(Wish(target=node, seconds=0.3, into=into, addresses=True), lambda: False, once(writes))
    batch = next(form.opened(into).batches())
    written = batch["op"] == form.WRITE
    assert batch["offset"][written].tolist() == [n * MiB for n in range(20)]
    assert set(batch["length"][written]) == {64 * KiB}
    assert np.count_nonzero(batch["op"] == form.FLUSH) == went.counts["asked"] == 20
    assert (batch["latency_ns"] > 0).all()
    assert (batch["depth"] == 1).all()
    assert (np.diff(batch["t_ns"]) >= 0).all()
    ends = batch["t_ns"] + batch["latency_ns"]
    assert (batch["t_ns"][1:] >= ends[:-1]).all()


@pytest.mark.block
@REAL
def test_places_moved_by_a_secret_tell_no_layout_and_are_the_same_for_the_same_secret(stand: Stand) -> None:
    node = stand.loop()
    (stand.folder / "secret").write_text("a long one")

    def writes() -> None:
        file = os.open(node, os.O_RDWR)
        for n in range(4):
            os.pwrite(file, bytes(64 * KiB), n * 64 * KiB)
            os.fsync(file)
        os.close(file)

    def places(name: str, shift: str) -> list[int]:
        wish = Wish(target=node, seconds=0.2, into=stand.folder / name, addresses=True, shift=shift)
        capture(wish, lambda: False, once(writes))
        trace = form.opened(wish.into)
        assert trace.about.shifted is bool(shift)
        batch = next(trace.batches())
        return [int(n) for n in batch["offset"][batch["op"] == form.WRITE]]

    plain, one, same = (
        places("a", ""),
        places("b", str(stand.folder / "secret")),
        places("c", str(stand.folder / "secret")),
    )
    assert plain[:4] == [0, 64 * KiB, 128 * KiB, 192 * KiB]
    assert one == same != plain
    assert [n % MiB for n in one] == plain


@pytest.mark.block
@REAL
def test_a_killed_capture_leaves_its_parts_and_an_instance_that_the_next_one_removes(stand: Stand) -> None:
    node, into = stand.loop(), stand.folder / "captured"
    words = [sys.executable, "-m", "stend", "capture", node, "--output", str(into), "--for", "1h"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "capturing" in process.stderr.readline()
        assert len(instances(process.pid)) == 1
        process.send_signal(signal.SIGKILL)
    assert spool.parts_of(into).is_dir()
    with pytest.raises(BadInput, match="was cut off"):
        capture(Wish(target=node, seconds=0.1, into=into), lambda: True, lambda went: None)
    assert instances(process.pid) == []
    with pytest.raises(BadInput, match="before its first part"):
        spool.finish(into)
    assert not spool.parts_of(into).exists()


@pytest.mark.block
@REAL
def test_ctrl_c_ends_a_capture_well_and_keeps_everything(stand: Stand) -> None:
    node, into = stand.loop(), stand.folder / "captured"
    words = [sys.executable, "-m", "stend", "capture", node, "--output", str(into), "--for", "1h"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "capturing" in process.stderr.readline()
        with Path(node).open("rb") as file:
            file.read(MiB)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "0.000% off" in out
    assert sum(step.ios for step in steps.opened(into)) > 0
    assert instances(process.pid) == []


@pytest.mark.block
@REAL
def test_buffers_that_overflow_are_told_and_so_are_the_ios_that_are_missing(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_buffer_bytes", lambda root: 8 * KiB)
    monkeypatch.setattr(running, "LOOK_S", 1.0)
    node, into = stand.loop(), stand.folder / "captured"

    def reads() -> None:
        file = os.open(node, os.O_RDONLY | os.O_DIRECT)
        room = mmap.mmap(-1, 4 * KiB)
        for n in range(4000):
            os.preadv(file, [room], n * 4 * KiB)
        os.close(file)

    went = capture(Wish(target=node, seconds=1.5, into=into), lambda: False, once(reads))
    assert went.lost_records > 0
    assert went.counted.reads == 4000
    assert went.lost == 4000 - went.reads > 0
    about = steps.opened(into).about
    assert about.lost == went.lost
    assert about.lost_words is not None
    assert "found no room" in about.lost_words


def test_an_io_that_lost_its_end_alone_is_not_lost() -> None:
    drive = drives.Drive("loop0", 0, MiB, 512, "", "", "")
    went = Captured(drive, reads=224, counted=Counters(4000, 0, 0, 0), lost_records=7708)
    assert went.lost == 3776
    assert Captured(drive, reads=4000, counted=Counters(4000, 0, 0, 0), lost_records=3).lost == 0
    assert Captured(drive, reads=224, lost_records=7708, gone_ios=5).lost == 5 + 7708 // 2  # a kernel without counters


def test_who_may_not_is_told_so_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Denied:
        @staticmethod
        def syscall(*words: object) -> int:
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *a, **k: Denied)
    monkeypatch.setattr(ctypes, "get_errno", lambda: 1)
    with pytest.raises(Missing, match="root alone may"), tracefs.mounted():
        pass


def test_what_is_no_whole_disk_is_refused(tmp_path: Path) -> None:
    for target in (str(tmp_path), "/dev/null", "sim:small"):
        with pytest.raises(BadInput, match="not a block device of this host"):
            drives.drive(target)


def instances(process: int) -> list[str]:
    """Trace instances of that process: other checkouts may capture at the same time."""
    with tracefs.mounted() as root:
        return sorted(path.name for path in (root / "instances").iterdir() if path.name.startswith(f"stend-{process}-"))
