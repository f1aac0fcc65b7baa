"""A fleet as Slurm jobs: one per run, with its drive as a generic resource and its order as data in its script.

Slurm decides when a job runs. The run folders hold the state of each run, below a folder with the same path on all
hosts. The drive's lock on its host prevents a second run if a job is submitted or requeued twice.
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

from stend.base import regular, untrusted
from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.programs import missing
from stend.base.text import plain
from stend.fleet import chosen, home, local, locks, tasks
from stend.fleet.file import Fleet, Order, Slurm
from stend.fleet.tasks import Outcome

OF = "stend"
TIMEOUT_S, NOTICE_S = 60, 120
"""Seconds that Slurm may take to answer; seconds before its time limit at which Slurm signals a job to end."""
Tell = Callable[[str], None]


class Job(NamedTuple):
    """A job in Slurm's queue."""

    number: str
    state: str
    cell: str
    why: str


def run(fleet: Fleet, tell: Tell) -> int:
    """Submit every run that is neither complete nor in the queue. Return how many.

    Raise BadInput before the first submission if any run cannot be submitted.
    """
    slurm, fleet = _settings(fleet), _with_serials(fleet)
    if fleet.together:
        raise BadInput("`together` does not work with Slurm, whose jobs start at different times; leave it out")
    _require_resources(fleet, slurm)
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
        answer = _run(["sbatch", "--parsable"], script(order, fleet, slurm, after))  # "7\n", or "7;cluster\n"
        queue[order.cell] = answer.partition(";")[0].strip()
        tell(f"{order.cell}: job {queue[order.cell]}")
        submitted += 1
    return submitted


def script(order: Order, fleet: Fleet, slurm: Slurm, after: list[str]) -> str:
    """Return the batch script: Slurm's options, the command, and the order as a quoted here-document."""
    order = msgspec.structs.replace(order, trial_s=0.0)  # a job must not load drives other than its own
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
    data = msgspec.json.encode(order).decode()
    lines = (f"#SBATCH {option}" for option in options)
    return "\n".join(["#!/bin/sh", *lines, f"{command} <<'ORDER'", data, "ORDER", ""])


def kind(serial: str) -> str:
    """Return a serial number as a valid type name of a generic resource of Slurm."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", serial)


def resources(host: str, serials: list[str], gres: str) -> Iterator[str]:
    """Yield the lines for slurm.conf and gres.conf that declare a host's drives."""
    yield "# slurm.conf, on all hosts; add Gres= to the line of this node"
    yield f"GresTypes={gres}"
    yield f"NodeName={host} Gres={','.join(f'{gres}:{kind(serial)}:1' for serial in serials)}"
    yield "# gres.conf"
    yield from (f"NodeName={host} Name={gres} Type={kind(serial)} Count=1" for serial in serials)


def jobs(fleet: Fleet) -> list[Job]:
    """Return the fleet's waiting and running jobs. Raise StepFailed if Slurm does not answer."""
    lines = _run(["squeue", "--noheader", "--me", "--format=%i|%T|%j|%R"]).splitlines()
    prefix = _name(fleet.name, "")
    parts = [line.strip().split("|", 3) for line in lines if line.count("|") >= 3]
    return [
        Job(number, state, name.removeprefix(prefix), why)
        for number, state, name, why in parts
        if name.startswith(prefix)
    ]


def states(fleet: Fleet) -> dict[str, str]:
    """Return the state of each run from its folder and Slurm's queue, with the last line of its log if it stopped."""
    slurm, known = _settings(fleet), _states(_settings(fleet), fleet)
    queue = {job.cell: job for job in jobs(fleet)}
    result = {}
    for order in _with_serials(fleet).orders():
        state, job = known.get(order.cell, "not begun"), queue.get(order.cell)
        if job and state != "ended":
            state = f"{job.state.lower()}, job {job.number} {job.why}"
        elif state not in ("ended", "running"):
            line = regular.last_line(Path(slurm.home, "jobs", fleet.name, f"{order.cell}.log"))
            state += f"; last line of its log: {line}" if line else ""
        result[order.cell] = state
    return result


def stop(fleet: Fleet) -> int:
    """Cancel waiting jobs, signal running ones to stop their runs, and release the drives. Return how many jobs."""
    queue = jobs(fleet)
    waiting = [job.number for job in queue if job.state == "PENDING"]
    going = [job.number for job in queue if job.state == "RUNNING"]
    if waiting:
        _run(["scancel", *waiting])
    if going:
        _run(["scancel", "--batch", "--signal=INT", *going])
    locks.let_go(Path(_settings(fleet).home), fleet.name)
    return len(waiting) + len(going)


def collect(fleet: Fleet, tell: Tell) -> list[Path]:
    """Copy every run that is complete or failed to this folder, each file checked by its hash. Return the folders."""
    states = dict(sorted(_states(_settings(fleet), fleet).items()))
    return home.collected(lambda task, *given: task(*given), fleet, states, tell)


def carry(folder: Path, targets: list[str], data: bytes) -> Outcome:
    """Carry out a job's order on the drive's host and return its outcome. Pass signals on to the run.

    Raise BadInput if `data` is not an order.
    """
    try:
        order = msgspec.json.decode(data, type=Order)
    except untrusted.BROKEN as error:
        raise BadInput(f"the standard input is not an order of a fleet: {untrusted.sentence(error)}") from error
    tasks.HOME = folder.absolute()
    tasks.DRIVES = {serial: drive.target for serial, drive in local.drives(targets, busy=True).items()}
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: _forward(order, number, frame))
    for _ in range(order.retries + 1):
        outcome = msgspec.json.decode(tasks.carry(data), type=Outcome)
        if outcome.outcome != "failed":
            break
    return outcome


def _forward(order: Order, number: int, frame: FrameType | None) -> None:
    """Send a signal to the run as a request to end. Exit if the job has no run yet."""
    with suppress(ProcessLookupError):
        if tasks.ask_to_end(order.fleet, order.cell):
            return
    raise SystemExit(128 + number)


def _require_resources(fleet: Fleet, slurm: Slurm) -> None:
    """Raise BadInput unless each drive is a resource of some node."""
    listing = _run(["sinfo", "--noheader", "--Node", "--format=%G"])
    known = set(re.findall(rf"\b{re.escape(slurm.gres)}:([A-Za-z0-9._-]+):\d", listing))
    if absent := [serial for serial in fleet.serials if kind(serial) not in known]:
        present, wanted = ", ".join(sorted(known)) or "none", f"{slurm.gres}:{kind(absent[0])}"
        raise BadInput(f"no node of Slurm has the drive {absent[0]} as {wanted}; known drives: {present}")


def _with_serials(fleet: Fleet) -> Fleet:
    settled = chosen.kept(fleet)
    if settled is None:
        raise BadInput("Slurm needs serial numbers; list them in `drives` instead of a selector")
    return settled


def _settings(fleet: Fleet) -> Slurm:
    if fleet.slurm is None:
        raise BadInput(
            'the fleet file has no [slurm]; add it with `home = "DIR"`, a folder with the same path on all hosts'
        )
    return fleet.slurm


def _states(slurm: Slurm, fleet: Fleet) -> Mapping[str, str]:
    tasks.HOME = Path(slurm.home).absolute()
    return tasks.states(fleet.name)


def _name(fleet: str, cell: str) -> str:
    return f"{OF}:{fleet}:{cell}"


def _run(command: list[str], text: str | None = None) -> str:
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise Missing(missing(command[0])) from error
    except subprocess.TimeoutExpired as error:
        raise StepFailed(f"{command[0]} did not answer within {TIMEOUT_S} s; the jobs continue") from error
    if done.returncode:
        why = plain(done.stderr.strip()) or f"exit code {done.returncode}"
        raise StepFailed(f"{command[0]}: {why}; existing jobs continue")
    return done.stdout
