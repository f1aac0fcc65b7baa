"""A trace on real drives: its FUA and discards are asked for as they were; a replay that was killed begins again."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from stend import store
from stend.base.units import KiB, MiB
from stend.capture import drive as drives
from stend.cli import main
from stend.trace import form
from tests.stand import Stand, ours
from tests.test_replay_engine import ROOM, engine_of, through, workload
from tests.test_resume import in_child
from tests.traces import made


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
@pytest.mark.parametrize(("flag", "flushed"), [(form.FUA, 50), (form.SYNC, 0)])
def test_a_write_captured_with_fua_is_on_the_medium_when_it_is_answered(
    stand: Stand, tmp_path: Path, flag: int, flushed: int
) -> None:
    """A loop device has no FUA of its own: the kernel flushes behind each such write, and counts it."""
    node = stand.loop(stand.file(size=ROOM))
    flags = np.where(np.arange(200) % 4 == 1, flag, 0)
    path = made(tmp_path / "t.parquet", ios=200, flags=flags, depth=np.ones(200, np.int32))
    before = drives.drive(node).counters()
    through(engine_of(path, node), workload(path, speed=0))
    seen = drives.drive(node).counters() - before
    assert (seen.reads, seen.writes, seen.flushes) == (100, 100, flushed)


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_discards_reach_a_drive_that_takes_them_and_take_their_time(stand: Stand, tmp_path: Path) -> None:
    node = stand.loop(stand.file(size=ROOM))
    op = np.array([form.WRITE, form.DISCARD, form.READ, form.DISCARD] * 50, np.uint8)
    offset = np.array([0, 4 * KiB, 8 * MiB, 8 * KiB] * 50)
    path = made(tmp_path / "t.parquet", ios=200, seconds=0.4, op=op, offset=offset)
    before = drives.drive(node).counters()
    load = through(engine_of(path, node), workload(path))
    seen = drives.drive(node).counters() - before
    assert load.pace is not None
    assert (load.pace.sent, load.pace.discard.ios, seen.discards) == (200, 100, 100)
    assert load.pace.discard.bytes == 100 * 4 * KiB
    assert sum(load.pace.discard.bins.values()) == 100
    assert load.pace.discard.max_ns > 1000
    assert not load.pace.left_out


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_a_discard_of_the_whole_drive_frees_only_what_the_trace_touches(stand: Stand, tmp_path: Path) -> None:
    node = stand.loop(stand.file(size=ROOM))
    op = np.array([form.WRITE, form.DISCARD, form.DISCARD, form.WRITE], np.uint8)
    offset = np.array([16 * MiB, 0, 1 << 40, 20 * MiB - 4 * KiB])
    length = np.array([4 * KiB, 1 << 30, 1 << 30, 4 * KiB])
    path = made(tmp_path / "t.parquet", ios=4, seconds=0.4, op=op, offset=offset, length=length)
    marked = b"kept" * MiB
    Path(node).write_bytes(marked * (ROOM // len(marked)))
    load = through(engine_of(path, node), workload(path))
    assert load.pace is not None
    assert load.pace.left_out == {"discards": 1}
    assert load.pace.discard.bytes == 4 * MiB
    whole = Path(node).read_bytes()
    assert whole[: 4 * MiB - 4 * KiB] == bytes(4 * MiB - 4 * KiB)
    assert whole[4 * MiB :] == marked * (ROOM // len(marked) - 1)


PLAYED_BEFORE = b'"type":"judged","where":{"test":"replay","phase":"condition"'
"""What is written before the trace is measured."""


def killed_amid(folder: Path, words: list[str]) -> None:
    """kill -9 once the trace is being measured."""
    child, events = in_child(["run", *words, "--into", str(folder)]), folder / "events.jsonl"
    while not (events.exists() and b'"type":"sample"' in events.read_bytes().partition(PLAYED_BEFORE)[2]):
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended by itself"
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)


@pytest.mark.fio
def test_a_replay_killed_amid_begins_again_on_resume_and_only_with_the_same_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch, folder = tmp_path / "scratch.bin", tmp_path / "run"
    scratch.write_bytes(bytes(32 * MiB))
    ours(scratch)
    trace = made(tmp_path / "t.parquet", ios=4000, seconds=2.0)
    words = ["replay", "--trace", trace, "--target", str(scratch), "--destroy-data", str(scratch)]
    killed_amid(folder, words)
    assert store.load(folder).ended is None
    again = ["resume", str(folder), "--destroy-data", str(scratch)]
    same = Path(trace).read_bytes()
    made(tmp_path / "t.parquet", ios=4000, seconds=3.0)
    assert main(again) == 2
    assert "is another trace than the one this run began with" in capsys.readouterr().err
    Path(trace).write_bytes(same)
    assert main(again) == 0
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "complete"
    (result,) = run.of("replay", "replay")
    assert result.pace is not None
    assert result.pace.sent == 4000
    assert any("interrupted" in stamp for stamp in run.stamps)
