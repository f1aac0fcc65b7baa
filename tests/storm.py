"""`make storm`: runs that are killed, stopped, starved of disk and misled by their clock at random, and are held to it.

After each interruption the folder must be as its run wrote it, hold all that it held before, and leave no fio behind;
each run must come to its end, a virtual one with figures equal to the bit. One seed, one storm.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from stend import report, store
from stend.base import atomic
from stend.model.definition import Bytes, Hold, Step
from stend.model.events import Result
from stend.session.settings import WRITE_CACHE
from stend.store import reports, verify
from tests import storm_verbs
from tests.forks import child
from tests.storm_end import Torn, end
from tests.storm_fleet import Fleet
from tests.storm_grounds import Ground, ground
from tests.storm_ways import WAYS, WOUNDS, false_clock, full_disk, loads

MOST_IN_A_RUN = 20
GROWTH_BYTES = 40_000
"""A run is left alone until its record has grown by so much at most; undisturbed it comes to some 100,000."""

LEAST_ROOM = 30_000
REAL = ("file", "zram", "loop")
KINDS = storm_verbs.KINDS | {Fleet.kind: Fleet}
KEPT = Path("build/storm")
"""What did not hold, to be looked at."""

ENDS = {0, 2, 5, 130, -signal.SIGKILL, -signal.SIGTERM}
"""Done, refused (another has it, or it is finished), a failed step, stopped, killed (by SIGTERM: before it began)."""


class Storm:
    """One storm over one kind of drive."""

    def __init__(self, ground: Ground, top: Path, seed: int) -> None:
        self.ground, self.top, self.seed = ground, top, seed
        self.kinds: Counter[str] = Counter()
        self.runs = self.resumed = self.equal = 0
        self.settings = ground.settings()

    def told(self, seconds: float) -> str:
        """Return what the storm came to, in one line."""
        ways = ", ".join(f"{n} {way}" for way, n in sorted(self.kinds.items()))
        counts = f"{self.interruptions} interruptions of {self.runs} runs, {self.resumed} of them of a resumed run"
        return f"{self.ground.kind}: {counts}, {self.equal} runs equal at their end, {seconds:.0f} s: {ways}"

    @property
    def interruptions(self) -> int:
        """So far."""
        return sum(self.kinds.values())

    def run(self) -> None:
        """One run through the storm, from its beginning to its report."""
        draw, folder = random.Random(f"{self.seed}/{self.ground.kind}/{self.runs}"), self.top / f"run{self.runs}"
        self.runs += 1
        for _ in range(draw.randint(1, MOST_IN_A_RUN)):
            if self._over(folder):
                break
            self._interrupted(draw, folder)
        code = end(child(self._next(folder), self.log))
        deadline = 3
        while not self._over(folder) and deadline:
            code, deadline = end(child(self._next(folder), self.log)), deadline - 1
        self._must(code in (0, 2), f"the last resume ended with {code}")
        self._complete(folder)
        shutil.rmtree(folder)

    @property
    def log(self) -> Path:
        """What the last child said."""
        return self.top / "said.txt"

    def _next(self, folder: Path) -> list[str]:
        """Begin, begin anew where the run never started, or go on."""
        if folder.exists() and not started(folder):
            shutil.rmtree(folder)
        return ["resume", str(folder), *self.ground.named()] if folder.exists() else self.ground.asked(folder)

    def _over(self, folder: Path) -> bool:
        if not started(folder):
            return False
        run = store.load(folder)
        return bool(run.ended and run.ended.outcome in ("complete", "not steady")) and reports.current(folder, run)

    def _interrupted(self, draw: random.Random, folder: Path) -> None:
        wounds = WOUNDS.get(self.ground.kind, {})
        kind = draw.choice(sorted([*WAYS, *wounds]))
        asked, before, size = self._next(folder), events(folder), len(events(folder))
        if kind == "disk full":
            room = max(size, LEAST_ROOM) + draw.randrange(GROWTH_BYTES)
            code = end(child(asked, self.log, full_disk(room)))
        elif kind == "two at once" and asked[0] == "resume":
            pair = [child(asked, self.log) for _ in range(2)]
            time.sleep(draw.random() * 0.3)
            os.kill(pair[1], signal.SIGKILL)
            codes = [end(one) for one in pair]
            code = next((one for one in codes if one not in ENDS), 0)
        else:
            wound = false_clock(draw) if kind == "clock set" else lambda: None
            number = child(asked, self.log, wound)
            self._wait(number, folder, size, draw)
            heal = wounds[kind](self.ground.backing) if kind in wounds else WAYS[kind](number)
            code = end(number)
            if heal:
                heal()
        self.kinds[kind] += 1
        self.resumed += asked[0] == "resume"
        refused = {3} if kind in wounds else set()  # it had not begun to write when the file was cut
        self._must(code in ENDS | refused, f"{kind}: ended with {code}")
        if kind == "torn line" and started(folder):
            with (folder / "events.jsonl").open("ab") as file:
                file.write(b'{"type":"sample","t":' if not file.tell() % 2 else b"\0" * 40)
        self._sound(folder, before, kind)

    def _wait(self, number: int, folder: Path, size: int, draw: random.Random) -> None:
        """Until the record has grown by something, or the child is gone."""
        due, path = size + draw.randrange(GROWTH_BYTES), folder / "events.jsonl"
        deadline = time.monotonic() + draw.uniform(0.5, 8.0)
        while not (path.exists() and path.stat().st_size >= due) and time.monotonic() < deadline:
            if os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return
            time.sleep(0.0005)

    def _sound(self, folder: Path, before: bytes, kind: str) -> None:
        """What must hold of a folder at any time."""
        if started(folder):
            told = list(verify.Folder(folder).checks())
            self._must(all(one.sound for one in told), f"{kind}: {[one for one in told if not one.sound]}")
            whole_lines = before[: before.rfind(b"\n") + 1]
            self._must(events(folder).startswith(whole_lines), f"{kind}: lines that were written are gone")
        self._must(not loads(self.ground.target), f"{kind}: fio was left behind")

    def _complete(self, folder: Path) -> None:
        run = store.load(folder)
        self._sound(folder, events(folder), "at the end")
        self._must(bool(run.ended) and reports.current(folder, run), "it has no end, or no report of it")
        places = [(r.where, r.index) for r in run.results]
        self._must(len(places) == len(set(places)), "a result is told twice")
        if self.ground.kind == "virtual":
            self._must(tuple(run.results) == self.ground.expected, "its figures are not those of an undisturbed run")
        else:
            self._must(_same_work(run.results, self.ground.expected), "its steps are not those of an undisturbed run")
        self.equal += 1
        self._must(self.ground.settings() == self.settings, "the drive is not set as it was")
        told = folder / WRITE_CACHE.record
        self._must(not told.exists() or json.loads(told.read_text())["restored"], "its setting is not told as put back")
        left = [p.name for p in folder.iterdir() if p.name.startswith(report.STAGE) or p.name.endswith(atomic.PART)]
        self._must(not left, f"left behind: {left}")

    def _must(self, holds: bool, words: str) -> None:
        if not holds:
            said = self.log.read_text(errors="replace")[-600:] if self.log.exists() else ""
            raise Torn(f"seed {self.seed}, {self.ground.kind}, run {self.runs - 1}: {words}\n{said}")


def _same_work(results: Sequence[Result], expected: Sequence[Result]) -> bool:
    """Whether a real run did what an undisturbed one does: the same steps with the same seeds, fills to the byte.

    How many rounds a rule asks for may differ, and so may rates: the drive and the host are real.
    """
    done = {(result.where, result.index): _work(result) for result in results}
    wanted = {(result.where, result.index): _work(result) for result in expected}
    first = {place for place in wanted if place[0].round == 1 and not place[1]}  # a limit of writing ends rounds early
    return first <= set(done) and all(done[place] == wanted[place] for place in set(done) & set(wanted))


def _work(result: Result) -> tuple[Step, int, int]:
    step = result.step
    filled = isinstance(step, Hold) and isinstance(step.amount, Bytes)
    seed = result.seed if filled else 0  # a load that goes on through several holds has the seed of its first
    return step, seed, result.counts.write.bytes if filled else 0


def started(folder: Path) -> bool:
    """Whether something of a run was written."""
    return events(folder).count(b"\n") > 1


def events(folder: Path) -> bytes:
    """The record as it is."""
    path = folder / "events.jsonl"
    return path.read_bytes() if path.exists() else b""


def storm(kind: str, top: Path, seed: int, interruptions: int, minutes: float = 1e9) -> "Storm | storm_verbs.Beside":
    """So many interruptions, or so many minutes; Torn, with the seed, at the first thing that does not hold."""
    until = time.monotonic() + minutes * 60
    if kind in KINDS:
        with closing(KINDS[kind](top, seed)) as beside:
            while beside.interruptions < interruptions and time.monotonic() < until:
                beside.run()
                print(f"{kind}: {beside.interruptions} kills, {beside.runs} runs", file=sys.stderr, flush=True)
            return beside
    with ground(kind, top) as where:
        one = Storm(where, top, seed)
        while one.interruptions < interruptions and time.monotonic() < until:
            one.run()
            print(f"{kind}: {one.interruptions} interruptions, {one.runs} runs", file=sys.stderr, flush=True)
    return one


def command() -> int:
    """Storms over virtual drives, a scratch file, zram and a loop device, and what they came to."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--virtual", type=int, default=1000, help="interruptions of virtual runs")
    ask.add_argument("--real", type=int, default=200, help="interruptions of runs on real fio")
    ask.add_argument("--verbs", type=int, default=300, help=f"kills of {', '.join(KINDS)}")
    ask.add_argument("--minutes", type=float, default=60, help="at most, for each kind of drive")
    asked = ask.parse_args()
    verbs = tuple((kind, -(-asked.verbs // len(KINDS))) for kind in KINDS)
    kinds = (("virtual", asked.virtual), *((kind, -(-asked.real // len(REAL))) for kind in REAL), *verbs)
    for kind, count in ((kind, count) for kind, count in kinds if count):
        with tempfile.TemporaryDirectory(prefix="stend-storm-") as name:
            began = time.monotonic()
            try:
                done = storm(kind, Path(name), asked.seed, count, asked.minutes)
            except Torn:
                traceback.print_exc()
                shutil.copytree(name, KEPT, dirs_exist_ok=True)
                print(f"kept in {KEPT}", file=sys.stderr)
                return 1
            print(done.told(time.monotonic() - began), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(command())
