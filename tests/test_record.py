"""Counts add; a Run takes back what a continuation repeats."""

from hypothesis import given
from hypothesis import strategies as st

from stend.record import Counts, Run, Tally
from tests.still import StillEngine
from tests.test_run import drawn, play

tallies = st.builds(
    Tally,
    st.integers(0, 10**6),
    st.integers(0, 10**9),
    st.integers(0, 10**12).map(float),
    st.integers(0, 2**50).map(float),
    st.integers(0, 10**9).map(float),
    st.dictionaries(st.integers(0, 1855), st.integers(1, 1000), max_size=5),
)
counts = st.builds(Counts, st.integers(0, 1000).map(float), st.integers(0, 1000).map(float), tallies, tallies)


@given(counts, counts, counts)
def test_adding_is_associative_and_keeps_every_io(a: Counts, b: Counts, c: Counts) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert (a + b).both.ios == a.both.ios + b.both.ios
    assert sum((a + b).both.bins.values()) == sum(a.both.bins.values()) + sum(b.both.bins.values())


def test_mean_and_deviation_come_from_sums() -> None:
    sample = [100.0, 200.0, 400.0]
    tally = Tally(3, 3 * 4096, sum(sample), sum(v * v for v in sample), 400.0)
    assert abs(tally.mean_s - 233.333e-9) < 1e-12
    assert abs(tally.deviation_s - 152.753e-9) < 1e-12
    assert Tally().mean_s == 0
    assert Tally(1, 1, 5, 25).deviation_s == 0


def test_a_mix_counts_reads_and_writes() -> None:
    both = Counts(2.0, 0, Tally(10, 100), Tally(30, 300))
    assert both.iops == 20
    assert both.bytes_per_s == 200
    assert Counts().iops == 0


def test_a_continued_run_has_every_result_once() -> None:
    plan = drawn("iops", minute_s=1)
    whole = play(plan, StillEngine())
    first = whole[: len(whole) // 2]
    run = Run([*first, *play(plan, StillEngine(), past=Run(first))])
    places = [(r.where, r.index) for r in run.results]
    assert len(places) == len(set(places))
    assert any("interrupted" in stamp for stamp in run.stamps)


def test_the_window_adds_up_its_rounds_only() -> None:
    plan = drawn("iops", minute_s=1)
    run = Run(play(plan, StillEngine()))
    tracked = plan.tests[0].phases[2].until[0].track[0]  # type: ignore[union-attr]
    assert run.verdict_rounds("iops", "rounds") == (1, 2, 3, 4, 5)
    assert run.window("iops", "rounds", tracked).both.ios == 5000
