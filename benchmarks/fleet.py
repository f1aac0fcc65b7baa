"""`python -m benchmarks.fleet [TRIALS] [SEED] [real]`: two hosts with two drives each, under kill -9 at random moments.

Root. Each host is a network namespace. A trial is a matrix of eight runs of virtual drives, or with `real` of a zram
and a loop drive each, amid which the scheduler, a worker, the desk and a run are killed twice each; whoever keeps
services begins them anew. Kills are counted that hit a living process amid the matrix. Told: whether every run is
complete once and came home as it is there, and whether ever two were on one drive: two sessions that have the drive's
lock. Processes that look like runs are looked at too: a run is a session of its own, so two of one session are
a run and its child between fork and exec, and two sessions would be two runs.
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
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.together import loop, zram
from stend import store
from stend.base import regular
from stend.base.units import MiB
from stend.model.events import Ended
from stend.session.series import FINISHED

STEND = [sys.executable, "-m", "stend"]
PORT, PATIENCE_S, ROUNDS = 18787, 300, 2
FLEET = """name = "batch"
scheduler = "tls://10.77.1.1:{port}"
drives = {drives}
into = "{home}"
retries = 2
trial = 0.5
[[studies]]
tests = ["latency"]
quick = true
{short}
[[studies]]
tests = ["fresh"]
quick = true
{short}
"""
SHORT = "rounds = 1\nminute_s = 0.2"
Drive = tuple[str, str]
"""Its serial, and its target."""


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


class Seen(NamedTuple):
    """A process at one moment; `session` and `ticks` (when it began) tell it from others."""

    pid: int
    parent: int
    session: int
    ticks: int
    exe: str
    folder: str


def runs() -> list[Seen]:
    """The processes that look like runs of the fleet now, by their command lines."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "stend" in words[:4] and any(verb in words[:5] for verb in ("run", "resume")) and "fleet" not in words:
                folder = next((word.removeprefix("--into=") for word in words if "/runs/batch/" in word), "")
                told = (place / "stat").read_text().rpartition(")")[2].split()
                if folder and told[0] not in "ZX":
                    exe = (place / "exe").readlink().name
                    found.append(Seen(int(place.name), int(told[1]), int(told[3]), int(told[19]), exe, folder))
    return found


def holders(top: Path) -> dict[str, set[int]]:
    """The sessions that have each drive's lock now, by what the kernel says of open files; not those of the workers."""
    found: dict[str, set[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"stend" not in (place / "cmdline").read_bytes():
                continue
            session = int((place / "stat").read_text().rpartition(")")[2].split()[3])
            for fd in (place / "fd").iterdir():
                with suppress(OSError):
                    path = str(fd.readlink())
                    locked = "FLOCK" in (place / "fdinfo" / fd.name).read_text() if "/drive-" in path else False
                    if locked and path.startswith(f"{top}/locks-") and session != os.getsid(0):
                        found.setdefault(path, set()).add(session)
    return found


class Watch:
    """Looks whether ever two runs are on one drive: by its lock, and by command lines."""

    def __init__(self, top: Path) -> None:
        self.top, self.most, self.over, self.looks = top, 0, False, 0
        self.pairs: list[tuple[Seen, ...]] = []
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.over:
            self.looks += 1
            self.most = max(self.most, *map(len, holders(self.top).values()), 0)
            drives: dict[str, list[Seen]] = {}
            for one in runs():
                drives.setdefault(Path(one.folder).name.rpartition("-")[0], []).append(one)
            self.pairs += [tuple(own) for own in drives.values() if len(own) > 1]
            time.sleep(0.1)

    @property
    def two(self) -> list[tuple[Seen, ...]]:
        """Sightings of two sessions, which are two runs."""
        return [own for own in self.pairs if len({one.session for one in own}) > 1]

    def said(self) -> str:
        """What was seen."""
        children = len(self.pairs) - len(self.two)
        text = f"{self.looks} looks, at most {self.most} session with a drive's lock; "
        text += f"{children} sightings of two processes of one session"
        return text + (f", {len(self.two)} OF TWO: {self.two}" if self.two else "")


def desk(top: Path) -> "subprocess.Popen[bytes]":
    """Whoever asks for the fleet."""
    words = [*STEND, "fleet", "run", str(top / "fleet.toml"), "--certificates", str(top / "papers"), "--name", "desk"]
    with (top / "desk.log").open("ab") as said:
        return subprocess.Popen(words, stdout=said, stderr=said)


class Told(NamedTuple):
    """Of one trial: what went wrong, in words, what was seen, and how often each kind was killed."""

    wrong: str
    seen: str
    kills: Counter[str]


def killed_run(draw: random.Random, client: "subprocess.Popen[bytes]") -> bool:
    """Kill a run, of those that there are or come; whether there was one before all had ended."""
    while client.poll() is None:
        if leaders := [seen.pid for seen in runs() if seen.pid == seen.session]:
            with suppress(ProcessLookupError):
                os.kill(draw.choice(leaders), signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


def trial(draw: random.Random, top: Path, drives: list[list[Drive]], short: str = "") -> Told:
    """One matrix under kills."""
    names = msgspec.json.encode([serial for own in drives for serial, _ in own]).decode()
    (top / "fleet.toml").write_text(FLEET.format(port=PORT, home=top / "home", drives=names, short=short))
    sh(f"{' '.join(STEND)} fleet certificates {top / 'papers'} desk sched one two")
    papers = ["--certificates", str(top / "papers")]
    kept = {
        "scheduler": Kept(
            [*STEND, "fleet", "scheduler", f"tls://0.0.0.0:{PORT}", *papers, "--name", "sched"], top, "sched"
        )
    }
    for n, name in ((1, "one"), (2, "two")):
        named = [word for _, target in drives[n - 1] for word in ("--target", target)]
        words = [*STEND, "fleet", "worker", f"tls://10.77.{n}.1:{PORT}", *papers, "--name", name, *named]
        kept[name] = Kept(["ip", "netns", "exec", f"stend{n}", *words, "--into", str(top / f"host-{name}")], top, name)
    watch, client = Watch(top), desk(top)
    while not runs() and client.poll() is None:
        time.sleep(0.1)
    victims = ["scheduler", draw.choice(["one", "two"]), "desk", "run"] * ROUNDS
    draw.shuffle(victims)
    kills: Counter[str] = Counter()
    for victim in victims:
        time.sleep(draw.uniform(0, 4))
        amid = client.poll() is None
        if victim == "desk":
            client.kill()
            client.wait()
            client = desk(top)
        elif victim == "run":
            amid = killed_run(draw, client)
        else:
            amid = amid and kept[victim].process.poll() is None
            kept[victim].process.kill()
        kills["worker" if victim in ("one", "two") else victim] += amid
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
    return Told(wrong(top, code, brought.returncode, watch), watch.said(), kills)


def wrong(top: Path, code: int, brought: int, watch: Watch) -> str:
    """What is not as it must be; empty if all is."""
    folders = sorted(top.glob("host-*/runs/batch/*/*/events.jsonl"))
    ends = [[e.outcome for e in store.read(path.parent) if isinstance(e, Ended)] for path in folders]
    whole = [sum(outcome in FINISHED for outcome in own) for own in ends]
    if whole != [1] * 8:
        return f"complete {whole} times each"
    if watch.most != 1 or watch.two:
        return "two runs at once on a drive"
    home = sum(files(top / "home" / path.parent.name) == files(path.parent) for path in folders)
    return "" if (code, brought, home) == (0, 0, 8) else f"exit codes {code} and {brought}, {home} whole at home"


def files(folder: Path) -> dict[str, str]:
    """What a run folder holds, each file with its SHA-256."""
    return {str(path.relative_to(folder)): regular.digest(path) for path in folder.rglob("*") if path.is_file()}


@contextmanager
def real(top: Path) -> Iterator[list[list[Drive]]]:
    """A drive in memory and a file as a drive, for each of two hosts; a file is named by its path."""
    with ExitStack() as end:
        found = []
        for n in (1, 2):
            one, two = end.enter_context(zram(96 * MiB)), end.enter_context(loop(top / f"drive-{n}", 96 * MiB))
            found.append([(Path(one).name, one), (str(top / f"drive-{n}"), two)])
        yield found


def virtual() -> list[list[Drive]]:
    """Two of them for each of two hosts."""
    return [[(f"SIM-small-{unit}", f"sim:small?unit={unit}") for unit in (2 * n - 1, 2 * n)] for n in (1, 2)]


def main() -> None:
    """So many trials."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    trials, seed = [*numbers, *[13, 1][len(numbers) :]]
    failed, began, kills = 0, time.monotonic(), Counter[str]()
    for number in range(trials):
        with tempfile.TemporaryDirectory() as folder, hosts(), ExitStack() as end:
            top, on_real = Path(folder), "real" in sys.argv
            drives = end.enter_context(real(top)) if on_real else virtual()
            told = trial(random.Random(f"{seed}/{number}"), top, drives, SHORT if on_real else "")
            failed += bool(told.wrong)
            kills += told.kills
            how = f"{told.wrong or 'eight runs complete once'} ({time.monotonic() - began:.0f} s)"
            print(f"trial {number}: {how}; {told.seen}; kills: {dict(told.kills)}", flush=True)
            if told.wrong:
                keep = Path(f"build/fleet-{seed}-{number}.log")
                keep.parent.mkdir(exist_ok=True)
                keep.write_text("\n".join(f"== {p.name}\n{p.read_text()[-4000:]}" for p in top.glob("**/*.log")))
    print(f"{kills.total()} kills ({dict(kills)}) in {trials} trials: {failed} trials failed")


if __name__ == "__main__":
    main()
