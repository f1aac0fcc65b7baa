"""`stend resume`: go on with a run that was cut off."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _asked


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    destroy_data: _asked.DestroyData = None,
) -> int:
    """Go on with a run that was killed, stopped or failed, from its last safe boundary.

    The drive must be the very one of the run. At most a torn last line of the record is dropped.
    A run that came to its end without its report gets it.

    Example: stend resume runs/20261120-120000-nvme0n1-iops --destroy-data S4XYNF0M
    """
    from stend import session
    from stend.cli import _ends, _terminal
    from stend.session.stopping import Signals

    with session.resume(folder, destroy_data, _terminal.Terminal(), Signals()) as running:
        _ends.follow(running)
    return _ends.finish(folder)
