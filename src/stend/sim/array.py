"""Arrays of equal members behind a controller, laid out from a Spec and driven by array_kernel."""

import numpy as np

from stend.base.errors import BadInput
from stend.sim import array_kernel as k
from stend.sim.drive import Drive
from stend.sim.requests import Ledger, Loop, Stream
from stend.sim.spec import Array, Host, Spec

RING_BITS = (16, 22)
"""Least and most bits of the number of writes that a cache can list: one per page, up to 16 GiB of pages."""
FEWEST = {0: 1, 1: 2, 5: 3, 10: 2}
"""Fewest members of each RAID level."""


def parameters(array: Array, host: Host, volatile: bool = False) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the parameter array of the kernel, with times in ns."""
    p = np.zeros(k.PARAMETERS, np.int64)
    p[k.MEMBERS], p[k.LEVEL], p[k.STRIPE], p[k.UNITS] = array.members, array.level, array.stripe_bytes, array.units
    p[k.T_READ], p[k.T_WRITE] = array.read_us * 1e3, array.write_us * 1e3
    p[k.T_PAGE_IN], p[k.T_PAGE_OUT] = k.PAGE * 1e3 / array.write_mb_s, k.PAGE * 1e3 / array.read_mb_s
    p[k.CACHE], p[k.T_PARITY], p[k.T_PIECE] = array.cache_bytes, array.parity_us * 1e3, array.member_command_us * 1e3
    p[k.T_READ_COMMAND], p[k.T_WRITE_COMMAND] = host.read_command_us * 1e3, host.write_command_us * 1e3
    p[k.T_LINK], p[k.T_LINK_IN] = k.PAGE * 1e3 / host.read_mb_s, k.PAGE * 1e3 / host.write_mb_s
    p[k.T_PIECE_PAGE], p[k.T_YIELD] = array.member_page_us * 1e3, array.yield_us * 1e3
    p[k.T_READ_ANSWER], p[k.T_WRITE_ANSWER] = host.read_answer_us * 1e3, host.write_answer_us * 1e3
    p[k.VOLATILE], p[k.T_FLUSH] = volatile, host.flush_us * 1e3
    return p


class ArrayDrive(Drive):
    """RAID 0, 1, 10 or 5."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        if spec.array is None or spec.array.level not in FEWEST or spec.scale != 1:
            needs = "an [array] part of level 0, 1, 5 or 10, and scale 1"
            raise BadInput(f"virtual drive {spec.name} is an array: it needs {needs}")
        level, members = spec.array.level, spec.array.members
        if members < FEWEST[level] or (level == 10 and members % 2):
            needs = "an even number of members" if level == 10 else f"{FEWEST[level]} members or more"
            raise BadInput(f"virtual drive {spec.name} has {members} members: RAID {level} needs {needs}")
        least, most = RING_BITS
        ring = 1 << min(max((spec.array.cache_bytes // k.PAGE).bit_length(), least), most)
        self.memory = k.Array(
            state=np.zeros(k.STATE, np.int64),
            parameters=parameters(spec.array, spec.host, not spec.protected),
            unit=np.zeros(spec.array.members * spec.array.units * 2, np.int64),
            port=np.zeros(spec.array.members * 2, np.int64),
            ends=np.full((2, k.STREAMS), -1, np.int64),
            done_at=np.zeros(ring, np.int64),
            done_bytes=np.zeros(ring, np.int64),
        )

    def fresh(self) -> None:
        """Empty the cache and drop its work. The members are always modelled in their used state."""
        for busy in (self.memory.state, self.memory.unit, self.memory.port):
            busy.fill(0)

    def _kernel(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        return bool(k.serve(self.memory, requests, slots, done, until))
