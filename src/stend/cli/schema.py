"""`stend schema`: print the JSON Schema of stend's JSON outputs."""

from typing import Annotated

import typer


def command(
    name: Annotated[
        str, typer.Argument(metavar="WHAT", help="report, comparison, batch, sweep, events, show or trace.")
    ] = "report",
) -> None:
    """Print the JSON Schema of report.json or another JSON output.

    The schemas (2020-12) describe report.json, comparison.json, batch.json, sweep.json, trace.json, a line of
    events.jsonl, and `stend show --json`.

    Example: stend schema comparison
    """
    import json

    from stend.base.errors import BadInput
    from stend.cli import _summary
    from stend.report import json as report
    from stend.report.parts import schemas, schemas_many

    known = {
        "report": report.schema,
        "comparison": schemas.comparison,
        "batch": schemas_many.batch,
        "sweep": schemas_many.sweep,
        "events": schemas.events,
        "show": _summary.schema,
        "trace": schemas.trace,
    }
    if name not in known:
        raise BadInput(f"there is no schema {name!r}; choose from {', '.join(known)}")
    typer.echo(json.dumps(known[name](), indent=1, ensure_ascii=False))
