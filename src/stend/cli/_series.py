"""`stend repeat`: make the runs of a series one after another and print their comparison."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from stend import catalogue, session, store
from stend.base.errors import STOPPED_EXIT_CODE, BadInput, Missing
from stend.base.text import typed
from stend.cli import _ends, _options, _terminal
from stend.devices import Device
from stend.session import series
from stend.session.series import Slot
from stend.session.stopping import Signals
from stend.store import writer

if TYPE_CHECKING:
    from stend.many.compare import Outcome


class Once(_terminal.Terminal):
    """The operator at the terminal, prompted once for each drive. The gate checks every run against that name."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers: dict[str, str | None] = {**answers}

    def names(self, device: Device) -> str | None:
        """Return the name typed for this drive. Prompt for it at its first run."""
        target = device.identity.target
        if target not in self.answers:
            self.answers[target] = super().names(device)
        return self.answers[target]


def labelled(targets: Sequence[str], label: str | None) -> list[tuple[str, str]]:
    """Return each target with the label of its runs. Raise BadInput for more than two targets."""
    if len(targets) > 2:
        raise BadInput(
            f"a series alternates between two drives, not {len(targets)}; for more use `stend run --together`"
        )
    names = targets if len({*targets}) == len(targets) else [f"{targets[0]} (a)", f"{targets[0]} (b)"]
    if label and len(targets) == 1:
        return [(targets[0], label)]
    return [(target, f"{label} {name}" if label else name) for target, name in zip(targets, names, strict=True)]


def answers(order: series.Series, destroy: Sequence[str]) -> dict[str, str]:
    """Return the names given by `--destroy-data`, by target.

    A name is TARGET=NAME. Names without a target belong to the other real drives in their order. Raise BadInput for
    more names than real drives.
    """
    targets = dict.fromkeys(request.target for request in order.requests)
    real = [target for target in targets if not target.startswith("sim:")]
    if len(destroy) > len(real):
        raise BadInput(
            f"--destroy-data names {len(destroy)} drives, but the runs destroy data on {len(real)}; name each once"
        )
    names, others = _options.by_target(real, destroy)
    return names | dict(zip((target for target in real if target not in names), others, strict=False))


def go(folder: Path, destroy: dict[str, str], overwrite: tuple[str, ...] = ()) -> int:
    """Make the remaining runs of a series. Return the exit code of the first run that does not finish.

    If all finish, return the code of a failed rule if a drive did not pass in one of them, otherwise 0.

    Raise BadInput if another process works on the series, because a run that it is about to begin has no record yet.
    """
    order, operator, stop = series.load(folder), Once(destroy), Signals()
    with writer.sole(folder, "repeat"):
        for slot in order.left(folder):
            if stop.requested:
                return STOPPED_EXIT_CODE
            typer.echo(f"Run {slot.number} of {slot.of}: {slot.request.target} -> {slot.folder}")
            if code := _run_slot(folder, slot, operator, stop, overwrite):
                return code
    _end(folder, order)
    return _ends.rejection(store.load(slot.folder) for slot in order.slots(folder))


def _run_slot(folder: Path, slot: Slot, operator: Once, stop: Signals, overwrite: tuple[str, ...]) -> int:
    start = session.resume(slot.folder, None, operator, stop, overwrite) if slot.begun else None
    request = msgspec.structs.replace(slot.request, overwrite=overwrite)
    with start or session.start(request, operator, stop) as running:
        _ends.follow(running)
    catalogue.learn(folder)
    return _ends.exit_code(folder, store.load(slot.folder))


def _end(folder: Path, order: series.Series) -> None:
    """Print what changed between the runs and how they compare."""
    from stend.many.compare import drift

    runs = drift.read([slot.folder for slot in order.slots(folder)])
    for change in drift.drifts(runs):
        unit = " °C" if change.fact == "temperature" else ""
        before, after = f"{change.was}{unit} in {change.before}", f"{change.is_now}{unit} in {change.after}"
        typer.echo(f"! {change.fact} of {change.drive}: {before}, {after}")
    place = typed(folder)
    if len(order.requests) == 1:
        typer.echo(f"{len(runs)} runs; to compare them with others: stend compare {place} -- OTHERS")
        return
    try:
        for line in _compared(order, runs):
            typer.echo(line)
    except Missing as error:
        typer.echo(f"No table: {error}")
    typer.echo(f"As a page: stend compare {place} --by label --into {place}")


def _compared(order: series.Series, runs: "Sequence[Outcome]") -> list[str]:
    from stend.cli.compare import summary
    from stend.many.compare import compared, side

    labels = [request.label or "" for request in order.requests]
    first, second = (side(name, [run for run in runs if run.settings["label"] == name]) for name in labels)
    return summary(compared(first, second), None, "en")
