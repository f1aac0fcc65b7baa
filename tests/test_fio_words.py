"""fio's documents as numbers: what is read, what is subtracted, and what is not believed."""

import json
from typing import Any

import pytest

from stend.base.errors import StepFailed
from stend.engines import _fio_json as words
from stend.model.stats import BINS, bin_edges_ns, bin_index
from stend.model.tally import Tally


def document(*jobs: dict[str, Any], **more: Any) -> words.Document:
    read = words.read(json.dumps({"jobs": list(jobs), **more}).encode())
    assert read is not None
    return read


def way(ios: int, size: int, mean: float = 0, deviation: float = 0, most: float = 0, **bins: int) -> dict[str, Any]:
    told = {"N": ios, "mean": mean, "stddev": deviation, "max": most, "bins": {k[1:]: n for k, n in bins.items()}}
    return {"io_bytes": size, "lat_ns": told, "runtime": 1500}


def test_what_fio_leaves_out_is_nought() -> None:
    empty = document({})
    assert (empty.bytes, empty.error, empty.runtime_s, empty.timestamp_ms) == (0, 0, 0, 0)
    assert words.total(empty, "read") == Tally()
    assert document().runtime_s == 0
    assert document({"read": {"io_bytes": 4096}}).jobs[0].read.lat_ns == words.Latency(0, 0, 0, 0, {})


def test_numbers_may_be_told_as_text_and_whole_ones_with_a_point() -> None:
    told = document({"error": "5", "write": {"io_bytes": 4096.0, "runtime": "2500"}}, timestamp_ms="17")
    assert (told.error, told.bytes, told.runtime_s, told.timestamp_ms) == (5, 4096, 2.5, 17)


def test_totals_are_those_of_all_jobs_and_the_longest_time() -> None:
    told = document({"read": way(1, 4096)}, {"write": way(2, 8192) | {"runtime": 2500}})
    assert told.bytes == 12288
    assert told.runtime_s == 2.5
    assert words.total(told, "read").ios == 1
    assert words.total(told, "write").bytes == 8192
    assert document({"read": way(1, 1) | {"runtime": 4000}, "write": way(1, 1)}).runtime_s == 4


def test_the_first_error_of_a_job_is_told() -> None:
    assert document({"error": 0}, {"error": 5}, {"error": 28}).error == 5


def test_sums_come_from_mean_and_deviation_as_fio_computes_them() -> None:
    sample = [100.0, 200.0, 400.0]
    mean = sum(sample) / 3
    deviation = (sum((v - mean) ** 2 for v in sample) / 2) ** 0.5
    tally = words.total(document({"read": way(3, 3, mean, deviation, 400, _100=1, _200=1, _400=1)}), "read")
    assert tally.latency_ns == pytest.approx(700)
    assert tally.latency_ns2 == pytest.approx(sum(v * v for v in sample))
    assert tally.max_ns == 400
    assert tally.bins == {bin_index(100): 1, bin_index(200): 1, bin_index(400): 1}


def test_the_longest_of_an_interval_is_no_longer_than_its_highest_bin() -> None:
    low, high = bin_index(1000), bin_index(50_000)
    before = Tally(3, 3, 9, 9, 900_000, {low: 2, bin_index(900_000): 1})
    now = Tally(6, 6, 19, 19, 900_000, {low: 4, high: 1, bin_index(900_000): 1})
    done = words.since(before, now)
    assert done == Tally(3, 3, 10, 10, bin_edges_ns(high)[1], {low: 2, high: 1})


def test_a_longest_that_moved_or_that_no_bin_bounds_is_told_as_it_is() -> None:
    before = Tally(1, 1, 5, 5, 900, {3: 1})
    assert words.since(before, Tally(2, 2, 9, 9, 901, {3: 2})).max_ns == 901
    last = BINS - 1
    assert words.since(before, Tally(2, 2, 9, 9, 900, {3: 1, last: 1})).max_ns == 900
    assert words.since(before, before) == Tally()


def test_a_mean_that_was_rounded_takes_nothing_back() -> None:
    done = words.since(Tally(2, 2, 10.5, 60, 9, {3: 2}), Tally(3, 3, 10.4, 59, 9, {3: 3}))
    assert (done.latency_ns, done.latency_ns2) == (0, 0)


@pytest.mark.parametrize(
    "now",
    [Tally(1, 4, 9, 9, 9, {3: 2}), Tally(2, 3, 9, 9, 9, {3: 2}), Tally(2, 4, 9, 9, 9, {3: 1, 4: 1})],
    ids=["IOs", "bytes", "a bin"],
)
def test_totals_that_went_back_are_none(now: Tally) -> None:
    with pytest.raises(StepFailed, match="went back"):
        words.since(Tally(2, 4, 9, 9, 9, {3: 2}), now)


def test_totals_that_lost_the_only_io_of_a_bin_went_back() -> None:
    with pytest.raises(StepFailed, match="went back"):
        words.since(Tally(1, 1, 9, 9, 9, {3: 1}), Tally(2, 2, 9, 9, 9, {4: 2}))


def test_documents_are_cut_out_of_text_wherever_it_lies() -> None:
    cutter = words.Cutter()
    text = b'noise\n{\n  "jobs": [\n  ]\n}\n\nmore\n{\n}\nhalf'
    pieces = [piece for at in range(0, len(text), 5) for piece in cutter.feed(text[at : at + 5])]
    assert pieces == ["noise", b'{\n  "jobs": [\n  ]\n}\n', "more", b"{\n}\n"]
    assert list(cutter.feed(b" a line\n")) == ["half a line"]
