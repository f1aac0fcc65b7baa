"""How many times as fast a trace can run: the search, what it says of drives, and who is blamed where it ends."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import findings, session, store
from stend.base.errors import BadInput
from stend.base.units import GiB
from stend.charts import pictures
from stend.charts.parts import Drawing, Row, axis, theme
from stend.charts.parts.half import half
from stend.charts.parts.marks import above, level
from stend.charts.parts.vega import Chart
from stend.cli import main
from stend.findings import Finding
from stend.findings import headroom as headroom_findings
from stend.findings.look.figures import figures
from stend.model import headroom
from stend.model.headroom import Pass, Why
from stend.model.pace import Pace
from stend.model.record import Run
from stend.planning.plan import gather
from stend.report.story.telling import story
from stend.sentences import finding_said
from stend.session import unrecorded
from stend.suite.headroom import MOST
from stend.words import Language, texts
from tests.traces import made

pytestmark = pytest.mark.together

FLASH, DISK = "sim:small", "sim:st600mx0052"
LEAST, FASTEST, WITHIN = 0.25, 1000.0, 5.0


def asked(answer: Callable[[float, int], Why]) -> list[Pass]:
    """The passes of a search over a drive that answers so at a speed, the n-th time it is asked that."""
    done: list[Pass] = []
    while (speed := headroom.following(done, LEAST, FASTEST, WITHIN)) is not None:
        why = answer(speed, sum(one.speed == speed for one in done))
        done.append(Pass(speed, 0.001, Pace(), why))
        assert len(done) <= MOST
    return done


@given(st.floats(0.3, 900))
def test_the_answer_is_within_five_percent_below_where_a_steady_drive_gives_way(most: float) -> None:
    told = headroom.evaluate(asked(lambda speed, _: "" if speed <= most else "slow"))
    assert told.held is not None
    assert told.failed is not None
    assert told.held.speed <= most < told.failed.speed <= told.held.speed * 1.05
    assert told.beyond == ()


def test_a_drive_that_never_holds_and_one_that_always_does_are_told_by_the_ends() -> None:
    never, always = headroom.evaluate(asked(lambda *_: "slow")), headroom.evaluate(asked(lambda *_: ""))
    assert (never.held, never.failed and never.failed.speed) == (None, LEAST)
    assert (always.failed, always.held and always.held.speed) == (None, FASTEST)


def test_what_holds_again_beyond_what_did_not_is_no_answer_but_is_told() -> None:
    told = headroom.evaluate(asked(lambda speed, _: "slow" if 3 < speed < 5 else ""))
    assert told.held is not None
    assert told.failed is not None
    assert told.held.speed <= 3 < told.failed.speed
    assert [one.speed for one in told.beyond] == [8.0]


def test_a_speed_counts_once_it_held_twice() -> None:
    def tired(speed: float, time: int) -> Why:
        return "slow" if speed > 3 or (speed > 2.9 and time) else ""

    told = headroom.evaluate(done := asked(tired))
    assert told.held is not None
    assert told.held.speed < 2.9 < max(one.speed for one in done if not one.why)
    assert sum(one.speed == told.held.speed for one in done) == 2
    assert headroom.changed(done)


def test_a_pass_that_the_host_spoiled_is_made_again_and_counts_where_it_spoils_that_too() -> None:
    once = asked(lambda speed, time: "host" if speed == 4 and not time else "slow" if speed > 6 else "")
    assert [one.why for one in once if one.speed == 4][:2] == ["host", ""]
    assert (told := headroom.evaluate(once).held) is not None
    assert told.speed > 5.5
    always = headroom.evaluate(asked(lambda speed, _: "host" if speed > 6 else ""))
    assert always.failed is not None
    assert always.failed.why == "host"
    assert max(one.speed for one in asked(lambda speed, _: "host" if speed > 6 else "")) == 8, "nothing beyond the host"


def searched(target: str, trace: str, **changes: object) -> Run:
    """The run of a search on a virtual drive."""
    names, profile, _ = gather(["headroom"], None, {"tests": {"headroom": {"trace": trace, "passes": 0, **changes}}})
    return unrecorded.folded(target, names, profile, seed=1)


@pytest.mark.parametrize(("speeds", "says"), [((3.0, 3.1), "at 3×"), ((2.0, 3.1), "between 2× and 3.1×")])
def test_a_drive_that_changed_at_one_speed_has_no_range_of_speeds(speeds: tuple[float, ...], says: str) -> None:
    goal = {"percentile": 99.0, "limit": 0.02}
    done = [headroom.Pass(speed, 0.01, Pace(), why) for speed in speeds for why in ("", "slow")]
    [only] = headroom_findings.uneven(done, headroom.evaluate(done), "headroom", goal)
    found = msgspec.structs.replace(only, name="headroom")
    english, russian = (finding_said(found, Language(lang)) for lang in ("en", "ru"))
    assert says in english
    assert ("от 2" in russian) == ("between" in english)


def told(run: Run) -> Finding:
    return next(f for f in findings.find(run) if f.name == "headroom")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("trace") / "t.parquet", ios=2000, seconds=40.0, span=4 * GiB)


@pytest.fixture(scope="module")
def runs(trace: str) -> dict[str, Run]:
    """A flash drive's and a disk's, one in a hundred IOs within 20 ms."""
    return {target: searched(target, trace, limit_ms=20.0) for target in (FLASH, DISK)}


def test_the_faster_of_two_drives_has_more_headroom_and_each_says_so_in_both_languages(runs: dict[str, Run]) -> None:
    held = {target: told(run).values["held"] for target, run in runs.items()}
    assert held[FLASH] > 5 * held[DISK] > 5
    assert told(runs[DISK]).key == "found"
    english, russian = (finding_said(told(runs[DISK]), Language(lang)) for lang in ("en", "ru"))
    assert english.startswith("This trace can run ")
    assert "times its own speed before its p99 exceeds 20.0\u00a0ms: " in english
    assert russian.startswith("Эту трассу можно ускорить в\u00a0")
    assert "прежде чем её p99 превысит 20,0\u00a0мс" in russian


def test_what_is_said_of_both_ends_was_measured_there(runs: dict[str, Run]) -> None:
    run, values = runs[DISK], told(runs[DISK]).values
    done = headroom.passes(run, run.plan.tests[0])
    waited = {one.speed: one.waited_s for one in done}
    assert waited[values["held"]] is not None
    assert values["held_s"] <= 0.020 < values["failed_s"] == waited[values["failed"]]
    assert values["failed"] / values["held"] <= 1.05
    assert sum(one.speed == values["held"] for one in done) >= 2
    assert run.ended is not None
    assert run.ended.outcome == "complete"


def test_a_figure_of_headroom_is_the_speed_that_held(runs: dict[str, Run]) -> None:
    for run in runs.values():
        (row,) = figures(run)
        assert row.value("headroom") == told(run).values["held"]
        assert row.workload.replay is not None
        assert row.workload.replay.speed == row.determined["headroom"]


def test_both_drives_are_on_one_chart_with_the_limit_and_in_one_table(runs: dict[str, Run]) -> None:
    review = story([(None, run, {}) for run in (runs[FLASH], runs[DISK])], [], "en")
    chapter = review.section("trace")
    (picture,) = [one for one in chapter.pictures if one.name == "headroom"]
    data = picture.spec["datasets"]
    assert len({row["drive"] for row in data["rows"]}) == 2
    assert {row["how"] for row in data["rows"]} == {"within the limit", "limit exceeded"}
    assert [row["ms"] for row in data["limit"]] == [20.0]
    (table,) = chapter.tables
    assert len(table.rows) == 2
    assert finding_said(told(runs[FLASH]), Language("en"))[1:] in chapter.of_role("answer")[0]


def test_the_test_s_own_chart_has_a_point_for_each_pass(runs: dict[str, Run]) -> None:
    run = runs[DISK]
    (picture,) = pictures("headroom", run, run.plan.tests[0], "ru")
    done = headroom.passes(run, run.plan.tests[0])
    drawn = sorted((row["speed"], row["ms"]) for row in picture.spec["datasets"]["rows"])
    measured = sorted((one.speed, (one.waited_s or 0) * 1e3) for one in done)
    assert np.allclose(drawn, measured, rtol=1e-5)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"limit_ms": 0.01}, "never_own"),
        ({"limit_ms": 0.01, "least_speed": 1.0}, "never"),
        ({"limit_ms": 1000.0, "most_speed": 2.0}, "most"),
        ({"limit_ms": 20.0, "least_speed": 0.5, "percentile": 99.9}, None),
    ],
)
def test_the_ends_of_a_search_have_their_own_sentences(trace: str, changes: dict[str, object], key: str | None) -> None:
    if key is None:
        with pytest.raises(BadInput, match=r"p99.9 of the trace needs 10000 reads and writes, and there are 2000"):
            searched(FLASH, trace, **changes)
        return
    found = told(searched(FLASH, trace, **changes))
    assert found.key == key
    assert all(finding_said(found, Language(lang)) for lang in ("en", "ru"))


def late(run: Run, from_speed: float) -> Run:
    """The same as if the host had been late from a speed on."""
    for number, result in enumerate(run.results):
        if result.pace and result.step.workload.replay.speed >= from_speed:  # type: ignore[union-attr]
            pace = Pace(sent=2000, late=100, full=0, latest_ns=9_000_000, lateness={0: 1900, 1000: 100})
            run.results[number] = msgspec.structs.replace(result, pace=pace)
    run.placed = {("headroom", "headroom"): [r for r in run.results if r.where.phase == "headroom"]}
    return run


def test_a_search_that_the_host_ended_blames_the_host_and_stamps_no_page(trace: str) -> None:
    run = late(searched(DISK, trace, limit_ms=20.0), from_speed=1.5)
    found = told(run)
    assert (found.key, found.values["held"]) == ("host", 1.0)
    assert "the host, not the drive" in finding_said(found, Language("en")).lower()
    assert "хост, а не накопитель" in finding_said(found, Language("ru"))
    assert not any("late" in stamp for stamp in run.stamps)


def test_every_sentence_of_headroom_can_be_said() -> None:
    values = {
        "held": 3.2,
        "failed": 3.3,
        "own_s": 0.5,
        "own_iops": 597.0,
        "held_s": 0.0019,
        "failed_s": 0.0021,
        "failed_late": 0.02,
        "failed_full": 0.03,
    }
    values |= {"percentile": 99.0, "limit": 0.002, "beyond": 8.0, "least": 4.0, "most": 16.0}
    keys = [key.rpartition(".")[2] for key in texts("en") if key.startswith("finding.headroom.")]
    assert len(keys) == 13
    for key in keys:
        for lang in ("en", "ru"):
            said = finding_said(Finding(name="headroom", key=key, test="headroom", values=values), Language(lang))
            assert "{" not in said


def test_from_the_command_line_to_a_report_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "headroom", "--target", FLASH, "--quick", "--trace", "example", "--limit-ms", "5", "--seed", "3"]
    assert main([*words, "--into", str(tmp_path / "run")]) == 0
    run = store.load(tmp_path / "run")
    assert run.plan.tests[0].profile.options["limit_ms"] == 5
    assert told(run).values["limit"] == 0.005
    capsys.readouterr()
    assert main(["plan", "headroom", "--target", FLASH, "--trace", "example"]) == 0
    assert f"headroom: at most {MOST} rounds" in capsys.readouterr().out
    assert main(["run", "replay", "--target", FLASH, "--trace", "example", "--limit-ms", "5"]) == 2
    assert "--limit-ms is for the headroom test" in capsys.readouterr().err


def test_a_search_cut_off_goes_on_to_the_same_answer(tmp_path: Path, trace: str) -> None:
    request = session.Request(["headroom"], FLASH, seed=5, trace=trace, limit_ms=20.0, into=str(tmp_path / "whole"))
    with session.start(request) as running:
        whole = list(running)
    with session.start(msgspec.structs.replace(request, into=str(tmp_path / "cut"))) as running:
        for count, _ in enumerate(running):
            if count > len(whole) * 3 // 4:
                break
    with session.resume(tmp_path / "cut") as running:
        list(running)
    first, second = (store.load(tmp_path / name) for name in ("whole", "cut"))
    assert told(first) == told(second)
    assert np.allclose([r.t for r in first.results], [r.t for r in second.results])


@pytest.mark.parametrize(("limit", "begins"), [(5.0, 2), (30.0, 10), (200.0, 20)])
def test_a_limit_below_all_values_is_above_the_axis(limit: float, begins: float) -> None:
    rows: list[Row] = [{"x": 1.0, "ms": 33.0}, {"x": 2.0, "ms": 400.0}]
    y = above(limit, axis("ms", "ms", log=True), rows)
    chart = level("limit", y) + Chart().mark("line").encode(x=axis("x", "x"), y=y)
    drawing = Drawing("t", chart, {"rows": rows, "limit": [{"ms": limit, "what": "limit"}]}, "")
    (picture,) = theme.pictures("headroom", [drawing], Language("en"), ())
    (half_picture, again) = (half(picture), half(half(picture)))
    for one in (picture, half_picture, again):
        layer = one.spec["layer"][-1]
        assert layer["encoding"]["y"]["scale"]["domain"][0] == begins
