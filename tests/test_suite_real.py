"""Every test on real fio: a quick run of each on a file, and the rests of idle recovery at their true length."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from stend import store, suite
from stend.base.units import MiB
from stend.cli import main
from stend.model.definition import Hold, Idle, Seconds
from stend.model.events import Result, Telemetry
from stend.model.record import Run
from stend.suite import cross_stimulus, lba_profile
from tests.stand import Stand, zram

pytestmark = pytest.mark.fio

CHEAP = ("cross-stimulus", "lba-profile")
"""Together some five seconds; iops and latency run on a file in tests/test_real.py."""
TRACE = ("--trace", str(resources.files("stend.trace") / "example.parquet"))
WATTS = ("--meter", "cmd@drive,1%:sh -c 'while echo 5; do sleep 0.05; done'")
NEEDED = {"replay": TRACE, "headroom": TRACE, "power": WATTS}
"""Of the tests that ask for more than a drive."""
NOT_ON_A_FILE = ("trim",)
"""Tests that a file is refused for, as tests/test_trims.py has it."""
REST_SLACK_S, BURST_SLACK_S = 0.030, 0.050
CLOCK_S = 0.005
"""What fio's milliseconds and the difference of two clocks may come to."""


@pytest.fixture
def room(stand: Stand) -> Iterator[Path]:
    """A folder on a drive in memory: minutes of synced writes would starve the disk of the host."""
    with zram(512 * MiB) as node:
        yield stand.mount(stand.formatted(path=node))
        stand.end.close()


def ran(asked: list[str], folder: Path) -> Run:
    """The record of a run on a new file of 256 MiB."""
    into, target = folder / "run", folder / "drive.bin"
    made = ["--target", str(target), "--create", "256MiB", "--into", str(into), "--seed", "1"]
    assert main(["run", *asked, *made]) == 0
    target.unlink()
    assert (into / "report.html").exists()
    return store.load(into)


def quick(name: str, folder: Path) -> None:
    run = ran([name, "--quick", *NEEDED.get(name, ())], folder)
    assert run.ended is not None
    assert run.ended.outcome in ("complete", "not steady"), run.ended.reason
    assert any("quick" in stamp for stamp in run.stamps)
    reached = {(r.where.test, r.where.phase) for r in run.results}
    planned = {(t.name, p.name): p for t, p in run.phases()}
    assert reached <= planned.keys()
    assert all(planned[place].choose for place in planned.keys() - reached)  # one that looks again where it was slow
    holds = [(r.step, r.counts) for r in run.results if isinstance(r.step, Hold)]
    done = dict[tuple[str, str], int]()  # a single step of 0.2 s may pass without an IO on a busy host
    for result in run.results:
        if isinstance(result.step, Hold):
            place = (result.where.phase, result.step.workload.label)
            done[place] = done.get(place, 0) + result.counts.both.ios
    assert all(done.values())
    for step, counts in holds:
        assert not (step.workload.read_pct == 100 and counts.write.ios)
        assert not (step.workload.read_pct == 0 and counts.read.ios)


@pytest.mark.parametrize("name", CHEAP)
def test_a_quick_run_on_a_file_comes_to_its_end(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lba_profile, "LEAST", 6)  # positions; of sixteen the starts of fio are most
    monkeypatch.setitem(cross_stimulus.TEST.options, "hours", [2, 2, 2])
    quick(name, tmp_path)


@pytest.mark.soak
@pytest.mark.needs("zram in the kernel", "mkfs.ext4", "mount", "umount")
@pytest.mark.parametrize("name", [name for name in suite.names() if name not in CHEAP + NOT_ON_A_FILE])
def test_a_quick_run_of_each_on_a_file_comes_to_its_end(name: str, room: Path) -> None:
    quick(name, room)


def study(folder: Path, settings: str) -> str:
    """Idle recovery after a minute of saturation, three bursts for each rest."""
    path = folder / "rests.toml"
    path.write_text(
        'title = "Rests"\ntests = ["idle-recovery"]\n[settings]\nshorten = 120\n'
        f"{settings}[settings.tests.idle-recovery]\n"
        'after = "saturation"\nsaturation_minutes = 1\n'
    )
    return str(path)


def rests(run: Run) -> list[tuple[float, float]]:
    """(asked, as recorded: from the last IO before to the first after) in seconds."""
    pairs = zip(run.results, run.results[1:], strict=False)
    return [(a.step.seconds, b.gap_s) for a, b in pairs if isinstance(a.step, Idle)]


def bursts(run: Run) -> list[tuple[float, float]]:
    """(asked, as recorded) in seconds, of those with a rest after them."""
    pairs = zip(run.results, run.results[1:], strict=False)
    ends = [a for a, b in pairs if isinstance(b.step, Idle)]
    return [(a.step.amount.seconds, a.counts.seconds) for a in ends if _timed(a)]  # type: ignore[union-attr]


def _timed(result: Result) -> bool:
    return isinstance(result.step, Hold) and isinstance(result.step.amount, Seconds)


def test_a_rest_is_never_cut_short_and_nobody_asks_the_drive_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = study(tmp_path, "minute_s = 0.5\nsecond_s = 0.02\nthreads = 1\ndepth = 1\n")
    run = ran([own], tmp_path)
    told = rests(run)
    assert [round(asked / 0.02) for asked, _ in told] == [rest for rest in (5, 10, 15, 25, 50) for _ in range(3)]
    assert all(real >= asked - CLOCK_S for asked, real in told)
    assert not any(isinstance(event, Telemetry) for event in store.read(tmp_path / "run"))
    assert main(["show", str(tmp_path / "run")]) == 0
    assert "wait-10: 3 rests of 1 s, measured 1" in capsys.readouterr().out


@pytest.mark.soak
def test_rests_and_bursts_have_their_true_lengths(tmp_path: Path) -> None:
    run = ran([study(tmp_path, "")], tmp_path)
    assert {asked for asked, _ in rests(run)} == {5, 10, 15, 25, 50}
    assert [real for asked, real in rests(run) if abs(real - asked) > REST_SLACK_S] == []
    assert {asked for asked, _ in bursts(run)} == {5}
    assert [real for asked, real in bursts(run) if abs(real - asked) > BURST_SLACK_S] == []
