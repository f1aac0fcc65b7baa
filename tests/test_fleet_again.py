"""A run of a fleet that failed is submitted again as often as the fleet allows; others keep their first outcome."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

pytest.importorskip("distributed")

from stend.fleet import client, tasks
from stend.fleet.tasks import Outcome
from stend.session import series

Cell = msgspec.defstruct("Cell", [("fleet", str), ("cell", str), ("serial", str)])


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_outcomes_are_the_last_of_each_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, retries: int) -> None:
    """a is done at once, b fails once, c always, d is cut off twice and then refused, e is cut off and then fails."""
    said = {"a": ["done"], "b": ["failed", "done"], "c": ["failed"] * 9, "d": ["cut off", "cut off", "refused"]}
    said["e"] = ["cut off", "failed", "done"]
    submitted = Counter[str]()

    class Scheduler:
        loop = None

        def submit(self, task: object, data: bytes, **how: Any) -> bytes:
            order = msgspec.json.decode(data)
            assert how["resources"] == {order["serial"]: 1}
            outcome = Outcome(order["cell"], said[order["cell"]][submitted[order["cell"]]])
            submitted[order["cell"]] += 1
            return msgspec.json.encode(outcome)

    @contextmanager
    def connected(*_: object) -> Iterator[Scheduler]:
        yield Scheduler()

    orders = [Cell("f", cell, f"serial-{cell}") for cell in said]
    fleet: Any = SimpleNamespace(scheduler="s", retries=retries, orders=lambda drives=None: orders)
    monkeypatch.setattr(client, "connected", connected)
    monkeypatch.setattr(client, "settled", lambda _, fleet, tell: fleet)
    monkeypatch.setattr(client, "hosts", lambda _: {})
    monkeypatch.setattr(
        client, "as_completed", lambda futures, loop: [SimpleNamespace(result=lambda f=f: f) for f in futures]
    )
    lines: list[str] = []
    found = client.run(fleet, tmp_path, "name", lines.append)
    last = ["done", "done" if retries else "failed", "failed", "refused", "done" if retries else "failed"]
    assert [outcome.outcome for outcome in found] == last
    assert submitted == {"a": 1, "b": 1 + bool(retries), "c": 1 + retries, "d": 3, "e": 2 + bool(retries)}
    assert len(lines) == submitted.total()


@pytest.mark.parametrize(
    ("code", "how", "outcome"),
    [(2, None, "refused"), (3, None, "refused"), (4, None, "refused"), (3, "failed", "refused"),
     (5, "failed", "failed"), (130, "stopped", "stopped"), (1, None, "cut off"), (-9, None, "cut off"),
     (0, "complete", "complete"), (5, "not steady", "not steady")],
)  # fmt: skip
def test_an_exit_code_of_a_run_that_could_not_start_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, how: str | None, outcome: str
) -> None:
    """Exit codes 2, 3 and 4 (bad input, the gate, a missing program) end a run before it begins."""
    monkeypatch.setattr(series, "ended", lambda folder: how)
    monkeypatch.setattr("stend.fleet.tasks.regular.last_line", lambda log: "why")
    order: Any = SimpleNamespace(cell="f-1")
    done = tasks._outcome(order, tmp_path, code)
    why = "its process was ended by signal 9" if code == -9 else "why"
    assert done == Outcome("f-1", outcome, "" if outcome in ("complete", "not steady") else why)
