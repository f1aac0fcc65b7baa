"""Samples are read by a shorter way than other events: what comes of it is the same, odd lines and all."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import store
from stend.base.errors import BadInput
from stend.model.events import Sample, Started
from stend.model.record import Run
from stend.model.samples import SampleRow
from stend.store import journal
from stend.words import encoded
from tests.test_run import drawn

HEAD = b'{"format":"stend-events","version":1}\n'
STARTED = (
    msgspec.json.encode(Started(at=1.0, version="0", plan=drawn("iops", minute_s=1), seed=1), enc_hook=encoded) + b"\n"
)

numbers = st.sampled_from([0, 1, 7, 0.0, 2.5, 4e-10, 1e300, -1, "1", None, 1 << 70]) | st.integers(0, 9)
usual = st.integers(0, 1 << 40)
bins = st.sampled_from([{}, {"712": 3}, {"9999": 1}, {"x": 1}, []])


def tallies(number: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    whole = st.tuples(*[number] * 5, bins).map(list)
    return whole | whole.map(lambda tally: tally[:3]) | whole.map(lambda tally: [*tally, 1])


def samples(number: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    counts = st.tuples(number, number, tallies(number), tallies(number)).map(list)
    some = counts | counts.map(lambda told: told[:3]) | counts.map(lambda told: [*told, {}])
    return st.builds(lambda t, counts, more: {"type": "sample", "t": t, "counts": counts} | more,
                     number, some, st.sampled_from([{}, {}, {}, {"extra": 1}, {"t": 1.5}]))  # fmt: skip


def told(read: Callable[[Path], Run], folder: Path) -> list[Sample] | str:
    try:
        return list(read(folder).samples)
    except BadInput as error:
        return str(error)


@given(st.lists(samples(usual) | samples(numbers), max_size=3), st.booleans())
def test_both_ways_read_the_same_samples_and_refuse_the_same_lines(lines: list[dict[str, Any]], planned: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        text = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        Path(name, "events.jsonl").write_bytes(
            HEAD + (STARTED if planned else b"") + text + (b"" if planned else STARTED)
        )
        assert told(store.load, Path(name)) == told(lambda folder: Run(store.read(folder)), Path(name))


def test_a_line_among_many_that_is_no_sample_is_told_by_its_number(tmp_path: Path) -> None:
    """Samples are read by the hundred."""
    line = b'{"type":"sample","t":%d,"counts":[1.0,0,[0,0,0.0,0.0,0.0,{}],[1,1,1.0,1.0,1.0,{}]]}\n'
    lines = [line % number for number in range(3, 3 + 3 * journal.AT_ONCE)]
    (tmp_path / "events.jsonl").write_bytes(HEAD + STARTED + b"".join(lines))
    assert [sample.t for sample in store.load(tmp_path).samples] == list(range(3, 3 + len(lines)))
    for number in (3, journal.AT_ONCE + 9, len(lines) + 2):
        broken = [line.replace(b"1.0", b"one", 1) if at == number else line for at, line in enumerate(lines, 3)]
        (tmp_path / "events.jsonl").write_bytes(HEAD + STARTED + b"".join(broken))
        with pytest.raises(BadInput, match=f"events.jsonl, line {number}, is not an event"):
            store.load(tmp_path)


def test_a_sample_as_stend_writes_it_goes_the_short_way() -> None:
    line = b'{"type":"sample","t":2.0,"counts":[1.0,0,[0,0,0.0,0.0,0.0,{}],[169,22229,97.0,6.5e17,7539802.0,{}]]}'
    row, sample = msgspec.json.decode(line, type=SampleRow), msgspec.json.decode(line, type=Sample)
    run = Run()
    run.samples.take([row])
    assert list(run.samples) == [sample]
