"""The whole program with real fio, on a file and on block devices: runs, crashes, Ctrl-C, resumes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import store
from stend.base.units import MiB
from stend.model.record import Run
from tests.forks import child
from tests.short import study
from tests.stand import Stand, name_of, ours
from tests.storm_end import end
from tests.storm_ways import loads
from tests.waits import PATIENCE_S, wait_for

STEND = [sys.executable, "-m", "stend"]
TWO_SIZES = 'title = "Two sizes"\ntests = ["iops"]\n[settings.tests.iops]\nblocks_kib = [128, 4]\n'
"""Every mix of the test, and of its eight sizes two: each cell is a start of fio."""
CELLS = 7 * 2


def stend(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*STEND, *arguments], capture_output=True, text=True, timeout=PATIENCE_S * 3, check=False)


def loads_of(target: str) -> list[str]:
    """fio processes that still have a target open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:  # any process can end while it is looked at
            if b"fio" in (process / "comm").read_bytes():
                found += [str(fd) for fd in (process / "fd").iterdir() if os.path.realpath(fd) == target]
        except OSError:
            continue
    return found


def wait_for_results(folder: Path, count: int) -> None:
    """Until a run has that many results (bounded)."""
    wait_for(lambda: len(Run(store.read(folder)).results) >= count)


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[str]:
    backing = tmp_path / "backing.bin"
    with backing.open("wb") as file:
        file.truncate(64 * MiB)
    with ExitStack() as end:
        yield Stand(tmp_path, end).loop(ours(backing))


@pytest.mark.fio
def test_a_new_file_is_made_measured_and_reported(tmp_path: Path) -> None:
    folder, own = tmp_path / "run", tmp_path / "two-sizes.toml"
    own.write_text(TWO_SIZES)
    asked = [str(own), "--quick", "--rounds", "1", "--round-seconds", "0.2", "--threads", "2", "--depth", "1"]
    done = stend("run", *asked, "--target", str(tmp_path / "new.bin"), "--create", "64MiB", "--into", str(folder))
    assert done.returncode == 0, done.stderr
    assert "Report:" in done.stdout
    run = store.load(folder)
    assert sum(r.counts.write.bytes for r in run.of("iops", "precondition")) == 2 * 64 * MiB
    assert len(run.of("iops", "rounds")) == CELLS
    assert all(r.counts.both.ios for r in run.of("iops", "rounds"))
    assert len({r.seed for r in run.of("iops", "rounds")}) == CELLS
    assert len(list((folder / "raw").glob("*.zst"))) >= CELLS + 1
    host = json.loads((folder / "host.json").read_text())
    assert host["fio"].startswith("fio-")


@pytest.mark.fio
@pytest.mark.block
def test_a_loop_device_is_measured_when_it_is_named_twice(loop: str, tmp_path: Path) -> None:
    own = study(tmp_path)
    assert end(child(["run", own, "--target", loop, "--into", str(tmp_path / "no")])) == 3
    assert not (tmp_path / "no").exists()
    name = name_of(loop)
    folder = Path("/dev/shm") / f"stend-{os.getpid()}-{Path(loop).name}"
    try:
        assert end(child(["run", own, "--target", loop, "--destroy-data", name, "--into", str(folder)])) == 0
        assert len(store.load(folder).of("latency", "rounds-q1")) == 4
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.fio
def test_kill_9_leaves_no_fio_and_the_run_goes_on(tmp_path: Path) -> None:
    target, folder, said = tmp_path / "new.bin", tmp_path / "run", tmp_path / "said"
    asked = ["run", study(tmp_path, minute_s=0.4), "--target", str(target), "--create", "64MiB", "--into", str(folder)]
    process = child(asked)
    wait_for_results(folder, 2)
    os.kill(process, signal.SIGKILL)
    assert end(process) == -signal.SIGKILL
    wait_for(lambda: not loads_of(str(target)))
    assert end(child(["resume", str(folder)])) == 3  # not without naming it
    assert end(child(["resume", str(folder), "--destroy-data", str(target)], said)) == 0, said.read_text()
    run = store.load(folder)
    assert [(r.where.round, r.index) for r in run.of("latency", "rounds-q1")] == [(1, i) for i in range(4)]
    assert any("interrupted" in stamp for stamp in run.stamps)
    assert "interrupted" in (folder / "report.html").read_text()


@pytest.mark.fio
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_and_lets_the_drive_go(number: signal.Signals, tmp_path: Path) -> None:
    target, folder = tmp_path / "new.bin", tmp_path / "run"
    asked = ["run", "write-saturation", "--quick", "--target", str(target), "--create", "512MiB"]
    process = child([*asked, "--into", str(folder)])
    wait_for_results(folder, 2)
    os.kill(process, number)
    assert end(process) == 130
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "stopped"
    assert loads_of(str(target)) == []


@pytest.mark.fio
@pytest.mark.block
def test_io_errors_are_a_failed_step(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(small)], check=True)
    folder, said = tmp_path / "run", tmp_path / "said"
    try:
        full = small / "full.bin"
        with full.open("wb") as file:
            file.truncate(64 * MiB)
        asked = ["write-saturation", "--quick", "--target", str(ours(full)), "--destroy-data", str(full)]
        code = end(child(["run", *asked, "--into", str(folder)], said))
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert code == 5, said.read_text()
    assert "No space left" in said.read_text()
    assert "Traceback" not in said.read_text()
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "failed"
    assert any(note.kind == "failure" for note in run.notes)
    assert (folder / "report.html").exists()


@pytest.mark.fio
def test_a_target_that_vanishes_is_a_failed_step(tmp_path: Path) -> None:
    target, folder, said = tmp_path / "new.bin", tmp_path / "run", tmp_path / "said"
    asked = ["run", "write-saturation", "--quick", "--target", str(target), "--create", "64MiB"]
    process = child([*asked, "--into", str(folder)], said)
    wait_for_results(folder, 2)
    target.unlink()
    assert end(process) == 5, said.read_text()
    assert "vanished" in said.read_text()
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "failed"


@pytest.mark.fio
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_load_that_a_signal_kills_in_mid_run_is_repeated_without_an_operator(
    number: signal.Signals, tmp_path: Path
) -> None:
    target, folder, said = tmp_path / "new.bin", tmp_path / "run", tmp_path / "said"
    asked = ["run", study(tmp_path, minute_s=0.4), "--target", str(target), "--create", "64MiB", "--into", str(folder)]
    process = child(asked, said)
    wait_for_results(folder, 2)
    until = time.monotonic() + PATIENCE_S
    while not (held := loads(str(target))) and time.monotonic() < until:
        time.sleep(0.005)
    for load in held:
        os.kill(int(load), number)
    assert end(process) == 0, said.read_text()
    run = store.load(folder)
    assert (run.repeats, run.interruptions) == (1, 0)
    assert [(r.where.round, r.index) for r in run.of("latency", "rounds-q1")] == [(1, i) for i in range(4)]
    assert any(f"signal {int(number)} ({number.name})" in n.text and "core pattern" in n.text for n in run.notes)
    assert "repeated 1x" in (folder / "report.html").read_text()
    assert len(list((folder / "raw").glob("unfinished-*"))) <= 1  # none where it died before its first words
    assert stend("verify", str(folder)).returncode == 0
