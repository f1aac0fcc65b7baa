"""Numbers, sizes, times and tables in the words of other tools; what is none is None, and never a guess."""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from stend.base.errors import BadInput
from stend.base.units import GiB, KiB, MiB, TiB

MOST_ROWS = 200_000
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b?)", re.IGNORECASE)
SCALES = {"": 1, "k": KiB, "m": MiB, "g": GiB, "t": TiB}
LARGEST_BLOCK = 1 << 30


def number(text: str | None) -> float | None:
    """A finite number; a decimal comma is none, for it may as well part thousands."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole(text: str | None) -> int | None:
    """A whole number that is not negative."""
    value = number(text)
    return int(value) if value is not None and 0 <= value < 1 << 62 else None


def size(text: str) -> int | None:
    """`4k`, `128KiB`, `1 MiB`, `4096`: bytes, prefixes binary as fio and its kin take them."""
    match = SIZE.fullmatch(text.strip())
    if match is None or len(match[1]) > 18:
        return None
    return round(float(match[1]) * SCALES[match[2].lower()])


def block(size_bytes: float | None) -> int | None:
    """A size that one IO can have."""
    return int(size_bytes) if size_bytes is not None and 1 <= size_bytes <= LARGEST_BLOCK else None


def at(text: str, *forms: str) -> float:
    """Unix time of a date in one of these forms, taken for UTC where it names no zone; 0 for anything else."""
    for form in forms:
        try:
            found = datetime.strptime(text.strip(), form)
            seconds = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            continue
        return seconds if 0 < seconds < 1e10 else 0.0
    return 0.0


def rows(text: str, delimiter: str = ",") -> Iterator[list[str]]:
    """The rows of a CSV with their cells stripped; BadInput where it is none, or longer than any result."""
    reader = csv.reader(io.StringIO(text.replace("\0", "")), delimiter=delimiter)
    try:
        for count, row in enumerate(reader):
            if count >= MOST_ROWS:
                raise BadInput(f"it has more than {MOST_ROWS} rows, which no result has")
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise BadInput(f"its table is broken: {error}") from error


def named(header: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Cells by the lower-case name of their column."""
    return {name.lower(): cell for name, cell in zip(header, row, strict=False)}
