"""Replays side by side: compared where they are the same trace played alike, refused with the reason elsewhere."""

from pathlib import Path

import duckdb
import msgspec
import pytest

from stend.cli.compare import summary
from stend.findings.look.replayed import lateness_s
from stend.many.compare import Comparison, compared, outcome, side
from stend.model.definition import Hold
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.stats import bin_index
from stend.model.tally import PERCENTS
from stend.planning.plan import gather
from stend.report import csv, json, parquet
from stend.report.parts.ranked import why
from stend.report.parts.records import COLUMNS
from stend.report.parts.versus import versus
from stend.session import unrecorded
from stend.words import Language
from tests.traces import made

LATE = Pace(sent=2000, late=100, full=10, latest_ns=9_000_000, lateness={bin_index(50_000): 1900, bin_index(9e6): 100})
KEPT = Pace(sent=2000, latest_ns=50_000, lateness={bin_index(50_000): 2000})


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("traces")
    return made(folder / "a.parquet"), made(folder / "b.parquet", seconds=2.0)


def played(trace: str, *, seed: int = 1, test: str = "replay", target: str = "sim:small", **settings: object) -> Run:
    own = {"trace": trace, "passes": 0, **settings}
    names, profile, _ = gather([test], None, {"tests": {test: own}})
    return unrecorded.folded(target, names, profile, seed=seed)


def paced(run: Run, pace: Pace) -> Run:
    """The same as if its last replay had been sent so."""
    result = msgspec.structs.replace(run.results[-1], pace=pace)
    run.results[-1] = run.placed[result.where.test, result.where.phase][-1] = result
    return run


def beside(first: list[Run], second: list[Run], *, anyway: bool = False) -> Comparison:
    one, other = (
        side(name, [outcome(f"{name}{n}", run, {})._replace(seed=100 * ord(name) + n) for n, run in enumerate(own)])
        for name, own in (("a", first), ("b", second))
    )
    return compared(one, other, anyway=anyway)


def refused(whole: Comparison) -> set[str]:
    """Why, where every figure is not comparable."""
    assert whole.differences
    assert {one.verdict for one in whole.differences} == {"not comparable"}
    return {reason.key for one in whole.differences for reason in one.why}


def test_the_same_trace_played_alike_is_compared_by_its_response_times(traces: tuple[str, str]) -> None:
    runs = [[played(traces[0], seed=seed) for seed in seeds] for seeds in ((1, 2), (3, 4))]
    whole = beside(*runs)
    sampled = {name for name, percent in PERCENTS.items() if 50 < percent < 99.9}
    assert {one.quantity for one in whole.differences} == {"mean", *sampled, "max"}
    assert {one.verdict for one in whole.differences} <= {"same", "close", "undecided", "better", "worse"}
    assert not any(one.why and one.why[0].key != "copies" for one in whole.differences)


def test_another_trace_pace_or_mapping_is_refused_and_the_reason_names_both(traces: tuple[str, str]) -> None:
    one = played(traces[0])
    assert refused(beside([one], [played(traces[1])])) == {"trace"}
    assert refused(beside([one], [played(traces[0], speed=2)])) == {"pace"}
    assert refused(beside([one], [played(traces[0], fit="wrap")])) == {"mapping"}
    told = beside([one], [played(traces[1], speed=2)]).differences[0].why
    assert "a.parquet (" in (english := why(told, Language("en")))
    assert "b.parquet (" in english
    assert "1× and 2×" in english
    assert "разные трассы" in why(told, Language("ru"))


@pytest.mark.parametrize(("lang", "verdict"), [("en", "Not comparable"), ("ru", "Несравнимо")])
def test_the_terminal_states_why_figures_are_not_comparable_and_how_many(
    traces: tuple[str, str], lang: str, verdict: str
) -> None:
    whole = beside([played(traces[0])], [played(traces[0], speed=2)])
    (reason,) = {why(one.why, Language(lang)) for one in whole.differences}
    assert f"  {verdict} ({len(whole.differences)}): {reason}." in summary(whole, None, lang)


def test_a_setting_of_whole_runs_is_stated_once_and_not_for_each_figure(traces: tuple[str, str]) -> None:
    one, other = played(traces[0]), played(traces[0], seed=2)
    other.started[0] = msgspec.structs.replace(
        other.started[0],
        plan=msgspec.structs.replace(other.plan, profile=msgspec.structs.replace(other.plan.profile, quick=True)),
    )
    whole = beside([one], [other])
    assert {reason.key for row in whole.differences for reason in row.why} == {"setting"}
    lines = summary(whole, None, "en")
    assert sum("quick" in line.lower() or "shortened" in line.lower() for line in lines) >= 1
    assert not any(line.startswith("  Not comparable") for line in lines)


def test_a_replay_that_the_host_did_not_keep_is_compared_with_nothing(traces: tuple[str, str]) -> None:
    late, kept = paced(played(traces[0]), LATE), paced(played(traces[0], seed=2), KEPT)
    whole = beside([kept], [late])
    assert refused(whole) == {"late"}
    assert "the host sent 4.5% of the trace late: 1 of 1 replay of b is invalid" in why(
        whole.differences[0].why, Language("en")
    )
    assert beside([kept], [late], anyway=True).differences[0].verdict != "not comparable"
    assert refused(beside([late], [kept])) == {"late"}
    full = paced(played(traces[0], seed=3), msgspec.structs.replace(LATE, full=95))
    assert not any(reason.key == "late" for one in beside([kept], [full]).differences for reason in one.why)


def test_two_drives_headroom_is_one_figure_and_another_limit_is_another_question(traces: tuple[str, str]) -> None:
    slow = "sim:st600mx0052"
    runs = [played(traces[0], test="headroom", target=target, limit_ms=5.0) for target in ("sim:small", slow)]
    whole = beside([runs[0]], [runs[1]])
    (one,) = whole.differences
    assert one.quantity == "headroom"
    assert one.ratio < 0.9
    assert {reason.key for reason in one.why} == {"one"}
    document = versus(whole, None, "ru", drawn=False)
    assert any("раз" in cell for section in document.every for t in section.tables for row in t.rows for cell in row)
    other = played(traces[0], test="headroom", limit_ms=7.0)
    assert refused(beside([runs[0]], [other])) == {"pace"}


def test_a_search_that_the_host_ended_is_no_figure_of_the_drive(traces: tuple[str, str]) -> None:
    runs = [played(traces[0], test="headroom", limit_ms=5.0, most_speed=4.0, seed=seed) for seed in (1, 2)]
    for number, result in enumerate(runs[1].results):
        if isinstance(result.step, Hold) and result.step.workload.replay and result.step.workload.replay.speed > 2:
            runs[1].results[number] = msgspec.structs.replace(result, pace=LATE)
    runs[1].placed["headroom", "headroom"] = [r for r in runs[1].results if r.where.phase == "headroom"]
    assert refused(beside([runs[0]], [runs[1]])) == {"host"}


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_how_a_schedule_was_kept_is_read_back_from_every_table(
    form: str, traces: tuple[str, str], tmp_path: Path
) -> None:
    run = paced(played(traces[0], speed=2), LATE)
    written = {"csv": csv, "json": json, "parquet": parquet}[form].write([(Path("a"), run, {})], "en", "pts", tmp_path)
    path = written[0]
    if form == "json":
        row = msgspec.json.decode(path.read_bytes())["runs"][0]["records"][-1]
    else:
        with duckdb.connect() as database:
            read = database.read_csv(str(path), header=True, columns=COLUMNS) if form == "csv" else None
            read = read or database.read_parquet(str(path))
            row = dict(zip(read.columns, read.fetchall()[-1], strict=True))
    trace = run.plan.tests[0].traced
    assert trace is not None
    assert (row["trace"], row["speed"], row["valid"]) == (trace.number, 2.0, False)
    assert (row["sent_ios"], row["late_ios"], row["full_ios"]) == (2000, 100, 10)
    assert row["late_max_s"] == pytest.approx(0.009)
    assert row["late_p50_s"] == lateness_s(LATE, 50) == pytest.approx(50e-6, rel=0.02)
    assert row["late_p99_s"] == pytest.approx(9e-3, rel=0.02)
    assert row["late_p99_9_s"] is None


def test_what_has_no_schedule_tells_none(traces: tuple[str, str]) -> None:
    from stend.report.parts.records import rows

    told = list(rows(played(traces[0], passes=1), "a"))
    assert [row["trace"] is None for row in told] == [True, True, False, False]
    assert [row["sent_ios"] for row in told[2:]] == [2000, 2000]
    assert all(row["valid"] is None and row["late_p50_s"] is None for row in told)
