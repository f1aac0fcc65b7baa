"""A trace on the screen, its pages, and its conversion."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stend.base import extras
from stend.base.errors import BadInput
from stend.cli._table import lines

if TYPE_CHECKING:
    from stend.report.parts import Section


def show(path: Path, reader: str, volume: str, forms: Sequence[str], into: Path, lang: str, as_json: bool) -> int:
    """What is known of it."""
    import msgspec

    from stend.report.parts import traced, traced_plain
    from stend.trace import described, taken

    with taken.reading(path, reader, volume) as trace:
        known = described.described(trace)
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(traced_plain.plain(known)).decode(), indent=1))
    else:
        _told(traced.traced(known, lang, drawn=False).sections)
    for made in traced.write(known, forms, lang, into) if forms else ():
        typer.echo(f"Trace: {made}", err=as_json)
    return 0


def convert(path: Path, into: Path, reader: str, volume: str) -> int:
    """The same in our form; each line that could not be read is counted on the screen."""
    from stend.trace import taken

    extras.need("a trace", "pyarrow", "numba")
    if into.exists():
        raise BadInput(f"{into} is there already; name a file that is not")
    made = taken.convert(path, into, reader, volume)
    typer.echo(f"{made.ios} IOs of {made.about.source} in {into}")
    for said, why in (("malformed", made.about.malformed), ("left out", made.about.skipped)):
        for reason, count in sorted(why.items(), key=lambda item: -item[1]):
            typer.echo(f"  {said}: {count} lines: {reason}")
    for note in made.about.notes:
        typer.echo(f"  {note}")
    return 0


def _told(sections: Sequence["Section"]) -> None:
    """Sentences at a glance, then the tables."""
    for section in sections:
        for text in section.texts:
            typer.echo(text)
        for table in section.tables:
            typer.echo(f"\n{table.title}")
            columns = [(name, [row[i] for row in table.rows]) for i, name in enumerate(table.head)]
            typer.echo("\n".join(f"  {line}" for line in lines(columns)))
