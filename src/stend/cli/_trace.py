"""`stend trace`: print a description of a trace, write its pages, or convert it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stend.base import extras
from stend.base.errors import BadInput
from stend.cli import _options
from stend.cli._table import data, of_rows

if TYPE_CHECKING:
    from stend.report.parts import Section


def named(path: Path) -> Path:
    """Return the file of a trace. `example` names the shipped trace, unless a file here has that name."""
    if not _options.ships(path):
        return path
    from stend.trace.playable import EXAMPLE

    return EXAMPLE


def show(path: Path, reader: str, volume: str, forms: Sequence[str], into: Path, lang: str, as_json: bool) -> int:
    """Print the description of a trace, as text or JSON, and write its pages. Return 0."""
    from stend.report.parts import traced, traced_plain
    from stend.trace import described, taken

    with taken.reading(path, reader, volume) as trace:
        known = described.described(trace)
    if as_json:
        typer.echo(data(traced_plain.plain(known)))
    else:
        _print(traced.traced(known, lang, drawn=False).every)
    for made in traced.write(known, forms, lang, into) if forms else ():
        typer.echo(f"Trace: {made}", err=as_json)
    return 0


def convert(path: Path, into: Path, reader: str, volume: str) -> int:
    """Convert a trace to stend's Parquet form and print how many lines could not be read, by reason. Return 0.

    Raise BadInput if the output file exists.
    """
    from stend.trace import taken

    extras.need("a trace", "pyarrow", "numba")
    if into.exists():
        raise BadInput(f"{into} exists already; name another file")
    made = taken.convert(path, into, reader, volume)
    typer.echo(f"{_number(made.ios, 'IO')} of {made.about.source} in {into}")
    for kind, reasons in (("malformed", made.about.malformed), ("left out", made.about.skipped)):
        for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
            typer.echo(f"  {kind}: {_number(count, 'line')}: {reason}")
    for note in made.about.notes:
        typer.echo(f"  {note}")
    return 0


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _print(sections: Sequence["Section"]) -> None:
    """Print the sentences and tables of each section."""
    for section in sections:
        for text in section.texts:
            typer.echo(text)
        for table in section.tables:
            typer.echo(f"\n{table.title}")
            typer.echo("\n".join(f"  {line}" for line in of_rows(table.head, table.rows)))
