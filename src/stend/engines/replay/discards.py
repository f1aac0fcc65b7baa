"""Send trims by threads of the sender, one trim per thread at a time, because native AIO has none.

The compiled loop writes the slot of a trim to a pipe. A thread reads it, runs the trim, and submits a poll of a
descriptor that is always ready under the number of the slot. The loop then takes the answer like that of any IO.
Threads run compiled code without the interpreter's lock.
"""

import errno
import os
import struct
import threading
from collections.abc import Callable
from fcntl import ioctl
from typing import Any

import numpy as np
from numba import types

from stend.base.jit import compiled, i64
from stend.engines.replay import aio
from stend.engines.replay import memory as m
from stend.engines.replay.parts import BELL, CONTEXT, EAGAIN, FD, SUBMIT, Flight, _errno, _sleep, _system_call, now

BLKDISCARD = 0x1277
"""linux/fs.h: `ioctl` with the first byte and the length, two words of 64 bits."""
MOST = 64
"""Most trims that run at the same time. Further ones wait for a thread, and their response times include that."""
READY = 1
"""POLLIN of poll.h."""
SLOT, RANGE, TIME, POLL, POINTER, WORDS = 0, 1, 3, 7, 15, 16
"""Places in the memory of a thread: slot, range of the trim, time, iocb of the poll, its address."""
RETRY_NS = 10_000
_read: Any = types.ExternalFunction("read", types.int64(types.int32, types.uintp, types.int64))
_ioctl: Any = types.ExternalFunction("ioctl", types.int32(types.int32, types.int64, types.uintp))


def taken(fd: int) -> bool:
    """Return True if the open target takes discards. A file, or a drive opened for reading, does not."""
    try:
        ioctl(fd, BLKDISCARD, struct.pack("QQ", 0, 1))
    except OSError as error:
        return error.errno == errno.EINVAL  # a length of one byte is refused after all other checks
    return True


@compiled
def serve(f: Any, at: Any, words: Any, time: Any, slots: Any, ready: Any) -> None:
    """Run the trims of the slots read from the pipe `slots` until it ends. `words` is this thread's memory.

    A response time begins when the loop hands the trim over. `time` is a Flight with a clock of this thread.
    """
    c, address = words[POLL : POLL + 8], words.ctypes.data
    words[POINTER] = address + 8 * POLL
    while _read(slots, address + 8 * SLOT, 8) == 8:
        slot = words[SLOT]
        words[RANGE], words[RANGE + 1] = f.iocb[slot, aio.OFFSET], f.iocb[slot, aio.LENGTH]
        failed = _ioctl(f.set[FD], BLKDISCARD, address + 8 * RANGE) != 0
        f.ended[slot] = -i64(_errno()[0]) if failed else max(now(time, at) - f.issued[slot], i64(0))
        c[:] = 0
        c[aio.DATA], c[aio.OPCODE_FD], c[aio.BUFFER] = slot, aio.POLL | (i64(ready) << 32), READY
        while _system_call(f.set[SUBMIT], f.set[CONTEXT], 1, address + 8 * POINTER, 0, 0) != 1:
            if i64(_errno()[0]) != EAGAIN:
                at[m.ERRNO], at[m.FAILED_AT] = i64(_errno()[0]), f.iocb[slot, aio.OFFSET]
                return
            words[TIME], words[TIME + 1] = 0, RETRY_NS
            _sleep(1, 0, address + 8 * TIME, 0)


def start_threads(under_way: Flight, at: Any, prepare: Callable[[], None]) -> None:
    """Start the threads that run the trims of a Flight, one for each IO in flight, at most MOST.

    Each calls `prepare` first.
    """

    def run() -> None:
        prepare()
        _serve(under_way, at, slots, ready)

    slots, under_way.set[BELL] = os.pipe()
    ready = os.eventfd(1)
    _serve(under_way, at, -1, ready)  # compile it
    for _ in range(min(len(under_way.free), MOST)):
        threading.Thread(target=run, daemon=True).start()


def _serve(under_way: Flight, at: Any, slots: int, ready: int) -> None:
    serve(under_way, at, np.zeros(WORDS, np.int64), under_way._replace(time=np.zeros(4, np.int64)), slots, ready)
