"""`stend list`: the runs below a folder."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated

import typer

from stend.cli import _options, _runs, _table
from stend.cli._option import option

if TYPE_CHECKING:
    from stend.catalogue import About, Catalogue

SHOWN = "run,started,model,tests,outcome"


def command(
    top: _runs.Top = _runs.RUNS,
    columns: Annotated[str, option("--columns", "A,B", "Columns of the table `runs`, or all.")] = SHOWN,
    sort: Annotated[
        str, option("--sort", "COLUMN", "Sort by this column; -COLUMN sorts in descending order.")
    ] = "started",
    where: _options.Where = None,
    last: Annotated[int | None, option("--last", "N", "Only the last N runs.", min=1)] = None,
    as_json: _options.Json = False,
) -> None:
    """List the runs below a folder, oldest first.

    The columns are the folder, time, drive, tests and outcome. Folders that cannot be read are listed with the reason.
    Times are in the time zone of this host, those of reports in UTC. --json prints all columns, times in seconds since
    1970.

    Example: stend list runs --where 'model=KC*' --sort -seconds --columns run,model,firmware,seconds
    """
    from stend.catalogue import opened
    from stend.catalogue.choice import chosen, column, ordered, parsed
    from stend.catalogue.columns import TYPES

    names = list(TYPES) if columns == "all" else [column(word.strip()) for word in columns.split(",")]
    needed = {
        *(TYPES if as_json else names),
        column(sort.removeprefix("-")),
        *(parsed(text)[0] for text in where or ()),
    }
    with opened(_runs.top(top), _runs.show_progress, labels="label" in needed) as catalogue:
        every = catalogue.runs if as_json else catalogue.only(*needed)
        runs = ordered(chosen(every, where or ()), sort)[-(last or 0) :]
        typer.echo(_json(catalogue, runs) if as_json else "\n".join(_lines(catalogue, runs, names)))


def _lines(catalogue: "Catalogue", runs: "Sequence[About]", names: list[str]) -> list[str]:
    broken = [f"{catalogue.top / run.run}: {run.why}" for run in catalogue.broken]
    if not runs:
        few = " of that kind" if catalogue.known.places else ""
        return [*broken, *([] if broken else [f"no runs{few} below {catalogue.top}"])]
    columns = [(name.removesuffix("_s").removesuffix("_bytes"), _cells(catalogue, runs, name)) for name in names]
    return [*broken, *_table.lines(columns, whole=("run", "started"))]


def _cells(catalogue: "Catalogue", runs: "Sequence[About]", name: str) -> list[str]:
    """Return the cells of one column as text."""
    from stend.base.units import decimal, duration

    values = list(map(attrgetter(name), runs))
    if name == "run":
        below = str(catalogue.top / "x")[:-1]
        return [below + value for value in values]
    if name == "outcome":
        return [_outcome(catalogue, run) for run in runs]
    if name == "started_s":
        return list(map(_when, values))
    if name == "seconds":
        return ["" if value is None else duration(value) for value in values]
    shown = decimal if name.endswith("_bytes") else _table.as_text
    texts = {value: shown(value) if value else _table.as_text(value) for value in set(values)}  # few distinct values
    return [texts[value] for value in values]


def _outcome(catalogue: "Catalogue", run: "About") -> str:
    from stend.store import writer

    goes_on = run.outcome == "unfinished" and writer.holder(catalogue.top / run.run).alive
    return f"{run.outcome} (running)" if goes_on else run.outcome


def _when(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).isoformat(" ", "minutes")
    except (OverflowError, ValueError, OSError):
        return "?"


def _json(catalogue: "Catalogue", runs: "Sequence[About]") -> str:
    import msgspec

    from stend.words import english

    rows = [{"path": str(catalogue.top / run.run)} | msgspec.structs.asdict(run) for run in runs]
    rows += [{"path": str(catalogue.top / run.run), "run": run.run, "error": run.why} for run in catalogue.broken]
    return "[" + ",\n ".join(msgspec.json.encode(row, enc_hook=english).decode() for row in rows) + "]"
