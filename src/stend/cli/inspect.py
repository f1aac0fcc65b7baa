"""`stend inspect`: examine drives without writing to them: identity, logs, response times by place, a verdict."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.base.errors import BadInput
from stend.cli import _complete, _mistakes, _options
from stend.cli._option import argument, flag, option

MINUTES = 5.0


def command(
    context: typer.Context,
    targets: Annotated[
        list[str] | None,
        argument(
            "DRIVE...",
            "A drive, such as /dev/nvme0n1; several are inspected at once.",
            autocompletion=_complete.targets,
        ),
    ] = None,
    minutes: Annotated[
        float, option("--minutes", "N", "Minutes for the sample of the surface.", min=0.05, max=1e5)
    ] = MINUTES,
    whole: Annotated[bool, flag("--whole", "Read every block instead of a sample.")] = False,
    in_use: _options.InUse = False,
    quick: _options.Quick = False,
    into: Annotated[Path | None, _options.into("runs/DATE-TARGET-inspect; must be new or empty")] = None,
    seed: _options.Seed = None,
    label: _options.Label = None,
    tested_by: _options.TestedBy = None,
    meter: _options.Meter = None,
    as_json: _options.Json = False,
    lang: _options.Language = "en",
    detach: _options.Detach = False,
    also: _options.AlsoTarget = None,
) -> int:
    """Inspect drives without writing to them. Print what they are, how worn, which places are slow, and a verdict.

    The drive is opened for reading only and keeps its data. The kernel's counters before and after show that nothing
    was written. The verdict is "fit to be tested", "look here first" or "send it back", with its reasons. It makes no
    statement about remaining life. With several targets, a table has one line per drive, the worst first.

    Example: stend inspect sim:small --minutes 1
    """
    from stend import session, store
    from stend.cli import _ends, _inspected, _terminal
    from stend.session.stopping import Signals

    drives = [*(targets or ()), *(also or ())]
    if not drives:
        raise BadInput(f"{_mistakes.NO_DRIVE}; example: `stend inspect sim:small --minutes 1`")
    if whole and minutes != MINUTES:
        raise BadInput("--whole reads every block, however long it takes; leave --minutes out")
    fields: dict[str, Any] = {"survey_minutes": 0.0 if whole else minutes, "in_use": in_use}
    fields |= {"label": label, "tested_by": tested_by, "meter": meter, "into": str(into) if into else None}
    request = session.Request(["inspect"], drives[0], None, quick, seed, **fields)
    if len(drives) > 1:
        return _inspected.many(request, drives, into, lang, as_json=as_json, apart=detach)
    if detach:
        from stend.cli import _apart

        return _apart.begin(context, request.folder, named=into is not None)
    with session.start(request, _terminal.Terminal(), Signals()) as running:
        typer.echo(f"Run folder: {running.folder}", err=as_json)
        _ends.follow(running)
    if as_json:
        passes = _inspected.printed([running.folder], lang)
        return _ends.exit_code(running.folder, store.load(running.folder)) or passes
    return _ends.finish(running.folder)
