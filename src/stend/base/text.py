"""Words that others wrote, drives above all, as text that only says something: nothing in it moves, hides or ends."""

import re
from collections.abc import Callable
from typing import Any

ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""Control characters, marks of direction and joining, halves of characters, and what stands for none."""

RAW = range(0xDC80, 0xDD00)
"""How Python holds a byte that is no text."""


def plain(text: str) -> str:
    r"""The same with whatever is odd written out: ESC as `\x1b`, a mark that turns the line as `\u202e`."""
    return text if _usual(text) or not ODD.search(text) else ODD.sub(_written, text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines; tabs stay too."""
    if _usual(text.replace("\n", " ").replace("\t", " ")):
        return text
    return re.sub(r"[^\n\t]+", lambda part: plain(part[0]), text) if ODD.search(text) else text


def _usual(text: str) -> bool:
    """Whether it is nothing but ASCII's letters and signs, as nearly all is; told ten times faster than by ODD."""
    return text.isascii() and text.isprintable()


def plain_all(value: Any, by: Callable[[str], str] = plain) -> Any:
    """The same for every word of plain data, names of values too."""
    if isinstance(value, str):
        return by(value)
    if isinstance(value, dict):
        return {plain_all(key, by): plain_all(one, by) for key, one in value.items()}
    return [plain_all(one, by) for one in value] if isinstance(value, list | tuple) else value


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code in RAW:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
