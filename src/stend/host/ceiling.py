"""Measure the limits of fio on this host with its null engine, which does no IO.

The results are IOs per second, and bytes per second of writes whose data is new for each IO, as the specification
requires (`refill_buffers`).
"""

import json
import subprocess

from stend.base.errors import Missing, StepFailed
from stend.base.fio_features import clock
from stend.base.programs import missing
from stend.host import processors

SECONDS = 3
DEPTH = 32
PATIENCE_S = 60.0
"""Seconds that fio may take for one measurement."""


def measured(fio: str = "fio", seconds: float = SECONDS) -> dict[str, float]:
    """Return IOPS of one thread ("one") and of one thread per processor ("all"), 4 KiB random reads, QD32."""
    return {many: _run(fio, n, seconds, "--rw=randread", "--bs=4k")["read"]["iops"] for many, n in _threads().items()}


def data(fio: str = "fio", seconds: float = SECONDS) -> dict[str, float]:
    """Return the limits in bytes per second, with the same keys: sequential 128 KiB writes of random data."""
    load = ("--rw=write", "--bs=128k", "--refill_buffers")
    return {many: _run(fio, n, seconds, *load)["write"]["bw_bytes"] for many, n in _threads().items()}


def _threads() -> dict[str, int]:
    return {"one": 1, "all": processors.count()}


def _run(fio: str, threads: int, seconds: float, *load: str) -> dict[str, dict[str, float]]:
    """Run fio, and return {direction: {quantity: value}} of its first job."""
    work = ["--name=ceiling", "--ioengine=null", "--size=1g", *load, f"--iodepth={DEPTH}"]
    shape = [f"--numjobs={threads}", "--thread", "--group_reporting", "--time_based", f"--runtime={seconds:g}"]
    try:
        done = subprocess.run(
            [fio, *clock(), *work, *shape, "--output-format=json"],
            capture_output=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
        job: dict[str, dict[str, float]] = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
        return {way: {key: float(job[way][key]) for key in ("iops", "bw_bytes")} for way in ("read", "write")}
    except FileNotFoundError as error:
        raise Missing(missing("fio")) from error
    except (ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"fio failed to measure its limit: {error}; try `fio --ioengine=null` by hand") from error
