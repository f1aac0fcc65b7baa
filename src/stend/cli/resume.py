"""`stend resume`: continue a run that was cut off."""

import os
from typing import Annotated

import typer

from stend.base.errors import BadInput
from stend.cli import _options, _runs
from stend.cli._option import flag


def command(
    context: typer.Context,
    run: _runs.Run = _runs.LAST,
    destroy_data: _options.DestroyEach = None,
    overwrite_file: _options.OverwriteFile = None,
    every: Annotated[
        bool, flag("--all", "Every run below RUN (default: runs) that was cut off, the oldest first.")
    ] = False,
    in_use: _options.InUse = False,
    detach: _options.Detach = False,
) -> int:
    """Continue a run that was killed, stopped or failed. It restarts at its last safe boundary.

    RUN may also be the folder of several runs (`stend repeat`, or `stend run` on several targets). The last run names
    its series. The drive must be the same one; it is found by its serial number or WWN if its node has another name. At
    most an incomplete last line of the record is dropped. If the run is complete but its report is missing, the report
    is written.

    Example: stend resume last --destroy-data S4XYNF0M
    """
    from stend import session
    from stend.cli import _all, _ends, _series, _terminal
    from stend.session import series
    from stend.session.stopping import Signals
    from stend.session.together import group

    overwrite = tuple(overwrite_file or ())
    if every:
        own = {"--destroy-data": destroy_data, "--overwrite-file": overwrite, "--in-use": in_use, "--detach": detach}
        _all.alone(own)
        return _all.go_on(_runs.RUNS if run == _runs.LAST else run)
    folder = _all.meant(run)
    if os.path.exists(folder / group.FILE):  # a folder that cannot be read is told as that of a run
        from stend.cli import _together

        targets = [member.request.target for member in group.load(folder).members]
        return _together.go(folder, _together.named(targets, destroy_data or ()), overwrite, apart=detach)
    if detach:
        from stend.cli import _apart

        return _apart.begin(context, folder)
    if os.path.exists(folder / series.FILE):
        return _series.go(folder, _series.answers(series.load(folder), destroy_data or ()), overwrite)
    if destroy_data and len(destroy_data) > 1:
        raise BadInput("a run has one drive; give --destroy-data once")
    named = destroy_data[0] if destroy_data else None
    with session.resume(folder, named, _terminal.Terminal(), Signals(), overwrite, in_use=in_use) as running:
        _ends.follow(running)
    return _ends.finish(folder)
