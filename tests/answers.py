"""What readers make of strange documents: `python -m tests.answers` writes tests/goldens/answers.json anew.

The readers and their good documents are those of tests/fuzz and tests/kernel_texts.py. Each document is made strange in
the same ways every time: a number becomes another, a line is missing, twice or in another place, a word is cut. The
golden file has a digest of each answer, or the kind of the refusal. `python -m tests.answers TARGET NUMBER` prints a
document and its answer.
"""

import hashlib
import json
import math
import os
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import numpy as np

from stend.base.errors import StendError
from stend.model.packed import Bins
from stend.model.record import Run
from tests import kernel_texts
from tests.fuzz import drives, files, meters, orders, programs, published, results, traces
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target

FILE = Path(__file__).parent / "goldens/answers.json"
ROOMS: dict[str, tuple[Callable[[], list[Target]], int]] = {
    "files": (files.targets, 30),
    "programs": (programs.targets, 100),
    "drives": (drives.targets, 100),
    "meters": (meters.targets, 100),
    "orders": (orders.targets, 40),
    "published": (published.targets, 60),
    "results": (results.targets, 40),
    "traces": (traces.targets, 12),
    "kernel": (kernel_texts.targets, 100),
}
"""Modules with targets, most of them of tests/fuzz, and how many documents each of their targets has."""
FEW = {
    "profile": 6, "study": 4, "report": 6, "composer": 10, "import tkperf": 6,
    "trace alibaba": 3, "trace tencent": 3, "trace systor": 4,
}  # fmt: skip
"""Targets that take longer."""
LEFT_OUT = ("site", "published.json", "meter ")
"""Targets that build a site, or begin with a built one, and meters, which read the clock in threads of their own."""
DATED = ("events", "report")
"""Targets whose first document is another in each process."""
NUMBER = re.compile(rb"\d+(?:\.\d+)?")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
DIGITS = 7


@contextmanager
def still() -> Iterator[None]:
    """Local time is UTC, and clocks go on by a hundredth of a second whenever this thread reads them.

    Threads that other tests left behind read clocks of their own.
    """
    steps, others, zone, own = count(1), count(1), os.environ.get("TZ"), threading.get_ident()

    def read() -> float:
        return next(steps if threading.get_ident() == own else others) / 100

    with mock.patch.multiple(time, monotonic=read, time=lambda: 1_800_000_000 + read()):
        os.environ["TZ"] = "UTC"
        time.tzset()
        try:
            yield
        finally:
            os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
            time.tzset()


@cache
def room(name: str) -> dict[str, Target]:
    """The targets of a module of tests/fuzz, but those that build whole sites."""
    with still():
        every = (target for target in ROOMS[name][0]() if not target.name.startswith(LEFT_OUT))
        return {one.name: one._replace(seeds=one.seeds[one.name in DATED :]) for one in every}


def document(target: Target, number: int) -> bytes:
    """A document of a target: the good ones first, then strange ones."""
    rng = random.Random(f"{target.name} {number}")
    data = target.seeds[number % len(target.seeds)]
    if number < len(target.seeds):
        return data
    return mutated(data, target.kind, rng) if number % 4 == 3 else slightly(data, rng)


def slightly(data: bytes, rng: random.Random) -> bytes:
    """A document with one number or line changed, as a program of another version might write it."""
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    numbers = [*NUMBER.finditer(lines[at])]
    change = rng.randrange(8)
    if change < 5 and numbers:
        found = rng.choice(numbers)
        lines[at] = lines[at][: found.start()] + other(found[0].decode(), rng).encode() + lines[at][found.end() :]
    elif change == 5:
        del lines[at]
    elif change == 6:
        lines.insert(at, lines[at])
    else:
        to = rng.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    return b"".join(lines)


def other(text: str, rng: random.Random) -> str:
    value = float(text) if "." in text else int(text)
    return str(rng.choice((value + 1, value * 2, value * 1000, max(value - 1, 0), value / 2, value // 1, 0, 1, -value)))


def plain(value: Any) -> Any:  # noqa: C901
    """A value as JSON holds it, the same on every host."""
    match value:
        case bool() | None:
            return value
        case int() | float():
            return value if isinstance(value, int) or not math.isfinite(value) else float(f"{value:.{DIGITS}g}")
        case np.generic() | np.ndarray():
            return plain(value.tolist())
        case bytes():
            return plain(value.decode(errors="backslashreplace"))
        case str():
            return ADDRESS.sub("", value.replace(str(files.FOLDER), "FOLDER"))
        case Path():
            return value.name
        case Run():
            return plain([*value.started, *value.results, *value.samples, *value.judged, *value.notes])
        case msgspec.Struct():
            return {type(value).__name__: {name: plain(getattr(value, name)) for name in value.__struct_fields__}}
        case Bins():
            return [len(value), sum(index * ios for index, ios in value.items())]
        case Mapping():
            return [[plain(key), plain(one)] for key, one in value.items()]
        case set() | frozenset():
            return sorted(map(repr, map(plain, value)))
        case list() | tuple():
            return [plain(one) for one in value]
    return plain(vars(value)) if hasattr(value, "__dict__") else plain(repr(value))


def answer(target: Target, number: int) -> Any:
    """What a reader makes of a document, or the kind of its refusal."""
    with still():
        try:
            return plain(target.read(document(target, number)))
        except StendError as error:
            return type(error).__name__


def digest(told: Any) -> str:
    return (
        told if isinstance(told, str) and told.isalpha() else hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8]
    )


def answers(name: str, target: Target) -> str:
    many = FEW.get(target.name, ROOMS[name][1])
    return " ".join(digest(answer(target, number)) for number in range(many))


def main() -> None:
    if words := sys.argv[1:]:
        target = next(room(name)[words[0]] for name in ROOMS if words[0] in room(name))
        print(document(target, int(words[1])).decode(errors="backslashreplace"))
        print(json.dumps(answer(target, int(words[1])), indent=1, ensure_ascii=False))
        return
    told = {name: {target.name: answers(name, target) for target in room(name).values()} for name in ROOMS}
    FILE.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
