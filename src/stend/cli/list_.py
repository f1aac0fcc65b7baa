"""`stend list`: the runs below a folder."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.base.errors import BadInput
from stend.cli import _reading, _table

if TYPE_CHECKING:
    from stend.catalogue import About, Catalogue

SHOWN = "run,started,model,tests,outcome"


def command(
    top: Annotated[Path, typer.Argument(help="The folder that holds run folders, or folders of them.")] = Path("runs"),
    columns: Annotated[
        str, typer.Option("--columns", metavar="A,B", help="What to show: columns of the table `runs`, or all.")
    ] = SHOWN,
    sort: Annotated[
        str, typer.Option("--sort", metavar="COLUMN", help="Order by it; -COLUMN for downwards.")
    ] = "started",
    where: _reading.Where = None,
    last: Annotated[int | None, typer.Option("--last", metavar="N", min=1, help="Only the last N of them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All columns, as JSON; broken folders with `error`.")] = False,
) -> None:
    """List the runs below a folder, oldest first: when, drive, tests, how each ended; broken ones with their reason.

    Example: stend list runs --where 'model=KC*' --sort -seconds --columns run,model,firmware,seconds
    """
    from stend.catalogue import opened
    from stend.catalogue.choice import chosen, column, ordered, parsed
    from stend.catalogue.columns import TYPES

    names = list(TYPES) if columns == "all" else [column(word.strip()) for word in columns.split(",")]
    asked = {*(TYPES if as_json else names), column(sort.removeprefix("-")), *(parsed(text)[0] for text in where or ())}
    if not top.is_dir():
        raise BadInput(f"{top} is not a folder; name a folder of runs, such as runs/")
    with opened(top, _reading.hear, labels="label" in asked) as catalogue:
        every = catalogue.runs if as_json else catalogue.only(*asked)
        runs = ordered(chosen(every, where or ()), sort)[-(last or 0) :]
        typer.echo(_json(catalogue, runs) if as_json else "\n".join(_lines(catalogue, runs, names)))


def _lines(catalogue: "Catalogue", runs: "Sequence[About]", names: list[str]) -> list[str]:
    told = [f"{catalogue.top / one.run}: {one.why}" for one in catalogue.broken]
    if not runs:
        few = " of that kind" if catalogue.known.places else ""
        return [*told, *([] if told else [f"no runs{few} below {catalogue.top}"])]
    columns = [(name.removesuffix("_s").removesuffix("_bytes"), _said(catalogue, runs, name)) for name in names]
    return [*told, *_table.lines(columns, whole=("run", "started"))]


def _said(catalogue: "Catalogue", runs: "Sequence[About]", name: str) -> list[str]:
    """A column."""
    from stend.base.units import decimal, duration

    values = list(map(attrgetter(name), runs))
    if name == "run":
        below = str(catalogue.top / "x")[:-1]
        return [below + value for value in values]
    if name == "started_s":
        return list(map(_when, values))
    if name == "seconds":
        return ["" if value is None else duration(value) for value in values]
    shown = decimal if name.endswith("_bytes") else _table.said
    told = {value: shown(value) if value else _table.said(value) for value in set(values)}  # a few, thousands of times
    return [told[value] for value in values]


def _when(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds).isoformat(" ", "minutes")
    except (OverflowError, ValueError, OSError):
        return "?"


def _json(catalogue: "Catalogue", runs: "Sequence[About]") -> str:
    import msgspec

    told = [{"path": str(catalogue.top / one.run)} | msgspec.structs.asdict(one) for one in runs]
    told += [{"path": str(catalogue.top / one.run), "run": one.run, "error": one.why} for one in catalogue.broken]
    return "[" + ",\n ".join(msgspec.json.encode(one).decode() for one in told) + "]"
