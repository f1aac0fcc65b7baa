"""The loop: strange documents into readers, each with a time limit; what escapes, hangs or is taken wrongly is kept.

Readers run in a child process. An input that kills it, by a signal or by a hang outside of Python, is a finding like
any other: the parent keeps that input, starts another child and goes on.
"""

import hashlib
import multiprocessing
import random
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from stend.base.errors import StendError
from tests.fuzz import drives, files, meters, orders, programs, published, results, traces, verbs
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target

PATIENCE_S = 10
DEAF_S = 9 * PATIENCE_S
"""A child that says nothing for so long hangs where no signal of Python reaches it."""
ENDS_S = 5
"""A process whose pipe is closed is over by then."""
GENERATIONS = (0, 1, 1, 1, 1, 1, 1, 2, 3)
"""A document may be made strange again and again."""
TELL_EVERY_S = 60


class Hang(BaseException):
    """No reader catches this one."""


class Input(NamedTuple):
    """What a child is about to read: which target, and the document."""

    target: int
    data: bytes


class Outcome(NamedTuple):
    """What came of it: `wrong` is empty where all is well."""

    wrong: str
    refused: bool


class Done:
    """How many inputs each target had, how many it refused in a sentence, and what was found."""

    def __init__(self, seed: int) -> None:
        self.seed, self.began = seed, time.monotonic()
        self.tried, self.refused = Counter[str](), Counter[str]()
        self.found: dict[str, int] = {}
        self.began_input = (0.0, 0.0)

    @property
    def words(self) -> str:
        """Return all of it, one line per target."""
        rows = [f"{name:<16} {count:>9} inputs, {self.refused[name]:>9} refused" for name, count in self.tried.items()]
        found = [f"FOUND {count}x {what}" for what, count in self.found.items()]
        took = time.monotonic() - self.began
        total = f"{sum(self.tried.values())} inputs in {took:.0f} s, seed {self.seed}: {len(found)} kinds of defect"
        return "\n".join([*rows, *found, total])


def every() -> list[Target]:
    """Return every target there is."""
    rooms = (files, programs, drives, meters, orders, published, results, traces, verbs)
    return [target for room in rooms for target in room.targets()]


def campaign(
    targets: Iterable[Target],
    *,
    seed: int,
    seconds: float = 1e9,
    inputs: int = 1 << 62,
    keep: Path | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> Done:
    """Try inputs for so long, or so many of them. The same seed gives the same documents."""
    done, targets, told = Done(seed), list(targets), time.monotonic()
    for number, (data, name, outcome) in enumerate(_tried(targets, seed, inputs), 1):
        done.tried[name] += 1
        done.refused[name] += outcome.refused
        if wrong := outcome.wrong:
            if wrong not in done.found:
                tell(f"{name}: {wrong}")
                _keep(keep, name, data)
            done.found[wrong] = done.found.get(wrong, 0) + 1
        if time.monotonic() - told > TELL_EVERY_S:
            told = time.monotonic()
            tell(f"{number} inputs in {told - done.began:.0f} s, {len(done.found)} kinds of defect")
        if time.monotonic() - done.began > seconds:
            break
    return done


def _keep(folder: Path | None, name: str, data: bytes) -> None:
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name.replace(' ', '-')}-{hashlib.sha1(data).hexdigest()[:8]}").write_bytes(data)


def _tried(targets: Sequence[Target], seed: int, inputs: int) -> Iterator[tuple[bytes, str, Outcome]]:
    """Yield so many inputs with what came of each; another child goes on where one died."""
    context, left = multiprocessing.get_context("fork"), inputs
    for life in range(inputs):
        ours, theirs = context.Pipe(duplex=False)
        sure = () if life else tuple(n for n, target in enumerate(targets) if target.weight >= 1)
        child = context.Process(target=_child, args=(targets, f"{seed}/{life}" if life else seed, left, theirs, sure))
        child.start()
        theirs.close()
        try:
            done, dead = yield from _heard(ours, targets)
            left -= done + 1
            if not dead:
                return
            child.join(ENDS_S)
            name, code = targets[dead.target].name, child.exitcode
            yield dead.data, name, Outcome(f"{name} {_end(code)}", False)
        finally:
            child.kill()
            child.join()
            ours.close()


def _heard(ours: Connection, targets: Sequence[Target]) -> Any:
    """Yield what a child says; return how many inputs it read, and the one that it died of, None where it ended."""
    now: Input | None = None
    done = 0
    try:
        while ours.poll(DEAF_S):
            match ours.recv():
                case Input() as now:
                    pass
                case Outcome() as outcome:
                    assert now
                    yield now.data, targets[now.target].name, outcome
                    now, done = None, done + 1
    except EOFError:
        pass
    return done, now


def _end(code: int | None) -> str:
    if code is None:
        return "hangs where no signal reaches it"
    return f"dies of {signal.Signals(-code).name}" if code < 0 else f"ends its process with {code}"


def _child(targets: Sequence[Target], seed: int | str, inputs: int, theirs: Connection, sure: Sequence[int]) -> None:
    """Read so many inputs; say each before it is tried, and what came of it. The first ones are for the targets `sure`:
    by chance alone one of many has none.
    """
    rng, done = random.Random(seed), Done(0)
    weights = [target.weight for target in targets]
    signal.signal(signal.SIGALRM, _watching(done))
    for count in range(inputs):
        number = sure[count] if count < len(sure) else rng.choices(range(len(targets)), weights)[0]
        data = rng.choice(targets[number].seeds)
        for _ in range(rng.choice(GENERATIONS)):
            data = mutated(data, targets[number].kind, rng)
        theirs.send(Input(number, data))
        theirs.send(tried(targets[number], data, done))


def tried(target: Target, data: bytes, done: Done) -> Outcome:
    """Try one input in this process."""
    done.began_input = time.monotonic(), time.process_time()
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        wrong = target.wrong(target.read(data))
        return Outcome(f"{target.name} took {wrong}" if wrong else "", False)
    except StendError as error:
        sound = str(error) and "\n" not in str(error)
        return Outcome("" if sound else f"{target.name} says {str(error)!r}", True)
    except Hang:
        return Outcome(f"{target.name} hangs", False)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return Outcome(f"{target.name}: {type(error).__name__} at {place} ({str(error)[:80]})", False)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _watching(done: Done) -> Callable[[int, FrameType | None], None]:
    """On a busy host an input that had little of the processor gets more time, but not for ever."""

    def hang(number: int, frame: FrameType | None) -> None:
        began, used = done.began_input
        if time.process_time() - used < PATIENCE_S / 2 and time.monotonic() - began < 6 * PATIENCE_S:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
            return
        raise Hang

    return hang
