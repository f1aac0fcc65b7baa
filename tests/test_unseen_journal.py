"""Boundaries of the journal's findings and of the ranges of a sweep, with values that follow on paper."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.base.units import KiB
from stend.findings import journal
from stend.findings.journal import Journal
from stend.many.sweep.design import Range, _at, _ladder, _parameter
from stend.model.workload import Workload


def load(
    iops: float = 1000.0, busy: float = 0.1, *, mean: float = 0.001, p50: float | None = 0.001,
    p99: float | None = 0.002, longest: float = 0.003, **work: Any,
) -> Any:  # fmt: skip
    """Synced writes; their flushes are not of interest here."""
    row = Workload(**{"random_pct": 0, "read_pct": 0, "block_bytes": 4 * KiB} | work)
    values = {"p50": p50, "p99": p99, "mean": mean, "max": longest}
    write = SimpleNamespace(
        workload=row, iops=iops, value=values.get, number=values.__getitem__, test="journal", phase="p"
    )
    return SimpleNamespace(write=write, busy=busy)


def log(*alone: Any, fua: Any = None, reads: tuple[Any, ...] = ()) -> Journal:
    run: Any = SimpleNamespace()
    return Journal(run, (), alone, reads, alone[0], None, fua and fua.write)


def told(found: Any) -> list[tuple[str, dict[str, Any], str]]:
    return [(one.key, one.values, one.side) for one in found]


@pytest.mark.parametrize(
    ("gain", "busy", "key"),
    [(1.5, 2.0, "grows"), (1.49, 0.9, "host"), (1.49, 0.89, "rises"), (1.1, 0.0, "rises"), (1.09, 0.0, "level"),
     (0.9, 0.0, "level"), (0.89, 0.0, "falls"), (0.5, 1.0, "host")],
)  # fmt: skip
def test_more_writers_are_faster_by_half_by_a_tenth_or_not(gain: float, busy: float, key: str) -> None:
    assert journal._gained(gain, busy) == key


def test_the_writers_of_the_smallest_block_are_compared_most_with_one() -> None:
    alone = [load(), load(1400, threads=2), load(9000, threads=16, block_bytes=16 * KiB), load(1600, threads=4)]
    values = {"threads": 4, "gain": 1.6, "iops": 1600, "single": 1000}
    assert told(journal._threads("t", log(*alone))) == [("grows", values, "pro")]
    assert told(journal._threads("t", log(*alone[:3]))) == [
        ("rises", values | {"threads": 2, "gain": 1.4, "iops": 1400}, "")
    ]
    assert told(journal._threads("t", log(alone[0], alone[2]))) == []
    for rate, key in ((1000, "level"), (800, "falls")):
        ((found, _, side),) = told(journal._threads("t", log(load(), load(rate, threads=2))))
        assert (found, side) == (key, "con")


@pytest.mark.parametrize(
    ("mean", "p50", "moved"),
    [(0.0013, 0.00125, True), (0.00125, 0.001, False), (0.0013, 0.00126, False), (0.00079, 0.0008, True),
     (0.00079, 0.00079, False)],
)  # fmt: skip
def test_a_drive_whose_level_moved_is_known_by_a_mean_that_is_off_and_a_median_that_is_not(
    mean: float, p50: float, *, moved: bool
) -> None:
    """A write with FUA takes about as long as a write and its flush, within a quarter."""
    fua = load(500, mean=mean, p50=p50)
    assert journal._later(log(load(), fua=fua)) == (500 if moved else None)
    assert journal._later(log(load())) is None
    whole = told(journal._threads("t", log(load(), load(700, threads=2), fua=fua)))
    assert whole[0][0] == ("moved" if moved else "falls")
    assert whole[0][1].get("later") == (500 if moved else None)


def test_of_two_times_of_a_write_with_fua_both_are_stated_where_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_last_t", lambda _, row: row.iops)
    means = {"fua_s": 0.0012, "both_s": 0.001, "iops": 900}
    assert told(journal._fua("t", log(load(), fua=load(900, mean=0.0012)))) == [("fua", means, "")]
    assert told(journal._fua("t", log(load(), fua=load(900, mean=0.0012, p50=None)))) == [("fua", means, "")]
    moved = {"fua_s": 0.001, "both_s": 0.001, "iops": 900, "fua_mean_s": 0.0013, "both_mean_s": 0.001, "apart": -100.0}
    assert told(journal._fua("t", log(load(), fua=load(900, mean=0.0013)))) == [("fua_moved", moved, "")]
    assert told(journal._fua("t", log(load()))) == []


@pytest.mark.parametrize(("waits", "key"), [(0.0025, "slowed"), (0.0024, "unmoved")])
def test_synced_writes_beside_reads_are_those_of_the_most_writers_with_a_percentile(waits: float, key: str) -> None:
    reads = tuple(load(300, threads=n, read_pct=70, p99=p99) for n, p99 in ((1, 9.0), (2, waits), (4, None)))
    alone = [load(), load(threads=2), load(threads=4)]
    values = {"threads": 2, "p99_s": waits, "alone_s": 0.002, "times": waits / 0.002, "share": 0.7, "iops": 300}
    expected = [(key, values, "con" if key == "slowed" else "")]
    assert told(journal._reads("t", log(*alone, reads=reads))) == expected
    assert told(journal._reads("t", log(load(block_bytes=512), reads=reads))) == []


@pytest.mark.parametrize(("p99", "longest", "told_of"), [(0.002, 0.2, True), (0.002, 0.199, False), (0.0001, 0.1, True),
                                                        (0.0001, 0.099, False), (None, 9.0, False)])  # fmt: skip
def test_the_longest_write_is_a_stall_from_a_tenth_of_a_second_and_a_hundred_times_the_p99(
    p99: float | None, longest: float, *, told_of: bool
) -> None:
    found = told(journal._longest("t", log(load(p99=p99, longest=longest))))
    assert found == ([("longest", {"max_s": longest}, "con")] if told_of else [])
    rate = {"block": 4 * KiB, "iops": 1000, "mean_s": 0.001} | ({"p99_s": p99} if p99 else {})
    own = journal._rate("t", log(load(p99=p99)))
    assert (own.key, own.values) == ("rate" if p99 else "rate_mean", rate)


@pytest.mark.parametrize(
    ("waits", "usual"),
    [
        ({"a": (1.0, 1.1), "b": (2.0, 2.0)}, {"a": 1.0, "b": 2.0, "takes": "plain"}),
        ({"a": (1.0, 1.11), "b": (2.0, 2.0)}, {"a": 1.0, "b": 2.0, "takes": "usual"}),
        ({"a": (1.0, 0.9), "b": (2.0, 2.0)}, {"a": 1.0, "b": 2.0, "takes": "usual"}),
        ({"a": (1.0, 0.91), "b": (2.0, 2.0)}, {"a": 1.0, "b": 2.0, "takes": "plain"}),
        ({"a": (1.0, 3.0), "b": (None, 2.0)}, {"a": 3.0, "b": 2.0, "takes": "mean"}),
    ],
)
def test_medians_are_stated_unless_one_is_unknown(waits: Any, usual: dict[str, Any]) -> None:
    assert journal._usual(waits) == usual


# Ranges of a sweep


@pytest.mark.parametrize(
    ("kind", "share", "value"),
    [
        (Range(0.0, 10.0), 0.25, 2.5),
        (Range(0.0, 1.0), 1 / 3, 0.333333),
        (Range(1.0, 100.0, log=True), 0.5, 10.0),
        (Range(0.0, 1.0, step=0.3), 0.5, 0.6),
        (Range(0.0, 1.0, step=0.3), 1.0, 0.9),
        (Range(0.5, 1.0, step=0.3), 1.0, 1.0),
        (Range(4, 64), 0.0, 4),
        (Range(4, 64), 1.0, 64),
        (Range(4, 64), 0.5, 34),
        (Range(4, 64, step=4), 0.5, 36),
        (Range(4, 64, step=4), 1.0, 64),
        (Range(1, 8, log=True), 0.5, 3),
        (Range(1, 8, log=True), 1.0, 8),
        (Range(1, 2.0), 0.5, 1.5),
        (Range(1, 2, step=0.5), 0.5, 1.5),
    ],
)
def test_a_value_of_a_range_is_at_its_share(kind: Range, share: float, value: float) -> None:
    found = kind.at(share)
    assert (found, type(found)) == (value, int if kind.whole else float)


def test_a_ladder_has_its_ends_and_each_value_once() -> None:
    assert _ladder(Range(0.0, 1.0)) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert _ladder(Range(0.0, 1.0, levels=3)) == [0.0, 0.5, 1.0]
    assert _ladder(Range(1, 3)) == [1, 2, 3]
    assert _ladder(("a", "b")) == ["a", "b"]
    assert [_at(("a", "b", "c"), share) for share in (0.0, 0.34, 0.67, 0.99)] == ["a", "b", "c", "c"]
    assert _at(Range(0.0, 4.0), 0.5) == 2.0


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"from": 2, "to": 2}, "x goes from 2 to 2, which is not ascending"),
        ({"from": 1, "to": 4, "step": 4}, "x cannot have steps of 4"),
        ({"from": 1, "to": 4, "step": 0}, "x cannot have steps of 0"),
        ({"from": 0, "to": 4, "log": True}, "x cannot be spaced by ratio from 0; it must start above 0"),
        ([1], "x needs two or more different values"),
        ([1, 1], "x needs two or more different values"),
    ],
)
def test_a_parameter_that_does_not_vary_is_refused(value: Any, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        _parameter(value, "x")
    assert str(refused.value) == said
    assert _parameter({"from": 1, "to": 4, "step": 3}, "x") == Range(1, 4, step=3)
    assert _parameter([1, 1.0, True], "x") == (1, 1.0, True)
