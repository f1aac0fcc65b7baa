"""`python -m benchmarks.fleet [TRIALS] [SEED]`: a fleet of two hosts, two drives each, under kill -9 at random moments.

Root. Each host is a network namespace. A trial is a matrix of eight runs of virtual drives, amid which the scheduler, a
worker, the desk and a run are killed twice each; whoever keeps services begins them anew. Told: whether every run is
complete once, and whether ever two were on one drive.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stend import store
from stend.record import Ended

STEND = [sys.executable, "-m", "stend"]
PORT, PATIENCE_S, ROUNDS = 18787, 300, 2
FLEET = """name = "batch"
scheduler = "tls://10.77.1.1:{port}"
drives = ["SIM-small-1", "SIM-small-2", "SIM-small-3", "SIM-small-4"]
into = "{home}"
retries = 2
[[studies]]
tests = ["latency"]
quick = true
[[studies]]
tests = ["fresh"]
quick = true
"""


def sh(words: str) -> None:
    """A command that must do."""
    subprocess.run(words.split(), check=True, capture_output=True)


@contextmanager
def hosts() -> Iterator[None]:
    """Two namespaces, each with a link to this one."""
    try:
        for n in (1, 2):
            sh(f"ip netns add stend{n}")
            sh(f"ip link add stendv{n} type veth peer name eth0 netns stend{n}")
            sh(f"ip addr add 10.77.{n}.1/24 dev stendv{n}")
            sh(f"ip link set stendv{n} up")
            for words in (f"addr add 10.77.{n}.2/24 dev eth0", "link set eth0 up", "link set lo up"):
                sh(f"ip -n stend{n} {words}")
        yield
    finally:
        for n in (1, 2):
            subprocess.run(f"ip netns del stend{n}".split(), check=False, capture_output=True)


class Kept:
    """A service that is begun anew whenever it ends, as systemd would."""

    def __init__(self, words: list[str], top: Path, name: str) -> None:
        self.words, self.log, self.over = words, top / f"{name}.log", False
        self.env = os.environ | {"STEND_RUNTIME": str(top / f"locks-{name}")}
        self.process = self._begun()
        threading.Thread(target=self._keep, daemon=True).start()

    def _begun(self) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as said:
            return subprocess.Popen(self.words, stdout=said, stderr=said, env=self.env)

    def _keep(self) -> None:
        while not self.over:
            if self.process.poll() is not None:
                self.process = self._begun()
            time.sleep(0.2)

    def end(self) -> None:
        """For good."""
        self.over = True
        self.process.kill()


def runs() -> list[tuple[int, str]]:
    """The processes of runs of fleets now: number, and folder; not what one of them is about to become a program of."""
    found, parents = [], {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "stend" in words[:4] and any(verb in words[:5] for verb in ("run", "resume")) and "fleet" not in words:
                folder = next((word.removeprefix("--into=") for word in words if "/runs/batch/" in word), "")
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                if folder and state not in "ZX":
                    found.append((int(place.name), folder))
                    parents[int(place.name)] = int(parent)
    return [(pid, folder) for pid, folder in found if parents[pid] not in parents]


class Watch:
    """Looks whether ever two runs are on one drive."""

    def __init__(self) -> None:
        self.most, self.over, self.seen = 0, False, ""
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.over:
            now = runs()
            drives = Counter(Path(folder).name.rpartition("-")[0] for _, folder in now)
            self.most = max(self.most, *drives.values(), 0)
            if max(drives.values(), default=0) > 1:
                self.seen = f"{now}"
            time.sleep(0.05)


def desk(top: Path) -> "subprocess.Popen[bytes]":
    """Whoever asks for the fleet."""
    words = [*STEND, "fleet", "run", str(top / "fleet.toml"), "--certificates", str(top / "papers"), "--name", "desk"]
    with (top / "desk.log").open("ab") as said:
        return subprocess.Popen(words, stdout=said, stderr=said)


def trial(draw: random.Random, top: Path) -> str:
    """One matrix under kills; what went wrong, in words."""
    (top / "fleet.toml").write_text(FLEET.format(port=PORT, home=top / "home"))
    sh(f"{' '.join(STEND)} fleet certificates {top / 'papers'} desk sched one two")
    papers = ["--certificates", str(top / "papers")]
    kept = {
        "scheduler": Kept(
            [*STEND, "fleet", "scheduler", f"tls://0.0.0.0:{PORT}", *papers, "--name", "sched"], top, "sched"
        )
    }
    for n, name in ((1, "one"), (2, "two")):
        drives = [word for unit in (2 * n - 1, 2 * n) for word in ("--drive", f"sim:small?unit={unit}")]
        words = [*STEND, "fleet", "worker", f"tls://10.77.{n}.1:{PORT}", *papers, "--name", name, *drives]
        kept[name] = Kept(["ip", "netns", "exec", f"stend{n}", *words, "--into", str(top / f"host-{name}")], top, name)
    watch, client = Watch(), desk(top)
    while not runs() and client.poll() is None:
        time.sleep(0.1)
    victims = ["scheduler", draw.choice(["one", "two"]), "desk", "run"] * ROUNDS
    draw.shuffle(victims)
    for victim in victims:
        time.sleep(draw.uniform(0, 4))
        if victim == "desk":
            client.kill()
            client.wait()
            client = desk(top)
        elif victim == "run":
            for pid, _ in draw.sample(runs(), 1) if runs() else ():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        else:
            kept[victim].process.kill()
    try:
        code = client.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        client.kill()
        code = -1
    watch.over = True
    brought = subprocess.run(
        [*STEND, "fleet", "collect", str(top / "fleet.toml"), *papers, "--name", "desk"],
        capture_output=True,
        check=False,
    )
    for one in kept.values():
        one.end()
    return wrong(top, code, brought.returncode, watch.most) + watch.seen


def wrong(top: Path, code: int, brought: int, most: int) -> str:
    """What is not as it must be; empty if all is."""
    folders = sorted(top.glob("host-*/runs/batch/*/events.jsonl"))
    ends = [[e for e in store.read(path.parent) if isinstance(e, Ended)] for path in folders]
    whole = [[e.outcome for e in events if e.outcome in ("complete", "not steady")] for events in ends]
    if [len(one) for one in whole] != [1] * 8:
        return f"complete {[len(one) for one in whole]} times each"
    if most != 1:
        return f"{most} runs at once on a drive"
    home = len(list((top / "home").glob("*/events.jsonl")))
    return "" if (code, brought, home) == (0, 0, 8) else f"exit codes {code} and {brought}, {home} brought home"


def main() -> None:
    """So many trials."""
    trials, seed = (
        (int(word) for word in [*sys.argv[1:], "13", "1"][:2]) if len(sys.argv) < 3 else map(int, sys.argv[1:3])
    )
    failed, began = 0, time.monotonic()
    for number in range(trials):
        with tempfile.TemporaryDirectory() as folder, hosts():
            said = trial(random.Random(f"{seed}/{number}"), Path(folder))
            failed += bool(said)
            print(
                f"trial {number}: {said or 'eight runs complete once'} ({time.monotonic() - began:.0f} s)", flush=True
            )
            if said:
                keep = Path(f"build/fleet-{seed}-{number}.log")
                keep.parent.mkdir(exist_ok=True)
                keep.write_text(
                    "\n".join(f"== {p.name}\n{p.read_text()[-4000:]}" for p in Path(folder).glob("**/*.log"))
                )
    print(f"{4 * ROUNDS * trials} kills in {trials} trials: {failed} trials failed")


if __name__ == "__main__":
    main()
