"""One reader a run, shared by all its pages: what is new goes to every page, a late one gets all first."""

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

LOOK_S, ASK_S = 0.5, 3.0
"""How often the record's size is asked, and whether the run's process is there still."""
AT_ONCE = 20_000
"""Events that are read before other pages have their turn."""
IDLE_S = 300
"""A run that is over and that nobody looks at is forgotten after so long."""
BEHIND = 60
"""Messages that a page may lie behind before it is let go; it comes back by itself."""

encode = msgspec.json.Encoder().encode


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message: the run now, and its points from number `start` on, of `each` samples; earlier ones stand.

    A point is [seconds, IOPS, bytes/s, response time], each of the three as [least, mean, most].
    """

    now: Now
    each: int
    start: int
    points: tuple[Bucket, ...]


class Listener:
    """A page: messages for it, and the task that sends them."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes] = asyncio.Queue(BEHIND)
        self.task = asyncio.current_task()

    def tell(self, message: bytes) -> bool:
        """False where the page has not read for so long that it is let go."""
        with suppress(asyncio.QueueFull):
            self.queue.put_nowait(message)
            return True
        if self.task:
            self.task.cancel()
        return False


class Feed:
    """A run folder's news. `broken` is why it is not followed any more."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.broken = folder, name, ""
        self.follower = Follower(folder)
        self.listeners: set[Listener] = set()
        self.past: deque[tuple[str, bytes]] = deque(maxlen=BEHIND)
        self.told, self.each, self.state = 0, 1, self.follower.state
        self.lock = asyncio.Lock()
        self.task = asyncio.create_task(self._run())

    @property
    def mark(self) -> str:
        """Where in the record the last message stands: what a page says it has when it comes back."""
        return f"{self.follower.at_bytes}-{self.state.word.replace(' ', '')}"

    async def listen(self, listener: Listener, last: str) -> None:
        """A new page is given what it lacks: all there is, or what came after the message it had last."""
        async with self.lock:
            await self._tell()
            marks = [before for before, _ in self.past]
            if last != self.mark:
                known = islice(self.past, marks.index(last), None) if last in marks else ()
                for message in [text for _, text in known] or [self._message(0)]:
                    listener.tell(message)
            self.listeners.add(listener)

    def leave(self, listener: Listener) -> None:
        """A page is gone."""
        self.listeners.discard(listener)

    def now(self) -> Now:
        """The run at this moment."""
        return now(self.name, self.follower.course, self.state)

    async def caught_up(self) -> None:
        """Wait until what is on disk now has been read, and told to all."""
        async with self.lock:
            await self._tell()

    async def _run(self) -> None:
        clock, asked = asyncio.get_running_loop().time, 0.0
        used = clock()
        while not self.broken:
            used = clock() if self.listeners or self.state.word == "running" else used
            if self.follower.grown or clock() - asked > ASK_S:
                asked = clock()
                async with self.lock:
                    await self._tell()
            await asyncio.sleep(LOOK_S)
            if clock() - used > IDLE_S:
                self.broken = "nobody looks on"

    async def _tell(self) -> None:
        """Read what is new and send it to all."""
        before = self.mark
        await self._read()
        if self.mark == before:
            return
        course = self.follower.course
        same = course.buckets.each == self.each and len(course.buckets) >= self.told
        start = max(self.told - 1, 0) if same else 0
        message = self._message(start)
        self.told, self.each = len(course.buckets), course.buckets.each
        self.past.append((before, message))
        self.listeners = {one for one in self.listeners if one.tell(message)}

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
