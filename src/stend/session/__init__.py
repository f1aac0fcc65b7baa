"""Run tests from a request to the end: find and open the drive, set its cache, load it, record, and close it.

Interface between callers (the command line, a watcher, a worker of a fleet, a program) and the loop:

    request = session.Request(["iops"], "sim:small", quick=True)
    with session.start(request) as run:
        for event in run:
            ...
    print(store.load(run.folder).stamps)
"""

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from stend import devices, host, store
from stend.base.errors import BadInput
from stend.base.text import typed
from stend.devices import Device
from stend.engines import Engine
from stend.model.definition import Plan
from stend.model.events import TEXTS, Event
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run
from stend.runner.resume import announced, rerun
from stend.session import engine, evidence, metering, opening, settings
from stend.session.opening import Permission
from stend.session.operator import Operator
from stend.session.request import Request
from stend.session.stopping import Stop
from stend.session.together import turns
from stend.store import journal, reports, writer
from stend.words import Sentence

__all__ = ["Operator", "Request", "Running", "Stop", "planned", "resume", "start"]

NO_OPERATOR = Operator()


class Running:
    """A run that is ready to start. Iterate it for its events: `folder` stores each first. `plan` holds the steps."""

    def __init__(
        self, folder: Path, plan: Plan, events: Generator[Event, None, None], stop: Stop, *, past: bool = False
    ) -> None:
        self.folder, self.plan, self._events, self._stop, self._resumed = folder, plan, events, stop, past

    def __iter__(self) -> Iterator[Event]:
        self._stop.running = True
        return self._events

    @property
    def past(self) -> Iterable[Event]:
        """Return the recorded events of a resumed run."""
        return store.read(self.folder) if self._resumed else ()

    def stop(self) -> None:
        """Request the end of the run. The load stops after the present IOs. The last event's outcome is `stopped`."""
        self._stop.requested = True

    def close(self) -> None:
        """Stop the load at once, without a last event."""
        self._events.close()


def planned(request: Request) -> Plan:
    """Return the plan of a request: every step on the present drive. Nothing is opened.

    Units: bytes and seconds, at the end of each name.
    Errors: BadInput if the request does not fit.
    Source: `stend.planning.plan`, the clauses of each test in its file of `stend.suite`.
    """
    return _drawn(request, devices.find(request.target))


@contextmanager
def start(request: Request, operator: Operator = NO_OPERATOR, stop: Stop | None = None) -> Iterator[Running]:
    """Prepare a run: create its folder and open its drive. Leaving the block closes the drive, wherever the run is.

    Units: as in its events.
    Errors: BadInput, Refused or Missing before anything is created. A file created for the run is removed then.
    Source: the gate (docs/how-to/drives-safely.md), `stend.runner.loop`.
    """
    stop, request = stop or Stop(), request.seeded(secrets.randbits(62))
    program = engine.can_load(request.target)
    with ExitStack() as held, ExitStack() as undo:
        device = _find(request, undo)
        if words := engine.slow(request.target):
            operator.report(words)
        with closing(device.door):
            drawn, folder = _drawn(request, device), request.folder
            meter = held.enter_context(metering.reading(request.meter, device, drawn))
            permission = Permission(request.destroy, request.overwrite, request.in_use)
            path, fingerprint = opening.opened(device, drawn, permission, operator, folder)
            store.create(folder, request.manifest, host.describe(path) | program)
            with writer.sole(folder, "run"):
                raw = store.Raw(folder)
                load = metering.quieted(engine.engine_for(device, path, raw, drawn, stop), meter)
                undo.pop_all()
                with opening.kept(device, drawn, folder, operator.report) as noted:
                    begin = _begin(folder, noted, device, load, fingerprint, stop)
                    with turns.taken(folder, noted, stop) as turn:
                        events = begin(seed=request.seed or 0, turn=turn, **request.texts)
                        events = evidence.kept(metering.kept(events, meter, load), device, folder)
                        with closing(Running(folder, noted, store.append(folder, events, raw), stop)) as running:
                            yield running


@contextmanager
def resume(
    folder: Path,
    destroy: str | None = None,
    operator: Operator = NO_OPERATOR,
    stop: Stop | None = None,
    overwrite: tuple[str, ...] = (),
    *,
    in_use: bool = False,
) -> Iterator[Running]:
    """Prepare an interrupted run to continue from its last safe boundary, like `start`.

    A run that ended without its report has no events left.

    Units: as in its events.
    Errors: as `start`. BadInput if nothing is left to do.
    Source: `stend.runner.resume`, which defines where a run may continue.
    """
    stop = stop or Stop()
    journal.Record(folder)  # raises BadInput if this is not a run, before anything is written
    with writer.sole(folder, "resume") as before:
        past = store.load(folder)
        if past.wrong:
            raise store.unsound(folder, past.wrong)
        if past.source:
            raise BadInput(f"{folder} was imported from {past.source.name} and cannot be resumed")
        if past.ended and past.ended.outcome in ("complete", "not steady"):
            yield _ended(folder, past, operator, stop)
            return
        with _resumed(folder, past, Permission(destroy, overwrite, in_use), before, operator, stop) as running:
            del past  # events are read again from the folder, and a long run is large
            yield running


def _find(request: Request, undo: ExitStack) -> Device:
    """Find the drive. A drive that is a new file is created first, and removed by `undo` on failure."""
    if not request.create:
        return devices.find(request.target)
    device = devices.create(request.target, request.create_bytes)
    undo.callback(Path(request.target).unlink, missing_ok=True)
    return device


def _begin(
    folder: Path, plan: Plan, device: Device, load: Engine, fingerprint: dict[str, str], stop: Stop
) -> Callable[..., Generator[Event, None, None]]:
    """Return the loop of a run that begins or continues now."""
    number, at = store.run_number(folder), time.time()
    return partial(run, plan, device, load, at=at, fingerprint=fingerprint, stopping=stop, number=number)


def _drawn(request: Request, device: Device) -> Plan:
    names, profile, deviations = plan.gather(request.tests, request.profile, request.changes, quick=request.quick)
    drawn = plan.draw(names, profile, opening.inspected(device, request.tests), deviations=deviations)
    return plan.purged_first(drawn) if request.purge else drawn


def _changed(before: dict[str, Any], now: dict[str, Any]) -> Iterator[Sentence]:
    """Yield the processor, kernel and program of the load that are others than when the run began."""
    for name, key in {"cpu": "cpu_changed", "kernel": "kernel_changed", "fio": "fio_changed"}.items():
        was, is_now = (str(facts.get(name) or "") for facts in (before, now))
        if was and is_now and was not in (is_now, is_now.partition(",")[0]):  # once fio was recorded without its engine
            yield Sentence(key, was=was, now=is_now)


def _ended(folder: Path, past: Run, operator: Operator, stop: Stop) -> Running:
    """Return a run without events. Raise BadInput unless cleanup was left from an interruption after the last event."""
    left = settings.put_back([folder])
    for line in left:
        operator.report(line)
    if not left and reports.current(folder, past):
        raise BadInput(f"{folder} is finished; `stend report {typed(folder)}` writes its report again")
    return Running(folder, past.plan, (event for event in list[Event]()), stop)


@contextmanager
def _resumed(
    folder: Path, past: Run, permission: Permission, before: writer.Before, operator: Operator, stop: Stop
) -> Iterator[Running]:
    device = opening.present(past.plan.device)
    was, is_now = past.plan.device.target, device.identity.target
    moved = (Sentence("drive_moved", was=was, now=is_now),) if was != is_now else ()
    if words := engine.slow(device.identity.target):
        operator.report(words)
    program = engine.can_load(is_now)
    changed = _changed(store.host(folder), host.describe() | program) if program else ()
    with closing(device.door):
        permission = permission._replace(in_use=permission.in_use or bool(past.plan.device.facts.get("in_use")))
        path, fingerprint = opening.opened(device, past.plan, permission, operator, folder)
        opening.check_content(past, device, fingerprint)
        raw, virtual = store.Raw(folder), device.identity.virtual
        metered = metering.reading(metering.spec_of(past), device, past.plan)
        kept, taken = opening.kept(device, past.plan, folder, operator.report), turns.taken(folder, past.plan, stop)
        with metered as meter, kept, taken as turn:
            load = metering.quieted(engine.engine_for(device, path, raw, past.plan, stop), meter)
            begin, again = _begin(folder, past.plan, device, load, fingerprint, stop), None if virtual else past
            texts = {name: getattr(past.started[0], name) for name in TEXTS}
            events = begin(seed=past.seed, turn=turn, past=again, **texts)
            events = metering.kept(events, meter, load)
            notes = (*before.sentences, *moved, *changed)
            events = announced(rerun(events, store.read(folder)) if virtual else events, notes)
            events = evidence.kept(events, device, folder)
            with closing(Running(folder, past.plan, store.append(folder, events, raw), stop, past=True)) as running:
                yield running
