"""Kernel of the ideal drive: command processors with one queue, one link, a fixed time to answer."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled, inlined
from stend.sim.draws import exponential
from stend.sim.kernels import (
    LATER,
    NONE,
    answered,
    awake,
    flush_due,
    held_up,
    issue_time,
    made_durable,
    next_of,
    sink,
    spend,
    worked,
)
from stend.sim.requests import TRIMS, WORK

COMMAND_READ, COMMAND_WRITE, LINK_READ, LINK_WRITE, ANSWER_READ, ANSWER_WRITE, TRIM_COMMAND, TRIM_MIB = range(8)
FLUSH, RANDOM = 8, 9
"""Indices of the parameters, in ns. Those of the link and TRIM_MIB are ns per MiB. RANDOM: 1 for exponential times of
commands."""
MIB = 1 << 20


class Ideal(NamedTuple):
    """The arrays that the kernel works on. Times are "busy until" in ns."""

    parameters: npt.NDArray[np.int64]
    link: npt.NDArray[np.int64]
    """of reads and of writes"""
    server: npt.NDArray[np.int64]
    """of each command processor"""
    rng: npt.NDArray[np.uint64]


@inlined
def free_first(d: Any) -> Any:
    """Return the index of the command processor that is free first."""
    free = 0
    for n in range(1, d.server.shape[0]):
        free = n if d.server[n] < d.server[free] else free
    return free


@inlined
def request(d: Any, size: Any, reads: Any, t: Any, fua: Any) -> Any:
    """Serve a request issued at `t` by the command processor that is free first, and return when its answer arrives."""
    p, free = d.parameters, free_first(d)
    if reads == TRIMS:
        d.server[free] = max(d.server[free], t) + p[TRIM_COMMAND] + p[TRIM_MIB] * size // MIB
        return d.server[free] + p[ANSWER_WRITE]
    way = 0 if reads == 1 else 1
    lasts = exponential(d, p[COMMAND_READ + way]) if p[RANDOM] else p[COMMAND_READ + way]
    d.server[free] = max(d.server[free], t) + lasts
    over = p[LINK_READ + way] * size // MIB
    ready = d.server[free] if d.server.shape[0] == 1 else t  # answers of several may overtake each other
    d.link[way] = max(d.link[way], ready) + over
    return max(d.link[way], d.server[free] + over) + p[ANSWER_READ + way] + p[FLUSH] * way * fua


@compiled
def serve(d: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """Run the load until `until` ns. Return True while the stream goes on."""
    p = d.parameters
    base, used = loop.at[1], loop.at[0]
    while used > 0:
        t = (loop.heap[0] >> 16) + base
        if t >= until or loop.at[WORK] <= 0:
            loop.at[0] = used
            return True
        spend(loop, 1)
        slot = loop.heap[0] & 0xFFFF
        if loop.size[slot] != 0:
            if flush_due(stream, loop, ledger, slot, t):
                free = free_first(d)
                d.server[free] = max(d.server[free], t) + p[COMMAND_WRITE]
                sink(loop.heap, used, ((d.server[free] + p[ANSWER_WRITE] + p[FLUSH] - base) << 16) | slot)
                continue
            answered(loop, ledger, slot, t)
        i = next_of(stream, loop, slot, t)
        if i == LATER:
            sink(loop.heap, used, ((stream.due[loop.claimed[slot] - 1] - base) << 16) | slot)
            continue
        if i == NONE:
            used -= 1
            sink(loop.heap, used, loop.heap[used])
            continue
        size, way = stream.size[i], 0 if stream.reads[i] == 1 else 1
        done = request(d, size, stream.reads[i], awake(loop, t), made_durable(stream, loop, slot))
        done += held_up(stream, stream.offset[i], size, stream.reads[i])
        worked(loop, done)
        loop.issued[slot] = issue_time(stream, loop, i, t)
        loop.size[slot] = size if way else -size
        sink(loop.heap, used, ((done - base) << 16) | slot)
    loop.at[0] = 0
    return False
