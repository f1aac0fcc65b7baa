"""Rows as a table of plain text: as wide as it is, or fitted to the terminal where there is one."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from stend.base.text import plain

NARROWEST, NARROWEST_NAME = 8, 24
"""Letters of a column that is left so many, at least; of one that names something more."""
INDENT = 4
BETWEEN = "  "


def lines(columns: Sequence[tuple[str, Sequence[str]]], whole: Sequence[str] = ()) -> list[str]:
    """A head and a line a row; on a terminal the widest columns give way, those of `whole` last, in their middle.

    Where even so a row has no room on a line, it is told in a line for each of its columns.
    """
    told = [_plain([name, *cells]) for name, cells in columns]
    widths = [max(map(len if _narrow(cells) else _width, cells)) for cells in told]
    if not sys.stdout.isatty():
        return _rows(told, widths)
    room, kept = shutil.get_terminal_size().columns, [name in whole for name, _ in columns]
    least = [min(width, NARROWEST_NAME if own else NARROWEST) for width, own in zip(widths, kept, strict=True)]
    if sum(least) + len(BETWEEN) * (len(least) - 1) > room:
        return _blocks(told, room)
    widths = _fitted(widths, [w if own else n for w, n, own in zip(widths, least, kept, strict=True)], room)
    widths = _fitted(widths, least, room)
    return _rows(list(map(_cut, told, widths, kept)), widths)


def folded(lines: Iterable[str]) -> list[str]:
    """Lines as they are; on a terminal those that are wider go on further right below."""
    if not sys.stdout.isatty():
        return list(lines)
    return [part for line in lines for part in _folded(line, shutil.get_terminal_size().columns)]


def said(value: Any) -> str:
    """A value of a table as text: numbers with at most six digits that count, lists with commas, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value))
    return str(value)


def as_json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A list of objects, one a line."""
    told = (msgspec.json.encode(dict(zip(columns, row, strict=True)), enc_hook=str).decode() for row in rows)
    return "[" + ",\n ".join(told) + "]"


def _plain(cells: list[str]) -> list[str]:
    """A column whose words only say something; nearly all do, and are asked together."""
    return cells if plain("".join(cells)) == "".join(cells) else [plain(cell) for cell in cells]


def _rows(told: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    padded = map(_padded, told, widths)
    return [BETWEEN.join(row).rstrip() for row in zip(*padded, strict=True)]


def _padded(cells: Sequence[str], width: int) -> list[str]:
    if _narrow(cells):
        return [cell.ljust(width) for cell in cells]
    return [cell + " " * (width - _width(cell)) for cell in cells]


def _narrow(cells: Sequence[str]) -> bool:
    """Whether each letter takes one column of a terminal, as nearly always; asked of all together."""
    return "".join(cells).isascii()


def _blocks(told: Sequence[Sequence[str]], room: int) -> list[str]:
    names = [cells[0] for cells in told]
    wide = max(map(_width, names))
    every = zip(*(cells[1:] for cells in told), strict=True)
    blocks = ([f"{name:<{wide}}  {cell}" for name, cell in zip(names, row, strict=True) if cell] for row in every)
    return [part for block in blocks for line in (*block, "") for part in _folded(line, room)][:-1]


def _folded(line: str, room: int) -> list[str]:
    if _width(line) <= room:
        return [line]
    begin = " " * (len(line) - len(line.lstrip()) + INDENT)
    return textwrap.wrap(line, room, subsequent_indent=begin, break_on_hyphens=False)


def _cut(cells: Sequence[str], width: int, middle: bool) -> list[str]:
    """No wider than that: without their ends, or their middles."""
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
    """Columns of a terminal that it takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """One after another the widest gives a letter, until all fit or none can give."""
    fitted, room = list(widths), room - len(BETWEEN) * (len(widths) - 1)
    while sum(fitted) > room:
        giving = [i for i, width in enumerate(fitted) if width > least[i]]
        if not giving:
            break
        fitted[max(giving, key=fitted.__getitem__)] -= 1
    return fitted
