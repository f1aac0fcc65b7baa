"""`stend schema`: print the JSON Schema of stend's JSON outputs."""

from typing import Annotated

import typer

from stend.cli._option import argument

PARTS = "stend.report.parts"
SCHEMAS = {
    "report": ("stend.report.json", "schema"),
    "comparison": (f"{PARTS}.schemas", "comparison"),
    "lot": (f"{PARTS}.schemas_many", "lot"),
    "inspection": (f"{PARTS}.schemas_many", "inspection"),
    "sweep": (f"{PARTS}.schemas_many", "sweep"),
    "events": (f"{PARTS}.schemas", "events"),
    "show": ("stend.cli._summary", "schema"),
    "trace": (f"{PARTS}.schemas", "trace"),
    "site": ("stend.publish.schemas", "index"),
    "site-drive": ("stend.publish.schemas", "drive"),
}
"""Module and function of each schema."""


def _begin(incomplete: str) -> list[str]:
    """Return the outputs that begin like this, for the shell."""
    return [name for name in SCHEMAS if name.startswith(incomplete)]


def command(
    name: Annotated[str, argument("[OUTPUT]", f"{', '.join(SCHEMAS)}.", autocompletion=_begin)] = "report",
) -> None:
    """Print the JSON Schema of report.json or another JSON output.

    The schemas (2020-12) describe report.json, comparison.json, lot.json, sweep.json, trace.json, a line of
    events.jsonl, `stend inspect --json`, `stend show --json`, and the data of a site.

    Example: stend schema comparison
    """
    import importlib

    from stend.base.errors import BadInput
    from stend.base.text import did_you_mean
    from stend.cli import _grammar, _table, _verbs

    if name in _grammar.OLD_SCHEMAS:
        _verbs.say_renamed(f"`stend schema {name}`", f"`stend schema {_grammar.OLD_SCHEMAS[name]}`")
        name = _grammar.OLD_SCHEMAS[name]
    if name not in SCHEMAS:
        known = f"there are {', '.join(SCHEMAS)}"
        raise BadInput(f"there is no schema {name!r}{did_you_mean(name, SCHEMAS, known)}")
    module, function = SCHEMAS[name]
    schema = getattr(importlib.import_module(module), function)()
    typer.echo(_table.data(schema))
