"""Documents made strange: a value, a key or a few bytes of a good one replaced by what nobody expects."""

import copy
import json
import math
import random
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import tomli_w

NUMBERS: list[Any] = [
    0,
    -1,
    1,
    2,
    7,
    64,
    127,
    4096,
    65535,
    10**6,
    2**31,
    2**53,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
    10**400,
]
NUMBERS += [0.0, -0.0, 0.5, -1.5, 1e-300, 1e29, 1e308, math.nan, math.inf, -math.inf]
WORDS: list[Any] = ["", " ", "x", "nan", "inf", "-1", "1e999", "0x1f", "1,234,567", "8.25 W", "9" * 400, "a" * 5000]
WORDS += ["\x1b[31m\x07", "\r\n\0", "\u202eevil", "\udcff", "{node.__class__}", "{0}", "../../etc/passwd", "é漢🙂"]
OTHERS: list[Any] = [None, True, False, [], {}, [[]], [None], {"a": 1}, [1, "x"], [math.nan], {"": {}}, [[1, 2], [3]]]
STRANGE = NUMBERS + WORDS + OTHERS

Path = tuple[Any, ...]


def mutated(data: bytes, kind: str, rng: random.Random) -> bytes:
    """A document of that kind (`json`, `jsonl`, `toml` or `text`), made strange in one to four places."""
    if kind == "text" or rng.random() < 0.15:
        return _bytes(data, rng)
    try:
        if kind == "jsonl":
            lines = data.split(b"\n")
            at = rng.randrange(len(lines))
            lines[at : at + 1] = _line(lines[at], rng)
            return b"\n".join(lines)
        return _said(_tree(_read(data, kind), rng), kind)
    except (ValueError, TypeError, RecursionError, OverflowError, AttributeError, IndexError):
        return _bytes(data, rng)


def _line(line: bytes, rng: random.Random) -> list[bytes]:
    if rng.random() < 0.1:
        return rng.choice([[], [line, line], [line[: len(line) // 2]], [b"\xff" + line]])
    return [_said(_tree(json.loads(line), rng), "json")]


def _read(data: bytes, kind: str) -> Any:
    return tomllib.loads(data.decode()) if kind == "toml" else json.loads(data)


def _said(tree: Any, kind: str) -> bytes:
    if kind == "toml":
        return tomli_w.dumps(_tables(tree)).encode(errors="surrogatepass")
    return json.dumps(tree, ensure_ascii=bool(len(str(tree)) % 2)).encode(errors="surrogatepass")


def _tables(tree: Any) -> Any:
    """What TOML can hold: no null."""
    if isinstance(tree, dict):
        return {str(key): _tables(value) for key, value in tree.items() if value is not None}
    return [_tables(value) for value in tree if value is not None] if isinstance(tree, list) else tree


def _tree(tree: Any, rng: random.Random) -> Any:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = list(_places(tree))
        if not places:
            return _strange(rng)
        *way, last = rng.choice(places)
        holder = tree
        for step in way:
            holder = holder[step]
        rng.choice(CHANGES)(holder, last, rng)
    return tree


def _strange(rng: random.Random) -> Any:
    """A strange value of its own: a second change inside of it must not change what the next document gets."""
    return copy.deepcopy(rng.choice(STRANGE))


def _places(tree: Any, way: Path = ()) -> Iterator[Path]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*way, key)
        yield from _places(value, (*way, key))


def _replace(holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = _strange(rng)


def _scale(holder: Any, key: Any, rng: random.Random) -> None:
    value = holder[key]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    holder[key] = value * rng.choice((-1, 0, 0.5, 2, 1000, 10**20)) if number else rng.choice(NUMBERS)


def _drop(holder: Any, key: Any, rng: random.Random) -> None:
    del holder[key]


def _say(holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = str(holder[key])


def _wrap(holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = rng.choice(([holder[key]], {"value": holder[key]}, [holder[key]] * 3))


def _rename(holder: Any, key: Any, rng: random.Random) -> None:
    if isinstance(holder, dict):
        holder[rng.choice((*holder, *(str(w) for w in WORDS)))] = holder.pop(key)


CHANGES: tuple[Callable[[Any, Any, random.Random], None], ...] = (
    _replace, _replace, _replace, _scale, _scale, _drop, _say, _wrap, _rename,
)  # fmt: skip


def _bytes(data: bytes, rng: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, size = rng.randrange(len(made) + 1), rng.choice((1, 1, 4, 64))
        match rng.randrange(5):
            case 0:
                made[at : at + size] = b""
            case 1:
                made[at:at] = made[at : at + size] * rng.choice((1, 2, 50))
            case 2:
                made[at:at] = str(rng.choice(STRANGE)).encode(errors="surrogateescape")
            case 3:
                made[at : at + 1] = bytes([rng.randrange(256)])
            case _:
                made[at:at] = rng.choice((b"[", b"{", b'"', b"\xff\xfe", b"\0", b"\x1b]0;x\x07", b"\n", b"9" * 30))
    return bytes(made)
