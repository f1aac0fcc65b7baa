"""The fio engine on real fio: counts, limits, streams, pauses, and letting go."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from stend.base.errors import LoadFailed
from stend.base.fio_features import clock
from stend.base.units import MiB
from stend.engines import Engine
from stend.engines._fio_load import busy_cpu_s
from stend.engines.fio import FioEngine
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.stats import bin_index
from stend.runner.resume import REPEATS
from tests.engine_rules import FILL, MIXED, RANDOM, EngineRules, finished, held
from tests.fio_logs import sparse
from tests.waits import wait_for

pytestmark = pytest.mark.fio
INTERVAL_S = 0.1


@pytest.fixture
def target(tmp_path: Path) -> str:
    return sparse(tmp_path / "target.bin", 16 * MiB)


@pytest.fixture
def engine(target: str) -> Iterator[FioEngine]:
    made = FioEngine(target, interval_s=INTERVAL_S)
    yield made
    made.close()


class TestRules(EngineRules):
    interval_s = INTERVAL_S

    @pytest.fixture
    def engine(self, target: str) -> Iterator[Engine]:
        made = FioEngine(target, interval_s=INTERVAL_S)
        yield made
        made.close()


# Counts


def fio_totals(data: bytes, direction: str) -> tuple[int, int, dict[int, int]]:
    """IOs, bytes and bins as fio's own document has them, read without our types."""
    said = msgspec.json.decode(data)["jobs"][0][direction]
    bins = {bin_index(float(ns)): ios for ns, ios in said["lat_ns"].get("bins", {}).items()}
    return said["total_ios"], said["io_bytes"], bins


@pytest.mark.parametrize("workload", [MIXED, FILL], ids=lambda w: w.label)
def test_intervals_add_up_to_fios_own_last_word(target: str, workload: Workload) -> None:
    documents: list[bytes] = []
    engine = FioEngine(target, interval_s=INTERVAL_S, raw=documents.append)
    total = held(engine.start(workload, seed=3), 5)
    assert len(documents) >= 6
    for direction in ("read", "write"):
        tally = getattr(total, direction)
        assert (tally.ios, tally.bytes, tally.bins) == fio_totals(documents[-1], direction)
    assert total.both.max_ns == max(
        msgspec.json.decode(documents[-1])["jobs"][0][d]["lat_ns"]["max"] for d in ("read", "write")
    )


def test_every_load_takes_its_times_by_one_clock(target: str) -> None:
    documents: list[bytes] = []
    engine = FioEngine(target, raw=documents.append, interval_s=INTERVAL_S)
    finished(engine.start(FILL, seed=1, limit_bytes=MiB))
    engine.close()
    asked = msgspec.json.decode(documents[-1])["global options"]  # on a slow host a load has several
    assert [f"--clocksource={word}" for word in [asked.get("clocksource")] if word] == clock()


def test_a_limited_run_counts_what_plain_fio_counts(target: str) -> None:
    asked = FILL.range_bytes * 3
    through_us = finished(FioEngine(target, interval_s=INTERVAL_S).start(FILL, seed=3, limit_bytes=asked))
    plain = ["fio", "--output-format=json+", f"--filename={target}", "--rw=write", "--bs=128k", "--direct=1"]
    plain += ["--ioengine=libaio", "--iodepth=4", "--lat_percentiles=1", "--name=a", f"--size={FILL.range_bytes}"]
    done = subprocess.run([*plain, f"--io_size={asked}"], capture_output=True, check=True)
    ios, size, bins = fio_totals(done.stdout, "write")
    assert (through_us.write.ios, through_us.write.bytes) == (ios, size)
    assert sum(through_us.write.bins.values()) == sum(bins.values())


def test_the_busy_processors_are_told(engine: FioEngine) -> None:
    before = busy_cpu_s()
    total = held(engine.start(RANDOM, seed=1), 5)
    assert 0 < total.cpu_s < busy_cpu_s() - before + 0.01  # one tick of that clock


# Pauses, and letting go


def fios(target: str) -> set[int]:
    """Process numbers of every fio that has this target in its command line."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            if target in words and (process / "comm").read_bytes().strip() == b"fio":
                found.add(int(process.name))
    return found


def gone(target: str) -> bool:
    return wait_for(lambda: not fios(target))


def test_what_is_held_sends_nothing(target: str) -> None:
    engine = FioEngine(target, interval_s=INTERVAL_S)
    engine.prepare(FILL, seed=1)
    engine.idle(0.6)
    assert fios(target)
    assert os.stat(target).st_blocks == 0
    engine.close()
    assert gone(target)
    assert os.stat(target).st_blocks == 0


def standing(target: str, but: set[int]) -> set[int]:
    """fio for this target, apart from those known, once it is there: a moment ago it was setpriv still."""
    return wait_for(lambda: fios(target) - but)


def test_a_held_load_is_used_only_for_just_what_it_was_held_for(engine: FioEngine, target: str) -> None:
    engine.prepare(RANDOM, seed=2)
    held_then = standing(target, set())
    assert held_then
    engine.prepare(RANDOM, seed=2)
    assert fios(target) == held_then
    for change in ({"seed": 3}, {"seed": 3, "from_bytes": MiB}, {"seed": 3, "limit_bytes": MiB}):
        engine.prepare(RANDOM, **change)
        now = standing(target, held_then)
        assert now
        assert fios(target) == now
        held_then = now
    load = engine.start(RANDOM, seed=3, limit_bytes=MiB)
    assert finished(load).write.bytes == MiB
    engine.close()
    assert gone(target)


def test_a_load_with_many_threads_can_be_stopped_at_once(engine: FioEngine, target: str) -> None:
    """fio 3.33 once died of signal 11 here, which a run repeats (`again.REPEATS`); nothing else may go wrong."""
    workload, deaths = msgspec.structs.replace(RANDOM, threads=16), 0
    for seed in range(1, 4):
        load = engine.start(workload, seed=seed)
        try:
            load.stop()
        except LoadFailed as error:
            if not error.died:
                raise
            deaths += 1
        engine.prepare(workload, seed=seed + 1)
    assert deaths <= REPEATS
    engine.close()
    assert gone(target)


def test_ctrl_c_does_not_reach_fio(engine: FioEngine) -> None:
    load = engine.start(RANDOM, seed=1)
    assert os.getpgid(load.process.child.pid) == load.process.child.pid != os.getpgid(0)


def test_no_thread_is_disturbed_by_the_end_of_anothers_shell(engine: FioEngine) -> None:
    load = engine.start(RANDOM, seed=1)
    blocked = [
        int(line.split()[1], 16)
        for status in Path(f"/proc/{load.process.child.pid}/task").glob("*/status")
        for line in status.read_text().splitlines()
        if line.startswith("SigBlk")
    ]
    assert len(blocked) > RANDOM.threads
    assert all(mask >> (signal.SIGCHLD - 1) & 1 for mask in blocked)
    assert signal.SIGCHLD not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


STARTER = """
import sys, time
from stend.engines.fio import FioEngine
from tests.engine_rules import FILL, RANDOM
engine = FioEngine(sys.argv[1], interval_s=0.1)
load = engine.start(RANDOM, seed=1)
engine.prepare(FILL, seed=2)
load.next()
print("runs", flush=True)
time.sleep(600)
"""


def test_kill_9_of_stend_leaves_no_fio(target: str) -> None:
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, target], stdout=subprocess.PIPE, cwd=root, env=os.environ | {"PYTHONPATH": root}
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"runs\n"
        assert len(fios(target) - {child.pid}) >= 2
        child.send_signal(signal.SIGKILL)
    assert gone(target)


def test_a_pause_between_loads_is_told(engine: FioEngine) -> None:
    first = engine.start(RANDOM, seed=1)
    engine.prepare(MIXED, seed=2)
    held(first, 6)
    second = engine.start(MIXED, seed=2)
    total = held(second, 3)
    assert second.began > first.ended
    assert isinstance(total, Counts)
