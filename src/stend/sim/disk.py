"""Mechanical and hybrid drives, laid out from a Spec and driven by disk_kernel."""

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.base.limits import MOST_OUTSTANDING
from stend.sim import disk_kernel
from stend.sim import disk_state as k
from stend.sim.drive import NS, Drive
from stend.sim.feed import Schedule
from stend.sim.requests import SECTOR, Ledger, Loop, Pattern, Stream
from stend.sim.spec import Disk, Host, Spec


def parameters(
    disk: Disk, host: Host, capacity_bytes: int, volatile: bool = False
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the parameter array of the kernel."""
    p = np.zeros(k.PARAMETERS, np.int64)
    p[k.T_TURN] = 60 * NS / disk.spindle_rpm
    p[k.T_SETTLE], p[k.T_SEEK] = disk.settle_ms * 1e6, (disk.full_seek_ms - disk.settle_ms) * 1e6
    p[k.T_WRITE_SETTLE] = disk.write_settle_ms * 1e6
    p[k.OUTER], p[k.INNER] = disk.outer_mb_s * 1e6, disk.inner_mb_s * 1e6
    p[k.CAPACITY], p[k.REACH], p[k.DIRTY] = capacity_bytes, disk.reorders, disk.write_memory_bytes
    p[k.LARGEST] = disk.outer_mb_s * 1e6 * 60 / disk.spindle_rpm * 8  # a few tracks: no seek worth the name
    p[k.CHUNK] = disk.cache_chunk_bytes if disk.cache_bytes else 0
    p[k.T_HIT], p[k.T_HIT_READ] = disk.cache_answer_us * 1e3, disk.cache_read_us * 1e3
    p[k.HIT_RATE] = disk.cache_mb_s
    p[k.THROUGH] = disk.cache_writes == "through"
    p[k.T_COMMAND], p[k.LINK] = host.read_command_us * 1e3, host.write_mb_s
    p[k.T_OVERHEAD], p[k.T_MEMORY] = host.read_answer_us * 1e3, host.write_answer_us * 1e3
    p[k.VOLATILE], p[k.T_FLUSH] = volatile, host.flush_us * 1e3
    return p


PASSED_BY = 4.0
"""A request counts as passed over if it waits more than this many times the usual time."""
MOST_CHUNKS = 1 << 26
"""Most chunks of the disk: those of 4 TiB at the default size, which take half a GiB of memory."""


class DiskDrive(Drive):
    """A hard disk, or a hybrid with a flash cache. It is never scaled, because it does few IOs per second."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        disk = spec.disk
        if disk is None or spec.scale != 1:
            raise BadInput(f"virtual drive {spec.name} is a disk: it needs a [disk] part and cannot be scaled")
        chunks = -(-spec.capacity_bytes // disk.cache_chunk_bytes) + 1 if disk.cache_bytes else 1
        if chunks > MOST_CHUNKS:
            raise BadInput(f"virtual drive {spec.name} has {chunks} chunks for its cache to know; make them larger")
        self._worked = 0
        held = max(disk.cache_bytes // disk.cache_chunk_bytes, 1)
        places = MOST_OUTSTANDING + disk.write_memory_bytes // SECTOR + 1
        self.memory = k.Disk(
            state=np.zeros(k.STATE, np.int64),
            parameters=parameters(disk, spec.host, spec.capacity_bytes, not spec.protected),
            rng=np.array([0x9E3779B97F4A7C15 ^ (spec.seed * 2 + 1)], np.uint64),
            queue_at=np.zeros(places, np.int64),
            queue_size=np.zeros(places, np.int64),
            queue_slot=np.zeros(places, np.int64),
            queue_since=np.zeros(places, np.int64),
            queue_angle=np.zeros(places),
            where=np.zeros(chunks, np.int64),
            holds=np.full(held, -1, np.int64),
            valid=np.zeros(held, np.uint64),
        )

    def start(self, pattern: Pattern) -> None:
        """Start a pattern as Drive does. The head first finishes the work of the pattern before."""
        super().start(pattern)
        self._begin()

    def play(self, requests: Schedule, ios: int, slots: int, *, timed: bool, seed: int = 0, scale: int = 0) -> None:
        """Start a schedule as Drive does. Its first requests are issued now."""
        super().play(requests, ios, slots, timed=timed, seed=seed, scale=scale)
        self._begin()

    def _begin(self) -> None:
        if self._loop is not None:
            self._loop.heap.fill(self.inner_ns)
        self._forget_waiting()

    def _wake(self, slots: Loop) -> None:
        slots.heap[slots.claimed > 0] = self.inner_ns
        slots.claimed[:] = 0

    def _forget_waiting(self) -> None:
        """Drop the requests that a host waited for. Writes in the write memory stay."""
        m, s = self.memory, self.memory.state
        kept = np.flatnonzero(m.queue_slot[: s[k.KNOWN]] < 0)
        for a in (m.queue_at, m.queue_size, m.queue_since, m.queue_angle):
            a[: len(kept)] = a[kept]
        m.queue_slot[: len(kept)] = -1
        s[k.KNOWN], s[k.FLUSHING] = len(kept), k.NO_FLUSH
        s[k.NOW] = max(s[k.NOW], self.inner_ns)

    def fresh(self) -> None:
        """Forget all data, and empty the queue and the caches."""
        m = self.memory
        m.where[m.holds[m.holds >= 0]] = 0
        m.holds.fill(-1)
        m.state[[k.KNOWN, k.HELD, k.CACHE_NEXT]], m.state[k.FLUSHING] = 0, k.NO_FLUSH

    def _kernel(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        return bool(disk_kernel.serve(self.memory, requests, slots, done, until))

    def _rest(self, ns: int) -> int:
        self._forget_waiting()
        before = int(self.memory.state[k.WORKED])
        disk_kernel.rest(self.memory, self.inner_ns)
        return int(self.memory.state[k.WORKED]) - before

    def _busy(self, moved: npt.NDArray[np.float64], ns: int) -> float:
        worked = int(self.memory.state[k.WORKED]) - self._worked
        self._worked += worked
        return worked / ns

    def _pending_ns(self, usual_ns: float) -> float:
        """Return the waiting, in ns, of requests that later ones have overtaken at the head, which may take seconds."""
        slots = self._loop
        if slots is None or not usual_ns:
            return 0.0
        waits = (slots.size != 0) * (self.inner_ns - slots.issued) - PASSED_BY * usual_ns
        return float(np.maximum(waits, 0).sum())

    def _nand_write_bytes(self) -> int:
        return 0
