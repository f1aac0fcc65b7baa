"""`stend sweep`: vary the parameters of virtual drives and measure their effect on each figure."""

import os
from pathlib import Path
from typing import Annotated

from stend.cli import _options
from stend.cli._option import argument, flag, option


def command(
    design: Annotated[Path, argument("DESIGN.toml", "Design: the parameters to vary and the tests to run.")],
    into: Annotated[Path | None, _options.into("sweeps/NAME, the name of the design")] = None,
    workers: Annotated[
        int | None, option("--workers", "N", "Worker processes; default: one per processor.", min=1, max=1024)
    ] = None,
    figure: Annotated[
        list[str] | None,
        option("--figure", "FIGURE", "A figure for the page, like 'iops[saturated]'; may be repeated."),
    ] = None,
    best: Annotated[
        str, option("--best", "WISH", "Figure or parameter to rank by, like 'least flash.spare_pct'.")
    ] = "",
    where: Annotated[
        list[str] | None,
        option("--require", "RULE", "Condition on ranked drives, like 'p99.9[saturated] < 5 ms'; may be repeated."),
    ] = None,
    plan: Annotated[bool, flag("--dry-run", "Print the drives and the duration; run nothing.")] = False,
    form: Annotated[list[str] | None, _options.formats(*_options.PAGES)] = None,
    lang: _options.Language = "en",
) -> int:
    """Vary the parameters of virtual drives and rank the results. Writes Parquet and a page.

    No real drive is used. The page shows how much each parameter affects each figure, and the best drives. Every result
    is saved at once: after a kill the same command continues. When all are done it writes the page again.
    docs/how-to/virtual-drives.md describes designs.

    Example: stend sweep design.toml --best 'iops[saturate,saturated]' --require 'p99.9[saturated] < 5 ms'
    """
    from stend.cli import _sweep

    folder, wishes = into or Path("sweeps") / design.stem, (figure or (), best, where or ())
    _sweep.check(design, wishes)
    if plan:
        _sweep.plan(design, folder)
        return 0
    _sweep.go(design, folder, workers or len(os.sched_getaffinity(0)), best)
    _sweep.finish(folder, wishes, form or ["html"], lang)
    return 0
