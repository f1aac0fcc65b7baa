"""A server at an address: its token, its socket, its end."""

import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn

from stend.errors import BadInput, StepFailed
from stend.live.guard import Guard, new_token
from stend.live.server import Server

LEAST_TOKEN = 32
GRACE_S = 3
"""Pages that listen are let go so long after the server was told to end."""


class Place(NamedTuple):
    """Where to serve what: `hosts` are the names by which it may be called."""

    top: Path
    address: str
    port: int
    hosts: tuple[str, ...]
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


def serve(place: Place, say: Callable[[str], object]) -> None:
    """Until Ctrl-C or SIGTERM. BadInput for a place that cannot be; StepFailed where the address is taken."""
    token = _token(place.token_file)
    _many_files()
    with _socket(place.address, place.port) as listening:
        scheme = "https" if place.tls_cert else "http"
        name = f"[{place.address}]" if ":" in place.address else place.address
        say(f"{scheme}://{name}:{listening.getsockname()[1]}/?token={token}")
        config = uvicorn.Config(
            Guard(Server(place.top).app, token, place.hosts),
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
        return new_token()
    try:
        token = file.read_text(encoding="ascii").strip()
        shared = file.stat().st_mode & 0o077
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} is no token that can be read: {getattr(error, 'strerror', None) or error}") from error
    if shared:
        raise BadInput(f"{file} can be read by others on this host: `chmod 600 {file}`")
    if len(token) < LEAST_TOKEN or not token.isprintable() or " " in token:
        raise BadInput(f"{file} holds no token: one word of {LEAST_TOKEN} characters or more")
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
        raise StepFailed(f"{address}:{port} cannot be served at: {error.strerror or error}") from error
    return listening


def _many_files() -> None:
    """As many connections as this host lets us have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
