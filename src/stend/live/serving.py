"""Run the server at an address: its token, its socket and its end."""

import asyncio
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from stend.base import process
from stend.base.errors import BadInput, StepFailed
from stend.live.guard import Guard
from stend.live.server import Server

TOKEN_BYTES, LEAST_TOKEN = 24, 32
"""Random bytes of a new token; characters of a token that is given."""
HEADERS_S = 20
"""Seconds that a client has to send the head of a request."""
GRACE_S = 3
"""Seconds from the end signal until open pages are disconnected."""


class Timely(AutoHTTPProtocol):  # type: ignore[valid-type,misc]
    """Close a connection whose request has begun, or is due, and is not whole within `HEADERS_S`."""

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect the first request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request."""
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        super().connection_lost(exc)
        self._forget()

    def _expect(self) -> None:
        if not self._waits():
            self._forget()
        elif self._due is None:
            self._due = self.loop.call_later(HEADERS_S, self._late)

    def _waits(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _forget(self) -> None:
        if self._due:
            self._due.cancel()
        self._due = None

    def _late(self) -> None:
        self._due = None
        if self._waits():
            self.transport.close()


class Place(NamedTuple):
    """The folder to serve, conditions of its runs, and the address. `hosts` are the names that requests may use."""

    top: Path
    where: tuple[str, ...]
    address: str
    port: int
    hosts: tuple[str, ...]
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


def serve(place: Place, show: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM. Pass the address with its token to `show`.

    Raise BadInput for an unusable folder or token file, StepFailed if the address cannot be used.
    """
    app = Server(place.top, place.where).app
    token = _token(place.token_file)
    process.allow_files()  # for many connections
    with _socket(place.address, place.port) as listening:
        scheme = "https" if place.tls_cert else "http"
        name = f"[{place.address}]" if ":" in place.address else place.address
        show(f"{scheme}://{name}:{listening.getsockname()[1]}/?token={token}")
        config = uvicorn.Config(
            Guard(app, token, place.hosts),
            http=Timely,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
            ssl_certfile=place.tls_cert,
            ssl_keyfile=place.tls_key,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _token(file: Path | None) -> str:
    if not file:
        return secrets.token_urlsafe(TOKEN_BYTES)
    try:
        token = file.read_text(encoding="ascii").strip()
        shared = file.stat().st_mode & 0o077
    except (OSError, ValueError) as error:
        raise BadInput(f"the token file {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if shared:
        raise BadInput(f"other users of this host can read {file}; run `chmod 600 {file}`")
    if len(token) < LEAST_TOKEN or not token.isprintable() or " " in token:
        raise BadInput(f"{file} does not hold a token; write one word of {LEAST_TOKEN} characters or more into it")
    return token


def _socket(address: str, port: int) -> socket.socket:
    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(kind, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise StepFailed(
            f"cannot listen on {address}:{port}: {error.strerror or error}; choose another --port or --listen"
        ) from error
    return listening
