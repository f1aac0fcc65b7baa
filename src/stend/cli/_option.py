"""Short forms of typer's options and arguments: a name, what it stands for, and its help."""

from typing import Any

import typer


def option(name: str, metavar: str, text: str, *, short: str = "", **more: Any) -> Any:
    """Return an option with a value, which the help shows as `metavar`."""
    return typer.Option(name, *([short] if short else []), metavar=metavar, help=text, **more)


def flag(name: str, text: str, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(name, help=text, **more)


def argument(metavar: str, text: str, **more: Any) -> Any:
    """Return an argument, which the help shows as `metavar`. The verb itself reports a path that cannot be read."""
    return typer.Argument(metavar=metavar, help=text, readable=False, **more)
