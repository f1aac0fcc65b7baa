"""Places of plans and of their runs' settings that no quick test watched, found by changing them."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from stend import store
from stend.base.units import GiB, MiB
from stend.many.compare.differences import Figure, quantities
from stend.many.sides import Key, outcome
from stend.model.definition import (
    Amount,
    Bytes,
    Capacities,
    Hold,
    Identity,
    Idle,
    Phase,
    PlannedTest,
    Profile,
    Purge,
    Rule,
    Seconds,
    Steady,
    Step,
    Whole,
)
from stend.planning import describe, plan, verifying
from stend.planning.sharing import shared
from stend.suite._clauses import random, sequential
from tests.imported import SAMPLES, imported
from tests.synthetic import Truth, made

DRIVE = Identity(kind="file", target="/x", path="/x", capacity_bytes=8 * GiB)


def holds(*cells: tuple[int, float]) -> list[Hold]:
    return [Hold(workload=random(read_pct, kib, 2, 16), amount=Seconds(seconds=60)) for read_pct, kib in cells]


def test_four_steps_of_two_mixes_and_two_sizes_are_shown_as_a_table() -> None:
    matrix = holds((100, 4), (100, 0.5), (0, 4), (0, 0.5))
    title, *rows = describe._matrix(matrix)
    assert title == "    2 x 2 matrix, RND T2 Q16, 1 min each, mixes outside, blocks inside"
    assert [" ".join(row.split()) for row in rows] == ["R/W 100/0 0/100", "4 KiB #1 #3", "0.5 KiB #2 #4"]
    uneven = [*matrix[:3], replace(matrix[3], amount=Seconds(seconds=30))]
    for unlike in (matrix[:3], matrix[:2], holds((100, 4), (100, 8), (0, 4), (65, 8)), uneven):
        assert describe._matrix(unlike) == []


def test_steps_that_follow_themselves_are_counted() -> None:
    first, second = holds((0, 4), (100, 4))
    steps: tuple[Step, ...] = (
        Purge(),
        first,
        first,
        second,
        first,
        Idle(seconds=90),
        Idle(seconds=90),
        first,
        first,
        first,
    )
    assert describe._folded(steps) == [
        "    purge",
        "    RND 4K 0/100 T2 Q16 for 1 min  x 2",
        "    RND 4K 100/0 T2 Q16 for 1 min",
        "    RND 4K 0/100 T2 Q16 for 1 min",
        "    rest 1 min 30 s  x 2",
        "    RND 4K 0/100 T2 Q16 for 1 min  x 3",
    ]


@pytest.mark.parametrize(
    ("until", "rounds", "said"),
    [
        ((), 1, "1 round"),
        ((), 2, "2 rounds"),
        ((Seconds(seconds=90),), 1, "until 1 min 30 s, at most 1 round"),
        ((Bytes(bytes=3 * GiB), Capacities(times=1.5)), 3,
         "until 3 GiB written or 1.5 x capacity written, at most 3 rounds"),
        ((Steady(track=(random(0, 4, 2, 16), random(65, 4, 1, 1))),), 25,
         "until steady (pts: RND 4K 0/100 T2 Q16, RND 4K 65/35 T1 Q1), at most 25 rounds"),
    ],
)  # fmt: skip
def test_the_end_of_a_phase_is_said_with_its_rules_and_its_rounds(
    until: tuple[Rule, ...], rounds: int, said: str
) -> None:
    phase = Phase(name="x", until=until, rounds=rounds)
    assert describe.until(phase) == said
    chosen = replace(phase, choose="max_point")
    assert describe._phase(chosen) == [
        f"  x: {said}" if rounds == 1 else f"  x: at most {said}",
        "    steps chosen from the results so far (max_point)",
    ]


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (Seconds(seconds=7200), "2 h"),
        (Bytes(bytes=12 * MiB), "12 MiB (1.5 x its range)"),
        (Whole(seconds=61, write_bytes=5), "all of it, about 1 min 1 s"),
        (Capacities(times=2), "2 x capacity"),
    ],
)
def test_the_amount_of_a_step_is_said_in_its_units(amount: Amount, said: str) -> None:
    load = sequential(0, 128, 1, 8, range_bytes=8 * MiB)
    assert describe._step(Hold(workload=load, amount=amount)) == f"SEQ 128K 0/100 T1 Q8 for {said}"


def planned(name: str, *phases: Phase, share: bool = True) -> PlannedTest:
    profile = Profile(name="", title="", specification="", device_class="client", write_cache="enabled", share=share)
    return PlannedTest(name=name, title="", clause="", phases=phases, profile=profile)


def fill(times: float, range_bytes: int = 8 * GiB, name: str = "precondition") -> Phase:
    load = sequential(0, 128, 2, 16, range_bytes=range_bytes)
    return Phase(name=name, round=(Hold(workload=load, amount=Bytes(bytes=int(times * range_bytes))),))


@pytest.mark.parametrize(("times", "read"), [(2, 8 * GiB), (1, 8 * GiB), (0.5, 4 * GiB)])
def test_a_verified_fill_is_read_once_as_far_as_it_was_written(times: float, read: int) -> None:
    (test,), deviations = verifying.verified([planned("t", fill(times, name="precondition-2"))], ())
    written, back = (phase.holds[0] for phase in test.phases)
    assert [phase.name for phase in test.phases] == ["precondition-2", "verify-2"]
    assert (written.amount, back.amount) == (Bytes(bytes=int(times * 8 * GiB)), Bytes(bytes=read))
    assert written.workload.label == "SEQ 1024K 0/100 T1 Q8"
    assert back.workload == replace(written.workload, read_pct=100)
    assert [note.key for note in deviations] == ["verified"]
    assert test.charts == ("media_map",)


def test_each_verified_fill_has_a_number_and_what_follows_it_has_the_same() -> None:
    tests = [planned("a", fill(1), fill(1, name="precondition-again")), planned("b", fill(1))]
    done = verifying.numbered(verifying.verified(tests, ())[0])
    numbers = [
        [hold.workload.verify.number for phase in test.phases for hold in phase.holds if hold.workload.verify]
        for test in done
    ]
    assert numbers == [[1, 1, 2, 2], [3, 3]]


def test_a_shared_fill_is_noted_with_the_bytes_and_the_time_that_it_saves() -> None:
    """Of 8 GiB in order at the 500 MB/s that are assumed of a drive that does not tell its kind (test_plan)."""
    reads = Phase(name="reads", round=(Hold(workload=random(100, 4, 1, 1), amount=Seconds(seconds=1)),))
    notes: list[Any] = []
    first, second = shared([planned("a", fill(1), reads), planned("b", fill(1), reads)], DRIVE, notes)
    assert (first.shared, second.shared, second.phases) == ({}, {"precondition": "a"}, (reads,))
    (note,) = notes
    assert (note.key, note.values["size"], note.values["other"]) == ("shares_writing", 8 * GiB, "a")
    assert note.values["time"] == pytest.approx(8 * GiB / 5e8, rel=0.01)


@pytest.mark.parametrize(("logical_bytes", "size"), [(512, 511), (512, 512), (512, 513), (4096, 4096), (4096, 4097)])
def test_a_size_is_rounded_up_to_whole_sectors(logical_bytes: int, size: int) -> None:
    whole = plan._whole(size, replace(DRIVE, logical_bytes=logical_bytes))
    assert whole % logical_bytes == 0
    assert 0 <= whole - size < logical_bytes


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("mixes", [100, 65, 0], ["100/0", "65/35", "0/100"]),
        ("blocks_kib", [], "–"),
        ("point", [2, 16], "T2/Q16"),
        ("points", [[2, 16], [1, 1]], ["T2/Q16", "T1/Q1"]),
        ("warm_point", [4, 8], "T4/Q8"),
        ("shares", {"4": 60, "64": 40.0}, "4: 60, 64: 40"),
        ("minute_s", 60.0, 60),
        ("minute_s", 0.5, 0.5),
        ("steady", "pts", "pts"),
        ("source", "", "–"),
        ("share", True, True),
        ("anything", None, "None"),
    ],
)
def test_a_setting_is_said_as_pages_name_it(key: str, value: Any, said: Any) -> None:
    told = plan._value(key, value)
    assert (told, type(told)) == (said, type(said))


# Settings of runs, and keys of figures


@pytest.mark.parametrize(
    ("service", "closed", "counted"),
    [("", True, False), (" 5000/s", False, False), (" 1/60s even", False, False), (" FLUSH/4", True, True),
     (" FUA", True, True), (" 100/s FUA", False, True), (" TRIM 128K:10", True, False)],
)  # fmt: skip
def test_a_load_at_a_rate_is_open_and_one_of_random_or_synced_ios_is_counted(
    service: str, *, closed: bool, counted: bool
) -> None:
    key = Key("t", "p", "window", 0, 0, "4K", 1, 8, 1, "both", service)
    assert (key.closed, key.counted, key._replace(random_pct=1).counted) == (closed, counted, True)
    assert key.load == f"SEQ 4K 0/100 T1 Q8{service}"


WAITS = ["p99", "p99.9", "p99.99"]


@pytest.mark.parametrize(
    ("test", "state", "random_pct", "direction", "listed"),
    [
        ("iops", "window", 100, "both", ["iops", "watts", "iops_per_watt"]),
        ("throughput", "window", 0, "both", ["throughput", "watts", "bytes_per_joule"]),
        ("iops", "window", 100, "read", []),
        ("profiles", "window", 100, "read", ["iops", "mean"]),
        ("profiles", "window", 0, "write", ["throughput", "mean"]),
        ("latency-curve", "window", 100, "read", ["mean"]),
        ("slc-cache", "phase", 0, "both", ["throughput", "cache_bytes", "watts", "bytes_per_joule"]),
        ("latency", "fresh", 100, "write", []),
        ("latency", "window", 100, "write", ["mean", "p99.9", "p99.99", "max"]),
        ("write-saturation", "fresh", 100, "both", ["iops", "watts", "iops_per_watt"]),
        ("imported", "unknown", 100, "read", ["iops", "mean", *WAITS, "max"]),
        ("imported", "unknown", 0, "read", ["throughput", "mean", *WAITS, "max"]),
        ("headroom", "window", 100, "both", ["headroom"]),
        ("replay", "window", 100, "both", ["mean", "p99", "p99.9", "max"]),
    ],
)
def test_a_full_table_has_the_quantities_that_are_results_of_the_test(
    test: str, state: str, random_pct: int, direction: str, listed: list[str]
) -> None:
    key = Key(test, "p", state, random_pct, 0, "4K", 1, 8, 1, direction)
    assert list(quantities(key)) == listed
    closed = key._replace(block="trace 3f2a closed")
    assert list(quantities(closed)) == (["iops", *listed] if test == "replay" else listed)
    assert list(quantities(closed._replace(direction="read"))) == listed or test != "replay"


@pytest.mark.parametrize(("native_bytes", "provisioned"), [(0, 1.0), (16 * GiB, 0.5), (24 * GiB, 0.33)])
def test_the_share_of_its_blocks_that_a_drive_offers_is_a_setting(native_bytes: int, provisioned: float) -> None:
    run = made("fresh", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60)
    run.plan.device.facts["native_bytes"] = native_bytes
    assert outcome("r", run, {}).settings["provisioned"] == provisioned


def test_the_host_of_a_run_is_among_its_settings(tmp_path: Path) -> None:
    host = {"cpu": "Epyc", "cpus": 64, "kernel": "6.1", "fio": "fio-3.33"}
    run = made("fresh", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60)
    own = outcome("r", run, host).settings
    assert (own["cpu"], own["kernel"], own["fio"]) == ("Epyc × 64", "6.1", ""), "fio loads no synthetic drive"
    run = store.load(imported(SAMPLES / "fio-3.33.json", tmp_path))
    kept = outcome("r", run, host).settings
    assert (kept["cpu"], kept["kernel"], kept["fio"], kept["engine"]) == ("Epyc", "6.1", "fio-3.33", "fio")


def test_what_an_imported_run_lacks_is_listed_but_for_settings_that_it_does_not_state(tmp_path: Path) -> None:
    """Those are noted by name beside their source."""
    run = store.load(imported(SAMPLES / "fio-3.33.json", tmp_path))
    notes = [note.text for note in run.notes]
    assert any(note.key == "imported.untold" for note in notes)
    assert outcome("r", run, {}).lacks == tuple(note for note in notes if note.key != "imported.untold")


def test_kinds_of_quantities_have_their_thresholds() -> None:
    key = Key("t", "p", "window", 100, 0, "4K", 1, 8, 1, "both")
    told = {name: Figure(key, name).threshold for name in ("iops", "throughput", "mean", "p50", "p99", "max")}
    assert told == {"iops": 0.03, "throughput": 0.03, "mean": 0.05, "p50": 0.05, "p99": 0.1, "max": 0.1}
