"""Make text from outside, such as a drive's names, safe to display: no control, direction or invisible characters."""

import json
import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any

ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""Control characters, direction and joining marks, surrogates and noncharacters."""

RAW = range(0xDC80, 0xDD00)
"""Code points by which Python represents bytes that are not valid text (surrogateescape)."""

FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
"""First characters of a text that a spreadsheet runs as a formula (OWASP, CSV Injection)."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(value: Any) -> Any:
    """Return the value of a CSV cell: lists as JSON, and text that a spreadsheet would run as a formula after a `'`."""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    risky = isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value)
    return f"'{value}" if risky else value


def capital(text: str) -> str:
    """Return the text with a capital first letter and nothing else changed."""
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    """Return the text with a small first letter and nothing else changed."""
    return text[:1].lower() + text[1:]


def typed(value: object) -> str:
    """Return a path or a name as it is typed in a shell, such as `'my runs'`, for commands in messages."""
    return shlex.quote(str(value))


def plain(text: str) -> str:
    r"""Return the text with unsafe characters escaped: ESC as `\x1b`, a mark that changes the direction as `\u202e`."""
    return text if _is_ascii(text) or not ODD.search(text) else ODD.sub(_escaped, text)


def plain_lines(text: str) -> str:
    """Escape unsafe characters in a text of several lines. Line breaks and tabs stay."""
    if _is_ascii(text.replace("\n", " ").replace("\t", " ")):
        return text
    return re.sub(r"[^\n\t]+", lambda part: plain(part[0]), text) if ODD.search(text) else text


def _is_ascii(text: str) -> bool:
    """Return True if the text is printable ASCII, as nearly all text is. This check is ten times faster than ODD."""
    return text.isascii() and text.isprintable()


def plain_all(value: Any, by: Callable[[str], str] = plain) -> Any:
    """Escape unsafe characters in every string of plain data, keys included."""
    if isinstance(value, str):
        return by(value)
    if isinstance(value, dict):
        return {plain_all(key, by): plain_all(item, by) for key, item in value.items()}
    return [plain_all(item, by) for item in value] if isinstance(value, list | tuple) else value


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in RAW:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the name that a mistyped word probably means, or an empty string if none is similar.

    `cutoff` is the least similarity, from 0 to 1.
    """
    from difflib import get_close_matches  # lazy: needed after a mistake only

    known, lower = list(names), word.lower()
    begin = [name for name in known if len(word) > 2 and name.startswith(lower)]
    inside = [name for name in known if len(word) > 2 and lower in name]
    return next(iter(begin or get_close_matches(lower, known, n=1, cutoff=cutoff) or inside), "")


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """Return `; did you mean 'iops'?` for a mistyped word; if no name is similar, a semicolon and other advice."""
    name = nearest(word, names)
    return f"; did you mean {name!r}?" if name else f"; {otherwise}" if otherwise else ""
