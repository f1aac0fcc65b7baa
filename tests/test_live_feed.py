"""A feed follows its run as long as it goes on or a page is open, and ends five minutes after both."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import store
from stend.live import feed
from stend.live.follow import Follower
from stend.live.server import Server
from stend.live.state import State
from stend.model.events import Note
from stend.words import text
from tests.still import StillEngine
from tests.test_run import drawn, play
from tests.test_store import kept


class Page:
    """A page that takes every message."""

    def send(self, message: bytes) -> bool:
        return True


class Time:
    """A minute passes whenever the feed sleeps."""

    def __init__(self) -> None:
        self.s = 0.0

    def time(self) -> float:
        return self.s

    async def sleep(self, seconds: float) -> None:
        self.s += 60.0
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("word", "page", "ends_s"),
    [("running", False, None), ("running", True, None), ("ended", True, None), ("ended", False, 360.0)],
)
def test_a_feed_ends_after_its_run_and_its_pages(
    word: Any, page: bool, ends_s: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, clock = tmp_path / "run", Time()
    store.create(folder, {"target": "still"}, {"cpu": "none"})
    list(store.append(folder, kept(play(drawn("latency", minute_s=1, rounds=2), StillEngine()))))
    own = {name: getattr(asyncio, name) for name in ("create_task", "Lock", "to_thread")}
    clocked = SimpleNamespace(**own, sleep=clock.sleep, get_running_loop=lambda: clock)
    monkeypatch.setattr(feed, "asyncio", clocked)
    monkeypatch.setattr(Follower, "state", property(lambda self: State(word, "")))

    async def followed() -> str:
        made: Any = feed.Feed(folder, "run")
        made.listeners |= {Page()} if page else set()
        while not made.task.done() and clock.s < 3600:
            await asyncio.sleep(0.001)
        made.task.cancel()
        return str(made.broken)

    assert asyncio.run(followed()) == ("no page is open" if ends_s else "")
    assert ends_s is None or clock.s == ends_s


def test_a_page_gets_its_messages_until_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "BEHIND", 2)

    told = list[Any]()

    async def sent() -> None:
        listener = feed.Listener()
        told.extend(listener.send(b"x") for _ in range(3))
        told.append(listener.queue.qsize())
        await asyncio.sleep(0)
        told.append("goes on")

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(sent())
    assert told == [True, True, False, 2]


def test_charts_and_notes_that_are_asked_for_first_are_of_the_whole_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has not read the run yet must not draw it as one without a finished phase, and then again."""
    folder = tmp_path / "run"
    store.create(folder, {"target": "still"}, {"cpu": "none"})
    *events, ended = kept(play(drawn("latency", minute_s=1, rounds=2), StillEngine()))
    note = Note(t=0, text=text("a remark"))
    list(store.append(folder, (event for event in (*events, note, ended))))

    async def asked() -> tuple[list[Any], int]:
        keys: list[Any] = []

        async def made(key: Any, *words: Any) -> Path:
            keys.append(key)
            return tmp_path

        server = Server(tmp_path)
        monkeypatch.setattr(server.maker, "made", made)
        request: Any = SimpleNamespace(path_params={"lang": "en", "name": "run"})
        shown = json.loads(bytes((await server.notes(request)).body))
        server.feeds.clear()
        for _ in range(2):
            await server._drawn(request)
            await server.now(request)
        return keys, len(shown)

    keys, shown = asyncio.run(asked())
    assert keys[0] == keys[1]
    assert shown == 1
