"""Rows as a table of plain text: as wide as it is, or cut to the terminal's width where there is one."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from stend.plain import plain

NARROWEST = 8
BETWEEN = "  "


def lines(columns: Sequence[tuple[str, Sequence[str]]], whole: Sequence[str] = ()) -> list[str]:
    """A head and a line a row; on a terminal the widest columns give way, but not those of `whole`."""
    told = [_plain([name, *cells]) for name, cells in columns]
    widths = [max(map(len, cells)) for cells in told]
    if sys.stdout.isatty():
        widths = _fitted(widths, [name in whole for name, _ in columns], shutil.get_terminal_size().columns)
    shown = [_column(cells, width) for cells, width in zip(told, widths, strict=True)]
    return [BETWEEN.join(row).rstrip() for row in zip(*shown, strict=True)]


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


def _column(cells: Sequence[str], width: int) -> list[str]:
    return [cell.ljust(width) if len(cell) <= width else cell[: width - 1] + "…" for cell in cells]


def _fitted(widths: list[int], whole: list[bool], room: int) -> list[int]:
    """One after another the widest gives a letter, until all fit or none can give."""
    room -= len(BETWEEN) * (len(widths) - 1)
    while sum(widths) > room:
        giving = [i for i, width in enumerate(widths) if not whole[i] and width > NARROWEST]
        if not giving:
            break
        widths[max(giving, key=widths.__getitem__)] -= 1
    return widths
