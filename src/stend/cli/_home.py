"""What came home of a fleet, by whatever way: looked at, learned, judged as a batch; how its runs ended."""

from pathlib import Path

import typer

from stend import catalogue, store
from stend.base.errors import STOPPED_EXIT_CODE, UNSOUND_EXIT_CODE, Refused, StepFailed
from stend.cli import batch
from stend.fleet import chosen
from stend.fleet.file import Fleet
from stend.fleet.tasks import Outcome
from stend.many.batch import acceptance
from stend.session.series import FINISHED

CODES = {"refused": Refused.exit_code, "stopped": STOPPED_EXIT_CODE}


def code(one: Outcome) -> int:
    """The exit code of a run's end."""
    return 0 if one.outcome in FINISHED else CODES.get(one.outcome, StepFailed.exit_code)


def judged(fleet: Fleet, folders: list[Path]) -> int:
    """Whether each run is as it was written, and the lot as the plan of acceptance wants it."""
    wrong = [one for one in folders if store.load(one).wrong]
    for one in wrong:
        typer.echo(f"! {one} is not as its run wrote it: `stend verify {one}`")
    catalogue.learn(Path(fleet.into))
    wanted = {order.cell for order in (chosen.kept(fleet) or fleet).orders()}
    own = [one for one in folders if one.name in wanted]
    more = f", and {len(folders) - len(own)} that {fleet.name} names no more" if len(own) < len(folders) else ""
    typer.echo(f"{len(own)} of {len(wanted)} runs are here{more}: {fleet.into}")
    verdict = 0
    if fleet.acceptance and own:
        asked = acceptance.plan(fleet.acceptance, fleet.name)
        verdict = batch.judged(own, asked, ["html"], "en", Path(fleet.into))
    return UNSOUND_EXIT_CODE if wrong else verdict
