"""JSON schemas of the JSON files that stend writes, made from the types and tables that they are written from."""

from inspect import cleandoc
from typing import Any, get_args, get_type_hints

import msgspec

from stend.model.events import Event
from stend.model.tally import PERCENTS
from stend.report.parts.records import COLUMNS
from stend.store.journal import HEAD
from stend.words import schema as of_sentence

DRAFT = "https://json-schema.org/draft/2020-12/schema"
OF_SQL: dict[str, Any] = {"VARCHAR": str | None, "BIGINT": int | None, "DOUBLE": float | None, "BOOLEAN": bool | None}
MAY = msgspec.UnsetType
DIGEST = {"type": "string", "pattern": "^[0-9a-f]+$"}


def whole(kind: Any) -> dict[str, Any]:
    """Return the schema of a type, with its draft."""
    plain: dict[str, Any] = unindented(msgspec.json.schema(kind, schema_hook=of_sentence))
    return {"$schema": DRAFT} | plain


def unindented(schema: Any) -> Any:
    """Return a schema with descriptions as every Python has them: before 3.13, docstrings keep their indentation."""
    if isinstance(schema, dict):
        texts = {"description": cleandoc(schema["description"])} if isinstance(schema.get("description"), str) else {}
        return {name: unindented(value) for name, value in schema.items()} | texts
    return [unindented(value) for value in schema] if isinstance(schema, list | tuple) else schema


def file(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a file that begins with its format and the version of stend."""
    return whole(shape(name, {"format": int, "stend": str} | fields))


def shape(name: str, fields: dict[str, Any]) -> Any:
    """Return a JSON object with these fields and no others. A kind `| MAY` may be missing.

    Names of fields may be any text.
    """
    plain = {field: field.replace(".", "_") for field in fields}
    listed = [(plain[f], kind, *([msgspec.UNSET] if MAY in get_args(kind) else [])) for f, kind in fields.items()]
    rename = {plain[field]: field for field in fields}
    return msgspec.defstruct(name, listed, rename=rename, forbid_unknown_fields=True, kw_only=True)


def many(kind: Any) -> Any:
    """Return the type of a list whose items have the type `kind`."""
    return tuple[kind, ...]


def record(kind: Any, **other: Any) -> Any:
    """Return a record type as an object, by its fields' types; `other` replaces types of fields."""
    return shape(kind.__name__, get_type_hints(kind) | other)


def reasons() -> Any:
    """Return sentences: the key of each, and its values."""
    return many(msgspec.defstruct("Reason", [("key", str)]))


def records() -> Any:
    """Return a row of `records`: the columns of the CSV."""
    return shape("Record", {name: OF_SQL[kind] for name, kind in COLUMNS.items()})


def events() -> dict[str, Any]:
    """Return the schema of a line of events.jsonl.

    The first line states format and version. Every other line is an event with its place.
    """
    schema = whole(Event)
    place = {"n": {"type": "integer", "minimum": 1}, "chain": DIGEST}
    for name in schema["discriminator"]["mapping"].values():
        schema["$defs"][name.rpartition("/")[2]]["properties"] |= place
    schema["$defs"]["Head"] = {
        "type": "object",
        "description": "The first line.",
        "properties": {name: {"const": value} for name, value in HEAD.items()}
        | dict.fromkeys(("run", "manifest", "host"), DIGEST),
        "required": list(HEAD),
        "additionalProperties": False,
    }
    del schema["discriminator"]
    return schema | {"anyOf": [{"$ref": "#/$defs/Head"}, *schema["anyOf"]]}


def comparison() -> dict[str, Any]:
    """Return the schema of comparison.json. The modules that it needs are loaded only here."""
    from stend.many.compare import Difference
    from stend.many.compare.rules import Answer
    from stend.many.settings import Differing
    from stend.many.sides import Key, Outcome
    from stend.report.parts.compared import OF_RUN

    why, key = reasons(), record(Key)
    figure = record(Difference, key=key, why=why, warned=why)
    run = shape("Run", {name: get_type_hints(Outcome)[name] for name in OF_RUN})
    side = shape("Side", {"name": str, "runs": many(run)})
    gated = {"rule": str, "answer": Answer, "p_holm": float | None, "figure": figure, "why": why}
    answers = {"answer": Answer, "shown": Answer, "undecided": str, "noninferior": bool}
    rules = shape("Rules", answers | {"figures": many(shape("Gated", gated))})
    fields = {"a": side, "b": side, "thresholds": dict[str, float], "anyway": bool, "notes": why}
    fields |= {"settings": many(record(Differing)), "differences": many(figure)}
    fields |= {"alone": shape("Alone", {"a": many(key), "b": many(key)}), "rules": rules | None}
    return file("Comparison", fields)


def trace() -> dict[str, Any]:
    """Return the schema of trace.json. The modules that it needs are loaded only here."""
    from stend.trace.form import About

    times = ("mean", "deviation", "longest", *PERCENTS)
    seconds = shape("Seconds", {"count": int} | dict.fromkeys(times, float | None))
    tally = {"ios": int, "bytes": int, "seconds": seconds | None}
    stream = {"label": str, "operation": str, "block_bytes": int, "random": bool, "depth": float | None}
    step = {"start": float, "seconds": float, "depth": float | None, "idle_share": float | None, "ios": dict[str, int]}
    cells = many(many(int))
    places = {
        "span_bytes": int,
        "touched_bytes": shape("Touched", dict.fromkeys(("reads", "writes", "all", "unit_bytes"), int)),
        "zones": many(shape("Zone", {"of_range": float, "of_ios": float})),
        "heat": shape("Heat", {"row_bytes": int, "seconds": float, "reads": cells, "writes": cells}),
    }
    done: Any = shape("Done", tally)
    depth = {"mean": float, "half": int, "most": int, "derived": bool}
    fields = {"about": About, "seconds": float | None, "ios": int, "bytes": int, "depth": shape("Depth", depth) | None}
    fields |= {"idle_share": float | None, "compressibility": None, "operations": dict[str, done]}
    fields |= {"streams": many(shape("Stream", stream | tally)), "steps": many(shape("Step", step))}
    return file("Trace", fields | {"gaps": seconds | None, "places": shape("Places", places) | None})
