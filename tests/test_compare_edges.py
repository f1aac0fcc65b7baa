"""Where a comparison turns: at the edge of an interval, of a warmth, of what two sides have alike."""

import shutil
from math import log
from pathlib import Path

import msgspec
import pytest

from stend.base.errors import BadInput, LeftOut
from stend.base.units import GB, GiB
from stend.many import read, statistics
from stend.many.batch.lot import quantities_of
from stend.many.compare import Side, compared, side
from stend.many.compare.differences import _matched, difference, verdict_of
from stend.many.compare.groups import alone
from stend.many.compare.rules import chosen, judge, parse
from stend.many.settings import Reason
from stend.many.sides import Key, Played
from stend.many.sides import outcome as reduced
from stend.model.definition import Workload
from stend.report.parts.ranked import name, unproven
from stend.report.parts.versus import summary
from stend.words import Language
from tests.imported import SAMPLES, imported
from tests.sides import folder, load, of_rates, outcome, row
from tests.synthetic import Truth, made

EN = Language("en")


@pytest.mark.parametrize(
    ("middle", "low", "high", "verdict"),
    [
        (-0.2, -0.4, 0.0, "undecided"),
        (-0.2, -0.4, -1e-9, "worse"),
        (0.2, 0.0, 0.4, "undecided"),
        (0.2, 1e-9, 0.4, "better"),
        (0.1, 0.05, 0.15, "undecided"),
        (0.0, -0.1, 0.05, "undecided"),
        (0.0, -0.09, 0.09, "same"),
    ],
)
def test_an_interval_that_touches_nothing_or_the_limit_decides_nothing(
    middle: float, low: float, high: float, verdict: str
) -> None:
    assert verdict_of(middle, low, high, 0.1, more_is_better=True) == verdict


@pytest.mark.parametrize(("change", "why"), [({"entropy_pct": 50}, "entropy"), ({"range_bytes": 240 * GB}, "part")])
def test_other_data_and_another_part_of_the_drive_are_not_comparable(change: dict[str, int], why: str) -> None:
    work = msgspec.structs.replace(load(), range_bytes=480 * GB)
    other = msgspec.structs.replace(work, **change)

    def sided(name: str, work: Workload) -> Side:
        return side(name, [outcome(f"{name}{i}", [row(work, 1000 + i)], i) for i in range(2)])

    a, b = sided("a", work), sided("b", other)
    (one,) = (one for one in compared(a, b).differences if one.quantity == "iops")
    assert one.verdict == "not comparable"
    assert one.why == (Reason(why, {"a": 1.0, "b": 0.5}),)


@pytest.mark.parametrize(("warm_c", "told"), [(34.9, []), (35.0, ["temperature"]), (None, [])])
def test_a_temperature_is_told_from_five_degrees_on(warm_c: float | None, told: list[str]) -> None:
    a, b = (of_rates(name, 1000, 1010, settings={"temperature": t}) for name, t in (("a", 30.0), ("b", warm_c)))
    assert [one.name for one in compared(a, b).settings] == told


def test_a_run_is_reduced_with_the_words_of_its_host() -> None:
    host = {"kernel": "6.1", "cpu": "E5", "cpus": 4, "fio": "fio-3.33"}
    run = made("iops", truth=Truth(), interval_s=20.0, shorten=60, rounds=5)
    told = reduced("a", run, host)
    settings = told.settings
    assert (settings["kernel"], settings["cpu"], settings["fio"]) == ("6.1", "E5 × 4", ""), "fio had no part in it"
    real = msgspec.structs.replace(run.plan.device, virtual=False)
    run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=real))
    assert reduced("a", run, host).settings["fio"] == "fio-3.33"
    sizes = {(key.block, row.workload.block_bytes) for key, row in told.rows.items()}
    assert sizes >= {("4K", 4096), ("1024K", 1 << 20)}


def test_a_rule_that_more_runs_would_decide_says_how_many() -> None:
    whole = compared(of_rates("a", 1000, 1005, 995), of_rates("b", 960, 1010, 940))
    (one,) = judge(whole, [parse("iops < -3%")]).gated
    assert one.answer == "undecided"
    assert one.figure.more
    assert one.why == (Reason("more", {"n": one.figure.more}),)


def in_one_bin(name: str, rate: float) -> Side:
    """Two runs whose percentiles share a bin, and whose mean response times differ a little."""
    first = row(load(), rate)
    longer = msgspec.structs.replace(first.tally, latency_ns=first.tally.latency_ns + first.tally.ios)
    rows = (first, first._replace(tally=longer))
    return side(name, (outcome(f"{name}{n}", [own], n * 200.0) for n, own in enumerate(rows)))


@pytest.mark.parametrize(("rule", "p", "answer"), [("p99.9 > +50%", 1.0, "passed"), ("p99.9 > +5%", 0.0, "failed")])
def test_of_what_is_known_to_a_bin_a_rule_is_sure(rule: str, p: float, answer: str) -> None:
    whole = compared(in_one_bin("a", 1000), in_one_bin("b", 900))
    (one,) = judge(whole, [parse(rule)]).gated
    assert (one.figure.error, one.p, one.answer) == (0, p, answer)


@pytest.mark.parametrize("rule", ["p99.9 > +5%", "max > +5%", "mean > +5%"])
def test_copies_of_one_run_decide_no_rule_not_even_of_tails(rule: str) -> None:
    """A virtual drive repeats a run to the last IO with the same seed: the number of runs of the side stays one."""
    whole = compared(of_rates("a", 1000, 1000), of_rates("b", 900, 900))
    (one,) = judge(whole, [parse(rule)]).gated
    assert (one.answer, one.figure.low, one.figure.verdict) == ("undecided", None, "close")
    assert [reason.key for reason in one.figure.why] == ["copies", "copies"]


def test_a_figure_that_one_run_of_a_side_has_is_not_said_to_be_equal_in_all() -> None:
    """The second run of each side measured reads, the first writes: each figure is of one run."""
    a, b = (
        side(name, (outcome(f"{name}0", [row(load(0), rate)]), outcome(f"{name}1", [row(load(100), rate)], 200.0)))
        for name, rate in (("a", 1000), ("b", 900))
    )
    whole = compared(a, b)
    assert {reason.key for one in whole.differences for reason in one.why} == {"one_has"}
    assert [*unproven(whole, EN)] == [EN("versus.few_have")]


def test_a_capacity_that_another_tool_told_is_a_setting_and_one_that_it_did_not_is_none(tmp_path: Path) -> None:
    told = {name: read.named([imported(SAMPLES / name, tmp_path)]).runs[0] for name in ("ezfio.csv", "iometer.csv")}
    assert [run.settings["capacity"] for run in told.values()] == [399431958528, None]


def test_a_load_has_the_specification_s_short_form_and_its_place_where_there_are_several() -> None:
    (key,) = of_rates("a", 1000).runs[0].rows
    assert key.load == "RND 4K 0/100 T4 Q32"
    assert key._replace(place=2).load == "RND 4K 0/100 T4 Q32 #2"


def test_a_difference_has_the_p_value_of_its_interval_and_none_within_one_bin() -> None:
    before, after = (1000, 1005, 995), (1100, 1105, 1095)
    (one,) = compared(of_rates("a", *before), of_rates("b", *after)).differences
    interval = statistics.welch([log(rate) for rate in before], [log(rate) for rate in after])
    assert one.p == pytest.approx(float(statistics.two_sided(interval)), rel=1e-3)
    alike = compared(in_one_bin("a", 1000), in_one_bin("b", 1001))
    tail = difference(alike, one.key, one.key, "p99.9")
    assert tail is not None
    assert (tail.error, tail.p) == (0, None)


def test_of_replays_both_traces_are_named_and_the_share_of_the_latest() -> None:
    def replayed(name: str, *shares: float, number: str = "1" * 32) -> Side:
        plain = Played(number, f"{number[:2]}.csv", "1×", "shift", 0.0, invalid=False, limited=False)
        plays = [plain._replace(late_share=share, invalid=share > 0.01) for share in shares]
        runs = [outcome(f"{name}{i}", [row(load(), 1000 + i)], i) for i in range(len(plays))]
        return side(name, [run._replace(played={"iops": play}) for run, play in zip(runs, plays, strict=True)])

    (one,) = compared(replayed("a", 0, 0), replayed("b", 0.02, 0.5, 0.03, number="2" * 32)).differences
    assert one.why == (
        Reason("trace", {"a": "11.csv (11111111)", "b": "22.csv (22222222)"}),
        Reason("late", {"n": 3, "runs": 3, "side": "b", "share": 0.5}),
    )


def test_a_run_that_cannot_be_compared_is_left_out_of_a_folder_but_not_if_it_is_named(tmp_path: Path) -> None:
    for seed in (1, 2):
        folder(tmp_path / f"run{seed}", seed=seed, truth=Truth(capacity_bytes=8 * GiB), names=("fresh",))
    shutil.copytree(tmp_path / "run1", tmp_path / "stopped")
    events = tmp_path / "stopped/events.jsonl"
    events.write_bytes(b"".join(events.read_bytes().splitlines(keepends=True)[:1]))
    with pytest.warns(LeftOut, match="stopped"):
        assert [run.name for run in read.named([tmp_path]).runs] == ["run1", "run2"]
    with pytest.raises(BadInput, match="stopped"):
        read.named([tmp_path / "run2", tmp_path / "stopped"])


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({"write_cache": "enabled", "write_cache_set": "disabled"}, "disabled"),
        ({"write_cache": "enabled"}, "enabled"),  # a run that only reads leaves it
        ({}, ""),  # no switch for it: whatever the profile requires
    ],
)
@pytest.mark.parametrize("profile", ["enterprise-2.0.2", "client-2.0.2"])
def test_the_write_cache_is_the_state_that_was_read_back_not_what_the_profile_requires(
    facts: dict[str, str], state: str, profile: str
) -> None:
    run = made("fresh", profile=profile, shorten=60)
    run.plan.device.facts.update(facts)
    assert reduced("a", run, {}).settings["cache"] == state


@pytest.mark.parametrize(("engine", "counted"), [("simulated", 2), ("fio", 3)])
def test_a_copy_of_a_run_on_a_virtual_drive_counts_once(engine: str, counted: int) -> None:
    """Two real runs may share a rate; a virtual drive repeats all of a run with its seed."""
    made_of = [("a0", 1000, 1), ("a1", 1000, 1), ("a2", 1010, 2)]
    runs = [
        outcome(name, [row(load(), rate)], n * 200.0, settings={"engine": engine})._replace(seed=seed)
        for n, (name, rate, seed) in enumerate(made_of)
    ]
    whole = compared(side("a", runs), of_rates("b", 990, 995, 1000, settings={"engine": engine}))
    assert [one.units for one in whole.differences] == [(counted, 3)]
    two = compared(side("a", runs[:2]), of_rates("b", 990, 995, settings={"engine": engine}))
    assert [reason.key for one in two.differences for reason in one.why] == ["copies"]


@pytest.mark.parametrize(("engine", "explained"), [("simulated", True), ("fio", False)])
def test_how_figures_are_listed_is_explained_only_if_some_are_compared(engine: str, *, explained: bool) -> None:
    a, b = (
        side(name, [outcome(f"{name}0", [row(load(0), rate), row(load(100), rate)], settings={"engine": of})])
        for name, rate, of in (("a", 990, "simulated"), ("b", 995, engine))
    )
    whole = compared(a, b)
    assert len(whole.differences) > 1
    assert (EN("versus.several") in summary(whole, EN)) is explained


def test_an_unknown_state_is_not_part_of_the_name_of_a_figure(tmp_path: Path) -> None:
    kept = read.named([imported(SAMPLES / "fio-3.33.json", tmp_path)]).runs[0]
    whole = compared(
        side("a", [kept]), side("b", [kept._replace(name="b", began_s=kept.began_s + 100, ended_s=kept.ended_s + 100)])
    )
    names = {name(alone(row), EN) for row in whole.differences}
    assert names
    assert not [text for text in names if "not stated" in text]


KEY = Key("iops", "rounds", "window", 100, 0, "4K", 4, 32, 1, "both")
DEEPER, FEWER = KEY._replace(depth=64), KEY._replace(threads=2)
ELSEWHERE, IMPORTED = DEEPER._replace(test="latency"), DEEPER._replace(test="latency", state="unknown")


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ([KEY], [DEEPER], [(KEY, DEEPER)]),
        ([KEY, FEWER], [DEEPER], []),
        ([KEY], [DEEPER, FEWER], []),
        ([KEY], [ELSEWHERE], []),
        ([KEY], [IMPORTED], [(KEY, IMPORTED)]),
        ([IMPORTED], [KEY], [(IMPORTED, KEY)]),
        ([KEY], [], []),
    ],
)
def test_figures_are_paired_by_a_property_that_one_of_each_side_has(
    first: list[Key], second: list[Key], pairs: list[tuple[Key, Key]]
) -> None:
    left = [[*first], [*second]]
    assert list(_matched(left, lambda key: key.block)) == pairs
    assert left == [[] if pairs else first, [] if pairs else second]


@pytest.mark.parametrize(
    ("undecided", "noninferior", "refused"),
    [("", False, False), ("pass", False, True), ("", True, True), ("fail", True, True)],
)
def test_options_of_rules_need_rules(undecided: str, noninferior: bool, refused: bool) -> None:
    if refused:
        with pytest.raises(BadInput, match="need rules"):
            chosen([], None, undecided, noninferior=noninferior)
    else:
        assert chosen([], None, undecided, noninferior=noninferior) == ((), "", False)


def test_a_batch_has_no_maxima_and_the_mean_of_response_times_only_where_that_is_the_result() -> None:
    tested = [*quantities_of(KEY._replace(test="latency"))], [*quantities_of(KEY._replace(test="write-saturation"))]
    assert [("iops" in names, "mean" in names, "p99.9" in names, "max" in names) for names in tested] == [
        (True, True, True, False),
        (True, False, True, False),
    ]
    assert quantities_of(KEY._replace(test="latency", direction="read")) == []
