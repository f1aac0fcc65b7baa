"""Driving a run from the terminal: the engine for a drive, the signals, the screen, the end."""

import shlex
import signal
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path

import typer

from stend import extras, store
from stend.cli import _summary
from stend.cli._screen import Screen
from stend.devices import Device
from stend.engines import Engine
from stend.errors import STOPPED_EXIT_CODE, Missing, StepFailed
from stend.record import Event, Note, Run

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HELD = 5
"""A minute of the clause is told in at least this many intervals."""


def engine_for(device: Device, raw: store.Raw, minute_s: float) -> Engine:
    """The engine that can load this drive, telling about once a second or faster where minutes are short."""
    interval_s = min(1.0, max(minute_s / HELD, 0.1))
    from stend.devices.virtual import VirtualDevice

    if isinstance(device, VirtualDevice):
        from stend.engines import simulated

        return simulated.SimulatedEngine(device.drive, interval_s=interval_s)
    from stend.engines import fio

    return fio.FioEngine(device.io_path, raw=raw, interval_s=interval_s)


def can_load(target: str) -> None:
    """Missing unless this host has what makes load on such a target; asked before anything is made or opened."""
    from stend.devices import virtual

    if virtual.claims(target):
        extras.need(f"the virtual drive {target}", "numba")
    else:
        from stend.engines import fio

        fio.probe()


class Stopping:
    """Turns Ctrl-C, SIGTERM and SIGHUP into a question the runner asks; at once before a run and at a second Ctrl-C."""

    def __init__(self) -> None:
        self.asked = self.running = False
        for number in ENDINGS:
            signal.signal(number, self._note)

    def __call__(self) -> bool:
        """Whether the end was asked for."""
        return self.asked

    def _note(self, number: int, frame: object) -> None:
        if not self.running or (self.asked and number == signal.SIGINT):
            raise KeyboardInterrupt
        self.asked = True


def follow(
    folder: Path,
    events: Generator[Event, None, None],
    raw: store.Raw,
    stopping: Stopping,
    past: Iterable[Event] = (),
) -> None:
    """Write and show a run; `past` is what was recorded of it before, for the time to go."""
    with Screen(past) as screen:
        stopping.running = True
        try:
            for event in store.append(folder, events, raw):
                screen.show(event)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped at once; {way_on(folder)}") from None


def way_on(folder: Path) -> str:
    """How a run that did not come to its end goes on."""
    return f"`stend resume {shlex.quote(str(folder))}` goes on with it"


def finish(folder: Path) -> int:
    """Summary and report, whatever the end was; the drive has been let go. Returns the exit code."""
    run = store.load(folder)
    for line in _summary.lines(run):
        typer.echo(line)
    report(folder, run)
    return exit_code(folder, run)


def report(folder: Path, run: Run) -> None:
    """Write report.html beside the events and say where it is, or where to make it: it is no part of the run."""
    from stend import report as reports

    try:
        for path in reports.write([(folder, run, store.host(folder))], "html", into=folder):
            typer.echo(f"Report: {path}")
    except Missing as error:
        typer.echo(f"No report: {error}, or `stend report` on a copy of {folder} where it is")
    except StepFailed as error:
        print(f"stend: the run is whole, its report is not: {error}; `stend report {folder}` makes it", file=sys.stderr)


def exit_code(folder: Path, run: Run) -> int:
    """0 for a finished run, else what its outcome stands for and how it goes on."""
    outcome = run.ended.outcome if run.ended else "failed"
    if outcome == "failed":
        reason = next((n.text for n in reversed(run.notes) if isinstance(n, Note) and n.kind == "failure"), "failed")
        print(f"stend: {reason}; {way_on(folder)} once that is mended", file=sys.stderr)
        return StepFailed.exit_code
    if outcome == "stopped":
        print(f"stend: stopped; {way_on(folder)}", file=sys.stderr)
        return STOPPED_EXIT_CODE
    return 0


def now() -> float:
    """Unix time, for the record of when a run began."""
    return time.time()
