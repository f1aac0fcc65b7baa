"""Comparing sets of runs: figures in their states, verdicts, what cannot be compared, rules that fail."""

from math import log
from pathlib import Path
from statistics import stdev
from xml.etree import ElementTree

import pytest

from stend.base.errors import BadInput
from stend.base.units import GiB
from stend.findings import look
from stend.findings.look.figures import figures
from stend.many import statistics
from stend.many.compare import Comparison, Difference, Side, compared, junit, rules, side, thresholds
from stend.many.compare.rules import Judgement, judge, parse
from stend.model.definition import Identity
from stend.model.packed import Bins
from stend.model.tally import Tally
from tests.sides import load, of_rates, outcome, row
from tests.synthetic import Truth, made


def test_every_figure_has_one_row_with_its_state() -> None:
    small = Truth(capacity_bytes=200 * GiB)
    names = ("iops", "write-saturation", "idle-recovery", "fresh")
    run = made(*names, truth=small, interval_s=20.0, shorten=10, rounds=9)
    rows = list(figures(run))
    told = [(r.test, r.phase, r.state, r.workload.label, r.place, r.direction) for r in rows]
    assert len(set(told)) == len(told)
    states = {(r.test, r.phase): set[str]() for r in rows}
    for r in rows:
        states[r.test, r.phase].add(r.state)
    assert states["iops", "rounds"] == {"window"}
    assert states["write-saturation", "saturate"] == {"fresh", "saturated"}
    assert states["write-saturation", "histogram"] == {"saturated"}
    assert states["idle-recovery", "wait-10"] == {"rested"}
    assert states["fresh", "random-read"] == {"fresh"}


def test_a_figure_is_what_the_window_holds() -> None:
    run = made("iops", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)
    (test,) = look.tests(run, "iops")
    whole = {cell.workload: cell.counts for cell in look.cells(run, test)}
    for one in figures(run):
        if one.direction == "both":
            assert one.value("iops") == pytest.approx(whole[one.workload].iops)
            assert one.value("mean") == whole[one.workload].both.mean_s
            assert one.rounds == run.verdict_rounds("iops", "rounds")
    ways = [one for one in figures(run) if one.workload.read_pct == 65 and one.workload.block_bytes == 4096]
    both, reads, writes = (next(o for o in ways if o.direction == d) for d in ("both", "read", "write"))
    assert both.tally.ios == reads.tally.ios + writes.tally.ios


def only(whole: Comparison) -> Difference:
    (one,) = whole.differences
    return one


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((1000, 1005, 995), (1100, 1105, 1095), "better"),
        ((1000, 1005, 995), (900, 905, 895), "worse"),
        ((1000, 1005, 995), (1001, 1006, 996), "same"),
        ((1000, 1005, 995), (1010, 1011, 1009), "same"),
        ((1000, 1300, 800), (900, 905, 895), "undecided"),
        ((1000, 1060, 940), (1040, 1100, 980), "undecided"),
    ],
)
def test_a_verdict_needs_the_interval_and_the_threshold(
    before: tuple[float, ...], after: tuple[float, ...], verdict: str
) -> None:
    one = only(compared(of_rates("a", *before), of_rates("b", *after, first_s=100)))
    assert one.verdict == verdict
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.ratio < one.high
    assert (one.more is not None) == (verdict == "undecided")


def test_what_is_undecided_says_how_many_more_runs_would_tell() -> None:
    one = only(compared(of_rates("a", 1000, 1060, 940), of_rates("b", 1040, 1100, 980)))
    needed = statistics.runs_needed(stdev([log(x) for x in (1000, 1060, 940)]), log(one.ratio))
    assert needed is not None
    assert one.more == pytest.approx(needed - 3, abs=3)
    small = only(compared(of_rates("a", 1000, 1060, 940), of_rates("b", 1001, 1061, 941)))
    assert small.more is not None
    assert small.more > needed - 3  # a change of the threshold's size, since the one seen is smaller


def test_a_threshold_of_ones_own_moves_the_line() -> None:
    a, b = of_rates("a", 1000, 1001, 999), of_rates("b", 1020, 1021, 1019)
    assert only(compared(a, b)).verdict == "same"
    assert only(compared(a, b, thresholds(["rate=1%"]))).verdict == "better"


@pytest.mark.parametrize("text", ["rate", "speed=3%", "rate=-3%", "rate=x", "rate=1000000%"])
def test_a_threshold_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="threshold"):
        thresholds([text])


@pytest.mark.parametrize(("a", "b"), [((1000,), (2000,)), ((1000, 1001), (2000,)), ((1000,), (2000, 2001))])
def test_one_run_never_gets_an_interval(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    one = only(compared(of_rates("a", *a), of_rates("b", *b)))
    assert (one.low, one.high, one.p, one.verdict) == (None, None, None, "ahead")
    assert {why.key for why in one.why} == {"one"}
    assert one.ratio == pytest.approx(2, rel=1e-3)


def test_the_same_number_again_is_no_repeat() -> None:
    one = only(compared(of_rates("a", 1000, 1000, 1000), of_rates("b", 2000, 2010)))
    assert (one.low, one.verdict) == (None, "ahead")
    assert [why.key for why in one.why] == ["copies"]


def test_a_run_counts_once() -> None:
    run = outcome("x", [row(load(), 1000)])
    for again in (run, run._replace(name="copy")):
        with pytest.raises(BadInput, match="same run"):
            side("a", [run, again])


def test_several_drives_count_once_each() -> None:
    rates = {"SN1": (1000, 1010, 990), "SN2": (1100, 1110, 1090)}
    runs = [
        outcome(f"{drive}-{i}", [row(load(), rate)], 100 * i + (drive == "SN2"), drive)
        for drive, own in rates.items()
        for i, rate in enumerate(own)
    ]
    model = side("model", runs)
    (cell,) = model.runs[0].rows
    units = model.units(cell, "iops")
    assert units == pytest.approx([sum(map(log, own)) / 3 for own in rates.values()])
    whole = compared(model, of_rates("b", 1200, 1210, 1190))
    assert only(whole).units == (2, 3)
    assert only(whole).runs == (6, 3)
    assert any(note.key == "drives" for note in whole.notes)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("profile", "review"), ("quick", True), ("cache", "off"), ("engine", "simulated"), ("provisioned", 0.8)],
)
def test_settings_that_must_be_alike_come_first_and_stop_the_comparison(setting: str, value: object) -> None:
    a, b = of_rates("a", 1000, 1010), of_rates("b", 1000, 1010, settings={setting: value, "firmware": "2"})
    whole = compared(a, b)
    assert whole.settings[0].name == setting
    assert whole.settings[0].blocks
    assert [one.name for one in whole.settings if not one.blocks] == ["firmware"]
    assert only(whole).verdict == "not comparable"
    anyway = only(compared(a, b, anyway=True))
    assert anyway.verdict != "not comparable"
    assert [why.values["name"] for why in anyway.warned] == [setting]


def test_a_figure_of_an_unmet_rule_is_not_comparable() -> None:
    good = of_rates("a", 1000, 1010)
    bad = side("b", [outcome(f"b{i}", [row(load(), 1000 + i, steady=i > 0)], 9.0 + i) for i in range(3)])
    one = only(compared(good, bad))
    assert one.verdict == "not comparable"
    assert [(why.key, why.values["n"], why.values["runs"]) for why in one.why] == [("unmet", 1, 3)]


@pytest.mark.parametrize(("scale", "ios", "few"), [(1, 9, True), (1, 10, False), (512, 9, True), (512, 10, False)])
def test_a_rate_of_fewer_counted_ios_than_lie_beyond_a_percentile_is_not_compared(
    scale: int, ios: int, *, few: bool
) -> None:
    """A scaled virtual drive counts one IO `scale` times (docs/method/figures.md): ten of them, not ten in all."""
    counted = row(load(), 1000)._replace(tally=Tally(ios=scale * ios, bins=Bins({100: scale * ios}, scale)))
    one, *_ = compared(of_rates("a", 1000, 1010), side("b", [outcome("b", [counted], 9.0)])).differences
    assert (one.verdict == "not comparable") == few
    assert ([why.key for why in one.why] == ["few"]) == few


def test_another_depth_is_told_instead_of_being_left_out() -> None:
    deep = side("b", [outcome(f"b{i}", [row(load(depth=16), 1000 + i)], 9.0 + i) for i in range(2)])
    whole = compared(of_rates("a", 1000, 1010), deep)
    assert only(whole).verdict == "not comparable"
    assert only(whole).why[0].values == {"a": "T4 Q32", "b": "T4 Q16"}
    assert whole.alone == ((), ())


def test_sides_one_after_the_other_are_told_and_turns_are_not() -> None:
    def told(whole: Comparison) -> list[str]:
        return [note.key for note in whole.notes]

    assert "apart" in told(compared(of_rates("a", 1, 2), of_rates("b", 1, 2, first_s=1000)))
    assert "apart" not in told(compared(of_rates("a", 1, 2), of_rates("b", 1, 2, first_s=100)))


def gated(a: Side, b: Side, *rules: str, undecided: str = "", noninferior: bool = False) -> Judgement:
    return judge(compared(a, b), [parse(text) for text in rules], undecided, noninferior=noninferior)


A = (1000, 1005, 995)


@pytest.mark.parametrize(
    ("after", "rule", "answer"),
    [
        ((900, 905, 895), "iops < -3%", "failed"),
        ((900, 905, 895), "iops[*,4K] < -3%", "failed"),
        ((900, 905, 895), "iops[iops,4k,RND,0/100,T4,Q32,window] < -3%", "failed"),
        ((900, 905, 895), "iops < -20%", "passed"),
        ((1100, 1105, 1095), "iops < -3%", "passed"),
        ((960, 1010, 940), "iops < -3%", "undecided"),
        ((900, 905, 895), "mean > +5%", "failed"),
        ((900, 905, 895), "p99.9 > +50%", "passed"),
        ((1100, 1105, 1095), "iops > 5%", "failed"),
    ],
)  # fmt: skip
def test_a_rule_fails_and_passes_by_the_whole_interval(after: tuple[float, ...], rule: str, answer: str) -> None:
    assert gated(of_rates("a", *A), of_rates("b", *after), rule).answer == answer


def test_many_gated_figures_need_stronger_evidence_each() -> None:
    """Of one figure the interval is just beyond the bound; beside nine others it is not enough."""
    noise = ((1.0, 1.004, 0.996), (0.970, 0.974, 0.966))

    def sided(name: str, factors: tuple[float, ...], cells: int) -> Side:
        works = [load(read_pct=pct) for pct in range(cells)]
        rows = [[row(w, 1000 * (f if w.read_pct == 0 else 1 + i / 1000)) for w in works] for i, f in enumerate(factors)]
        return side(name, [outcome(f"{name}{i}", own, i + (name == "b") / 2) for i, own in enumerate(rows)])

    alone = gated(sided("a", noise[0], 1), sided("b", noise[1], 1), "iops < -1.9%")
    among = gated(sided("a", noise[0], 10), sided("b", noise[1], 10), "iops < -1.9%")
    assert alone.answer == "failed"
    assert among.answer == "undecided"


def test_what_is_undecided_counts_as_one_asks() -> None:
    a, b = of_rates("a", *A), of_rates("b", 960, 1010, 940)
    finals = {how: gated(a, b, "iops < -3%", undecided=how).final for how in ("", "pass", "fail")}
    assert finals == {"": "undecided", "pass": "passed", "fail": "failed"}
    assert gated(a, b, "iops < -3%", noninferior=True).final == "failed"
    assert gated(a, of_rates("b", 1100, 1105, 1095), "iops < -3%", noninferior=True).final == "passed"
    with pytest.raises(BadInput, match="noninferior"):
        gated(a, b, "iops < -3%", undecided="pass", noninferior=True)


def test_one_run_a_side_decides_no_rule() -> None:
    assert gated(of_rates("a", 1000), of_rates("b", 10), "iops < -3%").answer == "undecided"


@pytest.mark.parametrize(
    "text",
    ["", "iops", "iops < -3", "iops[ < -3%", "iops[4K]] < -3%", "speed < -3%", "iops < -100%", "iops == 3%",
     "iops[,] < 1%", "iops < 1e9%", "iops\n<\n3", "[4K] < 3%", "iops < --3%"],
)  # fmt: skip
def test_a_rule_that_is_none_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(text)
    assert "\n" not in str(refused.value).replace("\\n", "")


@pytest.mark.parametrize("rule", ["iops[8K] < -3%", "iops[nothing] < -3%", "iops[read] < -3%"])
def test_a_rule_that_gates_nothing_is_refused(rule: str) -> None:
    with pytest.raises(BadInput, match="matches no figure"):
        gated(of_rates("a", *A), of_rates("b", *A), rule)


def test_rules_from_a_file_and_typed_ones_go_together(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('undecided = "fail"\nfail_if = ["iops < -3%"]\n')
    chosen = rules.chosen(["mean > +5%"], file)
    assert [rule.quantity for rule in chosen.rules] == ["iops", "mean"]
    assert chosen.undecided == "fail"
    assert rules.chosen([], file, "pass").undecided == "pass"


@pytest.mark.parametrize(
    "text", ["fail_if = []", "fail_if = 3", 'fail_if = ["iops < -3%"]\nfoo = 1', "fail_if = [", 'fail_if = ["x"]',
             'fail_if = ["iops < -3%"]\nundecided = "maybe"', "\x00"]
)  # fmt: skip
def test_a_file_of_bad_rules_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(BadInput):
        rules.chosen([], file)


def test_junit_holds_every_figure_whatever_sides_are_called(tmp_path: Path) -> None:
    worse = gated(of_rates("a", *A), of_rates("b", 900, 905, 895), "iops[*,4K] < -3%", "p99.9 > +50%", "mean > 11%")
    junit.write(worse, tmp_path / "gate.xml", ("<a> & \x00", "b"))
    top = ElementTree.fromstring((tmp_path / "gate.xml").read_bytes())
    suites = {suite.get("name"): suite for suite in top}
    assert suites["iops[*,4K] < -3%"].get("failures") == "1"
    assert suites["p99.9 > +50%"].get("failures") == "0"
    assert suites["mean > 11%"].get("skipped") == "1"
    failure = suites["iops[*,4K] < -3%"][0][0]
    assert failure.tag == "failure"
    assert "-10.0" in str(failure.get("message"))


def test_a_drive_is_known_by_serial_wwn_or_what_it_is() -> None:
    run = made("fresh", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60)
    assert isinstance(run.plan.device, Identity)
    from stend.many import compare

    assert compare.outcome("r", run, {}).drive == run.plan.device.serial
