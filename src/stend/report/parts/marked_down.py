"""Text and tables as Markdown, without markup in a drive's names."""

import re
from collections.abc import Iterator

from stend.base.text import plain
from stend.report.parts import Table

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def escape(text: str) -> str:
    """Return text from a drive as plain text: no markup, no line ends."""
    return SPECIAL.sub(r"\\\1", plain(text.replace("\n", " ")))


def lines_of(table: Table) -> Iterator[str]:
    """Yield the lines of a table under its title."""
    yield f"**{escape(table.title)}**\n"
    yield "| " + " | ".join(map(escape, table.head)) + " |"
    yield "|" + "|".join(" ---: " if i in table.numeric else " --- " for i in range(len(table.head))) + "|"
    yield from ("| " + " | ".join(map(escape, row)) + " |" for row in table.rows)
    yield f"\n{escape(table.note)}\n" if table.note else ""
