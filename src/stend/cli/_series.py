"""Runs of a series, one after another at a terminal, and what is said at its end."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from stend.base.errors import STOPPED_EXIT_CODE, BadInput, Missing
from stend.cli import _ends, _terminal
from stend.devices import Device
from stend.session import series
from stend.session.series import Slot
from stend.session.stopping import Signals
from stend.store import writer

if TYPE_CHECKING:
    from stend.many.compare import Outcome


class Once(_terminal.Terminal):
    """Whoever sits at the terminal, asked once for each drive; the gate holds every run to the answer."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers: dict[str, str | None] = {**answers}

    def names(self, device: Device) -> str | None:
        """What was typed for this drive, or is typed now."""
        target = device.identity.target
        if target not in self.answers:
            self.answers[target] = super().names(device)
        return self.answers[target]


def answers(own: series.Series, destroy: Sequence[str]) -> dict[str, str]:
    """What is named to be destroyed by target: drives in order, virtual ones need none. BadInput if too much."""
    real = list(dict.fromkeys(one.target for one in own.requests if not one.target.startswith("sim:")))
    if len(destroy) > len(real):
        raise BadInput(f"there are {len(real)} drives to be destroyed, and {len(destroy)} are named")
    return dict(zip(real, destroy, strict=False))


def go(folder: Path, destroy: dict[str, str], overwrite: tuple[str, ...] = ()) -> int:
    """What is left of a series; the exit code of the first run that does not come to its end.

    BadInput where another process is at it: a run that it is about to begin would look like one that never started.
    """
    own, operator, stop = series.load(folder), Once(destroy), Signals()
    with writer.sole(folder, "repeat"):
        for slot in own.left(folder):
            if stop.requested:
                return STOPPED_EXIT_CODE
            typer.echo(f"Run {slot.number} of {slot.of}: {slot.request.target} -> {slot.folder}")
            if code := _one(folder, slot, operator, stop, overwrite):
                return code
    return _end(folder, own)


def _one(folder: Path, slot: Slot, operator: Once, stop: Signals, overwrite: tuple[str, ...]) -> int:
    from stend import catalogue, session, store

    start = session.resume(slot.folder, None, operator, stop, overwrite) if slot.begun else None
    request = msgspec.structs.replace(slot.request, overwrite=overwrite)
    with start or session.start(request, operator, stop) as running:
        _ends.follow(running)
    catalogue.learn(folder)
    return _ends.exit_code(folder, store.load(slot.folder))


def _end(folder: Path, own: series.Series) -> int:
    from stend.many.compare import drift

    runs = drift.read([slot.folder for slot in own.slots(folder)])
    for one in drift.drifts(runs):
        unit = " °C" if one.fact == "temperature" else ""
        typer.echo(f"! {one.fact} of {one.drive}: {one.was}{unit} in {one.before}, {one.is_now}{unit} in {one.after}")
    place = shlex.quote(str(folder))
    if len(own.requests) == 1:
        typer.echo(f"{len(runs)} runs; beside others: stend compare {place} -- OTHERS")
        return 0
    try:
        for line in _compared(own, runs):
            typer.echo(line)
    except Missing as error:
        typer.echo(f"No table: {error}")
    typer.echo(f"As a page: stend compare {place} --by label --into {place}")
    return 0


def _compared(own: series.Series, runs: "Sequence[Outcome]") -> list[str]:
    from stend.cli.compare import told
    from stend.many.compare import compared, side

    labels = [request.label or "" for request in own.requests]
    first, second = (side(name, [run for run in runs if run.settings["label"] == name]) for name in labels)
    return told(compared(first, second), None, "en")
