"""What stend takes from a drive: the same load by fio alone and through stend, in pairs, on zram (or a file in memory).

Both sides run fio with the very same options. stend's own CPU is what its process used while the load ran.
"""

import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from stend import devices, store
from stend.base.fio_features import probe
from stend.base.units import KiB, MiB
from stend.devices import Device, block
from stend.engines._fio_job import arguments, parts
from stend.engines.fio import FioEngine
from stend.model.definition import Hold, Identity, Phase, Plan, PlannedTest, Seconds, Workload
from stend.model.events import Result
from stend.planning import plan as planning
from stend.runner.loop import run

PAIRS = 9
SECONDS = 5
SIZE = 512 * MiB
ZRAM = Path("/sys/block/zram0")


@contextmanager
def target() -> Iterator[Device]:
    """zram0 if it is free, else a file in memory; filled, so that reads are real."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        zram = ZRAM.exists() and (ZRAM / "disksize").read_text().strip() == "0"
        if zram:
            (ZRAM / "disksize").write_text(str(SIZE))
        device: Device = block.find("/dev/zram0") if zram else devices.create(f"{folder}/scratch.bin", SIZE)
        device.door.open(writes=True, destroy="zram0")
        try:
            yield device
        finally:
            device.door.close()
            if zram:
                (ZRAM / "reset").write_text("1")


def plan(device: Identity, workload: Workload) -> Plan:
    """One hold."""
    profile = planning.load_profile("enterprise-2.0.2")
    phase = Phase(name="hold", round=(Hold(workload=workload, amount=Seconds(seconds=SECONDS)),))
    test = PlannedTest(name="iops", title="bench", clause="", phases=(phase,), profile=profile)
    return Plan(
        tests=(test,), profile=profile, device=device, range_bytes=SIZE, write_bytes=0, longest_s=0, expected_s=0
    )


def through_stend(device: Device, workload: Workload) -> tuple[float, float]:
    """IOPS, and the share of one core that stend's own process took."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "run"
        store.create(there, {}, {})
        raw = store.Raw(there)
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        events = run(plan(device.identity, workload), device, FioEngine(device.door.path, raw=raw), seed=1, at=0)
        results = [event for event in appended(there, events, raw) if isinstance(event, Result)]
        after, lasted = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - began
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return results[0].counts.iops, used / lasted


def appended(folder: Path, events: Generator[object, None, None], raw: store.Raw) -> Iterator[object]:
    """Every event, once it is on disk."""
    return iter(store.append(folder, events, raw))  # type: ignore[arg-type]


def fio_alone(device: Device, workload: Workload) -> float:
    """IOPS of plain fio with the same options, a fixed runtime and no questions asked meanwhile."""
    words = arguments(workload, parts(workload)[0], path=device.door.path, ioengine=probe("fio").ioengine, seed=1)
    kept = [w for w in words if not w.startswith("--exec_prerun")]
    asked = ["fio", *(f"--runtime={SECONDS}" if w.startswith("--runtime=") else w for w in kept)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    job = json.loads(told[told.index("{\n") :])["jobs"][0]
    return float(job["read"]["iops"] + job["write"]["iops"])


def main() -> None:
    """Print the median ratio and stend's own CPU for reads and writes."""
    with target() as device:
        fill = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=8, range_bytes=SIZE)
        through_stend(device, fill)
        for read_pct in (100, 0):
            workload = Workload(random_pct=100, read_pct=read_pct, block_bytes=4 * KiB, depth=32, range_bytes=SIZE)
            ratios, shares = [], []
            for pair in range(PAIRS):
                first = fio_alone(device, workload) if pair % 2 else 0.0
                iops, share = through_stend(device, workload)
                ratios.append(iops / (first or fio_alone(device, workload)))
                shares.append(share)
            name = f"{workload.label} on {device.identity.target}"
            print(f"{name}: IOPS through stend / fio alone {median(ratios):.3f} ({min(ratios):.3f}-{max(ratios):.3f})")
            print(f"  stend's own CPU {100 * median(shares):.2f} % of one core (at most 2)")


if __name__ == "__main__":
    main()
