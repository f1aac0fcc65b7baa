"""Journal: writes that the host waits for until they are durable, as write-ahead logs send them (TKperf #19).

The test purges the drive and writes streams with a flush after bursts of growing length to the empty drive. It then
fills and preconditions with random writes. A flush empties buffers that hold such writes. The journal follows:
sequential writes with a flush after each one, three sizes by five thread counts at QD1, a minute each. The same is
measured with random reads beside the writes. At the end one thread writes without flushes and with FUA.
"""

from typing import Any

import msgspec

from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Profile, Test, Workload
from stend.suite._clauses import filled, half_hourly, minutes, purged, random, sequential

BLOCKS_KIB, THREADS = [4, 16, 64], [1, 2, 4, 8, 16]
"""4 KiB is a commit of a database or of etcd, 64 KiB a group of them; Ceph and ZFS send up to 16 threads."""
READ_PCT = 70
"""Share of reads among the IOs of a database's threads (our choice; OLTP mixes have 65 to 80 %)."""
BURST_KIB, BURSTS, BURST_S = 128, [1, 16, 64, 256, 1024], 20
"""Bursts of 128 KiB to 128 MiB: a drive's volatile buffer has a few MiB, a disk's up to 256 MiB (a choice of stend)."""
REST_S = 10
"""A pause before the journal, for the cleaning of the drive. A flush before it empties buffers that hold random writes
of the preconditioning: a disk with 64 MiB of memory needs a minute for it (a choice of stend)."""
CONDITION_ROUNDS = 12
"""Half hours of random writes before the journal, at most, as in `thread-queue-sweep`."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, bursts, fill, preconditioning, the journal alone, the journal with reads, and single writers."""
    options, ladder = profile.options, profile.ladder
    stream = sequential(0, options["burst_kib"], 1, 1)
    bursts = [synced(stream, flush_every=every) for every in ladder(options["bursts"])]
    threads = ladder(options["threads_ladder"])
    journal = [synced(sequential(0, block, t, 1)) for block in options["blocks_kib"] for t in threads]
    reads = [synced(random(options["read_pct"], options["blocks_kib"][0], t, 1)) for t in threads]
    single = sequential(0, options["blocks_kib"][0], 1, 1)
    writes = random(0, 4, profile.threads, profile.depth)
    return (
        purged(),
        Phase(name="bursts", round=tuple(Hold(workload=load, amount=profile.seconds(BURST_S)) for load in bursts)),
        filled(profile.threads, profile.depth),
        half_hourly(profile, writes, min(CONDITION_ROUNDS, profile.rounds), "condition"),
        Phase(name="rest", round=(_flushed(synced(single)), Idle(seconds=profile.seconds(REST_S).seconds))),
        Phase(name="journal", round=minutes(profile, journal)),
        Phase(name="with-reads", round=minutes(profile, reads)),
        Phase(name="one-writer", round=minutes(profile, [single, synced(single, sync="fua")])),
    )


def _flushed(load: Workload) -> Hold:
    """Return one write and its flush."""
    return Hold(workload=load, amount=Bytes(bytes=load.block_bytes))


def synced(load: Workload, **how: Any) -> Workload:
    """Return a load whose writes are made durable, by a flush after each one if `how` does not say otherwise."""
    return msgspec.structs.replace(load, **({"sync": "flush"} | how))


TEST = Test(
    title="Journal",
    clause="TKperf #19",
    phases=phases,
    charts=("journal", "flushes"),
    options={
        "blocks_kib": BLOCKS_KIB,
        "threads_ladder": THREADS,
        "read_pct": READ_PCT,
        "burst_kib": BURST_KIB,
        "bursts": BURSTS,
    },
    summary="4, 16 and 64 KiB synced writes at 1 to 16 threads, alone and with reads, and the cost of a flush",
)
