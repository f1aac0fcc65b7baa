"""What a drive tells of itself, for people."""

from collections.abc import Iterator
from typing import Any

import msgspec

from stend.base.units import decimal
from stend.devices.telling.facts import shown
from stend.model.definition import Identity
from stend.session.sheet import IDENTITY, Sheet

NAMES = {"capacity_bytes": "user capacity", "logical_bytes": "logical sector", "physical_bytes": "physical sector"}
UNITS = {"bytes": "", "c": ", °C", "pct": ", %", "kib": ", KiB", "w": ", W", "s": ", s", "min": ", min"}


def line(drive: Identity, native_bytes: int, reason: str) -> str:
    """A drive in a line."""
    seen = msgspec.structs.replace(drive, facts={"native_bytes": native_bytes})
    facts = f"{seen.target:<16} {shown(seen):>8}  {seen.model} {seen.serial}".rstrip()
    return f"{facts}  {_verdict(reason)}"


def _verdict(reason: str) -> str:
    return f"no: {reason}" if reason else "can be tested"


def lines(sheet: Sheet) -> Iterator[str]:
    """All of it, a fact a line."""
    yield f"{sheet['target']}  {_verdict(sheet['reason'])}"
    yield from _rows({key: sheet[key] for key in IDENTITY if key in sheet}, "  ")
    yield from [_row("named by", f"--destroy-data {sheet['named']}", "  ")] if sheet["named"] else []
    yield from [_row("what is on it", sheet["holds"], "  ")] if sheet["holds"] else []
    yield from _rows(sheet["facts"], "  ")
    if sheet["health"]:
        yield "  health"
        yield from _rows(sheet["health"], "    ")
    yield from (f"  note: {text}" for text in sheet["notes"])


def _rows(facts: dict[str, Any], indent: str) -> Iterator[str]:
    for key, value in facts.items():
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield f"{indent}{_words(key)}"
            for one in value:
                yield from _nested(one, f"{indent}  ")
        else:
            yield _row(_words(key), _value(key, value), indent)


def _nested(one: dict[str, Any], indent: str) -> Iterator[str]:
    """One of several, such as a member or an LBA format, its first fact marked."""
    for number, row in enumerate(_rows(one, indent)):
        yield f"{indent}- {row.strip()}" if number == 0 else f"  {row}"


def _row(name: str, value: str, indent: str) -> str:
    return f"{indent}{name:<24} {value}"


def _words(key: str) -> str:
    """A fact's name with its unit, but for bytes, whose values bring theirs."""
    if key in NAMES:
        return NAMES[key]
    name, _, unit = key.rpartition("_")
    return f"{name.replace('_', ' ')}{UNITS[unit]}" if name and unit in UNITS else key.replace("_", " ")


def _value(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if key.endswith("_bytes") and isinstance(value, int):
        return f"{value} bytes" + (f" ({decimal(value)})" if value >= 10**6 else "")
    return str(value)
