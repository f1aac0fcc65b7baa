"""The operator at a terminal: asked to name a drive again, told what cannot wait."""

import sys

import typer

from stend.devices import Device
from stend.session import Operator


class Terminal(Operator):
    """Whoever sits at the terminal."""

    def names(self, device: Device) -> str | None:
        """What the operator types when asked to name the drive again; None where there is no terminal."""
        drive = device.identity
        if not (device.door.named and sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        lost = device.door.loss()
        typer.echo(f"All data on {drive.model} {drive.serial} ({drive.path}) will be destroyed. It {lost}.")
        answer: str = typer.prompt("Type its serial or by-id name, of a file its full path, to go on", err=True)
        return answer.strip()

    def report(self, words: str) -> None:
        """On standard error, at once."""
        typer.echo(words, err=True)
