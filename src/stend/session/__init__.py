"""A run from request to end: the drive found, asked for, guarded, set, loaded, written down, and let go.

Between whoever wants a run (the command line, a watcher, a worker of a fleet, a program) and the loop:

    request = session.Request(["iops"], "sim:small", quick=True)
    with session.start(request) as run:
        for event in run:
            ...
    print(store.load(run.folder).stamps)
"""

import os
import secrets
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from stend import devices, host, store
from stend.base.errors import BadInput
from stend.devices import Device
from stend.model.definition import Plan
from stend.model.events import Event
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run
from stend.runner.resume import announced, rerun
from stend.session import engine, same, write_cache
from stend.session.operator import Operator
from stend.session.request import Request
from stend.session.running import Running
from stend.session.stopping import Stop
from stend.session.together import turns
from stend.store import journal, reports, writer

__all__ = ["Operator", "Request", "Running", "Stop", "planned", "resume", "start"]

NOBODY = Operator()


def planned(request: Request) -> Plan:
    """What would be run: every step on the drive that is there; nothing is opened.

    Units: bytes and seconds, at the end of each name.
    Errors: BadInput where that cannot be.
    Source: `stend.planning.plan`, the clauses of each test in its file of `stend.suite`.
    """
    return _drawn(request, devices.find(request.target))


@contextmanager
def start(request: Request, operator: Operator = NOBODY, stop: Stop | None = None) -> Iterator[Running]:
    """A run that is ready: its folder is made, its drive is ours. Leaving lets the drive go, wherever the run is.

    Units: as in its events.
    Errors: BadInput, Refused or Missing before anything is made; a file that was made for it is taken away again then.
    Source: the gate (docs/drives.md), `stend.runner.loop`.
    """
    stop, request = stop or Stop(), request.seeded(secrets.randbits(62))
    engine.can_load(request.target)
    with ExitStack() as undo:
        device = _found(request, undo)
        with closing(device.door):
            drawn, folder = _drawn(request, device), request.folder
            path, there = _taken(device, request.destroy, request.overwrite, operator, folder)
            store.create(folder, request.manifest, host.describe())
            with writer.sole(folder, "run"):
                raw = store.Raw(folder)
                load = engine.engine_for(device, path, raw, drawn, stop)
                undo.pop_all()
                with write_cache.kept(device, drawn, folder, operator.hear) as said:
                    at, seed = time.time(), request.seed or 0
                    with turns.taken(folder, said, stop) as turn:
                        events = run(said, device, load, seed=seed, at=at, fingerprint=there, stopping=stop, turn=turn)
                        with closing(Running(folder, said, store.append(folder, events, raw), stop)) as running:
                            yield running


@contextmanager
def resume(
    folder: Path,
    destroy: str | None = None,
    operator: Operator = NOBODY,
    stop: Stop | None = None,
    overwrite: tuple[str, ...] = (),
) -> Iterator[Running]:
    """A run that was cut off, ready to go on from its last safe boundary; as `start`.

    One that came to its end without its report has no events left.

    Units: as in its events.
    Errors: as `start`; BadInput where nothing at all is left to do.
    Source: `stend.runner.resume`, which says where a run may go on.
    """
    stop = stop or Stop()
    journal.Record(folder)  # BadInput where there is no run, before anything is written there
    with writer.sole(folder, "resume") as before:
        past = store.load(folder)
        if past.wrong:
            raise store.unsound(folder, past.wrong)
        if past.source:
            raise BadInput(f"{folder} was imported from {past.source.name}: there is nothing to go on with")
        if past.ended and past.ended.outcome in ("complete", "not steady"):
            yield _ended(folder, past, operator, stop)
            return
        with _gone_on(folder, past, (destroy, overwrite), before, operator, stop) as running:
            del past  # what happened is read again from the folder, and a long run is large
            yield running


def _found(request: Request, undo: ExitStack) -> Device:
    """The drive; made first when it is to be a new file, and then taken away by `undo`."""
    if not request.create:
        return devices.find(request.target)
    device = devices.create(request.target, request.create_bytes)
    undo.callback(Path(request.target).unlink, missing_ok=True)
    return device


def _none() -> Generator[Event, None, None]:
    yield from ()


def _drawn(request: Request, device: Device) -> Plan:
    names, profile, told = plan.gather(request.tests, request.profile, request.changes, quick=request.quick)
    drawn = plan.draw(names, profile, device.identity, deviations=told)
    return plan.purged_first(drawn) if request.purge else drawn


def _taken(
    device: Device, destroy: str | None, overwrite: tuple[str, ...], operator: Operator, folder: Path
) -> tuple[str, dict[str, str]]:
    """Take the drive; return the path for its load, and the fingerprint of the drive and of what was on it."""
    named = destroy or operator.names(device)
    path = device.door.open(writes=True, destroy=named, keep_off=(os.path.abspath(folder),), overwrite=overwrite)
    return path, device.door.fingerprint()


def _ended(folder: Path, past: Run, operator: Operator, stop: Stop) -> Running:
    """A run without events; BadInput unless something was left to do when it was cut off after its last event."""
    left = write_cache.put_back([folder])
    for line in left:
        operator.hear(line)
    if not left and reports.current(folder, past):
        raise BadInput(f"{folder} is finished; `stend report {folder}` makes its report again")
    return Running(folder, past.plan, _none(), stop)


@contextmanager
def _gone_on(
    folder: Path,
    past: Run,
    leave: tuple[str | None, tuple[str, ...]],
    before: writer.Before,
    operator: Operator,
    stop: Stop,
) -> Iterator[Running]:
    device = devices.find(past.plan.device.target)
    same.drive(past.plan.device, device.identity)
    with closing(device.door):
        path, there = _taken(device, *leave, operator, folder)
        same.as_then(past, device, there)
        raw, virtual = store.Raw(folder), device.identity.virtual
        load, at = engine.engine_for(device, path, raw, past.plan, stop), time.time()
        kept, taken = write_cache.kept(device, past.plan, folder, operator.hear), turns.taken(folder, past.plan, stop)
        with kept, taken as turn:
            again = None if virtual else past
            events = run(
                past.plan, device, load, seed=past.seed, at=at, past=again, fingerprint=there, stopping=stop, turn=turn
            )
            events = announced(rerun(events, store.read(folder)) if virtual else events, before.said)
            with closing(Running(folder, past.plan, store.append(folder, events, raw), stop, past=True)) as running:
                yield running
