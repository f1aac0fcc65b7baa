"""Load the simulation. Workers are forks of the process that imports this module.

It runs an ideal drive for a moment: with that kernel, the smallest, numba loads the parts that all kernels need.
"""

from stend.sim import Pattern, build, load

_drive = build(load("ideal"))
_drive.start(Pattern(random_pct=100, read_pct=100, sizes=((4096, 1.0),), range_bytes=2**20, threads=1, depth=1))
_drive.advance(0.001)
