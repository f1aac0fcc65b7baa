"""Tables of plain text, fitted to the width of the terminal if there is one."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from stend.base.text import plain

NARROWEST, NARROWEST_NAME = 8, 24
"""Smallest width of a column in characters, and of one in `whole`."""
INDENT = 4
BETWEEN = "  "


def lines(columns: Sequence[tuple[str, Sequence[str]]], whole: Sequence[str] = ()) -> list[str]:
    """Return a head line and one line per row.

    On a terminal the widest columns are shortened until the table fits: columns in `whole` last, and in their middle.
    If it still does not fit, each row becomes a block with one line per column.
    """
    table = [_plain([name, *cells]) for name, cells in columns]
    widths = [max(map(len if _narrow(cells) else _width, cells)) for cells in table]
    if not sys.stdout.isatty():
        return _rows(table, widths)
    room, kept = shutil.get_terminal_size().columns, [name in whole for name, _ in columns]
    least = [min(width, NARROWEST_NAME if name else NARROWEST) for width, name in zip(widths, kept, strict=True)]
    if sum(least) + len(BETWEEN) * (len(least) - 1) > room:
        return _blocks(table, room)
    widths = _fitted(widths, [w if name else n for w, n, name in zip(widths, least, kept, strict=True)], room)
    widths = _fitted(widths, least, room)
    return _rows(list(map(_cut, table, widths, kept)), widths)


def of_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table that is given by its rows."""
    return lines([(name, [row[n] for row in rows]) for n, name in enumerate(head)])


def folded(lines: Iterable[str]) -> list[str]:
    """Wrap lines to the width of the terminal and indent continuation lines. Elsewhere return them unchanged."""
    if not sys.stdout.isatty():
        return list(lines)
    return [part for line in lines for part in _folded(line, shutil.get_terminal_size().columns)]


def as_text(value: Any) -> str:
    """Return a value as text: numbers with six significant digits, lists with commas, None as an empty string."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    return str(value)


def data(plain: Any) -> str:
    """Return plain data as indented JSON."""
    from msgspec import json

    from stend.words import english

    return json.format(json.encode(plain, enc_hook=english), indent=1).decode()


def as_json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a JSON list of objects, one per line."""
    from msgspec import json

    objects = (json.encode(dict(zip(columns, row, strict=True)), enc_hook=str).decode() for row in rows)
    return "[" + ",\n ".join(objects) + "]"


def _plain(cells: list[str]) -> list[str]:
    """Return a column without control characters; check all cells at once, because nearly all columns have none."""
    return cells if plain("".join(cells)) == "".join(cells) else [plain(cell) for cell in cells]


def _rows(table: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    padded = map(_padded, table, widths)
    return [BETWEEN.join(row).rstrip() for row in zip(*padded, strict=True)]


def _padded(cells: Sequence[str], width: int) -> list[str]:
    if _narrow(cells):
        return [cell.ljust(width) for cell in cells]
    return [cell + " " * (width - _width(cell)) for cell in cells]


def _narrow(cells: Sequence[str]) -> bool:
    """Return whether every character of a column is one terminal cell wide, by one check for all cells."""
    return "".join(cells).isascii()


def _blocks(table: Sequence[Sequence[str]], room: int) -> list[str]:
    heads = [cells[0] for cells in table]
    names = _padded(heads, max(map(_width, heads)))
    every = zip(*(cells[1:] for cells in table), strict=True)
    blocks = ([f"{name}  {cell}" for name, cell in zip(names, row, strict=True) if cell] for row in every)
    return [part for block in blocks for line in (*block, "") for part in _folded(line, room)][:-1]


def _folded(line: str, room: int) -> list[str]:
    if _width(line) <= room:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + INDENT)
    return textwrap.wrap(line, room, subsequent_indent=indent, break_on_hyphens=False)


def _cut(cells: Sequence[str], width: int, middle: bool) -> list[str]:
    """Shorten cells to a width, at their ends or in their middles."""
    after = (width - 1) // 2 if middle else 0
    return [cell if _width(cell) <= width else _ends(cell, width - 1 - after, after) for cell in cells]


def _ends(cell: str, before: int, after: int) -> str:
    first, last = len(cell), len(cell)
    while _width(cell[:first]) > before:
        first -= 1
    while after and last and _width(cell[last - 1 :]) <= after:
        last -= 1
    return f"{cell[:first]}…{cell[last:]}"


def _width(text: str) -> int:
    """Return the width of a text in terminal cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return widths that fit the room: shorten the widest column by one until all fit or none can shrink."""
    fitted, room = list(widths), room - len(BETWEEN) * (len(widths) - 1)
    while sum(fitted) > room:
        giving = [i for i, width in enumerate(fitted) if width > least[i]]
        if not giving:
            break
        fitted[max(giving, key=fitted.__getitem__)] -= 1
    return fitted
