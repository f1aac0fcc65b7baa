"""Lines of the terminal about a run, character by character: searches for steady state, verdicts, figures."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.base.units import GiB, KiB
from stend.cli import _steady, _summary
from stend.findings.look.figures import Figures
from stend.model.counts import Counts
from stend.model.definition import Hold, Idle, Seconds, Workload
from stend.model.events import Verdict
from stend.model.tally import Tally
from tests.sides import row
from tests.synthetic import Truth, made

VERDICT = Verdict(
    rule="pts", label="RND 4K 0/100", quantity="iops", rounds=(3, 4, 5, 6, 7), values=(90.0, 95.0, 100.0, 105.0, 110.0),
    average=100.0, excursion=20.0, excursion_allowed=20.0, slope_excursion=12.5, slope_excursion_allowed=10.0,
    fit=(5.0, 75.0), correlation=1.0, steady=False,
)  # fmt: skip


def verdict(**changes: Any) -> Verdict:
    return msgspec.structs.replace(VERDICT, **changes)


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "L: NOT steady over rounds 3-7, range 20.0% (at most 20%) of the mean, slope 12.5% (at most 10%)"),
        (
            {"steady": True, "excursion_allowed": None, "slope_excursion": 0.0},
            "L: steady over rounds 3-7, range 20.0% of the mean, slope 0.0% (at most 10%)",
        ),
        (
            {"average": -50.0, "excursion": 10.02, "excursion_allowed": 10.0, "slope_excursion": 1.0,
             "slope_excursion_allowed": 5.0},
            "L: NOT steady over rounds 3-7, range 20.04% (at most 20%) of the mean, slope 2.0% (at most 10%)",
        ),
        (
            {"average": 0.0, "excursion": 0.0, "excursion_allowed": 0.0, "slope_excursion": 0.0,
             "slope_excursion_allowed": 0.0},
            "L: NOT steady over rounds 3-7, range 0.0% (at most 0%) of the mean, slope 0.0% (at most 0%)",
        ),
    ],
)  # fmt: skip
def test_a_verdict_has_its_range_and_slope_beside_their_limits(changes: dict[str, Any], shown: str) -> None:
    """PTS: a range of 20 % of the mean at most, a slope of 10 % at most."""
    assert _summary._verdict(verdict(label="L", **changes)) == shown


@pytest.mark.parametrize(
    ("value", "average", "shown"),
    [
        (20.0, 100.0, "20 %"), (20.04, 100.0, "20.04 %"), (12.54, 100.0, "12.5 %"), (-20.04, 100.0, "20.04 %"),
        (20.04, -100.0, "20.04 %"), (30.04, 100.0, "30 %"), (29.96, 100.0, "29.96 %"), (9.0, 45.0, "20 %"),
        (123.4, 100.0, "123 %"), (0.0, 100.0, "0 %"), (1.0, 0.0, ""),
    ],
)  # fmt: skip
def test_a_share_of_the_mean_never_reads_as_the_limit_that_it_is_beyond(
    value: float, average: float, shown: str
) -> None:
    assert _steady._pct(value, verdict(average=average)) == shown


@pytest.mark.parametrize(
    ("verdicts", "reason"),
    [
        ([], ""),
        ([verdict(steady=True)], ""),
        ([VERDICT], ": slope of RND 4K 0/100 12.5 % of the mean, at most 10 %"),  # 1.25 of its limit beside 1
        (
            [VERDICT, verdict(label="SEQ", excursion=30.0)],
            ": range of SEQ 30 % of the mean, at most 20 %",  # 1.5 of its limit
        ),
        ([verdict(slope_excursion=-12.5)], ": slope of RND 4K 0/100 12.5 % of the mean, at most 10 %"),
        (
            [verdict(excursion_allowed=None, slope_excursion=5.0)],
            ": slope of RND 4K 0/100 5 % of the mean, at most 10 %",
        ),
        ([verdict(excursion_allowed=0.0, slope_excursion_allowed=0.0)], ""),
        ([VERDICT, verdict(label="SEQ", excursion=90.0, steady=True)],
         ": slope of RND 4K 0/100 12.5 % of the mean, at most 10 %"),
    ],
)  # fmt: skip
def test_the_reason_is_the_limit_that_was_missed_by_most(verdicts: list[Verdict], reason: str) -> None:
    assert _steady.reason(verdicts) == reason


@pytest.mark.parametrize(
    ("values", "bars"),
    [((), ""), ((0.0, 0.0), ""), ((7.0,), "█"), ((0.0, 1.0, 3.0, 4.0, 7.0), "▁▂▄▅█"), ((1.0, 2.0), "▅█")],
)
def test_bars_are_eighths_of_the_largest_value(values: tuple[float, ...], bars: str) -> None:
    """From 0, the lowest bar, to 7 sevenths, the whole one; 3.5 is rounded to the even 4."""
    assert _steady.bars(values) == bars


def ended(steady: bool | None, *, exhausted: bool = False, saturated: bool = False) -> tuple[str, str]:
    judged = SimpleNamespace(
        exhausted=exhausted,
        ended_by="10 rounds",
        where=SimpleNamespace(round=9),
        verdicts=(VERDICT,),
    )
    run = SimpleNamespace(saturated=[judged] if saturated else [])
    passed = [SimpleNamespace(steady=True), SimpleNamespace(steady=steady)]
    return _steady.ended(judged, SimpleNamespace(passed=passed, progress=SimpleNamespace(run=run)))  # type: ignore[arg-type]


def test_a_phase_says_how_it_ended() -> None:
    reason = ": slope of RND 4K 0/100 12.5 % of the mean, at most 10 %"
    assert ended(None, exhausted=True) == ("done", "")
    assert ended(None) == ("ended by 10 rounds", "")
    assert ended(True) == ("✓ steady in round 9", "green")
    assert ended(False, saturated=True) == (
        f"✓ saturated by 10 rounds; not steady{reason}",
        "yellow",
    )
    assert ended(False) == (f"✗ not steady by 10 rounds{reason}", "bold yellow")


def figures(*cells: tuple[int, int, float]) -> list[Figures]:
    return [
        row(Workload(random_pct=100, read_pct=read_pct, block_bytes=block, threads=1, depth=1), iops)
        for block, read_pct, iops in cells
    ]


def test_a_matrix_has_a_row_for_each_block_size_and_a_column_for_each_mix() -> None:
    cells = (64 * KiB, 0, 1234.0), (4 * KiB, 100, 123_456.0), (4 * KiB, 0, 9999.0)
    assert _summary._matrix(figures(*cells)) == [
        "  IOPS     R/W   0/100   100/0",
        "            4K    9999    123k",
        "           64K    1234        ",
    ]
    twice = [*figures(*cells), *figures(cells[0])]
    assert _summary._matrix(twice) == ["  4 workloads; see the report"]


def test_rests_and_bursts_are_as_long_as_planned_or_that_is_seen() -> None:
    """A rest lasts from the last IO before it to the first IO after it, which the step behind it has as its gap."""
    load = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=1, depth=1)
    burst, rest = Hold(workload=load, amount=Seconds(seconds=2)), Idle(seconds=5)

    def done(step: Hold | Idle, seconds: float, gap_s: float, phase: str = "wait-1") -> Any:
        counts, where = Counts(seconds=seconds), SimpleNamespace(test="idle-recovery", phase=phase)
        return SimpleNamespace(step=step, counts=counts, gap_s=gap_s, where=where)

    results = [
        done(burst, 2.0, 0.0), done(rest, 5.0, 0.001), done(burst, 2.125, 5.25), done(rest, 5.0, 0.001),
        done(burst, 1.5, 4.875), done(burst, 9.0, 0.5, "other"), done(rest, 9.0, 0.5, "other"), done(burst, 1.75, 7.0),
    ]  # fmt: skip

    def of(name: str, phase: str) -> list[Any]:
        return [one for one in results if (one.where.test, one.where.phase) == (name, phase)]

    run: Any = SimpleNamespace(results=results, of=of)
    assert _summary._rests(run, "idle-recovery", "wait-1") == [
        "  wait-1: 2 rests of 5 s, measured 4.875 to 5.250 s; 4 bursts of 2 s, measured 1.500 to 2.125 s"
    ]
    assert _summary._rests(run, "idle-recovery", "none") == []
    run.results = results[:1]
    assert _summary._rests(run, "idle-recovery", "wait-1") == []


def test_a_summary_has_a_matrix_from_twelve_workloads_on() -> None:
    run = made("iops", truth=Truth(capacity_bytes=8 * GiB), interval_s=60.0)
    (phase,) = {r.where.phase for r in run.results if r.where.phase.startswith("rounds")}
    rows = [line for line in _summary._phase(run, "iops", phase) if not line.startswith("    RND")]
    assert [line.split() for line in rows if "IOPS" in line] == [["IOPS", "R/W", "0/100", "5/95", "35/65", "50/50",
                                                                 "65/35", "95/5", "100/0"]]  # fmt: skip
    sizes = ["0.5K", "4K", "8K", "16K", "32K", "64K", "128K", "1024K"]
    assert [line.split()[0] for line in rows if line.split()[0] in sizes] == sizes


def test_the_head_of_a_summary_names_the_drive_its_size_and_its_stamps() -> None:
    run = made("wake", truth=Truth(capacity_bytes=8 * GiB), interval_s=60.0)
    drive = run.plan.device
    first, *stamps = _summary.head(run)
    assert first == f"{drive.model or drive.kind} {drive.serial}  8.59 GB  {drive.target}: {run.outcome}"
    assert stamps == [f"  ! {stamp}" for stamp in run.stamps]
    (without,) = {stamp.key for stamp in run.stamps[:1]}
    assert _summary.head(run, without)[1:] == [f"  ! {stamp}" for stamp in run.stamps if stamp.key != without]
    assert _summary.lines(run) == [*_summary.head(run), *_summary.body(run)]


def window(*verdicts: Verdict, wide: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """The rows of the steady-state window, and the colours of the judgements."""
    course: Any = SimpleNamespace(verdicts=verdicts)
    rows = list(_steady.rows(course, wide))
    return [(label, line.plain) for label, line in rows], [str(line.spans[-1].style) for _, line in rows[1:]]


def test_the_window_of_a_search_has_its_values_beside_the_limits_of_the_rule() -> None:
    """In the narrow view 90 to 110 are sevenths of 110: 5.7, 6.0, 6.4, 6.7 and 7."""
    met = verdict(label="RND 64K 0/100", steady=True, excursion=5.0, slope_excursion=1.0)
    rows, styles = window(VERDICT, met, wide=False)
    assert rows == [
        ("window", "rounds 3 to 7     values  range (of 20 %)  slope (of 10 %)"),
        ("", "RND 4K            ▇▇▇██   20 %             12.5 %           not yet"),
        ("", "RND 64K           ▇▇▇██   5 %              1 %              ✓ steady"),
    ]
    assert styles == ["yellow", "green"]
    rows, _ = window(VERDICT, wide=True)
    assert rows == [
        ("window", "rounds 3 to 7     values                                   range (of 20 %)  slope (of 10 %)"),
        ("", "RND 4K 0/100           90      95     100     105     110  20 %             12.5 %           not yet"),
    ]


def test_a_rule_without_a_limit_of_the_range_has_no_column_of_it_and_long_names_their_room() -> None:
    label = "RND 4K 0/100 T16 Q32"
    only = verdict(label=label, quantity="latency", values=(0.001, 0.0025), average=0.002, excursion_allowed=None,
                   slope_excursion=0.0001, slope_excursion_allowed=0.0002)  # fmt: skip
    rows, _ = window(only, wide=True)
    assert rows == [
        ("window", f"{'rounds 3 to 7':<20}  {'values':<15}  slope (of 10 %)"),
        ("", f"{label}  {'1 ms':>7} {'2.5 ms':>7}  {'5 %':<15}  not yet"),
    ]


def test_the_values_of_a_search_are_in_the_unit_of_its_quantity() -> None:
    series = _steady.Series("x", "throughput", (123_456_000.0, 2_000_000.0))
    assert series.text == "  123.5       2"
    assert _steady.Series("x", "iops", (123_456.0,)).text == "   123k"


def record(iops: float, trims: float = 0.0) -> Any:
    """Two seconds of so many IOs and trims a second, of 4 KiB."""
    tally, trimmed = (Tally(ios=round(2 * rate), bytes=round(2 * rate) * 4096) for rate in (iops, trims))
    counts = Counts(seconds=2.0, read=tally, write=Tally())
    return SimpleNamespace(counts=counts, result=SimpleNamespace(trims=trimmed))


def test_a_line_of_a_workload_has_its_first_and_its_last_round() -> None:
    """A thousand IOs of 4 KiB at QD1 take 1 ms each, and are 4.1 MB/s."""
    (plain,) = figures((4 * KiB, 100, 1000.0))
    figures_ = f"{'1000':>7} {'4.1':>8} {'1 ms':>8} {'1 ms':>8}"
    assert _summary._columns(plain, [record(1000.0)]) == f" {figures_}"
    assert _summary._columns(plain, [record(0.0), record(0.0)]) == f" {figures_}  {'0':>7} {'0':>7}"
    many = [record(500.0), record(9.0), record(12_300.0)]
    assert _summary._columns(plain, many) == f" {figures_}  {'500':>7} {'12.3k':>7}"


@pytest.mark.parametrize(("trim_pct", "more"), [(100, ""), (50, ", trims")])
def test_trims_beside_other_ios_are_named_and_have_their_own_rounds(trim_pct: int, more: str) -> None:
    load = Workload(random_pct=100, read_pct=0, trim_pct=trim_pct, block_bytes=4 * KiB, threads=1, depth=1)
    trims = row(load, 1000.0)._replace(direction="trim")
    assert _summary._labels([trims]) == [load.label + more]
    line = _summary._columns(trims, [record(1.0, 700.0), record(2.0, 800.0)])
    assert line.endswith(f"  {'700':>7} {'800':>7}")


def test_rounds_are_those_of_the_same_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two loads of one phase each has its own first and last round; a single record has none."""
    reads, writes = figures((4 * KiB, 100, 1000.0), (4 * KiB, 0, 2000.0))
    records = [(reads, 100.0), (writes, 300.0), (reads, 200.0), (writes, 400.0)]
    made = [SimpleNamespace(**vars(record(iops)), workload=one.workload) for one, iops in records]
    monkeypatch.setattr("stend.cli._summary.look.records", lambda run, test, phase: made)
    run: Any = None
    head, first, second = _summary._workloads(run, "rounds", [reads, writes])
    assert head == f"  {'rounds':<25} {'IOPS':>7} {'MB/s':>8} {'mean':>8} {'max':>8}  round 1    last"
    assert first.endswith(f"  {'100':>7} {'200':>7}")
    assert second.endswith(f"  {'300':>7} {'400':>7}")
    monkeypatch.setattr("stend.cli._summary.look.records", lambda run, test, phase: made[:3])
    head, first, second = _summary._workloads(run, "rounds", [reads, writes])
    assert (head[-4:], first[-3:], second[-7:]) == ("last", "200", " 500 µs"), "one of them has several rounds"
    monkeypatch.setattr("stend.cli._summary.look.records", lambda run, test, phase: made[:2])
    head, first, second = _summary._workloads(run, "rounds", [reads, writes])
    assert (head[-5:], first[-5:], second[-7:]) == ("  max", " 1 ms", " 500 µs")
    assert _summary._workloads(run, "rounds", []) == []
