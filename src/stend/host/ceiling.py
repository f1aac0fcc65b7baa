"""How many IOs per second fio itself can make on this host: its null engine, which does nothing with them."""

import json
import os
import subprocess

from stend.errors import Missing, StepFailed
from stend.programs import missing

SECONDS = 3
DEPTH = 32


def measured(fio: str = "fio", seconds: float = SECONDS) -> dict[str, float]:
    """{"one": IOPS of one thread, "all": of one thread for each processor}; 4 KiB random reads, 32 outstanding each."""
    return {"one": _iops(fio, 1, seconds), "all": _iops(fio, os.cpu_count() or 1, seconds)}


def _iops(fio: str, threads: int, seconds: float) -> float:
    load = ["--name=ceiling", "--ioengine=null", "--size=1g", "--rw=randread", "--bs=4k", f"--iodepth={DEPTH}"]
    shape = [f"--numjobs={threads}", "--thread", "--group_reporting", "--time_based", f"--runtime={seconds:g}"]
    try:
        done = subprocess.run(
            [fio, *load, *shape, "--output-format=json"],
            capture_output=True,
            text=True,
            timeout=60 + seconds,
            check=False,
        )
        return float(json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]["iops"])
    except FileNotFoundError as error:
        raise Missing(missing("fio")) from error
    except (ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"fio could not tell its own ceiling: {error}; try `fio --ioengine=null` by hand") from error
