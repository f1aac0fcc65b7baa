"""The flash drive: its memory laid out from a Spec, driven by flash_kernel."""

import numpy as np
import numpy.typing as npt

from stend.errors import BadInput
from stend.sim import flash_kernel as k
from stend.sim.drive import Drive
from stend.sim.requests import Loop, Stream
from stend.sim.spec import Flash, Host, Spec

LOW = 3  # superblocks kept free for cleaning; they come on top of the spare space


def layout(flash: Flash, capacity_bytes: int, scale: int) -> tuple[int, int, int]:
    """(logical pages, pages of a superblock, superblocks) of the scaled drive.

    Scaling keeps dies, units and times, and makes blocks shorter: the number of superblocks stays.
    """
    logical = capacity_bytes // scale // k.PAGE
    row = flash.dies * flash.unit_bytes // k.PAGE
    pages = max(round(logical / flash.superblocks / row), 1) * row
    pages = -(-pages // 64) * 64  # bitmap words belong to one superblock
    return logical, pages, round(logical * (1 + flash.spare_pct / 100) / pages) + LOW


def parameters(flash: Flash, host: Host, pages: int) -> npt.NDArray[np.int64]:
    """The kernel's parameter array, times in ns."""
    unit = flash.unit_bytes // k.PAGE
    erase_share = pages * k.PAGE / flash.dies / flash.block_bytes
    p = np.zeros(k.PARAMETERS, np.int64)
    p[k.PAGES], p[k.UNIT], p[k.DIES], p[k.CHANNELS], p[k.LOW] = pages, unit, flash.dies, flash.channels, LOW
    p[k.T_READ], p[k.T_PROGRAM] = flash.read_us * 1e3, flash.program_us * 1e3
    p[k.T_ERASE] = flash.erase_us * 1e3 * erase_share
    p[k.T_CHANNEL] = flash.transfer_us * 1e3
    p[k.T_LINK], p[k.T_LINK_READ] = k.PAGE * 1e3 / host.write_mb_s, k.PAGE * 1e3 / host.read_mb_s
    p[k.T_COMMAND_READ], p[k.T_COMMAND_WRITE] = host.read_command_us * 1e3, host.write_command_us * 1e3
    p[k.T_ANSWER_READ], p[k.T_ANSWER_WRITE] = host.read_answer_us * 1e3, host.write_answer_us * 1e3
    p[k.BUFFER] = max(flash.buffer_bytes // k.PAGE, 2 * unit)
    p[k.SENSE] = flash.sense_bytes // k.PAGE
    p[k.T_SUSPEND] = flash.suspend_us * 1e3
    p[k.SPREAD] = flash.program_us * 1e3 * flash.program_spread_pct / 100
    return p


class FlashDrive(Drive):
    """A solid-state drive."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        if spec.flash is None:
            raise BadInput(f"virtual drive {spec.name} is of flash but has no [flash] part")
        logical, pages, superblocks = layout(spec.flash, spec.capacity_bytes, spec.scale)
        ring = 1 << int(spec.flash.buffer_bytes // k.PAGE + pages).bit_length()
        self.memory = k.Flash(
            state=np.zeros(k.STATE, np.int64),
            parameters=parameters(spec.flash, spec.host, pages),
            rng=np.array([0x9E3779B97F4A7C15 ^ (spec.seed * 2 + 1)], np.uint64),
            map=np.empty(logical, np.uint32),
            back=np.zeros(superblocks * pages, np.uint32),
            live=np.empty(superblocks * pages // 64, np.uint64),
            valid=np.empty(superblocks, np.uint32),
            free=np.empty(superblocks + 1, np.int64),
            die=np.zeros(spec.flash.dies, np.int64),
            sense=np.zeros(spec.flash.dies, np.int64),
            channel=np.zeros(spec.flash.channels, np.int64),
            release_at=np.zeros(ring, np.int64),
            release_pages=np.zeros(ring, np.int64),
        )
        self._fresh()

    def _fresh(self) -> None:
        m, s = self.memory, self.memory.state
        superblocks = m.valid.shape[0]
        m.map.fill(k.NONE)
        m.live.fill(0)
        m.valid.fill(k.OPEN)
        m.free[:superblocks] = np.arange(superblocks)[::-1]
        flash_pages = s[k.FLASH]
        s.fill(0)
        s[k.FLASH] = flash_pages
        s[k.FREE] = superblocks - 1
        s[k.FRONTIER] = m.free[superblocks - 1]
        s[k.POS] = s[k.FRONTIER] * m.parameters[k.PAGES]
        s[k.VICTIM_AT] = -1

    def _serve(
        self,
        requests: Stream,
        slots: Loop,
        tallies: npt.NDArray[np.float64],
        bins: npt.NDArray[np.int64],
        until: int,
    ) -> bool:
        return bool(k.serve(self.memory, requests, slots, tallies, bins, until))

    def _nand_write_bytes(self) -> int:
        return int(self.memory.state[k.FLASH]) * k.PAGE * self.spec.scale
