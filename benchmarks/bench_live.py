"""What looking on costs: a day's record opened, 20 pages on it while it grows, and a load with and without them."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from threading import Thread

import msgspec
import numpy as np
from scipy.stats import ttest_1samp

from benchmarks.bench_overhead import SIZE, appended, plan, target
from stend import store
from stend.definition import Hold, Identity, Plan, Seconds, Workload
from stend.devices import Device
from stend.engines.fio import FioEngine
from stend.record import Result
from stend.run import run
from stend.units import KiB

DAY = """title = "A day of writing"
tests = ["write-saturation"]
[settings.tests.write-saturation]
seek_steady = false
minutes = 1440
histogram_minutes = 1
"""
PAGES, GROWS_S, TURNS, STEPS = 20, 60, 12, 6


class Looked:
    """A server of a folder, and pages that read all that comes."""

    def __init__(self, top: Path) -> None:
        command = [sys.executable, "-m", "stend", "serve", str(top)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        told = self.process.stdout.readline().strip() if self.process.stdout else ""
        self.port, self.token = int(told.rpartition(":")[2].partition("/")[0]), told.rpartition("=")[2]

    def messages(self, name: str) -> Iterator[int]:
        """The size of each message of a run, as it comes."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=120)
        link.request("GET", f"/events/{name}", headers={"authorization": f"Bearer {self.token}"})
        answer = link.getresponse()
        while line := answer.readline():
            if line.startswith(b"data: "):
                yield len(line)

    def page(self, name: str) -> None:
        """One that looks on until the server is gone."""
        try:
            for _ in self.messages(name):
                pass
        except OSError:
            return

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


@contextmanager
def looked_at(top: Path, name: str, pages: int = PAGES) -> Iterator[Looked]:
    """So many pages on a run."""
    server = Looked(top)
    for _ in range(pages):
        Thread(target=server.page, args=(name,), daemon=True).start()
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def day(top: Path) -> None:
    """A record of a day on the folder `day`, but for its last minutes; what comes then."""
    study = top.parent / "day.toml"
    study.write_text(DAY)
    words = ["run", str(study), "--target", "sim:sas15k", "--seed", "1", "--into", str(top / "day")]
    subprocess.run([sys.executable, "-m", "stend", *words], check=True, capture_output=True)


def grows(events: Path, lines: list[bytes]) -> None:
    """A line a second."""
    for line in lines:
        time.sleep(1)
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
        size = next(server.messages("day"))
        print(f"{samples} samples: a page has them after {time.monotonic() - began:.2f} s, {size / 1e3:.0f} kB", end="")
        print(f" ({server.cpu_s - before:.2f} s of processor; at most 1)")
    with looked_at(top, "day") as server:
        time.sleep(10)
        before, began = server.cpu_s, time.monotonic()
        grows(events, lines[-GROWS_S - 20 : -20])
        share = (server.cpu_s - before) / (time.monotonic() - began)
        print(f"{PAGES} pages while it grows: {100 * share:.1f} % of a core (at most 5), {server.peak_mb:.0f} MB (200)")


def steps(device: Identity, workload: Workload) -> Plan:
    """So many holds of a second; no two neighbours are alike, or the engine would go on with what runs."""
    one = plan(device, workload)
    (test,) = one.tests
    loads = (workload, msgspec.structs.replace(workload, depth=workload.depth - 1))
    holds = tuple(Hold(workload=loads[number % 2], amount=Seconds(seconds=1)) for number in range(STEPS))
    phase = msgspec.structs.replace(test.phases[0], round=holds)
    return msgspec.structs.replace(one, tests=(msgspec.structs.replace(test, phases=(phase,)),))


def held(device: Device, workload: Workload, folder: Path) -> tuple[float, float]:
    """IOPS of all holds together and the median pause between two, recorded in a folder."""
    store.create(folder, {}, {})
    raw = store.Raw(folder)
    events = run(steps(device.identity, workload), device, FioEngine(device.io_path, raw=raw), seed=1, at=0)
    own = [event for event in appended(folder, events, raw) if isinstance(event, Result)]
    whole = own[0].counts
    for event in own[1:]:
        whole += event.counts
    return whole.iops, median(event.gap_s for event in own[1:])


def beside_a_load(top: Path) -> None:
    """The same load with nobody looking on, with 20 pages, and with nobody again: the last says how much is noise."""
    with target() as device:
        load = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=32, range_bytes=SIZE)
        ratios: dict[str, list[tuple[float, float]]] = {f"{PAGES} pages": [], "nobody": []}
        for turn in range(TURNS):
            order = ("first", f"{PAGES} pages", "nobody")
            found = {}
            for name in order[turn % 3 :] + order[: turn % 3]:
                with looked_at(top, "day") if "pages" in name else nullcontext():
                    time.sleep(3)
                    found[name] = held(device, load, top / f"{name}-{turn}")
            for name, own in ratios.items():
                own.append((found[name][0] / found["first"][0], found[name][1] / found["first"][1]))
        print(f"{load.label} on {device.identity.target}, {TURNS} turns of {STEPS} steps; mean and 95 % interval")
        for name, own in ratios.items():
            rates, pauses = map(told, zip(*own, strict=True))
            print(f"  with {name} / with nobody: IOPS {rates}, pause between steps {pauses}")


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
        beside_a_load(top)


if __name__ == "__main__":
    main()
