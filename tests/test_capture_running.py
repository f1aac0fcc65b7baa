"""A capture of a drive whose trace points and counters are made here: what is in its file, its counts and its notes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.capture import drive as drives
from stend.capture import running
from stend.capture.drive import Counters
from stend.capture.running import Captured, Wish, capture
from stend.trace import form
from stend.trace.form import DISCARD, FLUSH, READ, WRITE
from stend.trace.steps import opened

OPS = (READ, READ, WRITE, DISCARD, FLUSH, READ)
"""IOs of the capture, in this order; the last is still in flight when the trace point of issues goes off."""


class Reader:
    """Six IOs of 4 KiB, 100 us each: five by the first reading, one by the last."""

    def __init__(self) -> None:
        self.drive = SimpleNamespace(
            node="sdx", number=1, capacity_bytes=1 << 30, block_bytes=512, words="Disk", begins="b", ends="e"
        )
        self.drive.counters, self.drive.holds = self.counters, lambda path: False
        self.flying, self.slow = 0, (0, 0)
        self.drive.in_flight = lambda: self.flying
        self.steps = list[str]()
        self.left = [OPS[:5], OPS[5:]]

    def counters(self) -> Counters:
        """/sys/block/X/stat: 100 reads and 50 writes before the capture, and the six IOs after it began.

        While the capture begins and ends, `slow` reads of others end.
        """
        more = (3, 1, 1, 1) if "wait" in self.steps else (0, 0, 0, 0)
        late = sum(n for n, step in zip(self.slow, ("begin", "stop"), strict=True) if step in self.steps)
        return Counters(*(a + b for a, b in zip((100 + late, 50, 0, 7), more, strict=True)))

    def begin(self) -> int:
        self.steps.append("begin")
        return time.monotonic_ns()

    def wait(self, seconds: float) -> None:
        self.steps.append("wait")

    def take(self) -> Iterator[dict[str, Any]]:
        return self.batches("take")

    def stop_issues(self) -> None:
        self.steps.append("stop")

    def end(self) -> Iterator[dict[str, Any]]:
        return self.batches("end")

    def batches(self, step: str) -> Iterator[dict[str, Any]]:
        self.steps.append(step)
        if self.left and (step == "end" or len(self.left) == 2):
            ops = self.left.pop(0)
            at = len(OPS[:5]) if step == "end" else 0
            columns = {
                "t_ns": [1000 * (at + n) for n in range(len(ops))],
                "op": ops,
                "flags": [0] * len(ops),
                "offset": [4096 * n for n in range(len(ops))],
                "length": [4096] * len(ops),
                "latency_ns": [100_000] * len(ops),
                "depth": [1] * len(ops),
                "process": [7] * len(ops),
            }
            yield {name: np.array(column, np.int64) for name, column in columns.items()}

    def counts(self) -> dict[str, int]:
        return {}


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()

    @contextmanager
    def following(drive: Any) -> Iterator[Any]:
        yield made, SimpleNamespace(lost=lambda: 0)

    monkeypatch.setattr(drives, "drive", lambda target: made.drive)
    monkeypatch.setattr(running, "_following", following)
    monkeypatch.setattr(running, "LAST_S", 0.0)
    return made


@pytest.mark.parametrize("addresses", [False, True])
def test_every_io_is_in_the_file_and_in_the_counts_also_those_in_flight_at_the_end(
    tmp_path: Path, reader: Reader, addresses: bool
) -> None:
    pytest.importorskip("pyarrow")
    seen, into = list[int](), tmp_path / "captured"
    went = capture(
        Wish(target="sdx", seconds=300, into=into, addresses=addresses),
        lambda: "take" in reader.steps,
        lambda told: seen.append(told.ios),
    )
    assert (went.ios, went.reads, went.writes) == (6, 3, 2)  # a discard changes data, a flush does not
    assert went.counted == Counters(3, 1, 1, 1)
    assert (went.lost, went.off, went.at_ends) == (0, 0.0, 0)
    assert seen[0] == 0, "progress begins with nothing"
    assert seen[-1] == 5, "what is in flight comes after the last report"
    assert reader.steps[-2:] == ["stop", "end"], "the trace point of issues goes off before those of ends"
    if addresses:
        assert [op for batch in form.opened(into).batches() for op in batch["op"]] == [*OPS]
        assert form.opened(into).about.seconds == went.seconds > 0, "a capture can end after its last IO"
    else:
        assert sum(step.ios for step in opened(into)) == 6
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.parametrize(
    ("slow", "flying", "at_ends", "known", "off"),
    [((4, 0), 0, 4, 5, 0.0), ((0, 2), 0, 2, 7, 0.0), ((0, 4), 0, 4, 9, 0.0), ((3, 1), 2, 8, 6, 0.0)],
)
def test_what_ends_while_a_slow_host_begins_or_ends_a_capture_is_no_difference(
    tmp_path: Path, reader: Reader, slow: tuple[int, int], flying: int, at_ends: int, known: int, off: float
) -> None:
    reader.slow, reader.flying = slow, flying
    went = capture(
        Wish(target="sdx", seconds=300, into=tmp_path / "captured"),
        lambda: "take" in reader.steps,
        lambda told: None,
    )
    assert (went.at_ends, went.counted.ios, went.off) == (at_ends, known, off)


def test_ios_that_the_counters_have_and_the_file_has_not_are_off() -> None:
    went = Captured.__new__(Captured)
    went.reads, went.writes, went.counts, went.lost_records, went.gone_ios = 90, 5, {"own": 3}, 4, 10
    went.counted, went.at_ends = Counters(90, 6, 4, 9), 0
    assert went.off == pytest.approx(0.02)
    went.at_ends = 1
    assert went.off == pytest.approx(0.01), "one of the two may have been in flight at an end"
    assert went.lost == 10 + 2, "two by the counters"
    went.lost_records = 0
    assert went.lost == 10
    went.counted, went.lost_records = Counters(0, 0, 0, 0), 4
    assert (went.lost, went.off) == (10 + 2, 0.0), "without counters each IO lost both of its records"
