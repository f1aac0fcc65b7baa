"""What a worker has in memory when it begins, for it is a fork of the process that imports this: the simulation.

An ideal drive is asked for a moment: with its kernel, the smallest, numba loads what all kernels need.
"""

from stend.sim import Pattern, build, load

_drive = build(load("ideal"))
_drive.start(Pattern(random_pct=100, read_pct=100, sizes=((4096, 1.0),), range_bytes=2**20, threads=1, depth=1))
_drive.advance(0.001)
