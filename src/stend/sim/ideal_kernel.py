"""Kernel of the ideal drive: one command processor, one link, a fixed time to answer."""

from typing import Any

from stend.base.jit import compiled
from stend.sim.kernels import LATER, NONE, answered, issue_time, next_of, sink, spend
from stend.sim.requests import TRIMS, WORK

COMMAND_READ, COMMAND_WRITE, LINK_READ, LINK_WRITE, ANSWER_READ, ANSWER_WRITE, TRIM_COMMAND, TRIM_MIB = range(8)
"""Indices of the parameters, in ns; those of the link and the last one are ns per MiB."""
MIB = 1 << 20


@compiled
def serve(times: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """Run the closed loop until `until` ns; return True while the stream goes on. `times` is (busy, parameters)."""
    busy, p = times
    base, used = loop.at[1], loop.at[0]
    while used > 0:
        t = (loop.heap[0] >> 16) + base
        if t >= until or loop.at[WORK] <= 0:
            loop.at[0] = used
            return True
        spend(loop, 1)
        slot = loop.heap[0] & 0xFFFF
        if loop.size[slot] != 0:
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
        if stream.reads[i] == TRIMS:
            busy[0] = max(busy[0], t) + p[TRIM_COMMAND] + p[TRIM_MIB] * size // MIB
            done = busy[0] + p[ANSWER_WRITE]
        else:
            busy[0] = max(busy[0], t) + p[COMMAND_READ + way]
            busy[1 + way] = max(busy[1 + way], busy[0]) + p[LINK_READ + way] * size // MIB
            done = busy[1 + way] + p[ANSWER_READ + way]
        loop.issued[slot] = issue_time(stream, loop, i, t)
        loop.size[slot] = size if way else -size
        sink(loop.heap, used, ((done - base) << 16) | slot)
    loop.at[0] = 0
    return False
