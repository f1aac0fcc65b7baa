"""What fio itself can do on this host, by its null engine, which does nothing with IOs: how many a second, and how much
data for writes, which are made anew for each as the specification asks (`refill_buffers`)."""

import json
import os
import subprocess

from stend.base.errors import Missing, StepFailed
from stend.base.fio_features import clock
from stend.base.programs import missing

SECONDS = 3
DEPTH = 32


def measured(fio: str = "fio", seconds: float = SECONDS) -> dict[str, float]:
    """{"one": IOPS of one thread, "all": of one thread for each processor}; 4 KiB random reads, 32 outstanding each."""
    return {many: _told(fio, n, seconds, "--rw=randread", "--bs=4k")["read"]["iops"] for many, n in _threads().items()}


def data(fio: str = "fio", seconds: float = SECONDS) -> dict[str, float]:
    """The same in bytes per second: sequential 128 KiB writes of random data."""
    load = ("--rw=write", "--bs=128k", "--refill_buffers")
    return {many: _told(fio, n, seconds, *load)["write"]["bw_bytes"] for many, n in _threads().items()}


def _threads() -> dict[str, int]:
    return {"one": 1, "all": os.cpu_count() or 1}


def _told(fio: str, threads: int, seconds: float, *load: str) -> dict[str, dict[str, float]]:
    """The first job of fio's own document."""
    job = ["--name=ceiling", "--ioengine=null", "--size=1g", *load, f"--iodepth={DEPTH}"]
    shape = [f"--numjobs={threads}", "--thread", "--group_reporting", "--time_based", f"--runtime={seconds:g}"]
    try:
        done = subprocess.run(
            [fio, *clock(), *job, *shape, "--output-format=json"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60 + seconds,
            check=False,
        )
        told: dict[str, dict[str, float]] = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
        return {way: {key: float(told[way][key]) for key in ("iops", "bw_bytes")} for way in ("read", "write")}
    except FileNotFoundError as error:
        raise Missing(missing("fio")) from error
    except (ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"fio could not tell its own ceiling: {error}; try `fio --ioengine=null` by hand") from error
