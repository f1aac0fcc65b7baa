"""`stend serve`: pages of all runs below a folder, which grow as the runs do."""

from pathlib import Path
from typing import Annotated

import typer

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def command(
    top: Annotated[Path, typer.Argument(metavar="ROOT", help="The folder that holds run folders.")] = Path("runs"),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes one that is free.")] = 0,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="Another address than this host's own.")
    ] = LOOPBACK[0],
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="A name by which others call this host.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key (PEM).")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Another address without TLS: a proxy before it has that.")
    ] = False,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help="A lasting token, of 32 characters or more.")
    ] = None,
) -> None:
    """Show all runs below a folder in a browser, live, and as /metrics and JSON; nothing can be written there.

    The address has a token in it; without that nobody reads anything.

    Example: stend serve runs --port 8080
    """
    from stend.base import extras
    from stend.base.errors import BadInput

    extras.need("`stend serve`", "starlette", "uvicorn", "duckdb", "prometheus_client")
    from stend.live import serving

    if listen not in LOOPBACK and not (tls_cert and tls_key) and not behind_proxy:
        raise BadInput(f"at {listen} others could listen in: name --tls-cert and --tls-key, or --behind-proxy")
    serving.serve(
        serving.Place(top, listen, port, (*LOOPBACK, listen, *(name or ())), token_file, tls_cert, tls_key),
        typer.echo,
    )
