"""What verbs that ask a catalogue have alike: how runs are chosen, and what is said while many are read."""

import sys
from typing import Annotated

import typer

MANY = 200

Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=PATTERN",
        help="Only such runs: model=KC*, outcome!=complete, seconds>3600; all hold.",
    ),
]


def hear(done: int, of: int) -> None:
    """How far it is, once it is a matter of patience."""
    if of >= MANY and sys.stderr.isatty():
        end = "\n" if done >= of else ""
        print(f"\rreading runs that the catalogue does not know: {done} of {of}", end=end, file=sys.stderr, flush=True)
