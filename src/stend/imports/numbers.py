"""Parse numbers, sizes, times and tables as other tools print them. None means not a number, and nothing is guessed."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from stend.base import limits
from stend.base.errors import BadInput
from stend.base.units import GiB, KiB, MiB, TiB
from stend.words import Sentence

MOST_ROWS = 200_000
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b?)", re.IGNORECASE)
SCALES = {"": 1, "k": KiB, "m": MiB, "g": GiB, "t": TiB}
COMMAS = re.compile(r"\d+(?:,\d+)+(?:\.\d+)?")
LARGEST = 1e18
"""No figure of a drive is larger; sums and products of a few of them stay finite."""


def number(text: str | None) -> float | None:
    """Return a number of at most LARGEST, or None. A comma makes it None: it may separate decimals or thousands."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None


def scaled(text: str | None, unit: float) -> float | None:
    """Return a number in base units, or None if it is 0 or not a number: tools print 0 for a time without IOs."""
    return (number(text) or 0) * unit or None


def whole(text: str | None) -> int | None:
    """Return a non-negative number cut to an integer, or None."""
    value = number(text)
    return int(value) if value is not None and value >= 0 else None


def size(text: str) -> int | None:
    """Return the bytes of `4k`, `128KiB`, `1 MiB` or `4096`, or None. Prefixes are binary, as in fio."""
    match = SIZE.fullmatch(text.strip())
    if match is None or len(match[1]) > 18:
        return None
    return round(float(match[1]) * SCALES[match[2].lower()])


def block(size_bytes: float | None) -> int | None:
    """Return the size in whole bytes if one IO can have it, or None."""
    return int(size_bytes) if size_bytes is not None and 1 <= size_bytes <= limits.MOST_BLOCK else None


def at(text: str, *forms: str) -> float:
    """Return the Unix time of a date in one of these forms, or 0. Without a zone it counts as UTC."""
    for form in forms:
        try:
            date = datetime.strptime(text.strip(), form)
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            continue
        return seconds if 0 < seconds < 1e10 else 0.0
    return 0.0


def rows(text: str, delimiter: str = ",") -> Iterator[list[str]]:
    """Yield the rows of a CSV with stripped cells.

    Raise BadInput if it is broken, has more than MOST_ROWS rows, or a number with a comma: no tool writes one.
    """
    reader = csv.reader(io.StringIO(text.replace("\0", "")), delimiter=delimiter)
    try:
        for count, row in enumerate(reader):
            if count >= MOST_ROWS:
                raise BadInput(f"it has more than {MOST_ROWS} rows: it is too long for a result")
            cells = [cell.strip() for cell in row]
            if odd := next(filter(COMMAS.fullmatch, cells), ""):
                raise BadInput(
                    f"its line {reader.line_num} has a number with a comma ({odd[:20]}), as a spreadsheet saves it; "
                    "import the file that the tool wrote"
                )
            yield cells
    except csv.Error as error:
        raise BadInput(f"its table is broken: {error}") from error


def until_cut(text: str, header: Sequence[str], rows: list[list[str]]) -> tuple[list[list[str]], list[Sentence]]:
    """Return the rows that were not cut off, and notes.

    Every tool ends a row with a line end. A last row without one is left out if it is shorter than its header.
    Otherwise its last cell is emptied, because its number may be cut.
    """
    if text.endswith("\n") or not rows:
        return rows, []
    if len(rows[-1]) < len(header):
        return rows[:-1], [Sentence("imported.cut_off")]
    return [*rows[:-1], [*rows[-1][:-1], ""]], [Sentence("imported.no_end")]


def named(header: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row by the lower-case name of their column."""
    return {name.lower(): cell for name, cell in zip(header, row, strict=False)}
