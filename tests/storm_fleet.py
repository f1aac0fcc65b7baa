"""Kills of a fleet: its worker, the desk that waits for its runs, and the runs. Figures are those of single runs."""

import os
import signal
import time
from pathlib import Path

import msgspec

from stend import store
from stend.model.events import Result
from stend.store import writer
from tests.forks import child
from tests.storm_end import PATIENCE_S, end
from tests.storm_verbs import SHORT, Repeat

UNITS = (1, 2)
STUDY = {"tests": ["latency"], "quick": True, "rounds": 2, "seed": 7, "minute_s": 0.2}
DRIVES = [f"SIM-small-{unit}" for unit in UNITS]


class Fleet(Repeat):
    """Two drives of one worker, again and again under a new name; the scheduler stays."""

    kind = "fleet"

    def undisturbed(self) -> list[tuple[Result, ...]]:
        """Return the results of runs without a fleet, and start the scheduler and the worker."""
        made = ["fleet", "certificates", str(self.top / "papers"), "sched", "desk", "host"]
        self.must(end(child(made, self.said)) == 0)
        self.scheduler = child(
            ["fleet", "scheduler", "tls://127.0.0.1:0", *self.papers("sched")], self.top / "port.txt"
        )
        results = []
        for unit in UNITS:
            folder = self.top / f"undisturbed{unit}"
            target = f"sim:small?unit={unit}"
            self.must(end(child(["run", "latency", *SHORT, "--target", target, "--into", str(folder)], self.said)) == 0)
            results.append(tuple(store.load(folder).results))
        self.living = {"worker": self.worker()}
        return results

    def close(self) -> None:
        """End the scheduler and the worker."""
        for number in (self.scheduler, *self.living.values()):
            os.kill(number, signal.SIGKILL)
            end(number)

    def papers(self, name: str) -> list[str]:
        """Return the options of a host."""
        return ["--certificates", str(self.top / "papers"), "--name", name]

    @property
    def address(self) -> str:
        """Wait for the address that the scheduler prints."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if lines := (self.top / "port.txt").read_text().split():
                return lines[0]
            time.sleep(0.01)
        self.must(False, "the scheduler prints no address")
        return ""

    def worker(self) -> int:
        """Start the worker of both drives."""
        named = [word for unit in UNITS for word in ("--target", f"sim:small?unit={unit}")]
        words = ["fleet", "worker", self.address, *self.papers("host"), *named, "--into", str(self.top / "host")]
        return child(words, self.top / "worker.txt")

    def desk(self, name: str) -> int:
        """Order the runs of a fleet and wait for them."""
        told = {"name": name, "scheduler": self.address, "drives": DRIVES, "into": str(self.top / "home")}
        path = self.top / f"{name}.toml"
        path.write_bytes(msgspec.toml.encode(told | {"studies": [STUDY]}))
        return child(["fleet", "run", str(path), *self.papers("desk")], self.said)

    def run(self) -> None:
        """One fleet, in which up to eight processes are killed."""
        name = f"batch{self.runs}"
        runs = self.top / "host/runs" / name / "01"
        self.living["desk"] = self.desk(name)
        for _ in range(self.draw.randint(1, 8)):
            victim = self.draw.choice(("worker", "desk", "run"))
            if not self.lasted(self.living["desk"]):
                break
            if victim == "run":
                self._kill_run(self.draw.choice([f"{drive}-01" for drive in DRIVES]), runs)
                continue
            os.kill(self.living[victim], signal.SIGKILL)
            end(self.living[victim])
            self.kinds[victim] += 1
            self.resumed += runs.exists()
            self.living[victim] = self.worker() if victim == "worker" else self.desk(name)
        code, more = end(self.living.pop("desk")), 3
        while code and more:
            code, more = end(self.desk(name)), more - 1
        self.must(code == 0, f"the last order ended with {code}")
        self.same(sorted(runs.glob("SIM-*-01")))

    def lasted(self, number: int) -> bool:
        """Return True if a process still lives after a while."""
        deadline = time.monotonic() + self.draw.random() * self.most_s
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return False
            time.sleep(0.002)
        return True

    def _kill_run(self, cell: str, runs: Path) -> None:
        held = writer.holder(runs / cell)
        if held.alive:
            os.kill(held.owner.pid, signal.SIGKILL)
            self.kinds["run"] += 1
