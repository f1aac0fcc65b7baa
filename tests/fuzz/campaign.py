"""The loop: strange documents into readers, each with a time limit; what escapes, hangs or is taken wrongly is kept."""

import hashlib
import random
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from stend.errors import StendError
from tests.fuzz import drives, files, programs, results, traces, verbs
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target

PATIENCE_S = 10
GENERATIONS = (0, 1, 1, 1, 1, 1, 1, 2, 3)
"""A document may be made strange again and again."""
TELL_EVERY_S = 60


class Hang(BaseException):
    """No reader catches this one."""


class Done:
    """How many inputs each target had, how many it refused in a sentence, and what was found."""

    def __init__(self, seed: int) -> None:
        self.seed, self.began = seed, time.monotonic()
        self.tried, self.refused = Counter[str](), Counter[str]()
        self.found: dict[str, int] = {}
        self.began_input = (0.0, 0.0)

    @property
    def words(self) -> str:
        """All of it, a target a line."""
        rows = [f"{name:<16} {count:>9} inputs, {self.refused[name]:>9} refused" for name, count in self.tried.items()]
        found = [f"FOUND {count}x {what}" for what, count in self.found.items()]
        took = time.monotonic() - self.began
        total = f"{sum(self.tried.values())} inputs in {took:.0f} s, seed {self.seed}: {len(found)} kinds of defect"
        return "\n".join([*rows, *found, total])


def every() -> list[Target]:
    """Every target there is."""
    rooms = (files, programs, drives, results, traces, verbs)
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
    """Try for so long, or so many inputs."""
    rng, done, targets = random.Random(seed), Done(seed), list(targets)
    weights, told = [target.weight for target in targets], time.monotonic()
    signal.signal(signal.SIGALRM, _watching(done))
    while time.monotonic() - done.began < seconds and sum(done.tried.values()) < inputs:
        target = rng.choices(targets, weights)[0]
        data = rng.choice(target.seeds)
        for _ in range(rng.choice(GENERATIONS)):
            data = mutated(data, target.kind, rng)
        if wrong := tried(target, data, done):
            if wrong not in done.found:
                tell(f"{target.name}: {wrong}")
            done.found[wrong] = done.found.get(wrong, 0) + 1
            if keep and done.found[wrong] == 1:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{target.name.replace(' ', '-')}-{hashlib.sha1(data).hexdigest()[:8]}").write_bytes(data)
        if time.monotonic() - told > TELL_EVERY_S:
            told = time.monotonic()
            tell(f"{sum(done.tried.values())} inputs in {told - done.began:.0f} s, {len(done.found)} kinds of defect")
    return done


def tried(target: Target, data: bytes, done: Done) -> str:
    """One input; empty where all is well."""
    done.tried[target.name] += 1
    done.began_input = time.monotonic(), time.process_time()
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        wrong = target.wrong(target.read(data))
        return f"{target.name} took {wrong}" if wrong else ""
    except StendError as error:
        done.refused[target.name] += 1
        return "" if str(error) and "\n" not in str(error) else f"{target.name} says {str(error)!r}"
    except Hang:
        return f"{target.name} hangs"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{target.name}: {type(error).__name__} at {Path(last.filename).name}:{last.lineno} ({str(error)[:80]})"
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
