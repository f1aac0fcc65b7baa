"""What `stend capture` takes from a host: one load of fio with and without it, in turns, on zram and a loop device.

A rate that the host can keep is kept with a capture too, so fio's own processor time by IO is told beside the IOPS:
what the trace points cost the path of an IO. Where `bpftrace` is installed, a histogram of its takes turns too.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from scipy.stats import ttest_1samp
from tests.stand import Stand, zram

from stend.base.units import MiB
from stend.capture import drive as drives
from stend.capture import tracefs
from stend.capture.drive import Drive
from stend.trace import form, steps

PAIRS = int(os.environ.get("STEND_CAPTURE_PAIRS", "5"))
SECONDS = float(os.environ.get("STEND_CAPTURE_SECONDS", "4"))
SIZE = 256 * MiB
LOADS = {"zram": (10_000, 50_000, 100_000, 0), "loop": (50_000, 0)}
"""IOPS asked of each drive; 0: as many as there is processor for."""
FULLY = 100_000
"""The rate at which other ways of looking on have their turn too."""
MOST_OFF = 0.001


@dataclass(slots=True)
class Seen:
    """Loads beside one way of looking on, or beside nobody: a place a pair."""

    iops: list[float] = field(default_factory=list)
    io_us: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    off: float = 0.0


@dataclass(slots=True)
class Looker:
    """A process that looks on; `told` is how many IOs it saw, known at its end."""

    process: subprocess.Popen[str]
    told: int = 0

    @property
    def cpu_s(self) -> float:
        """Processor time so far, all threads, to the nanosecond (clock_getcpuclockid)."""
        return time.clock_gettime(~self.process.pid << 3 | 2)


def load(node: str, rate: int) -> tuple[float, float]:
    """Random reads of 4 KiB by fio: IOPS, and microseconds of fio's own processor time an IO."""
    words = ["--name=a", f"--filename={node}", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync"]
    words += ["--time_based", f"--runtime={SECONDS}", "--norandommap", "--randrepeat=0", "--output-format=json"]
    words += [f"--rate_iops={rate}"] if rate else []
    told = subprocess.run(["fio", *words], capture_output=True, text=True, check=True).stdout
    job = json.loads(told[told.index("{\n") :])["jobs"][0]
    iops = job["read"]["iops"]
    return iops, (job["usr_cpu"] + job["sys_cpu"]) / 100 / iops * 1e6


Ways = dict[str, Callable[[], AbstractContextManager["Looker | None"]]]


@contextmanager
def capture(node: str, *words: str) -> Iterator[Looker]:
    """`stend capture` of a drive, begun; ended as by Ctrl-C."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        into = Path(folder) / "captured"
        command = [sys.executable, "-m", "stend", "capture", node, "--output", str(into), "--for", "1h", *words]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert "capturing" in process.stderr.readline()
            try:
                yield (looker := Looker(process))
            finally:
                process.send_signal(signal.SIGINT)
            process.communicate()
        looker.told = form.opened(into).ios if "--addresses" in words else sum(one.ios for one in steps.opened(into))


@contextmanager
def bpftrace(drive: Drive) -> Iterator[Looker]:
    """Response times of a drive's reads and writes in histograms of the kernel's, which count too."""
    own = f"args->dev == {drive.number}"
    program = (
        f"tracepoint:block:{drive.begins} /{own}/ {{ @at[args->sector] = nsecs }} "
        f"tracepoint:block:{drive.ends} /{own} && @at[args->sector]/ "
        "{ @us = hist((nsecs - @at[args->sector]) / 1000); @ios = count(); delete(@at[args->sector]) } "
        'BEGIN { printf("begun\\n") } END { clear(@at) }'
    )
    mounts = "mount -t debugfs none /sys/kernel/debug && mount -t tracefs none /sys/kernel/debug/tracing"
    words = ["unshare", "-m", "sh", "-c", f'{mounts} && exec bpftrace -e "$0"', program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        while "begun" not in process.stdout.readline():
            assert process.poll() is None, "bpftrace ended"
        time.sleep(0.5)
        try:
            yield (looker := Looker(process))
        finally:
            process.send_signal(signal.SIGINT)
        said, _ = process.communicate()
        looker.told = next(int(line.split()[1]) for line in said.splitlines() if line.startswith("@ios"))


def looked_at(drive: Drive, node: str, rate: int, by: AbstractContextManager[Looker | None], seen: Seen) -> None:
    """A load that somebody looks at, or nobody."""
    before = drive.counters()
    with by as looker:
        cpu_s = looker.cpu_s if looker else 0.0
        iops, io_us = load(node, rate)
        if looker:
            seen.shares.append((looker.cpu_s - cpu_s) / SECONDS)
    counted = (drive.counters() - before).reads
    seen.off = max(seen.off, abs(looker.told - counted) / counted if looker else 0.0)
    seen.iops.append(iops)
    seen.io_us.append(io_us)


def paired(drive: Drive, node: str, rate: int, ways: Ways) -> None:
    """Each way and nobody, in an order that turns round from pair to pair."""
    every: Ways = {"alone": nullcontext} | ways
    seen = {name: Seen() for name in every}
    for pair in range(PAIRS):
        for name in list(every)[:: 1 if pair % 2 else -1]:
            looked_at(drive, node, rate, every[name](), seen[name])
    alone = seen.pop("alone")
    print(f"{drive.words} asked for {rate or 'all'} IOPS: {median(alone.iops):.0f} alone, {median(alone.io_us):.2f} us")
    for name, one in seen.items():
        ratios = np.log(np.array(one.iops) / alone.iops)
        low, high = np.exp(ttest_1samp(ratios, 0).confidence_interval(0.95))
        more_us = median(np.array(one.io_us) - alone.io_us)
        print(
            f"  {name}: IOPS x {np.exp(ratios.mean()):.4f} ({low:.4f}-{high:.4f}), "
            f"{100 * median(one.shares):.2f} % of a processor, {more_us:+.2f} us an IO, counts off by {one.off:.3%}",
            flush=True,
        )
        assert name == "bpftrace" or one.off <= MOST_OFF


@contextmanager
def drive_of(kind: str) -> Iterator[str]:
    """A drive in memory, full of data."""
    with ExitStack() as end:
        folder = Path(end.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        if kind == "loop":
            yield Stand(folder, end).loop(filled(folder))
            return
        node = end.enter_context(zram(SIZE))
        Path(node).write_bytes(os.urandom(SIZE))
        yield node


def filled(folder: Path) -> Path:
    """A file of random data."""
    path = folder / "drive.bin"
    path.write_bytes(os.urandom(SIZE))
    return path


def main() -> None:
    """A line a drive, rate and way of looking on."""
    for kind, rates in LOADS.items():
        with drive_of(kind) as node:
            drive = drives.drive(node)
            for rate in rates:
                ways: Ways = {"capture": partial(capture, node)}
                if rate == FULLY:
                    ways["capture --addresses"] = partial(capture, node, "--addresses")
                    ways |= {"bpftrace": partial(bpftrace, drive)} if shutil.which("bpftrace") else {}
                paired(drive, node, rate, ways)
    with tracefs.mounted() as root:
        assert not tracefs.orphans(root)


if __name__ == "__main__":
    main()
