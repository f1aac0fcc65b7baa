"""One reader per run, shared by all its pages: new data goes to every page, and a new page first gets everything."""

import asyncio
from collections import deque
from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec

from stend.base.errors import StendError
from stend.live.buckets import Bucket
from stend.live.follow import Follower
from stend.live.now import Now, now
from stend.live.state import State
from stend.words import english

LOOK_S, CHECK_S = 0.5, 3.0
"""Seconds between checks of the record's size, and of the run's process."""
AT_ONCE = 20_000
"""Events that are read at once before other requests are served."""
IDLE_S = 300
"""Seconds after which a run that has ended and has no page is closed."""
BEHIND = 60
"""Messages that may wait for a page before it is disconnected; the page reconnects by itself."""

encode = msgspec.json.Encoder(enc_hook=english).encode


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message: the run now, and its points from number `start` on, of `each` samples. Earlier points stay valid.

    A point is [seconds, IOPS, bytes/s, response time], each of the last three as [minimum, mean, maximum].
    """

    now: Now
    each: int
    start: int
    points: tuple[Bucket, ...]


class Listener:
    """A page: its waiting messages, and the task that sends them."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes] = asyncio.Queue(BEHIND)
        self.task = asyncio.current_task()

    def send(self, message: bytes) -> bool:
        """Queue a message. Return False and disconnect the page if BEHIND messages wait already."""
        with suppress(asyncio.QueueFull):
            self.queue.put_nowait(message)
            return True
        if self.task:
            self.task.cancel()
        return False


class Feed:
    """The reader of a run folder and its pages. `broken` is the reason why it no longer follows, or empty."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.broken = folder, name, ""
        self.follower = Follower(folder)
        self.listeners: set[Listener] = set()
        self.past: deque[tuple[str, bytes]] = deque(maxlen=BEHIND)
        self.sent, self.each, self.state = 0, 1, self.follower.state
        self.lock = asyncio.Lock()
        self.task = asyncio.create_task(self._run())

    @property
    def mark(self) -> str:
        """Return the position of the last message in the record, which a page sends when it reconnects."""
        return f"{self.follower.record.whole_bytes}-{self.state.word.replace(' ', '')}"

    async def listen(self, listener: Listener, last: str) -> None:
        """Add a page and send it everything, or only the messages after `last` when it reconnects."""
        async with self.lock:
            await self._publish()
            marks = [before for before, _ in self.past]
            if last != self.mark:
                known = islice(self.past, marks.index(last), None) if last in marks else ()
                for message in [text for _, text in known] or [self._message(0)]:
                    listener.send(message)
            self.listeners.add(listener)

    def leave(self, listener: Listener) -> None:
        """Remove a page."""
        self.listeners.discard(listener)

    def now(self) -> Now:
        """Return the state of the run now."""
        return now(self.name, self.follower.course, self.state, self.follower.since)

    async def caught_up(self) -> None:
        """Read the record to its present end and send the news to all pages."""
        async with self.lock:
            await self._publish()

    async def _run(self) -> None:
        clock, checked = asyncio.get_running_loop().time, 0.0
        used = clock()
        while not self.broken:
            used = clock() if self.listeners or self.state.word == "running" else used
            if self.follower.grown or clock() - checked > CHECK_S:
                checked = clock()
                async with self.lock:
                    await self._publish()
            await asyncio.sleep(LOOK_S)
            if clock() - used > IDLE_S:
                self.broken = "no page is open"

    async def _publish(self) -> None:
        """Read new events and send them to all pages."""
        before = self.mark
        await self._read()
        if self.mark == before:
            return
        course = self.follower.course
        same = course.buckets.each == self.each and len(course.buckets) >= self.sent
        start = max(self.sent - 1, 0) if same else 0
        message = self._message(start)
        self.sent, self.each = len(course.buckets), course.buckets.each
        self.past.append((before, message))
        self.listeners = {listener for listener in self.listeners if listener.send(message)}

    async def _read(self) -> None:
        try:
            while await asyncio.to_thread(lambda: sum(1 for _ in self.follower.news(AT_ONCE))) == AT_ONCE:
                pass
            self.state = await asyncio.to_thread(lambda: self.follower.state)
        except (StendError, OSError) as error:
            self.broken, self.state = str(error), State("cut off", str(error))

    def _message(self, start: int) -> bytes:
        course = self.follower.course
        news = News(self.now(), course.buckets.each, start, tuple(course.buckets.since(start)))
        return b"id: %s\ndata: %s\n\n" % (self.mark.encode(), encode(news))
