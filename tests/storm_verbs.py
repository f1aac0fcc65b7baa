"""Kills of verbs beside a run or that begin several: watch, serve, repeat. The runs come to what they would have."""

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

from stend import store
from stend.model.events import Result
from stend.session import series
from stend.store import verify, writer
from tests.forks import child
from tests.storm_end import PATIENCE_S, Torn, end

SHORT = ("--quick", "--rounds", "2", "--seed", "7", "--round-seconds", "0.2")
PACED = "sim:small?pace=40"
"""Slow enough that it goes on beside what is killed; its figures are those of the drive without a pace."""
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
        deadline = time.monotonic() + self.draw.random() * 3
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                break
            time.sleep(0.002)
        os.kill(number, signal.SIGKILL)
        code = end(number)
        self.must(code in (-signal.SIGKILL, 0), f"it ended with {code}")
        self.kinds[self.kind] += code == -signal.SIGKILL


KINDS: dict[str, Callable[[Path, int], Beside]] = {one.kind: one for one in (Watch, Serve, Repeat)}
