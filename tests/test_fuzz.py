"""A slice of `make fuzz`: strange input into every reader and whole verbs, and the campaign's own eyes."""

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from tests.fuzz.__main__ import CHECKED
from tests.fuzz.campaign import Done, campaign, every, tried
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target, senseless, unprintable

FIXED = 20261122


@pytest.mark.slow
@pytest.mark.parametrize("seed", [FIXED, random.SystemRandom().getrandbits(32)], ids=["fixed", "drawn"])
def test_nothing_that_others_write_breaks_a_reader_or_a_verb(seed: int) -> None:
    done = campaign(every(), seed=seed, inputs=1500)
    assert not done.found, done.words
    assert all(done.tried[target.name] for target in every() if target.weight >= 1), done.words


@pytest.mark.parametrize("seed", range(3))
def test_every_target_that_is_not_rare_has_an_input(seed: int) -> None:
    names = [f"reader {number}" for number in range(60)]
    targets = [Target(name, "json", [b"{}"], lambda data: {}, senseless) for name in names]
    rare = Target("rare", "json", [b"{}"], lambda data: {}, senseless, weight=0.001)
    done = campaign([*targets, rare], seed=seed, inputs=60)
    assert dict(done.tried) == dict.fromkeys(names, 1)


def target(read: Any, wrong: Any = senseless) -> Target:
    return Target("a reader", "json", [b'{"iops": 7}'], read, wrong)


def refuse(data: bytes) -> None:
    raise BadInput("that is no record")


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda data: {"iops": 7, "temperature_c": -5}, ""),
        (lambda data: {"iops": -7}, "took iops is -7"),
        (lambda data: {"deep": [{"iops": math.nan}]}, "took iops is nan"),
        (lambda data: {"iops": [1e300]}, "more than there can be"),
        (refuse, ""),
        (lambda data: {"iops": 7}["missing"], "KeyError"),
    ],
)
def test_the_campaign_sees_what_escapes_and_what_is_taken_wrongly(read: Any, found: str) -> None:
    told = tried(target(read), b"", Done(seed=1)).wrong
    assert found in told if found else not told


def test_the_campaign_sees_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.campaign.PATIENCE_S", 0.2)

    def endless(data: bytes) -> None:
        while True:
            pass

    assert list(campaign([target(endless)], seed=1, inputs=1).found) == ["a reader hangs"]


def crash(data: bytes) -> None:
    """Die as a kernel does that writes outside of its arrays."""
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def deaf(data: bytes) -> None:
    """Hang where Python's own time limit does not reach."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    while True:
        time.sleep(1)


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (crash, "a reader dies of SIGSEGV"),
        (deaf, "a reader hangs where no signal reaches it"),
        (lambda data: os._exit(3), "a reader ends its process with 3"),
    ],
)
def test_a_target_that_takes_its_process_along_is_found_kept_and_the_others_are_tried(
    read: Any, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DEAF_S", "ENDS_S"):
        monkeypatch.setattr(f"tests.fuzz.campaign.{name}", 0.5)
    sound = Target("another", "json", [b"{}"], refuse, senseless)
    done = campaign([target(read), sound], seed=1, inputs=8, keep=tmp_path)
    assert list(done.found) == [found]
    assert done.tried == {"a reader": done.found[found], "another": 8 - done.found[found]}
    assert done.refused["another"] == done.tried["another"] > 0
    assert len(list(tmp_path.iterdir())) == 1


def test_kernels_of_a_campaign_have_bounds_checks() -> None:
    words = [sys.executable, "-c", OUTSIDE]
    told = [
        subprocess.run(words, env=os.environ | more, capture_output=True, text=True, check=False)
        for more in ({}, CHECKED)
    ]
    assert [one.stdout.strip() for one in told] == ["taken", "IndexError"], told


OUTSIDE = """
import numpy as np
from stend.base import jit_numba as jit
put = jit._compile(lambda array, at: array[at])
try:
    put(np.zeros(3), 7)
    print("taken")
except IndexError:
    print("IndexError")
"""


def test_the_same_seed_makes_the_same_documents() -> None:
    made = [mutated(b'{"a": [1, {"b": "c"}]}', "json", random.Random(7)) for _ in range(2)]
    assert made[0] == made[1]
    many = [mutated(b'{"a": [1, {"b": "c"}]}', "json", random.Random(n)) for n in range(1000)]
    assert len({*many[:200]}) > 100
    again = [mutated(b'{"a": [1, {"b": "c"}]}', "json", random.Random(n)) for n in range(1000)]
    assert many == again, "whatever documents were made before"


def test_escapes_are_seen_on_what_is_shown() -> None:
    assert unprintable("a\x1b[2J")
    assert unprintable("\u202e")
    assert not unprintable("Ёмкость 1 TB\n  two\tthree")
