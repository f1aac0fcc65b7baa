"""Virtual drives do what real ones do, and the same thing every time."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from benchmarks import data
from benchmarks.calibrate import fit

from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB, MiB
from stend.devices import find
from stend.engines.simulated import SimulatedEngine
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.sim import load, profiles
from tests.typed import File, steps

DOCS = Path(__file__).parents[1] / "docs"
WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=4, depth=8, range_bytes=128 * MiB)
FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=3, depth=4, range_bytes=128 * MiB)


def engine(target: str = "sim:small") -> SimulatedEngine:
    return SimulatedEngine(find(target).sim.drive)  # type: ignore[attr-defined]


def hold(e: SimulatedEngine, workload: Workload, seconds: int, seed: int = 1) -> Counts:
    load = e.start(workload, seed=seed)
    total = Counts()
    for _ in range(seconds):
        counts = load.next()
        assert counts is not None
        total += counts
    load.stop()
    return total


def written(e: SimulatedEngine, workload: Workload, limit_bytes: int) -> Counts:
    load, total = e.start(workload, seed=1, limit_bytes=limit_bytes), Counts()
    while (counts := load.next()) is not None:
        total += counts
    return total


def test_a_limited_load_writes_exactly_its_limit() -> None:
    total = written(engine(), FILL, 2 * 128 * MiB)
    assert total.write.bytes == 2 * 128 * MiB
    assert sum(total.write.bins.values()) == total.write.ios == 2 * 1024


def test_random_writes_slow_down_as_the_drive_fills() -> None:
    e = engine()
    fresh = hold(e, WRITES, 1).iops
    hold(e, WRITES, 20)
    assert hold(e, WRITES, 5).iops < 0.7 * fresh


def test_the_same_seed_does_the_same_and_another_does_not() -> None:
    assert hold(engine(), WRITES, 3) == hold(engine(), WRITES, 3)
    assert hold(engine(), WRITES, 3) != hold(engine(), WRITES, 3, seed=2)


@pytest.mark.slow
def test_another_process_does_the_same() -> None:
    code = "from tests.test_sim import *; print(hold(engine(), WRITES, 3).write)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    own = hold(engine(), WRITES, 3).write
    assert own.bins
    assert told == f"{own}\n"


def test_the_ideal_drive_serves_what_its_times_say() -> None:
    reads = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, range_bytes=MiB)
    counts = hold(engine("sim:ideal"), reads, 1)
    link_us = 4 * KiB / 2000
    assert counts.read.mean_s == pytest.approx((5 + 50 + link_us) * 1e-6, rel=0.001)


@pytest.mark.parametrize("target", ["sim:small", "sim:ideal", "sim:sas15k", "sim:x25e-raid"])
def test_a_stopped_load_waits_for_what_is_outstanding_and_counts_it(target: str) -> None:
    e = engine(target)
    writes = Workload(random_pct=100, read_pct=0, block_bytes=64 * KiB, threads=2, depth=16, range_bytes=128 * MiB)
    load = e.start(writes, seed=1)
    load.next()
    told_until = load.ended
    tail = load.stop()
    assert tail is not None
    assert tail.write.ios == writes.outstanding
    assert load.ended == e.now() == pytest.approx(told_until + tail.seconds)
    assert tail.seconds <= tail.both.max_s + 1e-9
    assert load.stop() is None


@pytest.mark.parametrize("target", ["sim:small", "sim:sn150", "sim:x25e"])
def test_a_short_hold_after_a_slow_one_is_like_a_long_one(target: str) -> None:
    e = engine(target)
    big = Workload(random_pct=100, read_pct=0, block_bytes=1024 * KiB, threads=8, depth=32, range_bytes=128 * MiB)
    reads = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, range_bytes=128 * MiB)
    written(e, FILL, 128 * MiB)
    hold(e, big, 4)
    load = e.start(reads, seed=2)
    short = load.advance(5)
    long = load.advance(60)
    load.stop()
    assert short.iops == pytest.approx(long.iops, rel=0.1)


def test_no_disk_lets_a_request_starve() -> None:
    e = engine("sim:st600mx0052")
    mixed = Workload(random_pct=100, read_pct=50, block_bytes=4 * KiB, threads=4, depth=16, range_bytes=1024 * MiB)
    assert hold(e, mixed, 120).both.max_s < 3


def test_a_warm_drive_is_hotter_and_cools_down_again() -> None:
    e = engine()
    cold = e.drive.health()["temperature_c"]
    hold(e, WRITES, 120)
    warm = e.drive.health()["temperature_c"]
    e.idle(600)
    assert cold + 5 < warm
    assert e.drive.health()["temperature_c"] == pytest.approx(cold, abs=0.5)


def test_a_described_drive_needs_no_place_in_the_package(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "x"\nmodel = "x"\ninterface = "x"\nkind = "ideal"\ncapacity_bytes = 67108864\n'
        "[host]\nread_mb_s = 100\nwrite_mb_s = 100\nread_command_us = 1\nwrite_command_us = 1\n"
        "read_answer_us = 100\nwrite_answer_us = 100\n"
    )
    assert find(f"sim:{path}").identity.capacity_bytes == 64 * MiB
    path.write_text("title = ")
    with pytest.raises(BadInput, match=r"mine\.toml"):
        find(f"sim:{path}")
    with pytest.raises(BadInput, match=r"none\.toml cannot be read"):
        find(f"sim:{tmp_path}/none.toml")


def test_the_documented_drive_can_be_built(tmp_path: Path) -> None:
    page = steps(DOCS / "how-to/virtual-drives.md")
    (listing,) = [step.text for step in page if isinstance(step, File) and step.name == "mine.toml"]
    (tmp_path / "mine.toml").write_text(listing)
    e = engine(f"sim:{tmp_path}/mine.toml")
    assert hold(e, msgspec.structs.replace(WRITES, threads=4, depth=8), 10).iops > 1000


def parameters(told: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in told.items():
        yield from parameters(value, f"{before}{name}.") if isinstance(value, dict) else [before + name]


@pytest.mark.parametrize("name", profiles())
def test_every_parameter_of_a_profile_says_where_it_comes_from(name: str) -> None:
    told = tomllib.loads((resources.files("stend.sim") / "profiles" / f"{name}.toml").read_text())
    parts: dict[str, Any] = {
        part: told[part] for part in ("flash", "disk", "array", "ideal", "host", "power", "thermal") if part in told
    }
    known = {place for places in told["sources"].values() for place in places}
    there = {"capacity_bytes", *({"protected"} & told.keys()), *parameters(parts)}
    assert {p for p in there if p not in known and p.partition(".")[0] not in known} == set()
    assert known <= there | set(parts)


def test_fitting_brings_a_drive_nearer_and_leaves_what_has_a_source() -> None:
    wrong = fit.changed(load("st1800mm0088"), "disk.outer_mb_s", 1.08)
    places = fit.free(wrong)
    assert set(places) == {"disk.outer_mb_s", "disk.inner_mb_s"}
    fitted, misfit = fit.fitted(wrong, places)
    assert misfit == fit.misfit(fitted) < fit.misfit(wrong) / 2
    assert fitted.disk
    assert wrong.disk
    assert msgspec.structs.replace(fitted, disk=wrong.disk) == wrong
    assert fitted.disk.spindle_rpm == wrong.disk.spindle_rpm


def test_sizes_and_tables_are_never_fitted() -> None:
    places = fit.free(load("saber1000"))
    assert "flash.move_us" in places
    assert not {"flash.gather_bytes", "flash.tail.stall_ms", "flash.dies", "host.queue"} & set(places)


@pytest.mark.soak
def test_the_documented_accuracy_is_what_the_command_prints() -> None:
    rows = [row for name in fit.drives() for row in fit.measured(load(name))]
    printed = data.tables(fit.table(rows), ["cells", "drives"])
    assert printed == {name: data.read(name) for name in printed}


def test_a_drive_told_to_die_fails_the_step() -> None:
    e = engine("sim:small?dies_at_s=2.5")
    with pytest.raises(StepFailed, match="does not answer"):
        hold(e, WRITES, 5)
    assert e.now() == 2


def test_an_unknown_drive_or_option_is_named() -> None:
    with pytest.raises(BadInput, match="small"):
        find("sim:nothing")
    with pytest.raises(BadInput, match="dies_at_s"):
        find("sim:small?colour=red")


def test_help_does_not_load_the_compiler() -> None:
    code = "import sys, stend.devices as d; d.find('sim:small').identity; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
