"""`stend sweep`: thousands of virtual drives, and what drives which figure."""

import os
from pathlib import Path
from typing import Annotated

import typer


def command(
    design: Annotated[Path, typer.Argument(metavar="DESIGN.toml", help="What is varied, and what is run.")],
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Where it is kept; sweeps/ and the design's name.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=1024, help="Processes at once; as many as processors.")
    ] = None,
    figure: Annotated[
        list[str] | None, typer.Option("--figure", metavar="FIGURE", help="On the page, like 'iops[saturated]'.")
    ] = None,
    best: Annotated[str, typer.Option("--best", help="A figure or parameter, like 'least flash.spare_pct'.")] = "",
    where: Annotated[
        list[str] | None, typer.Option("--where", help="What must hold, like 'p99.9[saturated] < 5 ms'.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be run, and run nothing.")] = False,
    form: Annotated[
        list[str] | None, typer.Option("--format", help="html, pdf, markdown or json; may be repeated.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
) -> int:
    """Run a design of virtual drives in worker processes: Parquet, what drives which figure, the best designs.

    Nothing real is touched. Each drive is kept when it is done: the same command goes on after a kill, and where all
    is done makes the page again. docs/sweeping.md tells how a design is written.

    Example: stend sweep design.toml --best 'iops[saturated]' --where 'p99.9[saturated] < 5 ms'
    """
    from stend.cli import _sweep

    folder = into or Path("sweeps") / design.stem
    if plan:
        _sweep.plan(design, folder)
        return 0
    _sweep.go(design, folder, workers or len(os.sched_getaffinity(0)))
    _sweep.told(folder, (figure or (), best, where or ()), form or ["html"], lang)
    return 0
