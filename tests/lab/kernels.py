"""`python -m tests.lab.kernels`: compile what stend's sender runs, for the environment's NUMBA_CPU_NAME and cache."""

import msgspec

from stend.engines.replay import ReplayEngine
from stend.model.workload import Workload

WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4096, depth=1, range_bytes=1 << 20)


def main() -> None:
    """Send synced writes and an open loop to no target: each of them has a kernel."""
    for load in (msgspec.structs.replace(WRITES, sync="flush"), msgspec.structs.replace(WRITES, rate_iops=100.0)):
        engine = ReplayEngine("", interval_s=0.1)
        engine.start(load, seed=1).next()
        engine.close()


if __name__ == "__main__":
    main()
