"""`stend` alone on a terminal: ask what is wanted, show the time and bytes of the plan, print the command, run it."""

import shlex
import sys
from collections.abc import Sequence
from typing import TypeVar

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stend import devices, session, sim
from stend.base.text import plain
from stend.base.units import binary, decimal, duration
from stend.cli import _sheet
from stend.cli._edge import open_stream
from stend.model.definition import Identity, Plan
from stend.session import sheet, sooner

T = TypeVar("T")
INSPECTION, QUICK, REVIEW, REHEARSAL = "inspection", "quick look", "review", "rehearsal"
WISHES = (
    (INSPECTION, "Inspection of a drive: minutes. Is it sound, and what it claims to be? It only reads."),
    (QUICK, "Quick look at a drive: minutes, shortened tests that are no measurement. All its data is destroyed."),
    (REVIEW, "Review of a drive: hours to days, all tests of its kind. All its data is destroyed."),
    (REHEARSAL, "Rehearsal on a virtual drive: the same review, simulated. It writes to no drive."),
)
CLASSES = (("review-nvme", "Drive for servers"), ("review-desktop", "Drive for desktops and laptops"))
FIRST = "small"
"""The virtual drive that is offered if no drive of this host has a virtual twin: the quickest."""


def ask() -> list[str]:
    """Prompt for a run and return the arguments of `stend` for it, or an empty list to run nothing."""
    _print("stend measures storage drives. Answer with a number; Ctrl-C ends without changes.", "bold")
    listed = sheet.every()
    _print("Drives of this host", "bold")
    for row in listed:
        _print(_sheet.line(*row), indent=4)
    testable = [identity for identity, _, reason in listed if not reason]
    if not testable:
        _print("None of them can be tested now. A rehearsal needs no drive.")
    wishes = [wish for wish in WISHES if testable or wish[0] == REHEARSAL]
    wish = _choose("What do you want?", wishes)
    drive = _virtual(testable) if wish == REHEARSAL else _choose("Which drive?", [(d, _named(d)) for d in testable])
    tests = {INSPECTION: "inspect", QUICK: "quick-look"}.get(wish) or _review(drive)
    words = ["inspect", drive.target] if wish == INSPECTION else ["run", tests, "--target", drive.target]
    _show(session.planned(session.Request([tests], drive.target)))
    _print("The command", "bold")
    _print(shlex.join(["stend", *words]), indent=4)
    if not typer.confirm("Run it now?"):
        _print("Nothing was run. `stend --help` lists all verbs.")
        return []
    return words


def _named(drive: Identity) -> str:
    return f"{drive.target}  {decimal(drive.capacity_bytes)}  {drive.model} {drive.serial}".rstrip()


def _virtual(testable: Sequence[Identity]) -> Identity:
    """Return the virtual drive to rehearse on. The twin of a drive of this host comes first."""
    twins = [twin for drive in testable if (twin := sooner.twin(drive))]
    names = dict.fromkeys([*twins, *(f"sim:{name}" for name in sorted(sim.profiles(), key=lambda n: n != FIRST))])
    drives = [devices.find(name).identity for name in names]
    return _choose("Which virtual drive?", [(drive, _named(drive)) for drive in drives])


def _review(drive: Identity) -> str:
    """Return the suite that reviews this kind of drive; ask for the class of an NVMe drive."""
    if "raid" in drive.interface.lower() or drive.kind == "md":
        return "review-raid"
    if drive.rotational:
        return "review-sshd"
    if drive.interface.lower().startswith("nvme"):
        return _choose("Which class?", CLASSES)
    return "review-sata"


def _show(plan: Plan) -> None:
    """Print time and bytes of a plan."""
    _print("The plan", "bold")
    _print(", ".join(test.title for test in plan.tests), indent=4)
    simulated = " of simulated time; the simulation takes a small part of it" if plan.device.virtual else ""
    _print(f"Expected time {duration(plan.expected_s)}, at most {duration(plan.longest_s)}{simulated}.", indent=4)
    kept = "Only a simulated drive is written" if plan.device.virtual else "All data on the drive is destroyed"
    written = f"At least {binary(plan.write_bytes)} are written. {kept}."
    _print("Nothing is written." if plan.reads_only else written, indent=4)


def _choose(question: str, choices: Sequence[tuple[T, str]]) -> T:
    """Ask for one of several values, each with its text, and return it. A single one needs no question."""
    _print(question, "bold")
    table = Table.grid(padding=(0, 2))
    for number, (_, text) in enumerate(choices, 1):
        table.add_row(f"{number:>4}", Text(plain(text)))
    _console().print(table)
    if len(choices) == 1:
        return choices[0][0]
    chosen: int = typer.prompt("Number", default=1, type=int)
    while not 1 <= chosen <= len(choices):
        _print(f"{chosen} is not a number from 1 to {len(choices)}.")
        chosen = typer.prompt("Number", default=1, type=int)
    return choices[chosen - 1][0]


def _print(text: str, style: str = "", indent: int = 0) -> None:
    _console().print(Padding(Text(plain(text), style), (0, 0, 0, indent)))


def _console() -> Console:
    return Console(file=open_stream(sys.stdout), highlight=False)
