"""Steps of a trace: what every stream did in each second, made of IOs and read from a file."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from stend.base.errors import BadInput
from stend.model.stats import bin_index, percentile_s
from stend.model.tally import Tally
from stend.trace import steps as stored
from stend.trace.folding import Folding, steps
from stend.trace.form import DISCARD, FLUSH, READ, UNKNOWN, WRITE, About
from stend.trace.steps import Key, Part, Step

SECOND = stored.SECOND_NS
IO = tuple[int, int, int, int, int, int, int]
COLUMNS = ("t_ns", "op", "offset", "length", "latency_ns", "depth", "process")


def batch(ios: list[IO]) -> dict[str, Any]:
    return {name: np.array(column, np.int64) for name, column in zip(COLUMNS, zip(*ios, strict=True), strict=True)}


def labels(step: Step) -> dict[str, int]:
    return {part.key.label: part.tally.ios for part in step.parts}


@st.composite
def traces(draw: st.DrawFn) -> list[IO]:
    times = sorted(draw(st.lists(st.integers(0, 5 * SECOND), min_size=1, max_size=60)))
    one = st.tuples(
        st.sampled_from([READ, WRITE, FLUSH, DISCARD]),
        st.integers(0, 40).map(lambda n: n * 4096),
        st.sampled_from([512, 4096, 65536, 3 << 20]),
        st.one_of(st.just(UNKNOWN), st.integers(0, 2 * SECOND)),
        st.one_of(st.just(UNKNOWN), st.integers(1, 2000)),
        st.sampled_from([UNKNOWN, 7, 8]),
    )
    return [(t, *draw(one)) for t in times]


@given(traces(), st.integers(1, 59))
@settings(max_examples=60, deadline=None)
def test_nothing_of_a_trace_is_lost_in_its_steps_however_it_is_cut_into_batches(ios: list[IO], cut: int) -> None:
    folded = list(steps([batch(part) for part in (ios[:cut], ios[cut:]) if part]))
    assert folded == list(steps([batch(ios)]))
    for step in folded:
        own = [io for io in ios if step.start_ns <= io[0] < step.start_ns + step.length_ns]
        tallies = [part.tally for part in step.parts]
        assert step.ios == len(own)
        assert sum(tally.bytes for tally in tallies) == sum(io[3] for io in own)
        told = Counter(bin_index(io[4]) for io in own if io[4] >= 0)
        assert sum((Counter(dict(tally.bins)) for tally in tallies), Counter()) == told
        assert sum(tally.latency_ns for tally in tallies) == sum(io[4] for io in own if io[4] >= 0)
        assert step.depths == Counter(min(io[5], 1024) for io in own if io[5] > 0)
        assert {part.key.op for part in step.parts} == {io[1] for io in own}
    assert sum(step.ios for step in folded) == len(ios)


def test_an_io_is_sequential_where_one_of_its_process_and_direction_ended() -> None:
    read, other = (0, READ, 0, 4096, 1, 1, 7), (1, READ, 65536, 4096, 1, 1, 8)
    follows, stranger, write = (
        (2, READ, 4096, 4096, 1, 1, 7),
        (3, READ, 8192, 4096, 1, 1, 8),
        (4, WRITE, 8192, 4096, 1, 1, 7),
    )
    (step,) = steps([batch([read, other, follows, stranger, write])])
    assert labels(step) == {"RND 4K R": 3, "SEQ 4K R": 1, "RND 4K W": 1}


def test_of_more_than_eight_streams_woven_by_one_process_none_is_called_sequential() -> None:
    def woven(streams: int) -> dict[str, int]:
        ios = [(n, READ, n % streams * 2**30 + n // streams * 4096, 4096, 1, 1, 7) for n in range(10 * streams)]
        (step,) = steps([batch(ios)])
        return labels(step)

    assert woven(8) == {"SEQ 4K R": 72, "RND 4K R": 8}
    assert woven(9) == {"RND 4K R": 90}


def test_idle_is_the_time_in_which_nothing_was_in_flight() -> None:
    ms = SECOND // 1000
    long = (100 * ms, READ, 0, 4096, 300 * ms, 1, 7)
    inside, late = (200 * ms, READ, 0, 4096, 50 * ms, 2, 7), (1900 * ms, READ, 0, 4096, 200 * ms, 1, 7)
    first, second = steps([batch([long, inside, late])])
    assert (first.idle_ns, second.idle_ns) == (700 * ms, 900 * ms)
    assert second.length_ns == SECOND
    assert (first.depth, second.depth) == (1.5, 1)


def test_where_no_response_time_is_known_no_idle_time_is_told() -> None:
    (step,) = steps([batch([(0, READ, 0, 4096, UNKNOWN, UNKNOWN, UNKNOWN)])])
    assert step.idle_ns is None
    assert step.depth is None
    assert not stored.answered(step.parts[0].tally).ios


def test_of_no_ios_there_are_no_steps() -> None:
    assert list(steps([])) == []


def test_of_a_whole_that_is_known_in_part_no_idle_time_is_told() -> None:
    known, unknown = Step(0, SECOND, 5, {}, ()), Step(SECOND, SECOND, None, {}, ())
    assert [(a + b).idle_ns for a, b in ((known, known), (known, unknown), (unknown, known))] == [10, None, None]


def test_a_step_in_which_nothing_was_asked_is_idle_and_there() -> None:
    folded = list(steps([batch([(0, READ, 0, 512, 10, 1, 1), (3 * SECOND, READ, 0, 512, 10, 1, 1)])]))
    assert [step.idle_ns for step in folded[1:3]] == [SECOND, SECOND]
    assert len(folded) == 4


def test_a_hundred_sizes_make_a_hundred_streams_and_beyond_two_mebibytes_the_next_power_of_two() -> None:
    sizes = [512 * n for n in range(1, 101)]
    ios = [(n, READ, 2**40 + n * 2**30, size, 10, 1, 1) for n, size in enumerate([*sizes, (2 << 20) + 512, 4 << 20])]
    (step,) = steps([batch(ios)])
    assert [part.key.block_bytes for part in sorted(step.parts, key=lambda p: p.key)] == [*sizes, 4 << 20]


def test_the_mean_response_is_that_of_the_answered() -> None:
    (step,) = steps([batch([(0, READ, 0, 512, 1000, 1, 1), (1, READ, 9999, 512, UNKNOWN, 1, 1)])])
    assert step.parts[0].tally.ios == 2
    assert stored.answered(step.parts[0].tally).mean_s == pytest.approx(1e-6)


def written(path: Path, every: list[Step], pieces: int = 2) -> Path:
    half = len(every) // pieces
    about = About(source="test")
    path.write_bytes(stored.header(SECOND, about) + stored.packed(every[:half]) + stored.packed(every[half:]))
    return path


def minute() -> list[Step]:
    rng = np.random.default_rng(1)
    ios = [(n * SECOND // 50, READ, int(rng.integers(99)) << 20, 4096, 1000 + n, 1 + n % 3, 7) for n in range(3000)]
    return list(steps([batch(ios)]))


def test_a_file_holds_the_steps_that_were_written_piece_by_piece(tmp_path: Path) -> None:
    every = minute()
    path = written(tmp_path / "a.steps", every)
    found = stored.opened(path)
    assert stored.claims(path.read_bytes()[:512])
    assert (found.step_ns, found.about) == (SECOND, About(source="test"))
    assert list(found) == every


def test_a_torn_end_costs_the_torn_piece_only(tmp_path: Path) -> None:
    every = minute()
    path = written(tmp_path / "a.steps", every)
    path.write_bytes(path.read_bytes()[:-9])
    kept = list(stored.opened(path))
    assert kept == every[: len(kept)]
    assert len(kept) >= len(every) // 2


@pytest.mark.parametrize("data", [b"", b"PAR1", stored.MAGIC, stored.packed([]), stored.packed(minute()[:1])])
def test_what_is_no_file_of_steps_is_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.steps"
    path.write_bytes(data)
    assert not stored.claims(data)
    with pytest.raises(BadInput, match="cannot be read as steps of a trace"):
        stored.opened(path)


def test_steps_of_a_later_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.steps"
    later = stored.Header(version=9, step_ns=SECOND, about=About(source="x"))
    path.write_bytes(zstandard.compress(msgspec.json.encode(later) + b"\n"))
    with pytest.raises(BadInput, match="steps of version 9"):
        stored.opened(path)


def test_coarser_steps_say_the_same_in_all(tmp_path: Path) -> None:
    every = minute()
    whole = list(stored.coarser(every, 10 * SECOND))
    assert len(whole) == 6
    assert [step.start_ns for step in whole] == [n * 10 * SECOND for n in range(6)]
    assert sum(step.idle_ns or 0 for step in whole) == sum(step.idle_ns or 0 for step in every)
    assert stored.cumulative(whole) == stored.cumulative(every)
    (part,) = stored.cumulative(every)
    assert part.tally.ios == 3000
    assert percentile_s(part.tally, 50) == pytest.approx(2.5e-6, rel=0.02)


def test_the_cumulative_workload_has_the_most_frequent_stream_first() -> None:
    def part(ios: int, op: int) -> Part:
        return Part(op, 4096, True, Tally(ios=ios))

    every = [Step(0, 1, 0, {}, (part(5, READ), part(9, WRITE))), Step(1, 1, 0, {}, (part(6, READ),))]
    told = stored.cumulative(every)
    assert [(one.key, one.tally.ios) for one in told] == [(Key(READ, 4096, True), 11), (Key(WRITE, 4096, True), 9)]


def test_a_folding_tells_what_is_over_at_a_time() -> None:
    folding = Folding()
    assert list(folding.add(batch([(10, READ, 0, 512, 1, 1, 1)]))) == []
    assert [step.ios for step in folding.until(2 * SECOND)] == [1, 0]
    (rest,) = folding.end(5 * SECOND // 2)
    assert (rest.start_ns, rest.length_ns, rest.idle_ns) == (2 * SECOND, SECOND // 2, SECOND // 2)
