"""STREAM's bandwidth by arithmetic: bytes as its rules count them, over the best of all runs but the first."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from stend.host import stream

SIZE = 64
DURATIONS = {"copy": (0.5, 3.0, 2.0), "scale": (0.5, 4.0, 5.0), "add": (0.5, 8.0, 8.0), "triad": (0.5, 16.0, 12.0)}
"""Seconds of each kernel in three turns, the first of which warms up."""
WORDS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
"""Numbers of 8 bytes that a kernel reads and writes for each element (McCalpin)."""


def readings() -> Iterator[float]:
    """Readings of a clock before and after each kernel of each turn."""
    now = 100.0
    for turn in range(3):
        for durations in DURATIONS.values():
            yield now
            now += durations[turn]
            if turn:  # the first turn is not timed to its end
                yield now


def test_bandwidth_is_the_bytes_of_a_kernel_over_its_shortest_time_after_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernels: Any = stream.KERNELS
    plain = {name: (kernel.py_func, arrays) for name, (kernel, arrays) in kernels.items()}
    clock = readings()
    monkeypatch.setattr(stream, "KERNELS", plain)
    monkeypatch.setattr(stream, "LEAST", SIZE)
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    told = stream.measured(0, repeats=2)
    monkeypatch.undo()
    assert told == {name: WORDS[name] * 8 * SIZE / min(DURATIONS[name][1:]) for name in WORDS}
    assert next(clock, None) is None, "as many turns as repeats, and one before"


@pytest.mark.parametrize("cache_bytes", [SIZE * 2, SIZE * 2 + 2])
def test_arrays_together_are_at_least_as_large_as_the_rules_want(
    cache_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STREAM: each array at least four times the sum of all last-level caches."""
    lengths = set[int]()

    def kernel(*arrays: object) -> None:
        lengths.update(len(array) for array in arrays if hasattr(array, "__len__"))

    monkeypatch.setattr(stream, "KERNELS", dict.fromkeys(WORDS, (kernel, 2)))
    monkeypatch.setattr(stream, "LEAST", SIZE)
    with pytest.raises(ValueError, match="this host computes wrongly"):
        stream.measured(cache_bytes, repeats=1)
    assert lengths == {max(SIZE, 4 * cache_bytes // 8)}
