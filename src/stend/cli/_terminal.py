"""The operator at a terminal: prompts for the name of a drive and prints messages."""

import sys

import typer

from stend.devices import Device
from stend.session import Operator


class Terminal(Operator):
    """The operator at the terminal."""

    def names(self, device: Device) -> str | None:
        """Prompt for the name of the drive and return it. Return None without a terminal."""
        drive = device.identity
        if not (device.door.named and sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        lost = device.door.loss()
        typer.echo(f"All data on {drive.model} {drive.serial} ({drive.path}) will be destroyed. It {lost}.")
        answer: str = typer.prompt(
            "To continue, type the serial number or by-id name (for a file, its full path)", err=True
        )
        return answer.strip()

    def report(self, words: str) -> None:
        """Print a message on standard error at once."""
        typer.echo(words, err=True)
