"""`stend resume`: go on with a run that was cut off."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.cli import _asked
from stend.record import Run
from stend.store import writer

if TYPE_CHECKING:
    from stend.cli._session import Stopping


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run folder.")],
    destroy_data: _asked.DestroyData = None,
) -> int:
    """Go on with a run that was killed, stopped or failed, from its last safe boundary.

    The drive must be the very one of the run. At most a torn last line of the record is dropped.
    A run that came to its end without its report gets it.

    Example: stend resume runs/20261120-120000-nvme0n1-iops --destroy-data S4XYNF0M
    """
    from stend import store
    from stend.cli import _session
    from stend.store import journal

    stopping = _session.Stopping()
    journal.Record(folder)  # BadInput where there is no run, before anything is written there
    with writer.sole(folder, "resume") as before:
        past = store.load(folder)
        if past.wrong:
            raise store.unsound(folder, past.wrong)
        if past.ended and past.ended.outcome in ("complete", "not steady"):
            _complete(folder, past)
        else:
            _go_on(folder, past, destroy_data, before, stopping)
        del past  # what happened is read again from the folder, and a long run is large
        return _session.finish(folder)


def _complete(folder: Path, past: Run) -> None:
    """BadInput unless something was left to do when the run was cut off after its last event."""
    from stend.cli import _settings
    from stend.errors import BadInput
    from stend.store import reports

    left = _settings.put_back([folder])
    for line in left:
        typer.echo(line)
    if not left and reports.current(folder, past):
        raise BadInput(f"{folder} is finished; `stend report {folder}` makes its report again")


def _go_on(folder: Path, past: Run, destroy_data: str | None, before: writer.Before, stopping: "Stopping") -> None:
    from stend import devices, store
    from stend.again import announced, rerun
    from stend.cli import _session, _settings
    from stend.run import run

    plan = past.plan
    device = devices.find(plan.device.target)
    _asked.same_drive(plan.device, device.identity)
    named = destroy_data or _asked.typed_back(device)
    with closing(device):
        device.open(writes=True, destroy=named, keep_off=(str(folder.absolute()),))
        there = _asked.same_as_then(past, device.identity)
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
                fingerprint=there,
                stopping=stopping,
            )
            if virtual:
                events = rerun(events, store.read(folder))
            _session.follow(folder, announced(events, before.said), raw, stopping, store.read(folder))
