"""Of many unfinished runs a server shows the state of the latest ones."""

import asyncio
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette")

from stend.live import server


@pytest.mark.parametrize("order", list(permutations([1.0, 2.0, 3.0, 4.0])))
def test_the_latest_unfinished_runs_are_shown(order: tuple[float, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SHOWN_LIVE", 2)

    class Feed:
        def __init__(self, name: str) -> None:
            self.name = name

        async def caught_up(self) -> None:
            """Nothing is read."""

        def now(self) -> str:
            return self.name

    shelf = SimpleNamespace(folder=lambda name: name != "3.0")
    stand_in: Any = SimpleNamespace(shelf=shelf, feed=Feed)
    rows: list[dict[str, object]] = [{"run": str(at), "started_s": at, "outcome": "unfinished"} for at in order]
    rows += [{"run": "9.0", "started_s": 9.0, "outcome": "complete"}, {"run": "old", "outcome": "unfinished"}]
    shown = asyncio.run(server.Server._going(stand_in, rows))
    assert list(map(str, shown)) == ["4.0"], "3.0 has no folder now"
