"""A trace for tests of what is said of one: two phases, a hot range, a sequential writer, a pause."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stend import trace
from stend.base.units import GiB, KiB, MiB
from stend.trace.described import Described, described

Columns = dict[str, npt.NDArray[Any]]
SECONDS = 40
HOT_BYTES = 64 * MiB


def columns(seed: int = 5) -> Columns:
    """A second at a time: reads of 8 KiB, nine in ten of a hot range; every fifth second a writer of 64 KiB in a row;
    nothing between 20 and 25 s."""
    draw, parts, written = np.random.default_rng(seed), [], 0
    for second in (s for s in range(SECONDS) if not 20 <= s < 25):
        many = 200 if second < 20 else 500
        t_s = np.sort(draw.random(many)) + second
        hot = draw.random(many) < 0.9
        blocks = np.where(hot, draw.integers(0, HOT_BYTES // 8192, many), draw.integers(0, GiB // 8192, many))
        parts.append((t_s, np.zeros(many), blocks * 8192, np.full(many, 8 * KiB), draw.lognormal(-9.2, 0.5, many)))
        if second % 5 == 0:
            own = 100
            at = 2 * GiB + (written + np.arange(own)) * 64 * KiB
            took = draw.lognormal(-8, 0.3, own)
            parts.append((np.sort(draw.random(own)) + second, np.ones(own), at, np.full(own, 64 * KiB), took))
            written += own
    t_s, op, offset, length, latency_s = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(t_s, kind="stable")
    told = {"t_ns": t_s * 1e9, "op": op, "offset": offset, "length": length, "latency_ns": latency_s * 1e9}
    return {name: values[order].astype(np.int64) for name, values in told.items()}


def written(folder: Path, own: Columns | None = None) -> trace.Trace:
    """Such a trace as a file."""
    about = trace.About(source="made", device="drawn by a test", begun_s=1.7e9)
    return trace.write(folder / "t.parquet", [own or columns()], about)


def known(folder: Path) -> Described:
    """What is said of it."""
    return described(written(folder))
