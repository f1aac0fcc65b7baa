"""The pages of stend's JSON: the events of a run from their types, the documents from their schemas."""

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
    """Return the page of events.jsonl."""
    every = structs(*get_args(Event))
    first = [kind for kind in every if kind in get_args(Event)]
    then = [kind for kind in every if kind not in first]
    return marks.page(
        "events", "Events", *map(section, first), "## Types inside events\n", *(section(kind, level=3) for kind in then)
    )


def json() -> str:
    """Return the page of JSON documents."""
    known = {kind.__name__ for kind in structs(*get_args(Event))}
    parts = (part for name, made in DOCUMENTS.items() for part in _document(name, made(), known))
    return marks.page("json", "JSON", *parts)


def _document(name: str, schema: dict[str, Any], known: set[str]) -> Iterator[str]:
    yield f"## {name}\n\n{WORDS['documents'][name]}\n"
    for title, shape in schema.get("$defs", {}).items():
        if "properties" in shape and title not in known:
            text = shape.get("description", "").strip()
            yield f"### {title}\n\n{text}\n\n{marks.table(('field', 'kind', 'unit'), rows(shape))}"


def rows(shape: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield a row of the table for each field of an object's schema."""
    for name, kind in shape["properties"].items():
        words = _kind(kind)
        yield (
            marks.code(name),
            words + ("" if name in shape.get("required", ()) else ", may be left out"),
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
