"""How fast the virtual drive is: one core, compiled code warm, 1 M pages, 4 KiB random writes at steady state.

The plain loop beside it does nothing but one dependent update at a random place of the map: the memory's own limit.
"""

import time

import numpy as np
from tests import translation

from stend.base.jit import compiled
from stend.sim import Pattern, Spec
from stend.sim.flash import FlashDrive
from stend.sim.spec import Flash, Host

PAGES = 1 << 20
CAPACITY = PAGES * 4096
TARGETS = {("translation", 7): 25, ("translation", 28): 60, ("timed", 7): 6, ("timed", 28): 13}
HOST = Host(
    read_mb_s=3200, write_mb_s=3200, read_command_us=1, write_command_us=1, read_answer_us=15, write_answer_us=8
)


@compiled
def plain(memory: np.ndarray, count: int) -> int:
    """Random read-modify-write, nothing else."""
    x, n = np.uint64(88172645463325252), np.uint64(memory.shape[0])
    for _ in range(count):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        memory[((x >> np.uint64(32)) * n) >> np.uint64(32)] += np.uint32(1)
    return int(memory[0])


def steady(spare_pct: float) -> FlashDrive:
    """A drive of 32 dies on 8 channels, filled and overwritten four times."""
    flash = Flash(
        spare_pct=spare_pct,
        dies=32,
        channels=8,
        superblocks=1024,
        read_us=60,
        program_us=700,
        erase_us=3000,
        unit_bytes=65536,
        buffer_bytes=8 << 20,
    )
    spec = Spec(name="bench", title="", model="", interface="", capacity_bytes=CAPACITY, flash=flash, host=HOST)
    drive = FlashDrive(spec)
    drive.start(Pattern(random_pct=0, read_pct=0, sizes=((131072, 1),), range_bytes=CAPACITY, limit_bytes=CAPACITY))
    while drive.advance(60).more:
        pass
    translation.age(drive.memory, 4)
    return drive


def translated(spare_pct: float) -> float:
    """Million IOs per second of translation and cleaning alone."""
    drive = steady(spare_pct)
    began = time.perf_counter()
    translation.age(drive.memory, 4, seed=2)
    return 4 * PAGES / (time.perf_counter() - began) / 1e6


def timed(spare_pct: float) -> float:
    """Million IOs per second with everything, 256 outstanding."""
    drive = steady(spare_pct)
    drive.start(
        Pattern(random_pct=100, read_pct=0, sizes=((4096, 1),), range_bytes=CAPACITY, threads=8, depth=32, seed=1)
    )
    drive.advance(2)
    began, ios = time.perf_counter(), 0.0
    while ios < 3 * PAGES:
        ios += drive.advance(1).tallies[1, 0]
    return ios / (time.perf_counter() - began) / 1e6


def main() -> None:
    """Print every figure beside its target."""
    memory = np.zeros(PAGES, np.uint32)
    plain(memory, 1000)
    began = time.perf_counter()
    plain(memory, 20 * PAGES)
    print(f"plain random access         {20 * PAGES / (time.perf_counter() - began) / 1e6:7.1f} M/s")
    for (kind, spare), target in TARGETS.items():
        figure = max((translated if kind == "translation" else timed)(spare) for _ in range(3))
        verdict = "ok" if figure >= target else "TOO SLOW"
        print(f"{kind:12s} {spare:2d} % spare        {figure:7.1f} M IO/s   (at least {target})  {verdict}")


if __name__ == "__main__":
    main()
