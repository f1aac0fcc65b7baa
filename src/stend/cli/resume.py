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

    Example: stend resume runs/20261120-120000-nvme0n1-iops --destroy-data S4XYNF0M
    """
    from stend import devices, store
    from stend.cli import _session, _settings
    from stend.errors import BadInput
    from stend.record import Run
    from stend.run import rerun, run

    recorded = list(store.read(folder))
    past = Run(recorded)
    if not past.started:
        raise BadInput(f"{folder} never started; delete it and run anew")
    if past.ended and past.ended.outcome in ("complete", "not steady"):
        raise BadInput(f"{folder} is finished; `stend report {folder}` makes its report again")
    plan, stopping = past.plan, _session.Stopping()
    device = devices.find(plan.device.target)
    _asked.same_drive(plan.device, device.identity)
    device.open(writes=True, destroy=destroy_data or _asked.typed_back(device), keep_off=(str(folder.absolute()),))
    try:
        raw = store.Raw(folder)
        engine = _session.engine_for(device, raw, plan.profile.minute_s)
        virtual = device.identity.virtual
        with _settings.kept(device, plan, folder):
            events = run(
                plan,
                device,
                engine,
                seed=past.seed,
                at=_session.now(),
                past=None if virtual else past,
                stopping=stopping,
            )
            _session.follow(folder, rerun(events, recorded) if virtual else events, raw)
    finally:
        device.close()
    del past, recorded  # what happened is read again from the folder, and a long run is large
    return _session.finish(folder)
