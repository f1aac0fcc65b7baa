"""Send the discards of a trace by threads of the sender, one discard per thread, because native AIO has none.

The compiled loop writes a slot and signals an eventfd. A thread writes the result where the loop reads it. The loop
takes no lock.
"""

import errno
import os
import struct
import threading
import time
from fcntl import ioctl

from stend.engines.replay import aio
from stend.engines.replay import memory as m
from stend.engines.replay.parts import BELL, ENDED, FD, Flight

BLKDISCARD = 0x1277
"""linux/fs.h: `ioctl` with the first byte and the length, two words of 64 bits."""
THREADS = 4


def taken(fd: int) -> bool:
    """Return True if the open target takes discards; a file, or a drive opened for reading, does not."""
    try:
        ioctl(fd, BLKDISCARD, struct.pack("QQ", 0, 1))
    except OSError as error:
        return error.errno == errno.EINVAL  # a length of one byte is refused after all other checks
    return True


class Discards:
    """Threads that run the discards of a Flight; a response time begins when the loop hands the discard over."""

    def __init__(self, under_way: Flight, shared: m.Shared) -> None:
        self.flight, self.at, self.begun = under_way, shared.at, 0
        self.lock, self.bell = threading.Lock(), os.eventfd(0, os.EFD_SEMAPHORE | os.EFD_CLOEXEC)
        under_way.set[BELL] = self.bell
        for _ in range(THREADS):
            threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """Run discards until the process ends."""
        f = self.flight
        while os.eventfd_read(self.bell):
            with self.lock:
                slot, self.begun = int(f.handed[self.begun % len(f.handed)]), self.begun + 1
            result = self._discard(slot)
            with self.lock:
                f.ended[f.set[ENDED] % len(f.ended)] = slot, result
                f.set[ENDED] += 1

    def _discard(self, slot: int) -> int:
        """Run the discard of a slot; return its response time in ns, or the negative errno."""
        f = self.flight
        try:
            ioctl(int(f.set[FD]), BLKDISCARD, struct.pack("QQ", f.iocb[slot, aio.OFFSET], f.iocb[slot, aio.LENGTH]))
        except OSError as error:
            return -(error.errno or errno.EIO)
        return max(time.monotonic_ns() - int(self.at[m.BEGAN] + f.issued[slot]), 0)
