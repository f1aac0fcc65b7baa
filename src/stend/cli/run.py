"""`stend run`: purge a drive, precondition it, measure it and write the report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options
from stend.cli._option import flag, option


@_options.with_settings
def command(
    context: typer.Context,
    tests: _options.Tests,
    target: _options.Targets,
    fields: dict[str, Any],
    into: Annotated[Path | None, _options.into("runs/DATE-TARGET-TESTS; must be new or empty")] = None,
    destroy_data: _options.DestroyEach = None,
    overwrite_file: _options.OverwriteFile = None,
    create: _options.Create = None,
    label: _options.Label = None,
    meter: _options.Meter = None,
    together: Annotated[
        bool, flag("--together", "Several drives: start measured phases at the same time, whatever the trial finds.")
    ] = False,
    trial: Annotated[
        float, option("--trial", "S", "Several drives: seconds per window of the trial; 0: no trial.", min=0, max=600)
    ] = 5.0,
    detach: _options.Detach = False,
) -> int:
    """Run tests on a drive and write the run folder and its report.

    All data on the target is destroyed. Name the drive twice: by --target and by --destroy-data NAME, its serial
    number (for a file, its full path).

    Example: stend run iops write-saturation --target sim:small --quick
    """
    from stend import session
    from stend.base.errors import BadInput
    from stend.cli import _ends, _terminal
    from stend.session.stopping import Signals

    fields |= {"destroy": destroy_data[0] if destroy_data else None, "into": str(into) if into else None}
    fields |= {"overwrite": tuple(overwrite_file or ()), "create": create, "label": label, "meter": meter}
    request = session.Request(tests, target[0], **fields)
    if len(target) == 1 and len(destroy_data or ()) > 1:
        raise BadInput("a run has one drive; give --destroy-data once")
    if len(target) > 1:
        from stend.cli import _together

        requests = _together.requests(request, target, destroy_data or ())
        return _together.begin(requests, into, barrier=together, trial_s=trial, apart=detach)
    if detach:
        from stend.cli import _apart

        return _apart.begin(context, request.folder, named=into is not None)
    with session.start(request, _terminal.Terminal(), Signals()) as running:
        typer.echo(f"Run folder: {running.folder}")
        _ends.follow(running)
    return _ends.finish(running.folder)
