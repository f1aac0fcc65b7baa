"""Readers make of strange documents what they made of them before (tests/answers.py)."""

import json
import threading
import time

import pytest

from tests.answers import FILE, ROOMS, answer, digest, room, still
from tests.fuzz.target import Target

GOLDEN: dict[str, dict[str, str]] = json.loads(FILE.read_text())
PARTS = 4
"""So many tests of one reader, each cheap enough to be in the record of benchmarks/reached.py."""
EVERY = [
    (of, name, part, kept.split()[part::PARTS])
    for of in GOLDEN
    for name, kept in GOLDEN[of].items()
    for part in range(PARTS)
]


@pytest.fixture(scope="module")
def readers(request: pytest.FixtureRequest) -> dict[str, Target]:
    return room(request.param)


@pytest.mark.parametrize(("readers", "kept"), [(name, GOLDEN[name]) for name in ROOMS], ids=ROOMS, indirect=["readers"])
def test_every_reader_has_its_answers(readers: dict[str, Target], kept: dict[str, str]) -> None:
    assert list(kept) == list(readers)


@pytest.mark.parametrize(
    ("readers", "name", "part", "kept"), EVERY, ids=[f"{name} {n}" for _, name, n, _ in EVERY], indirect=["readers"]
)
def test_a_reader_answers_as_before(readers: dict[str, Target], name: str, part: int, kept: list[str]) -> None:
    numbers = range(part, PARTS * len(kept), PARTS)
    changed = [n for n, told in zip(numbers, kept, strict=False) if digest(answer(readers[name], n)) != told]
    assert not changed, f"python -m tests.answers '{name}' {changed[0]}"


def test_a_thread_of_another_test_moves_no_clock_of_an_answer() -> None:
    with still():
        before = time.monotonic()
        other = threading.Thread(target=lambda: [time.monotonic() for _ in range(5)])
        other.start()
        other.join()
        assert time.monotonic() - before == pytest.approx(0.01)
