"""State of a flash drive: the arrays that its kernels share, and the meaning of each place in them.

Two lanes are written, the host's and the cleaner's. A drive that does not separate them uses the host's for both.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import u32

PAGE = 4096
HOST_LANE, CLEAN_LANE = 0, 1
OPEN = u32(1 << 30)  # in `valid`: free or being filled, never a victim
VICTIM = u32(1 << 29)
NONE = u32(0xFFFFFFFF)
CREDIT = 1 << 32  # one page's worth of cleaning
GREEDY, OLDEST_FIRST, SAMPLED, COST_BENEFIT = range(4)
POLICIES = ("greedy", "fifo", "sampled", "cost-benefit")

# Indices of `state`.
FREE, IN_BUFFER, OLDEST, PENDING = 0, 1, 2, 3
VICTIM_AT, CURSOR, VICTIM_END, RATIO, EARNED = 4, 5, 6, 7, 8
HOST, FLASH, LINK_IN, LINK_OUT, FIRMWARE, CLOSED, SLC_USED, ERASED, SLC_FLASH, WROTE, PASSING, ROOM_AT = range(9, 21)
READ_LAST, BEFORE_PAUSE, MOVED_LAST, PAUSED, READ_AT, WORK, STUCK, SAFE_AT, STATE = range(21, 30)
GIVEN_UP = 1 << 60
"""Amount of work that ends a call of the kernel because cleaning moved all pages several times and freed no space."""
MOST_MOVES = 4
"""Most page moves of one cleaning, as a multiple of the physical pages."""
CLOCKS = [IN_BUFFER, OLDEST, PENDING, LINK_IN, LINK_OUT, FIRMWARE, WROTE, READ_AT, ROOM_AT, SAFE_AT]
"""Indices of `state` that are clocks and counters of link, command processor and buffer."""
# Indices of `parameters`; times in ns, sizes in pages.
PAGES, UNIT, DIES, CHANNELS, LOW, T_READ, T_PROGRAM, T_ERASE, T_CHANNEL = range(9)
T_LINK_IN, T_LINK_OUT, T_COMMAND_READ, T_COMMAND_WRITE, T_ANSWER_READ, T_ANSWER_WRITE = range(9, 15)
BUFFER, SENSE, T_SUSPEND, SPREAD, POLICY, LANES, RETRY, SEGMENT, THROUGH = range(15, 24)
SLC_PAGES, SLC_SHARE, SLC_SHORT, T_SLC, REST_TARGET, T_PAGE_READ, T_PAGE_WRITE, T_PARTIAL = range(24, 32)
T_NEAR, SLC_FOLD, SLC_LEAVE, BEHIND, ONE_WAY, MOVE_SENSE, GATHER, T_TURN, PAUSE, T_PAUSE, T_MOVE = range(32, 43)
SCALE, T_RETRY, BUSY, T_BUSY, T_JITTER_READ, T_JITTER_WRITE, T_MIXED, BACKGROUND, LATE = range(43, 52)
VOLATILE, T_FLUSH, T_TRIM, T_TRIM_MIB, PARAMETERS = range(52, 57)


class Flash(NamedTuple):
    """The arrays that the kernels work on."""

    state: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.int64]
    rng: npt.NDArray[np.uint64]
    map: npt.NDArray[np.uint32]
    """logical page -> physical page"""
    back: npt.NDArray[np.uint32]
    """physical page -> logical page"""
    live: npt.NDArray[np.uint64]
    """one bit for each physical page that holds current data"""
    valid: npt.NDArray[np.uint32]
    """current pages of each superblock, plus OPEN or VICTIM"""
    age: npt.NDArray[np.int64]
    """how many superblocks were closed before this one"""
    slc: npt.NDArray[np.uint8]
    """1 where the superblock is written with one bit per cell"""
    free: npt.NDArray[np.int64]
    lanes: npt.NDArray[np.int64]
    """[2, 4]: next page, end, superblock, host pages since the last unit"""
    die: npt.NDArray[np.int64]
    """time when all work of each die is done"""
    sense: npt.NDArray[np.int64]
    """time when the last read of each die ends"""
    channel: npt.NDArray[np.int64]
    release_at: npt.NDArray[np.int64]
    release_pages: npt.NDArray[np.int64]
    table: npt.NDArray[np.int64]
    """map segment in each place of the controller's table cache"""
