"""A read-only server of the runs below a folder: live pages, JSON and metrics."""

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
from stend.words import LANGUAGES, Language, formats

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
HEARTBEAT_S = 15
MOST_LISTENERS = 200
"""Largest number of pages at once; further ones get a request to retry."""
SHOWN_LIVE = 50
"""Largest number of unfinished runs that are followed for the list and for metrics."""
SANDBOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"
"""Policy for reports: they include their own policy and may not send requests to this server."""

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """The pages and data; `app` is an ASGI application without access control (see `guard`)."""

    def __init__(self, top: Path) -> None:
        self.shelf = Shelf(top)
        self.feeds: dict[str, Feed] = {}
        self.listening = 0
        self.drawing = asyncio.Semaphore(1)
        self.drawings = Path()
        """Temporary folder for charts, while the server runs."""
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
            exception_handlers={StendError: _error},
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
        """Return the reader of a run; raise 404 for an unknown run."""
        if not (folder := self.shelf.folder(name)):
            raise HTTPException(404, "there is no such run")
        self.feeds = {known: feed for known, feed in self.feeds.items() if not feed.broken}
        if name not in self.feeds:
            self.feeds[name] = Feed(folder, name)
        return self.feeds[name]

    async def page(self, request: Request) -> Response:
        """Answer with the page of the list or of a run."""
        name = request.path_params.get("name")
        if name is not None and not self.shelf.folder(name):
            raise HTTPException(404, "there is no such run")
        return _file("list.html" if name is None else "run.html")

    async def static(self, request: Request) -> Response:
        """Answer with a file of the pages."""
        return _file(request.path_params["name"])

    async def words(self, request: Request) -> Response:
        """Answer with the phrases of the pages (`live.*`), the titles of tests, the decimal sign and all languages."""
        words = _language(request)
        phrases = {key.removeprefix("live."): words(key) for key in words.texts if key.startswith("live.")}
        tests = {key.removeprefix("test."): words(key) for key in words.texts if key.startswith("test.")}
        languages = {name: formats(name).name for name in LANGUAGES}
        decimal = words.format_of.decimal
        return JSONResponse({"words": phrases, "tests": tests, "languages": languages, "decimal": decimal})

    async def phases(self, request: Request) -> Response:
        """Answer with the names of the phases in the query, in a language."""
        words = _language(request)
        return JSONResponse({name: words.phase(name) for name in request.query_params})

    async def runs(self, request: Request) -> Response:
        """Answer with all runs below the folder, unfinished ones with their state; 304 if nothing has changed."""
        rows = await asyncio.to_thread(self.shelf.rows)
        going = {now.run: now for now in await self._going(rows)}
        listed = [
            row | ({"now": msgspec.to_builtins(going[row["run"]])} if row["run"] in going else {}) for row in rows
        ]
        body = encode(listed)
        tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        return Response(body, media_type="application/json", headers={"etag": tag})

    async def _going(self, rows: list[dict[str, object]]) -> list[Now]:
        """Return the state of the unfinished runs, of the latest SHOWN_LIVE at most."""
        unfinished = [row for row in rows if row.get("outcome") == "unfinished"]
        latest = sorted(unfinished, key=_began, reverse=True)[:SHOWN_LIVE]
        states = []
        for name in (str(row["run"]) for row in latest):
            if self.shelf.folder(name):
                feed = self.feed(name)
                await feed.caught_up()
                states.append(feed.now())
        return states

    async def schema(self, request: Request) -> Response:
        """Answer with the JSON Schema of a run's state."""
        return JSONResponse(msgspec.json.schema(Now))

    async def now(self, request: Request) -> Response:
        """Answer with the state of one run."""
        feed = self.feed(request.path_params["name"])
        await feed.caught_up()
        return Response(encode(feed.now()), media_type="application/json")

    async def notes(self, request: Request) -> Response:
        """Answer with a run's notes, translated from the English of `Now`."""
        words, feed = _language(request), self.feed(request.path_params["name"])
        return JSONResponse([(t, kind, words.translated(text)) for t, kind, text in feed.now().notes])

    async def metrics(self, request: Request) -> Response:
        """Answer with the metrics of the unfinished runs."""
        rows = await asyncio.to_thread(self.shelf.rows)
        return Response(metrics.text(await self._going(rows)), headers={"content-type": metrics.KIND})

    async def events(self, request: Request) -> Response:
        """Stream a run's news to a page until it disconnects (server-sent events)."""
        if self.listening >= MOST_LISTENERS:
            return Response("too many pages are open; try again later", 503, headers={"retry-after": "10"})
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
        """Answer with the report in a run's folder."""
        folder = self.shelf.folder(request.path_params["name"])
        path = folder / "report.html" if folder else None
        if not path or path.is_symlink() or not path.is_file():
            raise HTTPException(404, "this run has no report yet")
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": SANDBOX})

    async def drawn(self, request: Request) -> Response:
        """Answer with the findings and charts of the finished phases, made on request by a separate process."""
        place = await self._drawn(request)
        return FileResponse(place / "index.json", media_type="application/json")

    async def picture(self, request: Request) -> Response:
        """Answer with one of those charts."""
        path = await self._drawn(request) / f"{request.path_params['number']}.svg"
        if not path.is_file():
            raise HTTPException(404, "there is no such chart")
        return FileResponse(path, media_type="image/svg+xml")

    async def _drawn(self, request: Request) -> Path:
        """Return the folder with the charts as of the last finished phase; draw them if needed."""
        lang, feed = _language(request).name, self.feed(request.path_params["name"])
        place = self.drawings / quote(feed.name, safe="") / f"{len(feed.follower.course.passed)}-{lang}"
        async with self.drawing:
            if not (place / "index.json").exists():
                place.mkdir(parents=True, exist_ok=True)
                command = [sys.executable, "-m", "stend.live.drawn", str(feed.folder), str(place), lang]
                done = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
                _, errors = await done.communicate()
                if done.returncode:
                    raise HTTPException(409, errors.decode(errors="replace").strip().rpartition("\n")[2])
        return place

    async def icon(self, request: Request) -> Response:
        """Answer a browser's request for an icon, which would be logged as an error otherwise."""
        return Response(status_code=204)


def _language(request: Request) -> Language:
    lang = request.path_params["lang"]
    if lang not in LANGUAGES:
        raise HTTPException(404, "there is no such language")
    return Language(lang)


def _file(name: str) -> Response:
    file = resources.files("stend.live") / "page" / name
    kind = KINDS.get(Path(name).suffix)
    if kind is None or "/" in name or not file.is_file():
        raise HTTPException(404, "there is no such file")
    return Response(file.read_bytes(), media_type=kind)


def _began(row: dict[str, object]) -> float:
    began = row.get("started_s")
    return began if isinstance(began, float) else 0.0


async def _error(request: Request, error: Exception) -> Response:
    return Response(json.dumps({"error": str(error)}), 409, media_type="application/json")
