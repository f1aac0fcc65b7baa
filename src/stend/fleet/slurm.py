"""A fleet as jobs of Slurm: one a run, each with its drive as a generic resource, its order as data in its script.

Slurm says what runs when; the run folders, below a folder that desk and hosts see alike, say how each run is. The
drive's lock decides on its host, so that a job that is submitted or requeued twice finds its run and begins none.
"""

import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import msgspec

from stend.base import regular
from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.programs import missing
from stend.base.text import plain
from stend.fleet import chosen, home, locks, own, tasks
from stend.fleet.file import Fleet, Order, Slurm
from stend.fleet.tasks import Outcome

OF = "stend"
TIMEOUT_S, NOTICE_S = 60, 120
"""How long Slurm may take to answer; how long before its time limit a job is asked to end."""
Tell = Callable[[str], None]


class Job(NamedTuple):
    """A job that Slurm has in its queue."""

    number: str
    state: str
    cell: str
    why: str


def run(fleet: Fleet, tell: Tell) -> int:
    """Submit every run that is neither complete nor in the queue; how many. BadInput before all if one cannot be."""
    slurm, fleet = _of(fleet), _chosen(fleet)
    if fleet.together:
        raise BadInput("`together` is nothing for Slurm, whose jobs begin when they may; leave it out")
    _there(fleet, slurm)
    queue, known = {job.cell: job.number for job in jobs(fleet)}, _states(slurm, fleet)
    Path(slurm.home, "jobs", fleet.name).mkdir(parents=True, exist_ok=True)
    submitted, orders = 0, list(fleet.orders([fleet.serials]))
    if changed := [f"{order.cell}: {why}" for order in orders if (why := tasks.otherwise(order))]:
        raise BadInput(changed[0])
    for order in orders:
        if order.cell in queue or known.get(order.cell) == "ended":
            continue
        place = order.cells.index(order.cell)
        after = [queue[cell] for cell in order.cells[:place] if cell in queue]
        told = _asked(["sbatch", "--parsable"], script(order, fleet, slurm, after))  # "7\n", or "7;cluster\n"
        queue[order.cell] = told.partition(";")[0].strip()
        tell(f"{order.cell}: job {queue[order.cell]}")
        submitted += 1
    return submitted


def script(order: Order, fleet: Fleet, slurm: Slurm, after: list[str]) -> str:
    """What Slurm is given: its own words, and the order, which no shell reads."""
    order = msgspec.structs.replace(order, trial_s=0.0)  # a job has no leave to load drives that are not its own
    log = Path(slurm.home, "jobs", fleet.name, f"{order.cell}.log")
    waits = [f"afterany:{number}" for number in after[-1:]]
    options = [
        f"--job-name={_name(order.fleet, order.cell)}",
        f"--gres={slurm.gres}:{kind(order.serial)}:1",
        f"--dependency={','.join([*waits, 'singleton'])}",
        f"--output={log}",
        "--open-mode=append",
        "--requeue",
        f"--signal=B:INT@{NOTICE_S}",
        *([f"--partition={slurm.partition}"] if slurm.partition else []),
        *slurm.options,
    ]
    command = f"exec {slurm.stend} fleet carry {shlex.quote(slurm.home)}"
    told = msgspec.json.encode(order).decode()
    return "\n".join(["#!/bin/sh", *(f"#SBATCH {one}" for one in options), f"{command} <<'ORDER'", told, "ORDER", ""])


def kind(serial: str) -> str:
    """A serial as Slurm may call a type of its generic resource."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", serial)


def resources(host: str, serials: list[str], gres: str) -> Iterator[str]:
    """Lines for slurm.conf and gres.conf by which a host has these drives."""
    yield "# slurm.conf, on all hosts; add Gres= to the line of this node"
    yield f"GresTypes={gres}"
    yield f"NodeName={host} Gres={','.join(f'{gres}:{kind(one)}:1' for one in serials)}"
    yield "# gres.conf"
    yield from (f"NodeName={host} Name={gres} Type={kind(one)} Count=1" for one in serials)


def jobs(fleet: Fleet) -> list[Job]:
    """The fleet's jobs that are waiting or running. StepFailed where Slurm does not answer."""
    lines = _asked(["squeue", "--noheader", "--me", "--format=%i|%T|%j|%R"]).splitlines()
    own_name = _name(fleet.name, "")
    parts = [line.strip().split("|", 3) for line in lines if line.count("|") >= 3]
    return [
        Job(number, state, name.removeprefix(own_name), why)
        for number, state, name, why in parts
        if name.startswith(own_name)
    ]


def states(fleet: Fleet) -> dict[str, str]:
    """What each run is, of the folders and of Slurm; of one that nobody has, what its job said last."""
    slurm, told = _of(fleet), _states(_of(fleet), fleet)
    queue = {job.cell: job for job in jobs(fleet)}
    found = {}
    for order in _chosen(fleet).orders():
        state, job = told.get(order.cell, "not begun"), queue.get(order.cell)
        if job and state != "ended":
            state = f"{job.state.lower()}, job {job.number} {job.why}"
        elif state not in ("ended", "running"):
            said = _last(Path(slurm.home, "jobs", fleet.name, f"{order.cell}.log"))
            state += f"; its job said: {said}" if said else ""
        found[order.cell] = state
    return found


def stop(fleet: Fleet) -> int:
    """Take waiting jobs out of the queue, ask running ones to end their runs well; how many."""
    queue = jobs(fleet)
    waiting = [job.number for job in queue if job.state == "PENDING"]
    going = [job.number for job in queue if job.state == "RUNNING"]
    if waiting:
        _asked(["scancel", *waiting])
    if going:
        _asked(["scancel", "--batch", "--signal=INT", *going])
    locks.let_go(Path(_of(fleet).home), fleet.name)
    return len(waiting) + len(going)


def collect(fleet: Fleet, tell: Tell) -> list[Path]:
    """Every finished run as a folder here, each file checked by its hash."""
    slurm, found = _of(fleet), []
    for cell in sorted(cell for cell, state in _states(slurm, fleet).items() if state == "ended"):
        folder = Path(fleet.into) / cell
        if home.brought(lambda task, *given: task(*given), fleet.name, cell, folder):
            tell(f"{cell}: {folder}")
        found.append(folder)
    return found


def carry(folder: Path, targets: list[str], told: bytes) -> Outcome:
    """What a job does on the drive's host: carry its run to its end; a signal asks the run to end."""
    try:
        order = msgspec.json.decode(told, type=Order)
    except msgspec.MsgspecError as error:
        raise BadInput(f"the standard input is no order of a fleet: {error}") from error
    tasks.HOME = folder.absolute()
    tasks.DRIVES = {serial: drive.target for serial, drive in own.drives(targets, busy=True).items()}
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: _hand_on(order, number, frame))
    for _ in range(order.retries + 1):
        outcome = msgspec.json.decode(tasks.carry(told), type=Outcome)
        if outcome.outcome != "failed":
            break
    return outcome


def _hand_on(order: Order, number: int, frame: FrameType | None) -> None:
    """To the run; a job that has none yet ends."""
    with suppress(ProcessLookupError):
        if tasks.ask_to_end(order.fleet, order.cell):
            return
    raise SystemExit(128 + number)


def _there(fleet: Fleet, slurm: Slurm) -> None:
    """BadInput unless some node has each drive as a resource."""
    told = _asked(["sinfo", "--noheader", "--Node", "--format=%G"])
    known = set(re.findall(rf"\b{re.escape(slurm.gres)}:([A-Za-z0-9._-]+):\d", told))
    if gone := [serial for serial in fleet.serials if kind(serial) not in known]:
        are = ", ".join(sorted(known)) or "none at all"
        raise BadInput(f"no node of Slurm has the drive {gone[0]} as {slurm.gres}:{kind(gone[0])}; there are {are}")


def _chosen(fleet: Fleet) -> Fleet:
    found = chosen.kept(fleet)
    if found is None:
        raise BadInput("Slurm knows drives by their serials alone; name them in `drives`, without a selector")
    return found


def _of(fleet: Fleet) -> Slurm:
    if fleet.slurm is None:
        raise BadInput('the fleet file has no [slurm]; it says `home = "DIR"`, a folder that all hosts see alike')
    return fleet.slurm


def _states(slurm: Slurm, fleet: Fleet) -> Mapping[str, str]:
    tasks.HOME = Path(slurm.home).absolute()
    return tasks.states(fleet.name)


def _name(fleet: str, cell: str) -> str:
    return f"{OF}:{fleet}:{cell}"


def _last(log: Path) -> str:
    try:
        return regular.last_line(log)
    except OSError:
        return ""


def _asked(words: list[str], give: str | None = None) -> str:
    try:
        done = subprocess.run(
            words, input=give, capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise Missing(missing(words[0])) from error
    except subprocess.TimeoutExpired as error:
        raise StepFailed(f"{words[0]} said nothing for {TIMEOUT_S} s; the jobs go on") from error
    if done.returncode:
        why = plain(done.stderr.strip()) or f"exit code {done.returncode}"
        raise StepFailed(f"{words[0]}: {why}; jobs that there are go on")
    return done.stdout
