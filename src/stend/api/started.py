"""Start a run from a program, and return it when it has ended."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.api.opened import Opened
from stend.api.opened import open as open_one
from stend.base.errors import StepFailed


def run(
    tests: str | Sequence[str],
    target: str,
    *,
    quick: bool = False,
    profile: str | None = None,
    into: str | Path | None = None,
    lang: str = "en",
    **options: Any,
) -> Opened:
    """Run tests on a drive until they end, and return the run: `stend.run(["iops"], "sim:small", quick=True)`.

    The run folder is `into`, by default a new one in runs/. `options` are the other fields of
    `stend.session.Request`. A real drive needs `destroy`, its serial number (for a file, its full path), because
    all data on it is destroyed. The report is written by `.report()` of the result.

    Units: as in `stend.session.Request`.
    Errors: BadInput, Refused or Missing before anything is created. StepFailed if the run failed; its folder stays.
    Source: `stend run`.
    """
    from stend import session

    names = [tests] if isinstance(tests, str) else [*tests]
    folder = str(into) if into else None
    request = session.Request(names, target, profile, quick, into=folder, **options)
    with session.start(request) as running:
        for _ in running:
            pass
    opened = open_one(running.folder, lang)
    if (end := opened.record.ended) and end.outcome == "failed":
        raise StepFailed(f"the run failed: {end.reason or 'see its notes'}; its folder is {running.folder}")
    return opened
