"""What stend writes as JSON: the events of a run, by their types; the documents, by their schemas."""

from collections.abc import Iterator
from typing import Any, get_args

from docs.made import marks
from docs.made.kinds import section, structs
from docs.made.words import WORDS

from stend.cli import _summary
from stend.model.events import Event
from stend.report import json as report
from stend.report.parts import schemas

DOCUMENTS = {"report.json": report.schema, "comparison.json": schemas.comparison, "stend show --json": _summary.schema}


def events() -> str:
    """A line of events.jsonl."""
    own = structs(*get_args(Event))
    first = [one for one in own if one in get_args(Event)]
    then = [one for one in own if one not in first]
    return marks.page(
        "events", "Events", *map(section, first), "## What events hold\n", *(section(one, level=3) for one in then)
    )


def json() -> str:
    """Documents."""
    known = {one.__name__ for one in structs(*get_args(Event))}
    parts = (part for name, made in DOCUMENTS.items() for part in _document(name, made(), known))
    return marks.page("json", "JSON", *parts)


def _document(name: str, schema: dict[str, Any], known: set[str]) -> Iterator[str]:
    yield f"## {name}\n\n{WORDS['documents'][name]}\n"
    for title, one in schema.get("$defs", {}).items():
        if "properties" in one and title not in known:
            said = one.get("description", "").strip()
            yield f"### {title}\n\n{said}\n\n{marks.table(('field', 'kind', 'unit'), rows(one))}"


def rows(one: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """A row for each field of an object's schema."""
    for name, kind in one["properties"].items():
        words = _kind(kind)
        yield (
            marks.code(name),
            words + ("" if name in one.get("required", ()) else ", may be left out"),
            marks.unit(name) if "number" in words else "",
        )


def _kind(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if "anyOf" in kind:
        return " or ".join(map(_kind, kind["anyOf"]))
    if "enum" in kind:
        return ", ".join(f"`{value}`" for value in kind["enum"])
    named = {
        "integer": "whole number",
        "string": "word",
        "boolean": "yes or no",
        "object": "table",
        "null": "null",
        "array": "list",
    }
    word = named.get(str(kind.get("type")), str(kind.get("type", "any value")))
    return f"list of {_kind(kind['items'])}" if isinstance(kind.get("items"), dict) and kind["items"] else word
