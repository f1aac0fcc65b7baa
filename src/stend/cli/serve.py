"""`stend serve`: serve live pages of all runs below a folder."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _options, _runs
from stend.cli._option import flag, option

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def command(
    top: _runs.Top = _runs.RUNS,
    where: _options.Where = None,
    port: Annotated[int, option("--port", "N", "Port; 0 uses any free port.", min=0, max=65535)] = 0,
    listen: Annotated[str, option("--listen", "ADDRESS", "Address to listen on; default: this host only.")] = LOOPBACK[
        0
    ],
    name: Annotated[
        list[str] | None,
        option("--host-name", "HOST", "A host name that clients may use in the address; may be repeated."),
    ] = None,
    tls_cert: Annotated[Path | None, option("--tls-cert", "FILE", "Certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, option("--tls-key", "FILE", "Private key (PEM).")] = None,
    behind_proxy: Annotated[
        bool, flag("--behind-proxy", "Allow another address without TLS, behind a proxy that has TLS.")
    ] = False,
    token_file: Annotated[
        Path | None, option("--token-file", "FILE", "File with a fixed token of 32 characters or more.")
    ] = None,
) -> None:
    """Show all runs below a folder in a browser, updated live. Also serves /metrics and JSON.

    The server only reads. It answers only requests that have the token of the printed address.

    Example: stend serve runs --port 8080
    """
    from stend.base import extras
    from stend.base.errors import BadInput

    extras.need("`stend serve`", "starlette", "uvicorn", "duckdb", "prometheus_client")
    from stend.live import serving

    if listen not in LOOPBACK and not (tls_cert and tls_key) and not behind_proxy:
        raise BadInput(
            f"others could read the traffic to {listen}, which is not encrypted; "
            "give --tls-cert and --tls-key, or --behind-proxy if a proxy has TLS"
        )
    hosts = (*LOOPBACK, listen, *(name or ()))
    place = serving.Place(_runs.top(top), tuple(where or ()), listen, port, hosts, token_file, tls_cert, tls_key)
    serving.serve(place, typer.echo)
