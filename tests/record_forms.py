"""What forms records have: `python -m tests.record_forms` writes tests/goldens/record_forms.json anew.

Each record (a Struct of msgspec) has one line: its fields with their defaults and bounds, as its JSON schema has them,
and whether it may be changed or hold unknown fields. Files of older versions leave defaults out, so that another
default would change what they state. Read the difference before committing it.
"""

import inspect
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from benchmarks.reached import modules

from tests.answers import plain

FILE = Path(__file__).parent / "goldens/record_forms.json"
TEXTS = ("description", "title")


def records() -> Iterator[type[msgspec.Struct]]:
    """Every record of stend, by module and name."""
    for name in sorted(modules()):
        if not name.endswith("__main__"):
            for _, record in sorted(vars(import_module(name)).items()):
                if inspect.isclass(record) and issubclass(record, msgspec.Struct) and record.__module__ == name:
                    yield record


def form(record: type[msgspec.Struct]) -> dict[str, Any]:
    """A record in one line."""
    config = record.__struct_config__
    options = {
        name: getattr(config, name) for name in ("frozen", "forbid_unknown_fields", "omit_defaults", "array_like")
    }
    try:
        _, parts = msgspec.json.schema_components([record], schema_hook=lambda kind: {"type": kind.__name__})
        fields = _without_texts(parts.get(record.__name__, {}))
    except (TypeError, ValueError):
        fields = [[one.name, plain(one.default)] for one in msgspec.structs.fields(record)]
    return {"is": [name for name, value in options.items() if value], "tag": config.tag, "fields": fields}


def _without_texts(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _without_texts(value) for key, value in schema.items() if key not in TEXTS or key == "properties"}
    return [*map(_without_texts, schema)] if isinstance(schema, list) else plain(schema)


def forms() -> dict[str, dict[str, Any]]:
    return {f"{record.__module__.removeprefix('stend.')}.{record.__name__}": form(record) for record in records()}


def main() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(told, ensure_ascii=False)}" for name, told in forms().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
