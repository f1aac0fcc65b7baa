"""A trial of made drives: each is compared with itself, alone and beside all others, by both ends of its protocol."""

import contextlib
import os
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import msgspec
import pytest

from stend.base.errors import Refused, StepFailed
from stend.base.units import GB, MiB
from stend.devices.telling.shared import Part, Shared
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.stats import percentile_s
from stend.model.tally import Tally
from stend.session import series
from stend.session.request import Request
from stend.session.together import arrange, probe, skew, trial
from stend.session.together.turns import PREPARING
from tests.synthetic import made

INTERVAL_S, WINDOW_S, ROOM = 1e-3, 5e-3, 3 * MiB + 5
IOS = 1 << 14
ALONE_NS, BESIDE_NS = 100_000, 130_000


def counted(rate: float, wait_ns: int) -> Counts:
    """What a load counts in an interval: bytes as the rate says, each IO as slow as all others."""
    tally = Tally(IOS, int(IOS * rate), IOS * wait_ns, IOS * wait_ns**2, wait_ns, {bin_index(wait_ns): IOS})
    return Counts(INTERVAL_S, 0.0, tally)


class World:
    """Drives that share a host: `slowed` is the part of its rate that each has while another one is under load."""

    def __init__(self, **slowed: float) -> None:
        self.slowed, self.here = slowed, threading.local()
        self.loaded = set[str]()
        self.started = defaultdict[str, list[tuple[Workload, int, int | None]]](list)
        self.opened, self.closed, self.threads = dict[str, Any](), list[str](), list[threading.Thread]()
        self.files = list[IO[bytes]]()
        self.refused, self.failing = set[str](), set[str]()

    def find(self, target: str) -> Any:
        def opening(**how: Any) -> str:
            self.opened[target] = how
            if target in self.refused:
                raise Refused(f"{target} holds a file system")
            return target

        door = SimpleNamespace(open=opening, close=lambda: self.closed.append(f"{target} door"))
        return SimpleNamespace(door=door, identity=SimpleNamespace(capacity_bytes=ROOM))

    def engine(self, path: str, *, interval_s: float) -> Any:
        assert interval_s == INTERVAL_S

        def start(workload: Workload, *, seed: int, limit_bytes: int | None = None) -> Any:
            self.started[path].append((workload, seed, limit_bytes))
            left = [1] if limit_bytes else None
            self.loaded |= set() if left else {path}

            def following() -> Counts | None:
                if left is not None:
                    return counted(1.0, ALONE_NS) if left and left.pop() else None
                time.sleep(INTERVAL_S)
                if path in self.failing:
                    raise StepFailed(f"{path} is gone")
                beside = bool(self.loaded - {path})
                return counted(self.slowed[path] if beside else 1.0, BESIDE_NS if beside else ALONE_NS)

            return SimpleNamespace(next=following, stop=lambda: self.loaded.discard(path))

        return SimpleNamespace(start=start, close=lambda: self.closed.append(f"{path} engine"))

    def popen(self, words: list[str], *, stdin: int, stdout: int, process_group: int, pass_fds: Any) -> Any:
        """A process whose probe is a thread of this one."""
        assert words[1:] == ["-m", "stend.session.together.probe"]
        assert (stdin, stdout, process_group, tuple(pass_fds)) == (-1, -1, 0, (7,))
        (inner, ours), (theirs, outer) = os.pipe(), os.pipe()

        def serve() -> None:
            with os.fdopen(inner, "rb", 0) as lines, os.fdopen(outer, "wb", 0) as out:
                self.here.stdin = SimpleNamespace(buffer=lines, fileno=lambda: inner)
                self.here.stdout = out
                with contextlib.suppress(BrokenPipeError):
                    probe.main()

        thread = threading.Thread(target=serve)
        thread.start()
        self.threads.append(thread)
        self.files += (os.fdopen(ours, "wb"), os.fdopen(theirs, "rb"))
        return SimpleNamespace(stdin=self.files[-2], stdout=self.files[-1], wait=thread.join)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World(a=0.5, b=1.0, c=0.75)
    monkeypatch.setattr(probe, "devices", world)
    monkeypatch.setattr(probe, "FioEngine", world.engine)
    monkeypatch.setattr(probe, "sys", world.here)
    monkeypatch.setattr(subprocess, "Popen", world.popen)
    yield world
    ended_s = 60.0
    for thread in [*world.threads, *(each for each in threading.enumerate() if "(_listen)" in each.name)]:
        thread.join(ended_s)  # a probe that was given up may still fill its drive, and its listener reads on
        assert not thread.is_alive()
    for file in world.files:
        with contextlib.suppress(OSError):
            file.close()


def tried(names: str) -> trial.Trial:
    requests = [Request(["iops"], name, destroy=f"{name}!", overwrite=(name,)) for name in names]
    return trial.trial(requests, "folder", WINDOW_S, (7,))


def test_each_drive_is_compared_with_itself_alone_and_beside_all_others(world: World) -> None:
    found = tried("abc")
    assert (found.seconds, found.refused, found.failed) == (WINDOW_S, {}, {})
    assert [(change.load, change.target) for change in found.moved] == [
        (load.label, name) for load in trial.LOADS for name in "abc"
    ]
    tail = percentile_s(counted(1, BESIDE_NS).both, 99.9) / percentile_s(counted(1, ALONE_NS).both, 99.9)  # type: ignore[operator]
    for change in found.moved:
        assert change.rates == (pytest.approx(world.slowed[change.target]),) * trial.PAIRS  # from times since the boot
        assert change.tails == (pytest.approx(tail),) * trial.PAIRS
        assert change.rate == pytest.approx(change.rates[0])
        assert change.tail == change.tails[0]
    assert found.least == pytest.approx(0.5)
    assert not found.carried
    assert [change.target for change in found.of("b")] == ["b"] * 3
    assert world.loaded == set()
    for name in "abc":
        filled, *others = world.started[name]
        assert filled == (Workload(random_pct=0, read_pct=0, block_bytes=MiB, depth=8, range_bytes=3 * MiB), 1, 3 * MiB)
        held = trial.PAIRS * 2 + 1
        assert others == [(load, 1, None) for load in trial.LOADS for _ in range(held)]
        assert world.opened[name] == {
            "writes": True, "destroy": f"{name}!", "keep_off": (os.path.abspath("folder"),), "overwrite": (name,)
        }  # fmt: skip
    assert sorted(world.closed) == sorted(f"{name} {part}" for name in "abc" for part in ("door", "engine"))
    assert not any(thread.is_alive() for thread in world.threads)


def test_drives_that_are_refused_or_fail_are_named_and_the_others_are_compared(world: World) -> None:
    world.refused, world.failing = {"a"}, {"c"}
    world.slowed["d"] = 1.0
    found = tried("abcd")
    assert found.refused == {"a": "a holds a file system"}
    assert found.failed == {"c": "c is gone"}
    assert {change.target for change in found.moved} == {"b", "d"}
    assert not found.carried
    alone = tried("ab")
    assert (alone.moved, alone.carried) == ((), False)
    assert (alone.least, alone.failed) == (1.0, {})


def test_a_drive_that_says_nothing_or_ends_has_failed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "PATIENCE_S", 0.01)
    monkeypatch.setattr(probe, "_fill", lambda *_: time.sleep(0.05))
    assert tried("b").failed == {"b": "b said nothing for 0 s in the trial"}
    monkeypatch.setattr(trial, "PATIENCE_S", 60.0)
    monkeypatch.setattr(probe, "main", lambda: None)
    assert tried("b").failed == {"b": "the trial of b ended without a word"}


@pytest.mark.parametrize(("room", "span"), [(MiB - 1, 0), (MiB, MiB), (5 * MiB + 9, 5 * MiB), (1 << 40, 1024 * MiB)])
def test_a_trial_uses_whole_mebibytes_and_one_gibibyte_at_most(room: int, span: int) -> None:
    assert probe.span(room) == span


def test_a_trial_is_carried_up_to_its_limits() -> None:
    def carried(rate: float, tails: tuple[float, ...], failed: dict[str, str] | None = None) -> bool:
        return trial.Trial(1, (trial.Moved("a", "x", (rate,), tails),), {}, failed or {}).carried

    assert carried(trial.LEAST_RATE, (trial.MOST_TAIL,))
    assert carried(1.0, ())
    assert not carried(trial.LEAST_RATE - 1e-9, ())
    assert not carried(1.0, (trial.MOST_TAIL + 1e-9,))
    assert not carried(1.0, (), {"b": "gone"})


def test_how_far_apart_phases_began_is_told_of_two_runs_or_more() -> None:
    run = made("wake", interval_s=60.0)
    real = msgspec.structs.replace(run.plan.device, virtual=False)
    begun = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=real))

    def later(seconds: float) -> Any:
        return type(run)([msgspec.structs.replace(begun, at=begun.at + seconds), *run.results])

    first: dict[tuple[str, str], float] = {}
    for result in run.results:
        place = result.where.test, result.where.phase
        first.setdefault(place, begun.at + result.t - result.counts.seconds)
    measured = {place: at for place, at in first.items() if not place[1].startswith(PREPARING)}
    assert measured
    assert skew.beginnings(later(0)) == measured
    assert skew.beginnings(run) == {}, "of a virtual drive"
    assert skew.beginnings(type(run)([begun, begun, *run.results])) == {}, "of an interrupted run"
    assert skew.skews([later(0), later(7), later(3)]) == dict.fromkeys(measured, pytest.approx(7))
    assert skew.skews([later(0), run]) == {}


@pytest.mark.parametrize(
    ("own", "path", "key", "values"),
    [
        (0.0, 0.0, "shared", {}),
        (0.0, 7.88e9, "shared_rate", {"rate": 7.9}),
        (4e9, 4e9, "shared_rate", {"rate": 4.0}),
        (8e9, 4 * GB, "shared_price", {"rate": 4.0, "pct": 50}),
        (12e9, 8.04e9, "shared_price", {"rate": 8.0, "pct": 67}),
    ],
)
def test_a_shared_path_has_its_rate_and_its_price(own: float, path: float, key: str, values: dict[str, float]) -> None:
    words = arrange.shared_path(Shared(Part("PCIe port", "0000:01:00.0", path), ("a", "b"), own))
    assert (words.key, words.values) == (
        key, {"drives": ["a", "b"], "kind": "PCIe port", "name": "0000:01:00.0"} | values
    )  # fmt: skip


def test_what_is_left_of_a_series_is_what_has_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {"a-01": "complete", "b-01": "not steady", "a-02": "stopped", "b-02": None}
    monkeypatch.setattr(series, "ended", lambda folder: ends.get(folder.name))
    for name in ends:
        (tmp_path / name).mkdir()
    some = series.Series(3, (Request(["iops"], "x"), Request(["iops"], "y")))
    left = [(slot.folder.name, slot.number, slot.of, slot.begun) for slot in some.left(tmp_path)]
    assert left == [("b-02", 3, 6, False), ("a-02", 4, 6, True), ("a-03", 5, 6, False), ("b-03", 6, 6, False)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-01", "a-02", "b-01"]
