"""A read-only server of the runs below a folder: live pages, JSON and metrics."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from stend.base.errors import BadInput, StendError
from stend.live import compared, composer, metrics
from stend.live.feed import Feed, Listener, encode
from stend.live.making import INDEX, Maker
from stend.live.now import Now
from stend.live.shelf import READ, Shelf
from stend.store import journal
from stend.words import LANGUAGES, Language, Sentence, english, formats

KINDS = {
    ".json": "application/json",
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
HEARTBEAT_S = 15
MOST_LISTENERS = 200
"""Largest number of pages at once. Further ones get a request to retry."""
SHOWN_LIVE = 50
"""Largest number of unfinished runs that are followed for the list and for metrics."""
SANDBOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'self'"
"""Policy for reports: they include their own policy and may not send requests to this server."""
PAGES = {"/": "list.html", "/compare": "compare.html", "/compose": "compose.html"}

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """The pages and data. `app` is an ASGI application without access control (see `guard`)."""

    def __init__(self, top: Path, where: Sequence[str] = ()) -> None:
        self.shelf = Shelf(top, where)
        self.feeds: dict[str, Feed] = {}
        self.listening = 0
        self.maker = Maker()
        routes: dict[str, Handler] = {
            **dict.fromkeys((*PAGES, "/run/{name:path}"), self.page),
            "/static/{name}": self.static,
            "/words/{lang}": self.words,
            "/phases/{lang}": self.phases,
            "/api/runs": self.runs,
            "/api/schema": self.schema,
            "/api/run/{name:path}": self.now,
            "/notes/{lang}/{name:path}": self.notes,
            "/events/{name:path}": self.events,
            "/report/{name:path}": self.report,
            "/compared/{lang}": self.compared,
            "/choices/{lang}": self.choices,
            "/plan/{lang}": self.plan,
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
        with self.maker.working():
            yield
            for feed in self.feeds.values():
                feed.task.cancel()

    def feed(self, name: str) -> Feed:
        """Return the reader of a run. Raise 404 for an unknown run."""
        folder = self._folder(name)
        self.feeds = {known: feed for known, feed in self.feeds.items() if not feed.broken}
        if name not in self.feeds:
            self.feeds[name] = Feed(folder, name)
        return self.feeds[name]

    async def page(self, request: Request) -> Response:
        """Answer with a page, or with 404 if its run does not exist."""
        name = request.path_params.get("name")
        if name is not None:
            self._folder(name)
        return _file("run.html" if name is not None else PAGES[request.url.path])

    async def _caught_up(self, request: Request) -> Feed:
        """Return the reader of the run that a request names, after it has read all news."""
        feed = self.feed(request.path_params["name"])
        await feed.caught_up()
        return feed

    def _folder(self, name: str) -> Path:
        if folder := self.shelf.folder(name):
            return folder
        raise HTTPException(404, "there is no such run")

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
        """Answer with the runs below the folder, unfinished ones with their state, or 304 if nothing has changed.

        The query may have conditions, `where=model=KC*`, as `stend list --where` has them, `columns`, and `lang` for
        stamps.
        """
        asked = request.query_params.get("columns", "")
        columns = [*asked.split(","), "started_s", "outcome", "stamps"] if asked else []
        words = Language(request.query_params.get("lang", LANGUAGES[0]))
        rows = await asyncio.to_thread(self.shelf.rows, request.query_params.getlist("where"), columns, READ)
        going = {now.run: now for now in await self._going(rows)}
        for row in rows:
            runs = row["run"] in going and going[row["run"]].state == "running"
            stamps = [stamp for stamp in row.get("stamps", ()) if not (runs and stamp.key == "unfinished")]
            row["stamps"] = [words.translated(stamp) for stamp in stamps]
        listed = [
            row | ({"now": msgspec.to_builtins(going[row["run"]], enc_hook=english)} if row["run"] in going else {})
            for row in rows
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
        feed = await self._caught_up(request)
        return Response(encode(feed.now()), media_type="application/json")

    async def notes(self, request: Request) -> Response:
        """Answer with a run's notes, translated from the English of `Now`."""
        words, feed = _language(request), await self._caught_up(request)
        return JSONResponse([(t, kind, words.translated(text)) for t, kind, text in feed.now().notes])

    async def metrics(self, request: Request) -> Response:
        """Answer with the metrics of the unfinished runs, and how many runs had each outcome."""
        rows = await asyncio.to_thread(self.shelf.rows)
        text = metrics.text(await self._going(rows), (str(row["outcome"]) for row in rows))
        return Response(text, headers={"content-type": metrics.KIND})

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
        """Answer with a run's report, in the language `lang`. Write it on request if it is not in the folder."""
        folder, lang = self._folder(request.path_params["name"]), request.query_params.get("lang", "")
        if lang:
            Language(lang)  # raises BadInput for an unknown one, which could name another file
        name = f"report.{lang}.html" if lang not in ("", LANGUAGES[0]) else "report.html"  # as `stend report` names it
        path = folder / name
        kept = path.is_file() and not path.is_symlink()
        if lang and not kept:
            feed = await self._caught_up(request)
            if feed.follower.course.ended:
                key = ("report", str(folder), lang, _stamp(folder))
                words = ("report", folder, "--into", "INTO", "--lang", lang)
                path, kept = await self.maker.made(key, name, "stend", *words) / name, True
        if not kept:
            raise HTTPException(404, "this run has no report yet")
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": SANDBOX})

    async def compared(self, request: Request) -> Response:
        """Answer with the figures of two to five runs next to each other."""
        names = list(dict.fromkeys(request.query_params.getlist("run")))
        if not compared.LEAST <= len(names) <= compared.MOST:
            raise BadInput(Sentence("compare_count", least=compared.LEAST, most=compared.MOST, n=len(names)))
        folders, lang = [self._folder(name) for name in names], _language(request).name
        key = ("compared", lang, [(str(folder), _stamp(folder)) for folder in folders])
        place = await self.maker.made(key, INDEX, compared.__name__, "INTO", lang, *folders)
        return FileResponse(place / INDEX, media_type="application/json")

    async def choices(self, request: Request) -> Response:
        """Answer with the tests, drives and options that the composer offers."""
        return JSONResponse(await asyncio.to_thread(composer.choices, _language(request)))

    async def plan(self, request: Request) -> Response:
        """Answer with the plan of a choice and the command that runs it. Nothing is started."""
        wish = composer.wish(request.query_params.multi_items())
        return JSONResponse(await asyncio.to_thread(composer.planned, wish, _language(request)))

    async def drawn(self, request: Request) -> Response:
        """Answer with the findings and charts of the finished phases, made on request by a separate process."""
        place = await self._drawn(request)
        return FileResponse(place / INDEX, media_type="application/json")

    async def picture(self, request: Request) -> Response:
        """Answer with one of those charts."""
        path = await self._drawn(request) / f"{request.path_params['number']}.svg"
        if not path.is_file():
            raise HTTPException(404, "there is no such chart")
        return FileResponse(path, media_type="image/svg+xml")

    async def _drawn(self, request: Request) -> Path:
        """Return the folder with the charts as of the last finished phase; draw them if needed."""
        lang, feed = _language(request).name, await self._caught_up(request)
        key = ("drawn", str(feed.folder), len(feed.follower.course.passed), lang)
        return await self.maker.made(key, INDEX, "stend.live.drawn", "INTO", lang, feed.folder)

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


def _stamp(folder: Path) -> tuple[int, int]:
    """Return size and time of a run's record: files made of an equal one are still valid."""
    status = journal.events_of(folder).stat()
    return status.st_size, status.st_mtime_ns


def _began(row: dict[str, object]) -> float:
    began = row.get("started_s")
    return began if isinstance(began, float) else 0.0


async def _error(request: Request, error: Exception) -> Response:
    lang = request.path_params.get("lang") or request.query_params.get("lang", "")
    text = Language(lang).translated(str(error)) if lang in LANGUAGES else str(error)
    return Response(json.dumps({"error": text}), 409, media_type="application/json")
