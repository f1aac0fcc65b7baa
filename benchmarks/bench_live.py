"""What looking on costs: a day's record opened, 20 pages on it while it grows, and a load with and without them."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from statistics import fmean
from threading import Event as Ended
from threading import Thread
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.stats import ttest_1samp
from tests.going import Served

from benchmarks.bench_overhead import SIZE, appended, plan, target
from stend import store
from stend.base.units import KiB
from stend.devices import Device
from stend.engines.fio import FioEngine
from stend.model.definition import Hold, Identity, Plan, Seconds, Workload
from stend.model.events import Result
from stend.runner import bench
from stend.runner.loop import run

DAY = """title = "A day of writing"
tests = ["write-saturation"]
[settings.tests.write-saturation]
seek_steady = false
minutes = 1440
histogram_minutes = 1
"""
PAGES, GROWS_S = 20, 60
DRIVE_IOPS = 20_000
"""What a drive that is slower than its host answers."""
LIMIT = Path("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device")


class Turns(NamedTuple):
    """Who looks on during each hold of a turn, how many turns, how long a hold is.

    "again" is nobody once more. The hold after a change does not count: a server that was stopped catches up in it.
    """

    cycle: tuple[str, ...] = (*("pages",) * 2, *("nobody",) * 2, *("again",) * 3, *("nobody",) * 2, "pages")
    turns: int = 60
    hold_s: float = 1.0

    @property
    def holds(self) -> int:
        """All of them."""
        return self.turns * len(self.cycle)


LONG = Turns()


class Looked(Served):
    """A server of a folder, and what it takes."""

    @property
    def cpu_s(self) -> float:
        """Processor time so far."""
        told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def peak_mb(self) -> float:
        """The most memory it ever had."""
        told = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in told.splitlines() if line.startswith("VmHWM")) / 1024


def messages(port: int, token: str, name: str) -> Iterator[int]:
    """The size of each message of a run, as it comes."""
    link = HTTPConnection("127.0.0.1", port, timeout=120)
    link.request("GET", f"/events/{name}", headers={"authorization": f"Bearer {token}"})
    answer = link.getresponse()
    while line := answer.readline():
        if line.startswith(b"data: "):
            yield len(line)


def read(port: int, token: str, name: str, pages: int) -> None:
    """So many pages that look on until the server is gone."""

    def page() -> None:
        with suppress(OSError, HTTPException):
            for _ in messages(port, token, name):
                pass

    every = [Thread(target=page) for _ in range(pages)]
    for one in every:
        one.start()
    for one in every:
        one.join()


@contextmanager
def looked_at(top: Path, name: str, pages: int = PAGES) -> Iterator[Looked]:
    """So many pages on a run."""
    server = Looked(top)
    readers = get_context("spawn").Process(target=read, args=(server.port, server.token, name, pages))
    readers.start()  # a process of its own, as browsers are
    try:
        yield server
    finally:
        server.process.kill()
        server.end()
        readers.join()


def day(top: Path) -> None:
    """A record of a day on the folder `day`, but for its last minutes; what comes then."""
    study = top.parent / "day.toml"
    study.write_text(DAY)
    words = ["run", str(study), "--target", "sim:sas15k", "--seed", "1", "--into", str(top / "day")]
    subprocess.run([sys.executable, "-m", "stend", *words], check=True, capture_output=True)


def grows(events: Path, lines: list[bytes], ended: Ended | None = None) -> None:
    """A line a second."""
    ended = ended or Ended()
    for line in lines:
        if ended.wait(1):
            return
        with events.open("ab") as file:
            file.write(line)


def opened_and_followed(top: Path) -> None:
    """How soon a page of a day has it all, and what the server takes for 20 of them while it grows."""
    day(top)
    events = top / "day/events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    samples = sum(line.startswith(b'{"type":"sample"') for line in lines)
    events.write_bytes(b"".join(lines[: -GROWS_S - 20]))
    with looked_at(top, "day", pages=0) as server:
        began, before = time.monotonic(), server.cpu_s
        size = next(messages(server.port, server.token, "day"))
        print(f"{samples} samples: a page has them after {time.monotonic() - began:.2f} s, {size / 1e3:.0f} kB", end="")
        print(f" ({server.cpu_s - before:.2f} s of processor; at most 1)")
    with looked_at(top, "day") as server:
        time.sleep(10)
        before, began = server.cpu_s, time.monotonic()
        grows(events, lines[-GROWS_S - 20 : -20])
        share = (server.cpu_s - before) / (time.monotonic() - began)
        print(f"{PAGES} pages while it grows: {100 * share:.1f} % of a core (at most 5), {server.peak_mb:.0f} MB (200)")


def steps(device: Identity, workload: Workload, turns: Turns) -> Plan:
    """Holds, by turns with pages and without; no two neighbours are alike, or what runs would go on."""
    one = plan(device, workload)
    (test,) = one.tests
    loads = (workload, msgspec.structs.replace(workload, depth=workload.depth - 1))
    long = Seconds(seconds=turns.hold_s)
    holds = [Hold(workload=loads[number % 2], amount=long) for number in range(turns.holds + 1)]
    phase = msgspec.structs.replace(test.phases[0], round=tuple(holds))
    return msgspec.structs.replace(one, tests=(msgspec.structs.replace(test, phases=(phase,)),))


def by_turns(
    device: Device, workload: Workload, folder: Path, server: Looked, turns: Turns
) -> dict[str, list[list[Result]]]:
    """For each state the results of its holds, a list a turn; a server that is stopped serves nobody."""
    bench.BESIDE_S = 0.0  # the next load is held ready as beside the minutes of a whole run
    store.create(folder, {}, {})
    raw, cycle = store.Raw(folder), turns.cycle
    engine = FioEngine(device.door.path, raw=raw, interval_s=turns.hold_s)
    events = run(steps(device.identity, workload, turns), device, engine, seed=1, at=0)
    found: dict[str, list[list[Result]]] = {name: [[] for _ in range(turns.turns)] for name in set(cycle)}
    number = -1  # the first hold is of no turn
    for event in appended(folder, events, raw):
        if isinstance(event, Result):
            turn, place = divmod(number, len(cycle))
            if number >= 0 and cycle[place] == cycle[place - 1]:
                found[cycle[place]][turn].append(event)
            number += 1
            server.process.send_signal(SIGCONT if cycle[number % len(cycle)] == "pages" else SIGSTOP)
    server.process.send_signal(SIGCONT)
    return found


@contextmanager
def slow(node: str) -> Iterator[None]:
    """A drive that answers so many IOPS at most, by the kernel's own limit."""
    number = Path(f"/sys/class/block/{Path(node).name}/dev").read_text().strip()
    LIMIT.write_text(f"{number} {DRIVE_IOPS}")
    try:
        yield
    finally:
        LIMIT.write_text(f"{number} 0")


def beside_loads(top: Path) -> None:
    """A load that is bound by the processor, and one that is bound by the drive, as loads of real drives are."""
    with target() as device:
        beside_a_load(top, device, "bound by the processor")
        if LIMIT.exists() and device.identity.target.startswith("/dev/"):
            with slow(device.identity.target):
                beside_a_load(top, device, f"bound by a drive of {DRIVE_IOPS} IOPS")


def beside_a_load(top: Path, device: Device, bound: str, turns: Turns = LONG) -> None:
    """A load while 20 pages look at a day that grows, and while nobody does, twice: the last says how much is noise."""
    events, ended = top / "day/events.jsonl", Ended()
    lines = events.read_bytes().splitlines(keepends=True)
    rest = turns.holds * 2
    events.write_bytes(b"".join(lines[:-rest]))
    with looked_at(top, "day") as server:
        load = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=32, range_bytes=SIZE)
        growing = Thread(target=grows, args=(events, lines[-rest:], ended))
        growing.start()
        time.sleep(10)
        found = by_turns(device, load, top / f"load {bound}", server, turns)
        ended.set()
        growing.join()
        events.write_bytes(b"".join(lines))
    how = f"{turns.turns} turns of {len(turns.cycle)} holds of {turns.hold_s:g} s"
    print(f"{load.label} on {device.identity.target}, {bound}, {how}; mean and 95 % interval")
    without = [a + b for a, b in zip(found["nobody"], found["again"], strict=True)]
    for name, one, other in (
        ("with / without pages", found["pages"], without),
        ("without / without", found["again"], found["nobody"]),
    ):
        pairs = list(zip(one, other, strict=True))
        rates, pauses = (told([fmean(map(get, a)) / fmean(map(get, b)) for a, b in pairs]) for get in (rate, pause))
        print(f"  {name}: IOPS {rates}, pause between steps {pauses}")


def rate(result: Result) -> float:
    """IOPS of a hold."""
    return result.counts.iops


def pause(result: Result) -> float:
    """Seconds before a hold in which nothing ran."""
    return result.gap_s


def told(ratios: Sequence[float]) -> str:
    """The geometric mean of ratios and its interval by Student's t."""
    logs = np.log(ratios)
    low, high = np.exp(ttest_1samp(logs, 0).confidence_interval())
    return f"{np.exp(logs.mean()):.3f} ({low:.3f}-{high:.3f})"


def main() -> None:
    """Both."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name) / "runs"
        top.mkdir()
        opened_and_followed(top)
        beside_loads(top)


if __name__ == "__main__":
    main()
