"""Runs below a folder as pages that grow with them, as JSON and as metrics: reading only."""

import asyncio
import hashlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from stend.base.errors import StendError
from stend.live import metrics
from stend.live.feed import Feed, Listener, encode
from stend.live.now import Now
from stend.live.shelf import Shelf
from stend.words import LANGUAGES, Language, catalogue

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
HEARTBEAT_S = 15
MOST_LISTENERS = 200
"""Pages at once; who comes after them is asked to come back."""
SHOWN_LIVE = 50
"""Running runs that are followed for the list and for metrics."""
SANDBOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"
"""For reports: pages of their own, which bring their own policy and may ask this server nothing."""

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """What there is to read: `app` is an ASGI application without any guard of its own."""

    def __init__(self, top: Path) -> None:
        self.shelf = Shelf(top)
        self.feeds: dict[str, Feed] = {}
        self.listening = 0
        self.drawing = asyncio.Semaphore(1)
        self.drawings = Path()
        """Where charts are drawn, while the server runs."""
        routes: dict[str, Handler] = {
            "/": self.page,
            "/run/{name:path}": self.page,
            "/static/{name}": self.static,
            "/words/{lang}": self.words,
            "/phases/{lang}": self.phases,
            "/api/runs": self.runs,
            "/api/schema": self.schema,
            "/api/run/{name:path}": self.now,
            "/notes/{lang}/{name:path}": self.notes,
            "/events/{name:path}": self.events,
            "/report/{name:path}": self.report,
            "/drawn/{lang}/{number:int}/{name:path}": self.picture,
            "/drawn/{lang}/{name:path}": self.drawn,
            "/metrics": self.metrics,
            "/favicon.ico": self.icon,
        }
        self.app = Starlette(
            routes=[Route(path, handler, methods=["GET"]) for path, handler in routes.items()],
            exception_handlers={StendError: _told},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="stend-live-") as place:
            self.drawings = Path(place)
            yield
            for feed in self.feeds.values():
                feed.task.cancel()

    def feed(self, name: str) -> Feed:
        """The one reader of a run. 404 where there is no such run."""
        if not (folder := self.shelf.folder(name)):
            raise HTTPException(404, "there is no such run here")
        self.feeds = {known: feed for known, feed in self.feeds.items() if not feed.broken}
        if name not in self.feeds:
            self.feeds[name] = Feed(folder, name)
        return self.feeds[name]

    async def page(self, request: Request) -> Response:
        """The list, or a run."""
        name = request.path_params.get("name")
        if name is not None and not self.shelf.folder(name):
            raise HTTPException(404, "there is no such run here")
        return _file("list.html" if name is None else "run.html")

    async def static(self, request: Request) -> Response:
        """What pages are made of."""
        return _file(request.path_params["name"])

    async def words(self, request: Request) -> Response:
        """The words of pages in a language: those of the catalogue that begin with `live.`."""
        words = _language(request)
        told = {key.removeprefix("live."): words(key) for key in catalogue() if key.startswith("live.")}
        tests = {key.removeprefix("test."): words(key) for key in catalogue() if key.startswith("test.")}
        return JSONResponse({"words": told, "tests": tests})

    async def phases(self, request: Request) -> Response:
        """What phases are called in a language: those that stand in the query."""
        words = _language(request)
        return JSONResponse({name: words.phase(name) for name in request.query_params})

    async def runs(self, request: Request) -> Response:
        """All runs below the folder; those that run now with what they are doing. 304 where that is known already."""
        rows = await asyncio.to_thread(self.shelf.rows)
        going = {now.run: now for now in await self._going(rows)}
        told = [row | ({"now": msgspec.to_builtins(going[row["run"]])} if row["run"] in going else {}) for row in rows]
        body = encode(told)
        tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        return Response(body, media_type="application/json", headers={"etag": tag})

    async def _going(self, rows: list[dict[str, object]]) -> list[Now]:
        """The runs that have not told their end, followed; of very many those that began last."""
        unfinished = [row for row in rows if row.get("outcome") == "unfinished"]
        latest = sorted(unfinished, key=_began, reverse=True)[:SHOWN_LIVE]
        told = []
        for name in (str(row["run"]) for row in latest):
            if self.shelf.folder(name):
                feed = self.feed(name)
                await feed.caught_up()
                told.append(feed.now())
        return told

    async def schema(self, request: Request) -> Response:
        """JSON Schema of what is told of a run."""
        return JSONResponse(msgspec.json.schema(Now))

    async def now(self, request: Request) -> Response:
        """One run now."""
        feed = self.feed(request.path_params["name"])
        await feed.caught_up()
        return Response(encode(feed.now()), media_type="application/json")

    async def notes(self, request: Request) -> Response:
        """A run's notes in a language, as `Now` has them in English."""
        words, feed = _language(request), self.feed(request.path_params["name"])
        return JSONResponse([(t, kind, words.told(text)) for t, kind, text in feed.now().notes])

    async def metrics(self, request: Request) -> Response:
        """Those that have not told their end."""
        rows = await asyncio.to_thread(self.shelf.rows)
        return Response(metrics.text(await self._going(rows)), headers={"content-type": metrics.KIND})

    async def events(self, request: Request) -> Response:
        """A run's news for as long as the page is there (server-sent events)."""
        if self.listening >= MOST_LISTENERS:
            return Response("too many pages look on already", 503, headers={"retry-after": "10"})
        feed = self.feed(request.path_params["name"])
        return StreamingResponse(
            self._news(feed, request.headers.get("last-event-id", "")), media_type="text/event-stream"
        )

    async def _news(self, feed: Feed, last: str) -> AsyncIterator[bytes]:
        listener = Listener()
        self.listening += 1
        try:
            await feed.listen(listener, last)
            while True:
                try:
                    yield await asyncio.wait_for(listener.queue.get(), HEARTBEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.listening -= 1
            feed.leave(listener)

    async def report(self, request: Request) -> Response:
        """The report that lies in a run's folder."""
        folder = self.shelf.folder(request.path_params["name"])
        path = folder / "report.html" if folder else None
        if not path or path.is_symlink() or not path.is_file():
            raise HTTPException(404, "this run has no report yet")
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": SANDBOX})

    async def drawn(self, request: Request) -> Response:
        """Findings and charts of the phases that are over: made when asked, by a process of its own."""
        place = await self._drawn(request)
        return FileResponse(place / "index.json", media_type="application/json")

    async def picture(self, request: Request) -> Response:
        """One of those charts."""
        path = await self._drawn(request) / f"{request.path_params['number']}.svg"
        if not path.is_file():
            raise HTTPException(404, "there is no such chart")
        return FileResponse(path, media_type="image/svg+xml")

    async def _drawn(self, request: Request) -> Path:
        """The folder with them, as of the last phase that ended."""
        lang, feed = _language(request).name, self.feed(request.path_params["name"])
        place = self.drawings / quote(feed.name, safe="") / f"{len(feed.follower.course.passed)}-{lang}"
        async with self.drawing:
            if not (place / "index.json").exists():
                place.mkdir(parents=True, exist_ok=True)
                command = [sys.executable, "-m", "stend.live.drawn", str(feed.folder), str(place), lang]
                done = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
                _, said = await done.communicate()
                if done.returncode:
                    raise HTTPException(409, said.decode(errors="replace").strip().rpartition("\n")[2])
        return place

    async def icon(self, request: Request) -> Response:
        """A browser asks for one; an answer keeps its console quiet."""
        return Response(status_code=204)


def _language(request: Request) -> Language:
    lang = request.path_params["lang"]
    if lang not in LANGUAGES:
        raise HTTPException(404, "there is no such language")
    return Language(lang)


def _file(name: str) -> Response:
    found = resources.files("stend.live") / "page" / name
    kind = KINDS.get(Path(name).suffix)
    if kind is None or "/" in name or not found.is_file():
        raise HTTPException(404, "there is no such file")
    return Response(found.read_bytes(), media_type=kind)


def _began(row: dict[str, object]) -> float:
    began = row.get("started_s")
    return began if isinstance(began, float) else 0.0


async def _told(request: Request, error: Exception) -> Response:
    return Response(json.dumps({"error": str(error)}), 409, media_type="application/json")
