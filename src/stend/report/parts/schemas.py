"""JSON schemas of what stend writes as JSON, made of the types and tables that it is written from."""

from typing import Any, get_args, get_type_hints

import msgspec

from stend.model.events import Event
from stend.report.parts.records import COLUMNS
from stend.store.journal import HEAD

DRAFT = "https://json-schema.org/draft/2020-12/schema"
OF_SQL: dict[str, Any] = {"VARCHAR": str | None, "BIGINT": int | None, "DOUBLE": float | None, "BOOLEAN": bool | None}
MAY = msgspec.UnsetType
DIGEST = {"type": "string", "pattern": "^[0-9a-f]+$"}


def whole(kind: Any) -> dict[str, Any]:
    """The schema of a type, with the draft that it is written in."""
    return {"$schema": DRAFT} | msgspec.json.schema(kind)


def shape(name: str, fields: dict[str, Any]) -> Any:
    """An object of JSON with these fields and no others; names may be any words, a kind `| MAY` may be left out."""
    plain = {field: field.replace(".", "_") for field in fields}
    listed = [(plain[f], kind, *([msgspec.UNSET] if MAY in get_args(kind) else [])) for f, kind in fields.items()]
    rename = {plain[field]: field for field in fields}
    return msgspec.defstruct(name, listed, rename=rename, forbid_unknown_fields=True, kw_only=True)


def many(kind: Any) -> Any:
    """A list of these."""
    return tuple[kind, ...]


def record(kind: Any, **other: Any) -> Any:
    """A record of ours as an object, by its fields' own types."""
    return shape(kind.__name__, get_type_hints(kind) | other)


def reasons() -> Any:
    """Sentences: the key of each, and the values that it is said with."""
    return many(msgspec.defstruct("Reason", [("key", str)]))


def records() -> Any:
    """A row of `records`: the columns of the CSV."""
    return shape("Record", {name: OF_SQL[kind] for name, kind in COLUMNS.items()})


def events() -> dict[str, Any]:
    """A line of events.jsonl: the first tells format and version, each other one is an event with its place."""
    told = whole(Event)
    place = {"n": {"type": "integer", "minimum": 1}, "chain": DIGEST}
    for name in told["discriminator"]["mapping"].values():
        told["$defs"][name.rpartition("/")[2]]["properties"] |= place
    told["$defs"]["Head"] = {
        "type": "object",
        "description": "The first line.",
        "properties": {name: {"const": value} for name, value in HEAD.items()}
        | dict.fromkeys(("run", "manifest", "host"), DIGEST),
        "required": list(HEAD),
        "additionalProperties": False,
    }
    del told["discriminator"]
    return told | {"anyOf": [{"$ref": "#/$defs/Head"}, *told["anyOf"]]}


def comparison() -> dict[str, Any]:
    """comparison.json; what compares and draws is not loaded for any other."""
    from stend.many.compare import Difference
    from stend.many.compare.rules import Answer
    from stend.many.settings import Differing
    from stend.many.sides import Key, Outcome
    from stend.report.parts.compared import OF_RUN

    why, key = reasons(), record(Key)
    figure = record(Difference, key=key, why=why, warned=why)
    run = shape("Run", {name: get_type_hints(Outcome)[name] for name in OF_RUN})
    side = shape("Side", {"name": str, "runs": many(run)})
    one = {"rule": str, "answer": Answer, "p_holm": float | None, "figure": figure, "why": why}
    said = {"answer": Answer, "shown": Answer, "undecided": str, "noninferior": bool}
    rules = shape("Rules", said | {"figures": many(shape("Gated", one))})
    return whole(
        shape(
            "Comparison",
            {
                "format": int,
                "stend": str,
                "a": side,
                "b": side,
                "thresholds": dict[str, float],
                "anyway": bool,
                "notes": why,
                "settings": many(record(Differing)),
                "differences": many(figure),
                "alone": shape("Alone", {"a": many(key), "b": many(key)}),
                "rules": rules | None,
            },
        )
    )


def trace() -> dict[str, Any]:
    """trace.json; what describes traces is not loaded for any other."""
    from stend.trace.form import About

    times = ("mean", "deviation", "longest", "p50", "p99", "p99.9", "p99.99")
    seconds = shape("Seconds", {"count": int} | dict.fromkeys(times, float | None))
    tally = {"ios": int, "bytes": int, "seconds": seconds | None}
    own = {"label": str, "operation": str, "block_bytes": int, "random": bool, "depth": float | None}
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
    return whole(
        shape(
            "Trace",
            {
                "format": int,
                "stend": str,
                "about": About,
                "seconds": float | None,
                "ios": int,
                "bytes": int,
                "depth": shape("Depth", depth) | None,
                "idle_share": float | None,
                "compressibility": None,
                "operations": dict[str, done],
                "streams": many(shape("Stream", own | tally)),
                "steps": many(shape("Step", step)),
                "gaps": seconds | None,
                "places": shape("Places", places) | None,
            },
        )
    )
