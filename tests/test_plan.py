"""A profile, what is laid over it, and the plan drawn of it for a drive."""

from contextlib import nullcontext
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import suite
from stend.base import limits
from stend.base.errors import BadInput, NotOnDrive
from stend.base.units import GB, GiB, KiB
from stend.cli import main
from stend.model.definition import Hold, Identity, Phase, Plan
from stend.model.tally import Tally
from stend.model.workload import Stream
from stend.planning import plan
from stend.suite import _streams
from stend.suite._clauses import random
from stend.trace import form
from stend.trace.steps import Part

DRIVE = Identity(kind="file", target="/x", path="/x", capacity_bytes=8 * GiB)
OWN = 'title = "Mine"\nrounds = 7\nthreads = 3\ndepth = 5\n'


def written(folder: Path, text: str = OWN, name: str = "mine.toml") -> str:
    whole = (resources.files("stend.suite") / "profiles" / "enterprise-2.0.2.toml").read_text()
    kept = "\n".join(
        line for line in whole.splitlines() if line.split(" ")[0] not in ("title", "rounds", "threads", "depth")
    )
    (folder / name).write_text(text + kept)
    return str(folder / name)


def test_quick_does_what_it_says(tmp_path: Path) -> None:
    usual = plan.load_profile("enterprise-2.0.2")
    quick, (said,) = plan.quicken(usual)
    assert quick.quick
    assert (quick.minute_s, quick.second_s, quick.shorten, quick.rounds) == (0.2, 0.02, 60, 5)
    assert quick.range_limit_bytes == 4 * GiB
    assert said.startswith(
        "quick: a minute lasts 0.2 s, a second 0.02 s; repetitions and long durations are divided by 60"
    )
    assert said.endswith("at most 5 rounds and 4 GiB")
    few, _ = plan.adjust(usual, {"rounds": 3})
    assert plan.quicken(few)[0].rounds == 3


def test_a_profile_of_ones_own_is_known_by_the_name_of_its_file(tmp_path: Path) -> None:
    for name in ("mine.toml", "mine"):
        mine = plan.load_profile(written(tmp_path, name=name))
        assert (mine.name, mine.rounds, mine.threads, mine.depth) == ("mine", 7, 3, 5)
    with pytest.raises(BadInput, match=r"no profile 'none'; there are client-2.0.2, .*, and TOML files"):
        plan.load_profile("none")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('steady = "never"', "has no rule 'never'; there are pts, fit-90-110"),
        ("[options]\nfriends = 3", "has no option 'friends'; settings of a test belong in `\\[tests.NAME\\]`"),
        ('[interfaces.sata.tests.iops]\nsteady = "never"', "iops: there is no rule 'never'"),
    ],
)
def test_what_a_profile_cannot_mean_is_told(tmp_path: Path, line: str, said: str) -> None:
    path = Path(written(tmp_path))
    kept = [
        one for one in path.read_text().splitlines() if not line.startswith("steady") or not one.startswith("steady")
    ]
    text = "\n".join([line, *kept] if line.startswith("steady") else [*kept, line])
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        plan.load_profile(str(path))


def test_what_is_asked_last_counts_and_is_told_once_as_a_deviation() -> None:
    names, profile, told = plan.gather(["iops"], None, {"threads": 7, "depth": None, "minute_s": 60})
    assert names == ("iops",)
    assert profile.threads == 7
    assert profile.name == "enterprise-2.0.2"
    assert len(told) == 1
    assert told[0].startswith("threads: 7 instead of ")


def test_settings_of_one_test_are_its_own_and_said_with_its_name() -> None:
    usual = plan.load_profile("enterprise-2.0.2")
    changed, told = plan.adjust(usual, {"tests": {"latency": {"rounds": 3}}})
    assert told == (f"Latency: rounds: 3 instead of {usual.rounds}",)
    drawn = plan.draw(["latency", "iops"], changed, DRIVE)
    rounds = {test.name: max(phase.rounds for phase in test.phases) for test in drawn.tests}
    assert rounds["latency"] == 3
    assert rounds["iops"] == usual.rounds
    again, told = plan.adjust(changed, {"tests": {"latency": {"threads": 2}}})
    assert again.for_test("latency", suite.load("latency")).rounds == 3
    assert len(told) <= 1
    assert plan.adjust(usual, {"tests": {"slc-cache": {"rest_minutes": 7}}})[1][0].startswith(
        "SLC Cache: pause, minutes: 7 "
    )
    everywhere, _ = plan.adjust(changed, {"rounds": 9})
    assert everywhere.for_test("latency", suite.load("latency")).rounds == 9
    with pytest.raises(BadInput, match="there is no setting 'colour' to change"):
        plan.adjust(usual, {"colour": "red"})


def test_what_a_suite_sets_is_the_suite_and_what_a_study_of_ones_own_sets_is_a_deviation(tmp_path: Path) -> None:
    study = tmp_path / "mine.toml"
    study.write_text('title = "Mine"\ntests = ["iops"]\n[settings]\nrounds = 6\n')
    names, profile, told = plan.gather([str(study)], None, {})
    assert (names, profile.rounds, told) == (("iops",), 6, ("rounds: 6 instead of 25",))
    assert [plan.gather([name], None, {})[2] for name in ("review-nvme", "review-sata")] == [(), ()]


def test_how_a_profile_wants_a_drive_purged_is_told_and_a_command_that_stands_for_nothing_is_not() -> None:
    def wished(command: str) -> str:
        usual = plan.load_profile("enterprise-2.0.2")
        told = {"purge": {"command": command, "method": "crypto"}}
        return plan.purge_wish(msgspec.structs.replace(usual, options=told)).command

    assert wished("erase {node}") == "erase {node}"
    for command, why in (("erase {colour}", "has '{colour}'"), (" ", "is empty")):
        with pytest.raises(BadInput, match=rf"^command in options.purge of profile enterprise-2.0.2 {why}"):
            wished(command)


def test_a_purge_comes_before_everything_once() -> None:
    _, profile, _ = plan.gather(["iops"], "review", {})
    for name, first in (("iops", "precondition"), ("lba-profile", "precondition")):
        asked = plan.draw([name, "fresh"], profile, DRIVE)
        purged = plan.purged_first(asked)
        assert [phase.name for phase in purged.tests[0].phases[:2]] == ["purge", first]
        assert purged.tests[1:] == asked.tests[1:]
        assert plan.purged_first(purged) == purged


def test_a_test_of_as_many_steps_as_there_may_be_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    _, profile, _ = plan.gather(["iops"], None, {})
    (drawn,) = plan.draw(["iops"], profile, DRIVE).tests
    steps = sum(len(phase.round) for phase in drawn.phases)
    monkeypatch.setattr(plan, "MOST_STEPS", steps)
    plan.draw(["iops"], profile, DRIVE)
    monkeypatch.setattr(plan, "MOST_STEPS", steps - 1)
    with pytest.raises(BadInput, match=f"iops would have more than {steps - 1} different steps"):
        plan.draw(["iops"], profile, DRIVE)


def test_a_range_of_its_own_is_kept_and_a_capped_one_told() -> None:
    _, profile, told = plan.gather(["iops"], None, {}, quick=True)
    drawn = plan.draw(["iops"], profile, DRIVE, deviations=told)
    assert drawn.range_bytes == 4 * GiB
    assert "only the first 4 GiB of the range are used" in drawn.notes
    small = plan.draw(["iops"], profile, msgspec.structs.replace(DRIVE, capacity_bytes=4 * GiB))
    assert not any("only the first" in note for note in small.notes)
    holds = [step for phase in drawn.tests[0].phases for step in phase.round if isinstance(step, Hold)]
    assert {hold.workload.range_bytes for hold in holds} == {4 * GiB}


@pytest.mark.parametrize("test", ["individual-streams", "multi-wsat"])
@pytest.mark.parametrize("several", [True, False])
def test_captured_streams_are_rounded_up_to_whole_sectors(
    test: str, several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = (512, 4096) if several else (512,)
    parts = [Part(form.WRITE, size, False, Tally(ios=30, bytes=30 * size)) for size in sizes]
    monkeypatch.setattr(_streams, "cumulative", lambda _: parts)
    names, profile, _ = plan.gather([test], "review", {"tests": {test: {"source": "x.parquet", "share_pct": 100}}})
    drawn = plan.draw(names, profile, msgspec.structs.replace(DRIVE, logical_bytes=4096))
    loads = [h.workload for p in drawn.tests[0].phases if p.name.startswith("saturate") for h in p.holds]
    assert loads
    assert {size for load in loads for size, _ in load.sizes} == {4096}
    assert "block sizes that 4096-byte sectors cannot hold are rounded up" in map(str, drawn.notes)


def test_blocks_that_sectors_cannot_hold_are_left_out_or_rounded_up() -> None:
    _, profile, _ = plan.gather(["composite"], "review", {})
    coarse = msgspec.structs.replace(DRIVE, logical_bytes=4096)
    fine, rough = (plan.draw(["composite"], profile, drive) for drive in (DRIVE, coarse))
    note = "block sizes that 4096-byte sectors cannot hold are rounded up"
    assert note in rough.notes
    assert not any("block mix" in text for text in fine.notes)
    mixes = [step.workload.block_mix for test in rough.tests for p in test.phases for step in p.round
             if isinstance(step, Hold) and step.workload.block_mix]  # fmt: skip
    assert mixes
    for mix in mixes:
        assert all(size % 4096 == 0 for size, _ in mix)
        assert sum(share for _, share in mix) == 100


def test_random_streams_that_become_equal_on_large_sectors_are_one() -> None:
    sizes = [(True, 512), (True, 1024), (True, 8192), (False, 512), (False, 1024)]
    streams = tuple(Stream(share=20, random=random, read=False, block_bytes=size) for random, size in sizes)
    rough = plan._of_whole_sectors(streams, msgspec.structs.replace(DRIVE, logical_bytes=4096))
    assert [(s.label, s.share) for s in rough] == [
        ("RND 4K W", 40), ("RND 8K W", 20), ("SEQ 4K W", 20), ("SEQ 4K W", 20),
    ]  # fmt: skip
    assert plan._of_whole_sectors(streams, DRIVE) == streams


def test_times_are_those_of_the_assumed_and_of_a_slow_drive() -> None:
    _, profile, _ = plan.gather(["write-saturation"], None, {})
    drawn = plan.draw(["write-saturation"], profile, msgspec.structs.replace(DRIVE, capacity_bytes=100 * GB))
    assert drawn.expected_s < drawn.longest_s
    assert drawn.write_bytes == 0
    _, profile, _ = plan.gather(["iops"], None, {})
    filled = plan.draw(["iops"], profile, msgspec.structs.replace(DRIVE, capacity_bytes=100 * GB))
    assert filled.write_bytes == pytest.approx(200 * GB, rel=1e-6)
    assert filled.write_bytes % (128 * KiB) in range(128 * KiB)


def test_a_drive_is_expected_to_settle_in_round_seven_and_in_the_last_at_worst() -> None:
    """A purge, twice the capacity, rounds of 56 minutes; each step with its twentieth of a second."""
    _, profile, _ = plan.gather(["iops"], None, {})
    drawn = plan.draw(["iops"], profile, DRIVE)
    assert drawn.expected_s == pytest.approx(1 + 16 * GiB / 5e8 + 0.05 + 7 * 56 * 60.05)
    assert drawn.longest_s == pytest.approx(1 + 16 * GiB / 1e8 + 0.05 + 25 * 56 * 60.05)


def test_a_test_whose_blocks_no_sector_holds_cannot_be_drawn() -> None:
    _, profile, _ = plan.gather(["iops"], None, {})
    with pytest.raises(BadInput, match="none of its block sizes exists on /x"):
        plan.draw(["iops"], profile, msgspec.structs.replace(DRIVE, logical_bytes=1 << 30))


def test_what_a_profile_says_of_a_kind_of_drive_stands_but_where_the_operator_says_otherwise(tmp_path: Path) -> None:
    path = Path(written(tmp_path))
    path.write_text(path.read_text() + "\n[interfaces.sata]\ndepth = 2\n[interfaces.sata.tests.latency]\nrounds = 4\n")
    mine = plan.load_profile(str(path))
    sata = msgspec.structs.replace(DRIVE, interface="SATA")
    kept, _ = plan.adjust(mine, {"threads": 6})
    assert (kept.for_drive(sata).depth, kept.for_drive(sata).threads) == (2, 6)
    assert kept.for_drive(sata).for_test("latency", suite.load("latency")).rounds == 4
    asked, _ = plan.adjust(mine, {"depth": 9, "rounds": 8})
    assert asked.for_drive(sata).depth == 9
    assert asked.for_drive(sata).for_test("latency", suite.load("latency")).rounds == 8
    one, _ = plan.adjust(mine, {"tests": {"latency": {"rounds": 3}}})
    assert one.for_drive(sata).for_test("latency", suite.load("latency")).rounds == 3
    assert one.for_drive(sata).depth == 2


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"4": 50, "128": "many"}, "expected a number, got text"),
        ({"4": -5}, ">= 0"),
        ({}, "length >= 1"),
        ([1, 2], "has another type than the default"),
        ({"4": 1e300}, "<= 1"),
    ],
)
def test_a_setting_of_any_shape_is_held_to_the_shape_of_its_default(value: object, reason: str) -> None:
    shaped = msgspec.structs.replace(suite.load("iops"), options={"shares": {"4": 60, "64": 40}})
    with pytest.raises(BadInput, match=reason):
        plan.load_profile("review").changed({"tests": {"iops": {"shares": value}}}).for_test("iops", shaped)


def test_a_test_narrows_its_setting_and_takes_what_fits() -> None:
    shaped = msgspec.structs.replace(
        suite.load("iops"), options={"shares": {"4": 60}}, kinds={"shares": dict[str, limits.Percent]}
    )
    profile = plan.load_profile("review")
    assert profile.changed({"tests": {"iops": {"shares": {"8": 9}}}}).for_test("iops", shaped).options["shares"] == {
        "8": 9
    }
    with pytest.raises(BadInput, match="<= 100"):
        profile.changed({"tests": {"iops": {"shares": {"8": 900}}}}).for_test("iops", shaped)


@pytest.mark.parametrize(("scale", "fits"), [(1, True), (4096, True), (4097, False), (65536, False)])
def test_a_quick_run_of_a_scaled_drive_keeps_room_for_the_largest_block(scale: int, fits: bool) -> None:
    """Simulated blocks keep their size: at 1:4096 the 4 GiB of a quick run are 1 MiB, the largest block of `iops`."""
    quick = plan.quicken(plan.load_profile("review"))[0]
    drive = msgspec.structs.replace(DRIVE, capacity_bytes=15_360 * GB, facts={"scale": scale})
    if fits:
        assert quick.active_range(drive) == 4 * GiB
    else:
        with pytest.raises(BadInput, match=rf"4 GiB .*at a scale of {scale} .* of at most 4096$"):
            quick.active_range(drive)


PAIRS = msgspec.structs.replace(
    suite.load("iops"),
    options={"pairs": [[4, 100], [16, 70]]},
    phases=lambda profile, _: (
        Phase(
            name="pairs",
            round=tuple(
                Hold(workload=random(read_pct, kib, 1, 1), amount=profile.minutes(1))
                for kib, read_pct in profile.options["pairs"]
            ),
        ),
    ),
)
"""A test with a setting of a shape that no other test has."""


def paired(pairs: list[Any]) -> Plan:
    profile, _ = plan.adjust(plan.load_profile("enterprise-2.0.2"), {"tests": {"iops": {"pairs": pairs}}})
    return plan.draw(["iops"], profile, DRIVE)


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([[8]], "a list of length >= 2"),
        ([[8, 65], [8, 65, 3]], r"\[1\]: expected a list of length <= 2"),
        ([[8, 165]], r"read_pct: expected a whole number <= 100"),
        ([[0, 65]], r"block_bytes: expected a whole number >= 1"),
        ([8, 65], "expected a list, got a whole number"),
    ],
)
def test_a_setting_of_a_new_shape_that_draws_no_sound_load_is_one_sentence(
    pairs: list[Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "load", lambda _: PAIRS)
    with pytest.raises(BadInput, match=why):
        paired(pairs)


def test_a_setting_of_a_new_shape_draws_a_load_per_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "load", lambda _: PAIRS)
    (phase,) = paired([[8, 65], [32, 0], [64, 10]]).tests[0].phases
    assert [step.workload.block_bytes for step in phase.round if isinstance(step, Hold)] == [8192, 32768, 65536]


def test_more_ios_in_flight_than_any_host_has_are_refused_before_anything_is_destroyed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["run", "iops", "--target", "sim:small", "--threads", "4", "--into", str(tmp_path / "run"), "--depth"]
    assert main([*words, "65536"]) == 2
    assert "262,144 IOs outstanding, and at most 65,536 are possible" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    profile = plan.load_profile("enterprise-2.0.2")
    for depth, right in ((1 << 14, True), ((1 << 14) + 1, False)):
        deep = msgspec.structs.replace(profile, threads=4, depth=depth)
        with nullcontext() if right else pytest.raises(BadInput, match="outstanding"):
            plan.draw(["write-saturation"], deep, DRIVE)


def zoned(word: str) -> Identity:
    facts = {"zoned": word, "trim_max_bytes": GiB}
    return Identity(kind="block", target="/dev/sdz", path="/dev/sdz", capacity_bytes=8 * GiB, facts=facts)


def test_no_test_that_writes_begins_on_a_drive_that_takes_writes_in_order_only() -> None:
    """Its first step would destroy the data, and its first random write would fail."""
    profile = plan.load_profile("enterprise-2.0.2")
    writing = [name for name in suite.names() if not suite.load(name).reads]
    assert len(writing) > 15
    for name in writing:
        with pytest.raises(NotOnDrive, match="only in the order of its zones"):
            plan.draw([name], profile, zoned("host-managed"))
        plan.draw([name], profile, zoned("host-aware"))
    assert plan.draw(["inspect"], profile, zoned("host-managed")).reads_only


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--target", "sim:small"], "Writes at least 256 MiB, 2 times the capacity."),
        (["--target", "sim:small", "--active-range", "25"], "Writes at least 256 MiB, 2 times the capacity."),
        (["--target", "sim:sn150", "--quick"], "Writes at least 8 GiB."),
    ],
)
def test_a_plan_says_how_often_it_writes_the_whole_drive(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fill of PTS 7 writes twice the capacity, whatever the range; timed steps come on top."""
    assert main(["plan", "iops", *more]) == 0
    assert f"{said} Timed steps write more" in capsys.readouterr().out


def test_a_small_range_that_does_not_fit_on_the_drive_is_noted_with_both_sizes() -> None:
    def noted(capacity_bytes: int) -> list[str]:
        device = msgspec.structs.replace(DRIVE, capacity_bytes=capacity_bytes)
        drawn = plan.draw(["hot-range", "cold-warm"], plan.load_profile("review"), device)
        return [str(note) for note in drawn.notes if "small range" in str(note)]

    assert noted(100 * GiB) == []
    (hot,) = noted(60 * GiB)
    assert "15 GiB instead of 20 GiB" in hot
    assert len(noted(16 * GiB)) == 2
