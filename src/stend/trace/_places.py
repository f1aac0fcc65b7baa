"""Compiled part of describing a trace: addresses of its IOs, times between them, and IOs in flight."""

from typing import Any

import numpy as np

from stend.base.jit import bin_of, compiled
from stend.model.stats import BIN_BITS, BINS

i64, u64 = np.int64, np.uint64
MOST_IN_FLIGHT = 1 << 14


@compiled
def place(
    t_ns: Any, op: Any, offset: Any, length: Any, fine: Any, coarse: Any, touched: Any, counts: Any, heat: Any,
    step_ns: Any, rows_bytes: Any,
) -> None:  # fmt: skip
    """Add reads and writes to three maps of the drive. The first axis of each is (reads, writes).

    `touched` [2, bytes]: one bit for each `fine` bytes that were read or written. `counts` [2, cells of `coarse`
    bytes]: IOs that start in the cell. `heat` [2, columns of `step_ns`, rows of `rows_bytes`]: IOs that start there.
    """
    for i in range(t_ns.shape[0]):
        kind = i64(op[i])
        if kind > 1 or length[i] <= 0:
            continue
        counts[kind, min(offset[i] // coarse, counts.shape[1] - 1)] += 1
        column, row = t_ns[i] // step_ns, offset[i] // rows_bytes
        heat[kind, min(column, heat.shape[1] - 1), min(row, heat.shape[2] - 1)] += 1
        for cell in range(offset[i] // fine, (offset[i] + length[i] - 1) // fine + 1):
            if cell >> 3 < touched.shape[1]:
                touched[kind, cell >> 3] |= np.uint8(1 << (cell & 7))


@compiled
def gaps(t_ns: Any, last_ns: Any, bins: Any) -> Any:
    """Add the times between neighbouring IOs to fio's bins. Return the longest in ns and the sum of squares in ns^2."""
    longest, squares, before = i64(0), 0.0, last_ns
    for i in range(t_ns.shape[0]):
        if before >= 0:
            gap = t_ns[i] - before
            bins[bin_of(gap, BIN_BITS, BINS)] += 1
            longest = max(longest, gap)
            squares += float(gap) * float(gap)
        before = t_ns[i]
    return longest, squares


@compiled
def in_flight(t_ns: Any, latency_ns: Any, depth: Any, ends: Any) -> None:
    """Write into `depth` how many IOs are in flight at each issue, this one included.

    `ends` [1 + MOST_IN_FLIGHT] keeps the state between batches: the count, then a heap of end times, the earliest
    first. An IO without a response time gets no depth and does not count as in flight.
    """
    for i in range(t_ns.shape[0]):
        many = ends[0]
        while many and ends[1] <= t_ns[i]:
            last = ends[many]
            many -= 1
            hole = 1
            while 2 * hole <= many:
                child = 2 * hole
                if child < many and ends[child + 1] < ends[child]:
                    child += 1
                if ends[child] >= last:
                    break
                ends[hole] = ends[child]
                hole = child
            ends[hole] = last
        if latency_ns[i] >= 0 and many < MOST_IN_FLIGHT:
            many += 1
            hole = many
            end = t_ns[i] + max(latency_ns[i], 1)
            while hole > 1 and ends[hole >> 1] > end:
                ends[hole] = ends[hole >> 1]
                hole >>= 1
            ends[hole] = end
            depth[i] = many
        ends[0] = many
