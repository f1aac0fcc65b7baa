"""The table of samples: every rate and time is that of its counts; without time or IOs there is none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.api import samples
from stend.model.counts import Counts
from stend.model.events import Sample
from stend.model.record import Run
from stend.model.tally import Tally
from tests.synthetic import made

IOS = st.integers(0, 10_000)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    ios = draw(st.one_of(st.just(0), IOS))
    if not ios:
        return Tally()
    longest = draw(st.integers(1, 10**9))
    return Tally(ios=ios, bytes=ios * 4096, latency_ns=draw(st.integers(1, longest)) * ios, max_ns=longest)


COUNTS = st.builds(Counts, st.sampled_from([0.0, 0.5, 1.0]), st.just(0.0), tallies(), tallies())


def of(part: float, whole: float) -> Any:
    return pytest.approx(part / whole, rel=1e-9) if whole else None


@given(drawn=st.lists(COUNTS, min_size=1, max_size=5))
def test_each_row_is_what_its_counts_give(drawn: list[Counts]) -> None:
    run = Run()
    for event in made("latency", interval_s=60.0, shorten=60, rounds=5).started:
        run.add(event)
    for number, counts in enumerate(drawn, 1):
        run.add(Sample(t=float(number), counts=counts))
    table = samples.table(run)
    for number, counts in enumerate(drawn):
        row, s, both = {name: table[name][number] for name in samples.COLUMNS}, counts.seconds, counts.ios
        assert (row["time_s"], row["seconds"]) == (number + 1.0, s)
        assert row["iops"] == of(both, s)
        assert row["mb_s"] == of(counts.read.bytes + counts.write.bytes, s * 1e6)
        assert row["mean_ms"] == of(counts.read.latency_ns + counts.write.latency_ns, both * 1e6)
        assert row["max_ms"] == of(max(counts.read.max_ns, counts.write.max_ns), 1e6 if both else 0)
        for way, tally in (("read", counts.read), ("write", counts.write)):
            assert row[f"{way}_iops"] == of(tally.ios, s)
            assert row[f"{way}_mb_s"] == of(tally.bytes, s * 1e6)
        assert [row[name] for name in samples.PLACE] == [None] * len(samples.PLACE), "no step has ended"
