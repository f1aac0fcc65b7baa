"""Kills of verbs beside a run or that begin several: watch, serve, repeat. The runs come to what they would have."""

import hashlib
import os
import random
import re
import shutil
import signal
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from stend import store
from stend.findings.look.figures import figures
from stend.model.events import Result
from stend.model.quantities import METERED, QUANTITIES
from stend.session import series
from stend.store import verify, writer
from tests.forks import child
from tests.storm_end import PATIENCE_S, Torn, end

SHORT = ("--quick", "--rounds", "2", "--seed", "7", "--round-seconds", "0.2")
PACED = "sim:small?pace=40"
"""Slow enough that it goes on beside what is killed; its figures are those of the drive without a pace."""
ROUNDING = 1e-9
"""What readings in two stretches may differ in: the same ones, on clocks of their own."""
COVERED = 1 - ROUNDING
"""Share of a load that readings must cover to be compared: a load that was cut by a kill lacks some of them."""
ADDRESS = re.compile(r"http://\S+")


class Beside:
    """Kills of a verb, counted; each run is compared with one that no process was beside."""

    kind = ""

    def __init__(self, top: Path, seed: int) -> None:
        self.top, self.draw, self.said = top, random.Random(f"{seed}/{self.kind}"), top / "said.txt"
        self.kinds: Counter[str] = Counter()
        self.runs = self.resumed = self.equal = 0
        self.expected = self.undisturbed()

    @property
    def interruptions(self) -> int:
        """So far."""
        return sum(self.kinds.values())

    def told(self, seconds: float) -> str:
        """Return what it came to, in one line."""
        counts = f"{self.interruptions} kills beside {self.runs} runs, {self.resumed} of them resumed"
        return f"{self.kind}: {counts}, {self.equal} runs equal at their end, {seconds:.0f} s"

    def close(self) -> None:
        """End what was started for all runs."""

    def undisturbed(self) -> list[tuple[Result, ...]]:
        """Return the results of the runs that no process is beside."""
        folder = self.top / "undisturbed"
        self.must(
            end(child(["run", "latency", *SHORT, "--target", "sim:small", "--into", str(folder)], self.said)) == 0
        )
        return [tuple(store.load(folder).results)]

    def run(self) -> None:
        """One run with a verb beside it that is killed again and again."""
        folder = self.top / "runs" / f"run{self.runs}"
        run = child(["run", "latency", *SHORT, "--target", PACED, "--into", str(folder)], self.top / "run.txt")
        while os.waitid(os.P_PID, run, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if not writer.last(folder).pid:  # before that nobody has the run
                time.sleep(0.002)
                continue
            self.kill(child(self.words(folder), self.said))
        self.must(end(run) == 0, "the run beside it failed")
        self.look(folder)
        self.same([folder])
        shutil.rmtree(folder)

    def kill(self, number: int) -> None:
        """Kill it once it has been at it for a while."""
        time.sleep(self.draw.random() * 0.4)
        os.kill(number, signal.SIGKILL)
        self.must(end(number) in (-signal.SIGKILL, 0, 2), "it ended by itself")
        self.kinds[self.kind] += 1

    def same(self, folders: list[Path]) -> None:
        """Each is sound, and came to what it would have come to."""
        for folder, expected in zip(folders, self.expected, strict=True):
            self.must(all(one.sound for one in verify.Folder(folder).checks()), f"{folder.name} is not sound")
            self.must(tuple(store.load(folder).results) == expected, f"{folder.name} has other figures")
            self.equal += 1
        self.runs += 1

    def must(self, holds: bool, words: str = "it failed") -> None:
        """Torn, with what was said last."""
        if not holds:
            raise Torn(f"{self.kind}, run {self.runs}: {words}\n{self.spoken()[-600:]}")

    def spoken(self) -> str:
        """Return what the last process said so far."""
        return self.said.read_text(errors="replace") if self.said.exists() else ""

    def words(self, folder: Path) -> list[str]:
        """Return the verb that is killed."""
        raise NotImplementedError

    def look(self, folder: Path) -> None:
        """See that the verb still shows the run once it has ended."""


class Watch(Beside):
    """`stend watch`."""

    kind = "watch"

    def words(self, folder: Path) -> list[str]:
        """Return the verb that is killed."""
        return ["watch", str(folder)]

    def look(self, folder: Path) -> None:
        """It shows the whole run, and ends with it."""
        self.must(end(child(self.words(folder), self.said)) == 0, "the last one failed")


class Serve(Beside):
    """`stend serve`."""

    kind = "serve"

    def words(self, folder: Path) -> list[str]:
        """Return the verb that is killed."""
        return ["serve", str(folder.parent)]

    def look(self, folder: Path) -> None:
        """Its page can be had."""
        self.said.unlink(missing_ok=True)  # one that was killed has an address there
        number, until = child(self.words(folder), self.said), time.monotonic() + PATIENCE_S
        while not (found := ADDRESS.search(self.spoken())) and time.monotonic() < until:
            time.sleep(0.01)
        self.must(found is not None, "it shows no address")
        assert found
        client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())  # the token becomes a cookie
        with client.open(found[0], timeout=PATIENCE_S) as answer:
            self.must(answer.status == 200, f"it answers {answer.status}")
        os.kill(number, signal.SIGTERM)
        end(number)


class Repeat(Beside):
    """`stend repeat`, which is resumed after each kill."""

    kind = "repeat"
    most_s = 3.0
    """It is killed within so long."""

    def asked(self, folder: Path) -> list[str]:
        """Return the verb that is killed first."""
        return ["repeat", "2", "latency", *SHORT, "--target", "sim:small", "--into", str(folder)]

    def undisturbed(self) -> list[tuple[Result, ...]]:
        """Return the results of a series that is left alone."""
        folder = self.top / "undisturbed"
        self.must(end(child(self.asked(folder), self.said)) == 0)
        return [tuple(store.load(path).results) for path in sorted(folder.glob("*-0?"))]

    def run(self) -> None:
        """One series, killed up to eight times."""
        folder = self.top / f"series{self.runs}"
        for _ in range(self.draw.randint(1, 8)):
            begun = (folder / series.FILE).exists()
            if begun and not list(series.load(folder).left(folder)):
                break
            if not begun:
                shutil.rmtree(folder, ignore_errors=True)
            self.resumed += begun
            self.kill(child(["resume", str(folder)] if begun else self.asked(folder), self.said))
        if not (folder / series.FILE).exists():
            shutil.rmtree(folder, ignore_errors=True)
        code = end(child(["resume", str(folder)] if folder.exists() else self.asked(folder), self.said))
        self.must(code in (0, 2), f"the last resume ended with {code}")
        self.must(not list(series.load(folder).left(folder)), "runs are left")
        self.same(sorted(folder.glob("*-0?")))
        shutil.rmtree(folder)

    def kill(self, number: int) -> None:
        """Kill it at any moment of its work."""
        deadline = time.monotonic() + self.draw.random() * self.most_s
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                break
            time.sleep(0.002)
        os.kill(number, signal.SIGKILL)
        code = end(number)
        self.must(code in (-signal.SIGKILL, 0), f"it ended with {code}")
        self.kinds[self.kind] += code == -signal.SIGKILL


class Metered(Repeat):
    """`stend run` with a meter, which is resumed after each kill; what the meter gave each figure is compared too."""

    kind = "meter"

    def asked(self, folder: Path) -> list[str]:
        """Return the verb that is killed first."""
        return ["run", "latency", *SHORT, "--target", "sim:small", "--meter", "own", "--into", str(folder)]

    def undisturbed(self) -> list[tuple[Result, ...]]:
        """Return the results of a run that is left alone."""
        folder, began = self.top / "undisturbed", time.monotonic()
        self.must(end(child(self.asked(folder), self.said)) == 0)
        self.most_s, self.metered = time.monotonic() - began, self.values(folder)
        return [tuple(store.load(folder).results)]

    def values(self, folder: Path) -> list[float | None]:
        """Return every quantity of every figure."""
        held: list[float | None] = []
        for row in figures(store.load(folder)):
            whole = (watts := row.levels.get("watts")) is not None and watts.covered >= COVERED
            held += [row.value(name) if whole or name not in METERED else None for name in QUANTITIES]
        return held

    def run(self) -> None:
        """One run, killed up to eight times."""
        folder = self.top / f"run{self.runs}"
        for _ in range(self.draw.randint(1, 8)):
            if series.ended(folder) in series.FINISHED:
                break
            self.kill(child(self.next(folder), self.said))
        while series.ended(folder) not in series.FINISHED:
            code = end(child(self.next(folder), self.said))
            self.must(code == 0, f"the last resume ended with {code}")
        self.same([folder])
        pairs = zip(self.values(folder), self.metered, strict=True)
        held = [pair for pair in pairs if None not in pair]
        unlike = [pair for pair in held if pair[0] != pytest.approx(pair[1], rel=ROUNDING)]
        self.must(bool(held) and not unlike, f"figures have other values: {unlike}")
        shutil.rmtree(folder)

    def next(self, folder: Path) -> list[str]:
        """Return the verb that goes on with a run, or begins it."""
        if series.ended(folder) is not None:
            self.resumed += 1
            return ["resume", str(folder)]
        shutil.rmtree(folder, ignore_errors=True)
        return self.asked(folder)


class Inspect(Metered):
    """`stend inspect`, which is resumed after each kill."""

    kind = "inspect"

    def asked(self, folder: Path) -> list[str]:
        """Return the verb that is killed first."""
        return ["inspect", "sim:small", "--quick", "--minutes", "0.05", "--seed", "7", "--into", str(folder)]


class Publish(Repeat):
    """`stend publish` of some runs, which is called again after each kill: the site has the files of one call."""

    kind = "publish"

    def undisturbed(self) -> list[tuple[Result, ...]]:
        """Make two runs and their site."""
        for number in (1, 2):
            words = ["run", "latency", *SHORT, "--target", f"sim:small?seed={number}"]
            self.must(end(child([*words, "--into", str(self.top / f"runs/{number}")], self.said)) == 0)
        (self.top / "lab.toml").write_text("[ranking]\nvirtual = true\n")
        began = time.monotonic()
        self.must(end(child(self.words(self.top / "undisturbed"), self.said)) == 0)
        self.most_s, self.whole = time.monotonic() - began, self.site(self.top / "undisturbed")
        return []

    def words(self, folder: Path) -> list[str]:
        """Return the verb that is killed."""
        return ["publish", str(self.top / "runs"), "--into", str(folder), "--lab", str(self.top / "lab.toml")]

    def site(self, folder: Path) -> dict[str, str]:
        """Return the digest of every file."""
        paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(folder)): hashlib.sha1(path.read_bytes()).hexdigest() for path in paths}

    def run(self) -> None:
        """One site, killed up to eight times."""
        folder = self.top / f"site{self.runs}"
        for _ in range(self.draw.randint(1, 8)):
            self.kill(child(self.words(folder), self.said))
            self.resumed += folder.exists()
        self.must(end(child(self.words(folder), self.said)) == 0, "the last call failed")
        self.must(self.site(folder) == self.whole, f"other files: {self.site(folder).items() ^ self.whole.items()}")
        self.runs, self.equal = self.runs + 1, self.equal + 1
        shutil.rmtree(folder)


KINDS: dict[str, Callable[[Path, int], Beside]] = {
    one.kind: one for one in (Watch, Serve, Repeat, Metered, Inspect, Publish)
}
