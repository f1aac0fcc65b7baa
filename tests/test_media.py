"""The media test: what it says of liars and of honest drives, and that no kill changes it."""

import os
import random
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from stend import store, suite
from stend.base.errors import BadInput, StepFailed
from stend.base.units import GB, MiB
from stend.cli import main
from stend.engines.content import Content
from stend.engines.verify import VerifyEngine
from stend.engines.verify.content import WORDS, Tag, addressed, bad_ranges, written
from stend.model.definition import Bytes, Hold, Identity, Plan
from stend.model.verified import BLOCK, MOST_RANGES, Fault, Range, Verified, folded, summed
from stend.model.workload import Verify, Workload
from stend.planning import plan as planning
from stend.planning import verifying as fills
from stend.sim import load as spec_of
from stend.sim.medium import Medium
from tests.engine_rules import finished
from tests.liar import mounted
from tests.stand import ours, zram
from tests.test_resume import killed_after
from tests.zoo import LIARS, content, healthy, ran, said, simulated

TAG = Tag(7, 1)


def blocks(first: int, count: int, tag: Tag = TAG) -> "np.ndarray[tuple[int, int], np.dtype[np.uint64]]":
    made = np.empty((count, WORDS), np.uint64)
    written(made, addressed(first, count), tag)
    return made


# Content


def test_a_block_states_its_place_and_its_words_fold_to_nothing() -> None:
    made = blocks(3 * MiB, 64)
    assert not np.bitwise_xor.reduce(made, axis=1).any()
    assert made[5, :4].tolist() == [int.from_bytes(b"STENDBLK", "little"), 3 * MiB + 5 * BLOCK, 7, 1]
    assert len({row.tobytes() for row in made}) == 64


@pytest.mark.parametrize("bits", [1, 2, 7, 300])
def test_wrong_bits_are_counted_wherever_they_are(bits: int) -> None:
    drawn = random.Random(bits)
    made, meant = blocks(0, 8), blocks(0, 8)
    for place in drawn.sample(range(BLOCK * 8), bits):
        made.view(np.uint8)[3, place // 8] ^= 1 << place % 8
    (part,) = bad_ranges(made, meant, TAG)
    assert (part.fault, part.first_bytes, part.end_bytes, part.bits) == ("flipped", 3 * BLOCK, 4 * BLOCK, bits)


def test_a_block_of_another_place_tells_how_far_it_came() -> None:
    made, meant = blocks(0, 16), blocks(0, 16)
    made[4:8] = blocks(10 * MiB, 4)
    made[6, 30] ^= np.uint64(1)
    (part,) = bad_ranges(made, meant, TAG)
    assert (part.fault, part.blocks, part.distance_bytes) == ("wrapped", 4, 10 * MiB - 4 * BLOCK)


@pytest.mark.parametrize("tag", [Tag(8, 1), Tag(7, 2)])
def test_a_block_of_another_run_or_pass_was_not_written(tag: Tag) -> None:
    made = blocks(0, 4)
    made[2] = blocks(0, 4, tag)[2]
    (part,) = bad_ranges(made, blocks(0, 4), TAG)
    assert (part.fault, part.first_bytes) == ("dropped", 2 * BLOCK)


def test_ranges_are_joined_without_losing_a_block() -> None:
    drawn = random.Random(1)
    places = sorted(drawn.sample(range(1 << 20), 5000))
    many = [Range(fault="flipped", first_bytes=p * 512, end_bytes=p * 512 + 512, blocks=1, bits=1) for p in places]
    every = folded(many)
    assert len(every) <= MOST_RANGES
    assert sum(part.blocks for part in every) == sum(part.bits for part in every) == 5000
    assert all(a.end_bytes <= b.first_bytes for a, b in pairwise(every))
    halves = summed([Verified(blocks=1, bad=folded(many[::2])), Verified(blocks=2, bad=folded(many[1::2]))])
    assert (halves.blocks, halves.count("flipped")) == (3, 5000)


def test_kinds_that_alternate_are_still_counted() -> None:
    kinds: tuple[Fault, ...] = ("flipped", "zeroed", "dropped")
    many = [Range(fault=kinds[n % 3], first_bytes=n * 512, end_bytes=n * 512 + 512, blocks=1) for n in range(3000)]
    assert sorted(part.blocks for part in folded(many)) == [1000, 1000, 1000]


# Drives


@pytest.mark.needs("root", "FUSE in the kernel")
@pytest.mark.parametrize("name", LIARS)
def test_a_liar_is_found_with_kind_and_place(name: str, tmp_path: Path) -> None:
    liar = LIARS[name]
    with mounted(tmp_path / "drive", liar.made) as path:
        past = ran(path)
    found = said(past)
    assert liar.key in found
    assert liar.values.items() <= found[liar.key].items()
    seen = content(past)
    assert seen.whole
    size = past.plan.device.capacity_bytes
    if name.startswith("has bits"):  # whether a bit that is stuck at one was meant to be one is chance
        assert seen.kept_bytes < size
    else:
        assert seen.kept_bytes == liar.kept
    assert ("real" in found) == (seen.kept_bytes == size)
    assert bool(past.losses) == (seen.kept_bytes < size)


@pytest.mark.block
@pytest.mark.needs("FUSE in the kernel", "zram in the kernel")
def test_no_healthy_drive_is_accused(tmp_path: Path) -> None:
    accused = {}
    for number, (name, made) in enumerate(healthy()):
        past = made(tmp_path / str(number))
        if list(said(past)) != ["real"] or past.losses:
            accused[name] = said(past)
    assert not accused
    assert number == 39


LIES = [
    ("wrap_bytes=50003968", "wraps", {"wrap": 50003968}, 50003968),
    ("drops_from_bytes=67108864", "ends", {"first": 67108864, "end": 128 * MiB}, 67108864),
    ("zeroes_from_bytes=67108864", "ends", {"first": 67108864, "end": 128 * MiB}, 67108864),
    ("keeps_bytes=16777216", "cached", {"first": 0, "end": 112 * MiB}, 16777216),
    ("flips_one_in=1000000000", "flips", {"bits": 1, "blocks": 1}, 128 * MiB - 512),
    ("unreadable_from_bytes=8388608&unreadable_bytes=65536", "unreadable", {"blocks": 128}, 128 * MiB - 65536),
]


@pytest.mark.parametrize(("option", "key", "values", "kept"), LIES)
def test_a_virtual_liar_is_found_as_a_real_one(option: str, key: str, values: dict[str, int], kept: int) -> None:
    past = simulated(f"sim:small?{option}")
    assert values.items() <= said(past)[key].items()
    assert content(past).kept_bytes == kept


def drawn(capacity: int, *, quick: bool) -> Plan:
    names, profile, _ = planning.gather(("media",), None, {}, quick=quick)
    device = Identity(kind="virtual", target="sim:x", path="sim:x", capacity_bytes=capacity, virtual=True)
    return planning.draw(names, profile, device)


def sampled(capacity: int, **lies: int) -> Verified:
    """A sample of a drive of this capacity, with its content alone."""
    options = "&".join(f"{name}={value}" for name, value in lies.items())
    spec = spec_of(f"ideal?{options}")
    medium = Medium(spec)
    medium.capacity_bytes = capacity
    steps = [step for phase in drawn(capacity, quick=True).tests[0].phases for step in phase.round]
    loads = [step.workload for step in steps if isinstance(step, Hold)]
    return summed([Content(medium, load, 7, 0, None).verified() for load in loads][2:])


def test_a_sample_shows_every_wrap() -> None:
    capacity, chance = 64 * GB, random.Random(11)
    for n in [
        1 << 30,
        capacity // 2,
        capacity - 512,
        *(chance.randrange(MiB // 512, capacity // 512) * 512 for _ in range(40)),
    ]:
        assert sampled(capacity, wrap_bytes=n).count("wrapped"), n
    assert not sampled(capacity).count()


def test_a_sample_is_small_and_calls_no_capacity_real() -> None:
    plan = drawn(8000 * GB, quick=True)
    assert plan.write_bytes < GB
    assert not any("only the first" in note for note in plan.notes)
    assert list(said(simulated("sim:small", quick=True))) == ["sample"]


def test_the_plan_states_every_byte_once() -> None:
    plan = drawn(1_000_204_886_016, quick=False)
    assert plan.write_bytes == 1_000_204_886_016
    assert [phase.rounds for phase in plan.tests[0].phases] == [64, 64]
    assert plan.expected_s == pytest.approx(2 * plan.write_bytes / 500e6, rel=0.01)


def test_part_of_a_drive_is_not_its_capacity() -> None:
    names, profile, _ = planning.gather(("media",), None, {"active_range_pct": 50})
    device = Identity(kind="virtual", target="sim:x", path="sim:x", capacity_bytes=128 * MiB, virtual=True)
    (test,) = planning.draw(names, profile, device).tests
    amounts = [(s.amount, p.rounds) for p in test.phases for s in p.round if isinstance(s, Hold)]
    assert all(isinstance(a, Bytes) and a.bytes * rounds == 64 * MiB for a, rounds in amounts)


# Engine


def verifying(path: Path, read_pct: int, **more: int) -> Workload:
    return Workload(
        random_pct=0,
        read_pct=read_pct,
        block_bytes=MiB,
        depth=4,
        range_bytes=path.stat().st_size,
        verify=Verify(**more),
    )


def test_a_short_target_ends_the_step(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(bytes(8 * MiB))
    load = verifying(path, 100)
    os.truncate(path, 4 * MiB)
    with pytest.raises(StepFailed, match="too small"):
        VerifyEngine(str(path)).start(load, seed=1)


def test_every_block_is_written_once_and_none_beyond_the_range(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(bytes(10 * MiB))
    load = Workload(
        random_pct=0,
        read_pct=0,
        block_bytes=MiB,
        depth=3,
        start_bytes=2 * MiB,
        range_bytes=5 * MiB + 4096,
        verify=Verify(),
    )
    engine = VerifyEngine(str(path))
    assert finished(engine.start(load, seed=7)).write.bytes == 5 * MiB + 4096
    data = np.frombuffer(path.read_bytes(), np.uint64).reshape(-1, WORDS)
    expected = blocks(2 * MiB, (5 * MiB + 4096) // BLOCK)
    assert (data[4096 : 4096 + len(expected)] == expected).all()
    assert not data[:4096].any()
    assert not data[4096 + len(expected) :].any()


def test_a_comb_touches_one_block_of_each_part(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(bytes(8 * MiB))
    load = Workload(random_pct=0, read_pct=0, block_bytes=4096, range_bytes=8 * MiB, verify=Verify(every_bytes=2 * MiB))
    counts = finished(VerifyEngine(str(path)).start(load, seed=7))
    assert counts.write.ios == 4
    data = np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, 4096)
    assert np.flatnonzero(data.any(axis=1)).tolist() == [0, 512, 1024, 1536]


# Runs


ASKED = ["media", "--seed", "7"]


@pytest.mark.fio
def test_a_kill_in_the_write_or_in_the_read_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(os.urandom(4096))
    os.truncate(path, 512 * MiB)
    ours(path)
    named = ["--target", str(path), "--destroy-data", str(path)]
    for phase in ("write", "read"):
        folder = tmp_path / phase
        first, amid = f'"type":"judged","where":{{"test":"media","phase":"{phase}","round":1}}', '"type":"sample"'
        killed_after(["run", *ASKED, *named, "--into", str(folder)], first.encode(), amid.encode())
        assert [(r.where.phase, r.where.round) for r in store.load(folder).results][-1] == (phase, 1)
        assert main(["resume", str(folder), *named[2:]]) == 0
        past = store.load(folder)
        assert past.interruptions == 1
        assert list(said(past)) == ["real"]
        assert sum(r.counts.write.bytes for r in past.of("media", "write")) == 512 * MiB
        assert sum(r.counts.read.bytes for r in past.of("media", "read")) == 512 * MiB


@pytest.mark.block
@pytest.mark.fio
@pytest.mark.needs("zram in the kernel")
def test_a_block_device_is_tested_whole(tmp_path: Path) -> None:
    with zram(64 * MiB + 4096) as node:
        folder = tmp_path / "run"
        name = Path(node).name
        assert main(["run", *ASKED, "--target", node, "--destroy-data", name, "--into", str(folder)]) == 0
        assert said(store.load(folder))["real"]["claimed"] == 64 * MiB + 4096


def test_it_is_a_test_of_the_suite() -> None:
    assert suite.load("media").summary


# Fills of ordinary tests


def filled(*names: str, changes: dict[str, object] | None = None) -> Plan:
    chosen, profile, deviations = planning.gather(names, None, {"verify": True, **(changes or {})}, quick=True)
    device = Identity(kind="virtual", target="sim:x", path="sim:x", capacity_bytes=128 * MiB, virtual=True)
    return planning.draw(chosen, profile, device, deviations=deviations)


def test_each_fill_is_read_back_once_and_has_a_number_of_its_own() -> None:
    plan = filled("iops", "lba-profile")
    steps = [(t.name, p.name, s) for t in plan.tests for p in t.phases for s in p.round if isinstance(s, Hold)]
    checked = [
        (test, phase, s.workload.read_pct, s.workload.verify.number) for test, phase, s in steps if s.workload.verify
    ]
    assert checked == [
        ("iops", "precondition", 0, 1),
        ("iops", "verify", 100, 1),
        ("lba-profile", "precondition", 0, 2),
        ("lba-profile", "verify", 100, 2),
    ]
    assert all(test.charts[-1] == "media_map" for test in plan.tests)
    assert any("--verify" in text for text in plan.deviations)


def test_tests_that_share_a_fill_share_its_read() -> None:
    plan = filled("latency", "iops", changes={"share": True})
    alone = filled("latency", "iops")
    assert sum(p.name.startswith("verify") for t in plan.tests for p in t.phases) <= sum(
        p.name.startswith("verify") for t in alone.tests for p in t.phases
    )
    for test in plan.tests:
        assert ("precondition" in test.shared) == ("verify" in test.shared)


def test_a_plan_without_a_fill_refuses_it() -> None:
    with pytest.raises(BadInput, match="leave --verify out"):
        filled("media")


def test_a_fill_twice_over_leaves_the_same_content(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(bytes(8 * MiB))
    engine = VerifyEngine(str(path))
    total = finished(engine.start(verifying(path, 0), seed=7, limit_bytes=16 * MiB))
    assert total.write.bytes == 16 * MiB
    load = engine.start(verifying(path, 100), seed=7)
    assert finished(load).read.bytes == 8 * MiB
    assert load.verified == Verified(blocks=8 * MiB // BLOCK)


@pytest.mark.parametrize(("size", "verified"), [(MiB - 4096, False), (MiB, True), (MiB + 4096, True), (9 * MiB, True)])
def test_a_fill_of_one_block_or_more_is_verified(size: int, verified: bool) -> None:
    """A verified block has 1 MiB: a smaller range has no room for one."""
    load = Workload(random_pct=0, read_pct=0, block_bytes=128 << 10, depth=32, range_bytes=size)
    for name, changes in (("precondition", {}), ("round", {}), ("precondition", {"read_pct": 100}),
                          ("precondition", {"random_pct": 100}), ("precondition", {"entropy_pct": 50})):  # fmt: skip
        found = fills._fills(name, msgspec.structs.replace(load, **changes))
        assert found is (verified and name == "precondition" and not changes)
