"""STREAM (McCalpin 1995): copy, scale, add and triad over arrays larger than all caches, on all processors.

Bytes are counted as STREAM does: the bytes that a kernel reads and writes, without lines that a store loads first.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit, prange

REPEATS = 10
CACHE_TIMES = 4
"""Minimum size of each array relative to the last-level caches, by STREAM's rules."""
LEAST = 1 << 24
SCALAR = 3.0

_njit: Any = njit
Function = TypeVar("Function", bound=Callable[..., Any])


def _parallel(function: Function) -> Function:
    return cast(Function, _njit(function, parallel=True))


@_parallel
def _copy(a: Any, b: Any, c: Any) -> None:
    for i in prange(a.shape[0]):
        c[i] = a[i]


@_parallel
def _scale(a: Any, b: Any, c: Any) -> None:
    for i in prange(a.shape[0]):
        b[i] = SCALAR * c[i]


@_parallel
def _add(a: Any, b: Any, c: Any) -> None:
    for i in prange(a.shape[0]):
        c[i] = a[i] + b[i]


@_parallel
def _triad(a: Any, b: Any, c: Any) -> None:
    for i in prange(a.shape[0]):
        a[i] = b[i] + SCALAR * c[i]


KERNELS = {"copy": (_copy, 2), "scale": (_scale, 2), "add": (_add, 3), "triad": (_triad, 3)}


def measured(cache_bytes: int, repeats: int = REPEATS) -> dict[str, float]:
    """Return bytes per second of each kernel, the best of all but the first run. Raise ValueError on wrong results."""
    size = max(LEAST, CACHE_TIMES * cache_bytes // 8)
    a, b, c = np.full(size, 1.0), np.full(size, 2.0), np.zeros(size)
    best = dict.fromkeys(KERNELS, np.inf)
    for turn in range(repeats + 1):
        for name, (kernel, _) in KERNELS.items():
            began = time.perf_counter()
            kernel(a, b, c)
            best[name] = min(best[name], time.perf_counter() - began) if turn else best[name]
    _check(repeats + 1, a, b, c)
    return {name: arrays * 8 * size / best[name] for name, (_, arrays) in KERNELS.items()}


def _check(turns: int, *arrays: Any) -> None:
    a, b, c = 1.0, 2.0, 0.0
    for _ in range(turns):
        c = a
        b = SCALAR * c
        c = a + b
        a = b + SCALAR * c
    if not all(
        np.allclose(array[:: 1 << 12], value, rtol=1e-12) for array, value in zip(arrays, (a, b, c), strict=True)
    ):
        raise ValueError("STREAM's arrays do not hold what they should: this host computes wrongly")
