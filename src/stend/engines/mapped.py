"""Map the IOs of a trace to requests to a drive: timed, placed in its range, in whole blocks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.model.workload import Replay, Workload
from stend.trace.form import DISCARD, FLUSH, FUA, Batch, Trace, opened
from stend.trace.playable import EXAMPLE, summarise

Words = npt.NDArray[np.int64]
COLUMNS = ("t_ns", "op", "flags", "offset", "length", "depth")


class Requests(NamedTuple):
    """Requests, one column per field, with the fields of `kernel.Ring`."""

    due: Words
    op: Words
    flags: Words
    offset: Words
    length: Words
    depth: Words

    def parts(self, most: int) -> Iterator["Requests"]:
        """Yield the requests in pieces of at most `most`."""
        for first in range(0, len(self.due), most):
            yield Requests(*(column[first : first + most] for column in self))


def find_trace(traces: Mapping[str, str], played: Replay) -> Trace:
    """Open the trace of a replay. Raise BadInput if its file is not in `traces` ({number: file})."""
    path = traces.get(played.trace) or (EXAMPLE if played.trace == summarise("").number else None)
    if path is None:
        raise BadInput(f"the file of the trace {played.trace[:8]} is not known; name it with --trace")
    return opened(Path(path))


def requests(
    trace: Trace, workload: Workload, range_bytes: int, block_bytes: int, *, discards: bool = False
) -> Iterator[Requests]:
    """Yield the requests of a trace batch by batch.

    Discards are left out, or, with `discards`, cut to the range of addresses that the trace reads or writes.
    """
    played = workload.replay
    assert played  # noqa: S101 for mypy: only a workload of a trace comes here
    for batch in trace.batches(COLUMNS):
        t_ns, op, flags, offset, length, depth = _kept(batch, played, range_bytes, discards=discards)
        bare = op == FLUSH
        begin, room = offset - played.first_bytes, range_bytes // block_bytes * block_bytes
        blocks = -(-(begin + length) // block_bytes) - begin // block_bytes
        length = np.where(bare, 0, np.clip(blocks * block_bytes, block_bytes, room))
        offset = laid(begin, played, range_bytes) // block_bytes * block_bytes
        offset = np.clip(offset, 0, room - length) + workload.start_bytes
        due = (t_ns / played.speed).astype(np.int64) if played.timed else np.zeros_like(t_ns)
        yield Requests(due, op, flags & FUA, np.where(bare, 0, offset), length, np.maximum(depth, 0))


def _kept(batch: Batch, played: Replay, range_bytes: int, *, discards: bool) -> Iterator[Words]:
    """Yield the columns without discards, or with discards cut to the trace's range, because one may span the drive."""
    t_ns, op, flags, offset, length, depth = (batch[name].astype(np.int64) for name in COLUMNS)
    begin = np.maximum(offset, played.first_bytes)
    end = np.minimum(offset + length, played.first_bytes + played.span_bytes)
    cut = op == DISCARD
    offset, length = np.where(cut, begin, offset), np.where(cut, np.minimum(end - begin, range_bytes), length)
    kept = ~cut | (discards & (length > 0))
    return (column[kept] for column in (t_ns, op, flags, offset, length, depth))


def laid(offset: Words, played: Replay, range_bytes: int) -> Words:
    """Return the place in the range of addresses of the trace, which are relative to its lowest address."""
    match played.fit:
        case "wrap":
            return offset % range_bytes
        case "scale":
            chunks, room = -(-played.span_bytes // MiB), max(range_bytes // MiB, 1)
            chunk = offset // MiB
            return np.minimum(chunk * room // chunks, room - 1) * MiB + offset % MiB
        case _:
            return offset
