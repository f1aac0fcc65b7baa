"""Check, catalogue and judge the runs that a fleet collected, and map their outcomes to exit codes."""

from pathlib import Path

import typer

from stend import catalogue, store
from stend.base.errors import (
    GATE_UNDECIDED_EXIT_CODE,
    STOPPED_EXIT_CODE,
    UNSOUND_EXIT_CODE,
    Refused,
    StepFailed,
)
from stend.base.text import typed
from stend.cli import lot
from stend.fleet import chosen
from stend.fleet.file import Fleet
from stend.fleet.tasks import Outcome
from stend.many import read
from stend.many.batch import acceptance
from stend.session.series import FINISHED

CODES = {"refused": Refused.exit_code, "stopped": STOPPED_EXIT_CODE}


def code(outcome: Outcome) -> int:
    """Return the exit code of a run's outcome."""
    return 0 if outcome.outcome in FINISHED else CODES.get(outcome.outcome, StepFailed.exit_code)


def judged(fleet: Fleet, folders: list[Path]) -> int:
    """Verify collected runs and judge their lot by the fleet's plan of acceptance. Return the exit code.

    A plan without a single run is undecided.
    """
    wrong = [folder for folder in folders if store.load(folder).wrong]
    for folder in wrong:
        typer.echo(f"! {folder} was changed since its run wrote it: see `stend verify {typed(folder)}`")
    catalogue.learn(Path(fleet.into))
    wanted = {order.cell for order in (chosen.kept(fleet) or fleet).orders()}
    ordered = [folder for folder in folders if folder.name in wanted]
    more = (
        f", and {len(folders) - len(ordered)} that {fleet.name} no longer names" if len(ordered) < len(folders) else ""
    )
    typer.echo(f"{len(ordered)} of {len(wanted)} runs are here{more}: {fleet.into}")
    verdict = GATE_UNDECIDED_EXIT_CODE if fleet.acceptance else 0
    if fleet.acceptance and ordered:
        plan = acceptance.plan(fleet.acceptance, fleet.name)
        verdict = lot.judged(read.named(ordered, empty=True), plan, ["html"], "en", Path(fleet.into))
    return UNSOUND_EXIT_CODE if wrong else verdict
