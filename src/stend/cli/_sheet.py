"""A drive's identity, facts and health as lines of text."""

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
    """Return a drive as one line. `reason` is why it cannot be tested, or empty."""
    sized = msgspec.structs.replace(drive, facts={"native_bytes": native_bytes})
    facts = f"{sized.target:<16} {shown(sized):>8}  {sized.model} {sized.serial}".rstrip()
    return f"{facts}  {_verdict(reason)}"


def _verdict(reason: str) -> str:
    return f"no: {reason}" if reason else "can be tested"


def lines(sheet: Sheet) -> Iterator[str]:
    """Yield a drive sheet with one fact per line."""
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
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield f"{indent}{_words(key)}"
            for item in value:
                yield from _nested(item, f"{indent}  ")
        else:
            yield _row(_words(key), _value(key, value), indent)


def _nested(facts: dict[str, Any], indent: str) -> Iterator[str]:
    """Yield the facts of one item of a list, such as a member or an LBA format, with a dash before the first."""
    known = {key: value for key, value in facts.items() if value != ""}
    for number, row in enumerate(_rows(known, indent)):
        yield f"{indent}- {row.strip()}" if number == 0 else f"  {row}"


def _row(name: str, value: str, indent: str) -> str:
    return f"{indent}{name:<24} {value}"


def _words(key: str) -> str:
    """Return a fact's name with its unit. Byte values have their unit already."""
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
