"""Counts add; a Run takes back what a continuation repeats."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.findings import look
from stend.model.counts import Counts, added
from stend.model.definition import Hold
from stend.model.events import Ended, Event, Judged, Note, Result, Sample, Started, Telemetry
from stend.model.packed import Bins, merged
from stend.model.record import Run
from stend.model.samples import Samples
from stend.model.tally import Tally
from stend.words import text
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


def test_the_response_time_of_a_mix_is_that_of_all_its_ios() -> None:
    mix = Counts(2.0, 0, Tally(10, 100, latency_ns=1000, max_ns=300), Tally(30, 300, latency_ns=9000, max_ns=700))
    assert mix.mean_s == pytest.approx(250e-9)
    assert mix.max_s == pytest.approx(700e-9)
    assert mix.both.ios == 40
    assert mix.both.mean_s == pytest.approx(mix.mean_s)
    assert [mix.quantity(name) for name in ("iops", "throughput", "latency")] == [20, 200, mix.mean_s]


def test_what_a_line_leaves_out_is_nought() -> None:
    lines = (b'{"type":"result","where":{"test":"a","phase":"b","round":1},"index":0,"step":{"type":"purge"},"t":2}',
             b'{"type":"judged","where":{"test":"a","phase":"b","round":1},"t":2}')  # fmt: skip
    result, judged = (msgspec.json.decode(line, type=Result | Judged) for line in lines)
    assert isinstance(result, Result)
    assert (result.counts, result.gap_s, result.seed, result.said) == (Counts(), 0, 0, "")
    assert judged == Judged(where=result.where, t=2, verdicts=(), steady=False, ended_by=text(""))


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


@given(st.lists(st.tuples(st.integers(0, 10**9).map(float), counts), max_size=5))
def test_samples_come_back_as_they_were_taken(taken: list[tuple[float, Counts]]) -> None:
    many = [Sample(t=t, counts=c.without_bins()) for t, c in taken]
    samples = Samples()
    for sample in many:
        samples.append(sample)
    assert list(samples) == many
    assert samples[1:-1] == many[1:-1]
    assert (samples[::2], samples[::-1]) == (many[::2], many[::-1])
    assert [samples[-1]] == many[-1:] if many else not samples


@given(st.lists(st.dictionaries(st.integers(0, 1855), st.sampled_from([0, 1, 7, 2**32 - 1, 2**40])), max_size=4))
def test_packed_bins_add_up_as_plain_ones_do(many: list[dict[int, int]]) -> None:
    plain, half = merged(many), [Bins(bins) if number % 2 else bins for number, bins in enumerate(many)]
    assert merged(list(map(Bins, many))) == merged(half) == plain
    assert plain == {index: sum(bins.get(index, 0) for bins in many) for bins in many for index in bins}


@given(st.dictionaries(st.integers(0, 1855), st.integers(1, 2**63 - 1), max_size=9))
def test_packed_bins_are_the_bins(bins: dict[int, int]) -> None:
    packed = Bins(bins)
    assert packed == bins
    assert [packed.get(index, 0) for index in range(1856)] == [bins.get(index, 0) for index in range(1856)]
    assert (sorted(packed.items()), sum(packed.values())) == (sorted(bins.items()), sum(bins.values()))


def test_what_a_run_keeps_is_what_it_was_told() -> None:
    events = play(drawn("iops", minute_s=1), StillEngine())
    run = Run(events)
    assert run.results == [event for event in events if isinstance(event, Result)]
    assert {type(r.counts.write.bins) for r in run.results if r.counts.write.ios} == {Bins}, "which take little room"
    assert list(run.samples) == [event for event in events if isinstance(event, Sample)]


@pytest.mark.parametrize(
    ("last", "stamps"),
    [
        ([], ("unfinished",)),
        ([Ended(t=9, outcome="complete")], ()),
        ([Ended(t=9, outcome="stopped", reason=text("by the operator"))], ("stopped: by the operator",)),
        ([Ended(t=9, outcome="failed")], ("failed",)),
        (
            [Note(t=8, text=text("slept"), kind="stall"), Ended(t=9, outcome="complete")],
            ("the host slept or stalled while figures were taken, see the notes",),
        ),
        (
            [
                Note(t=8, text=text("a remark")),
                Note(t=8, text=text("a doubt"), kind="doubt"),
                Ended(t=9, outcome="complete"),
            ],
            (),
        ),
    ],
)
def test_every_page_says_how_a_run_ended_and_what_speaks_against_its_figures(
    last: list[Event], stamps: tuple[str, ...]
) -> None:
    whole = play(drawn("iops", minute_s=1), StillEngine())
    assert Run([*whole[:-1], *last]).stamps == stamps


def test_the_samples_of_a_result_are_those_of_its_own_clock() -> None:
    """A run that goes on begins its clock anew, so that samples of before have the times of those after."""
    plan = drawn("iops", minute_s=1)
    whole = play(plan, StillEngine())
    first = whole[: len(whole) // 2]
    again = play(plan, StillEngine(), past=Run(first))
    run = Run([*first, *again])
    held = [r for r in run.results if isinstance(r.step, Hold)]
    for result in held:
        taken = run.sampled(result)
        assert sum(counts.both.ios for _, counts in taken) == result.counts.both.ios
    record = look.records(run, "iops", "rounds")[-1]
    assert sum(c.both.ios for _, c in look.samples(run, record)) == record.counts.both.ios


def test_no_sample_belongs_to_two_results_whose_times_overlap_by_the_jitter_of_a_report() -> None:
    """A load is reported done some milliseconds late: the next one, counted back, seems to begin before that."""
    whole = play(drawn("iops", minute_s=1), StillEngine())
    late = [
        msgspec.structs.replace(e, counts=msgspec.structs.replace(e.counts, seconds=e.counts.seconds * 1.01))
        if isinstance(e, Result) and isinstance(e.step, Hold)
        else e
        for e in whole
    ]
    spans = sorted(Run(late).spans.values())
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert max(last - first for first, last in spans) > 0


def test_what_was_told_before_a_start_is_known_is_of_the_present() -> None:
    told = [e for e in play(drawn("iops", minute_s=1), StillEngine()) if isinstance(e, Result)]
    looks = [Telemetry(t=1, values={}), Telemetry(t=2, values={})]
    run = Run([*told, *looks])
    assert run.present == (told, looks)


def test_nothing_done_in_no_time_is_no_rate() -> None:
    nothing = Counts()
    assert (nothing.iops, nothing.bytes_per_s, nothing.both.mean_s) == (0, 0, 0)
    assert added([]) == nothing
    assert msgspec.json.decode(b"[1e-300,0,[9]]", type=Counts).iops == 0  # nor in a time that no clock tells


@given(st.lists(counts, max_size=4))
def test_added_at_once_is_as_added_one_by_one(many: list[Counts]) -> None:
    assert added(many) == sum(many, Counts())


def test_events_are_data_that_nobody_changes() -> None:
    sample = Sample(t=1.0, counts=Counts())
    with pytest.raises(AttributeError):
        sample.t = 2.0  # type: ignore[misc]


def test_a_continuation_keeps_the_samples_up_to_its_last_kept_result_and_no_later_one() -> None:
    plan = drawn("iops", minute_s=1)
    whole = play(plan, StillEngine())
    results = [event for event in whole if isinstance(event, Result) and event.where.phase == "rounds"]
    again = results[-1].where
    until = max(r.t for r in Run(whole).results if r.where.phase != "rounds" or r.where.round < again.round)
    first = whole[: whole.index(results[-1]) + 1]
    run = Run([*first, Started(at=0, version="0", plan=plan, seed=1, continues=again)])
    assert run.samples[-1].t == until
    assert list(run.samples) == [event for event in first if isinstance(event, Sample) and event.t <= until]
    assert all(r.where.round < again.round for r in run.of("iops", "rounds"))
