"""The client of a fleet: submit orders until each run has ended, query their states, stop and collect them."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from distributed import Client, as_completed

from stend.base.errors import BadInput, Refused, StepFailed
from stend.fleet import chosen, home, sealed, tasks
from stend.fleet.chosen import Drive
from stend.fleet.file import Fleet, Order, parse_address
from stend.fleet.tasks import Outcome

PATIENCE_S, LOST_S, CUTS = 20.0, 120.0, 50
"""Seconds to wait for drives to be announced, and for a lost scheduler or host. How often a run may be cut off."""
LOST = (OSError, CancelledError, TimeoutError, RuntimeError)
T = TypeVar("T")
Tell = Callable[[str], None]


@contextmanager
def connected(scheduler: str, certificates: Path, name: str) -> Iterator[Client]:
    """Connect to a scheduler. Raise BadInput without an address, StepFailed if it cannot be reached."""
    if not scheduler:
        raise BadInput("the fleet file has no scheduler; for runs as Slurm jobs add --slurm")
    parse_address(scheduler)
    sealed.seal()
    try:
        client = Client(
            scheduler, security=sealed.security(certificates, name), timeout=PATIENCE_S, set_as_default=False
        )
    except LOST as error:
        why = str(error) or type(error).__name__
        raise StepFailed(
            f"the scheduler {scheduler} cannot be reached ({why}); running runs continue without it; "
            "repeat the command once the scheduler is back"
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=5)


def hosts(client: Client) -> dict[str, dict[str, Drive]]:
    """Return the drives that each worker announces, by its address and their serial numbers."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return {
        address: {serial: Drive(info["name"], *drive) for serial, drive in info["metrics"].get("drives", {}).items()}
        for address, info in workers.items()
    }


def announced(client: Client) -> dict[str, Drive]:
    """Return every announced drive by its serial number."""
    return {serial: drive for drives in hosts(client).values() for serial, drive in drives.items()}


def settled(client: Client, fleet: Fleet, tell: Tell) -> Fleet:
    """Wait until all drives are announced and return the fleet with its chosen drives.

    Raise BadInput or Refused if that does not happen in time.
    """
    patience_s = LOST_S if _begun(client, fleet) else PATIENCE_S
    until, shown = time.monotonic() + patience_s, False
    while True:
        drives = announced(client)
        try:
            whole = chosen.kept(fleet) or chosen.settled(fleet, drives)
            _require_once(client, whole)
        except (BadInput, Refused) as error:
            hopeless = isinstance(error, Refused) and set(fleet.destroy) <= drives.keys()
            if hopeless or time.monotonic() > until:
                raise
            if not shown:
                tell(f"{error}; waiting {patience_s:.0f} s for more hosts")
            shown = True
            time.sleep(0.5)
        else:
            chosen.keep(fleet, whole)
            return whole


def _begun(client: Client, fleet: Fleet) -> bool:
    """Return whether a host has runs of the fleet, or does not answer: an absent host may come back then."""
    try:
        return any(each(client, tasks.states, fleet.name).values())
    except LOST:
        return True


def _require_once(client: Client, fleet: Fleet) -> None:
    """Raise BadInput unless each drive of the fleet is announced by exactly one host."""
    counts = Counter(serial for drives in hosts(client).values() for serial in drives)
    if twice := [serial for serial in fleet.serials if counts[serial] > 1]:
        raise BadInput(f"the drive {twice[0]} is announced by two hosts; stop the worker of one")
    if absent := [serial for serial in fleet.serials if not counts[serial]]:
        drives, known = "drives" if len(absent) > 1 else "drive", ", ".join(sorted(counts)) or "none"
        raise BadInput(f"no host announces the {drives} {', '.join(absent)}; announced: {known}")


def run(fleet: Fleet, certificates: Path, name: str, tell: Tell) -> list[Outcome]:
    """Wait until every run of the fleet has ended. Submit lost orders again, which find their runs.

    Raise StepFailed if the scheduler stays away for LOST_S seconds.
    """
    left: dict[str, Order] = {}
    done: dict[str, Outcome] = {}
    counts: Counter[tuple[str, str]] = Counter()
    lost, checked = time.monotonic(), False
    while left or not checked:
        try:
            with connected(fleet.scheduler, certificates, name) as client:
                if not checked:
                    fleet, checked = settled(client, fleet, tell), True
                    left = {order.cell: order for order in fleet.orders(list(hosts(client).values()))}
                for outcome in _outcomes(client, list(left.values())):
                    lost = time.monotonic()
                    tell(f"{outcome.cell}: {outcome.outcome}{': ' + outcome.said if outcome.said else ''}")
                    counts[outcome.cell, outcome.outcome] += 1
                    most = CUTS if outcome.outcome == "cut off" else fleet.retries if outcome.outcome == "failed" else 0
                    if counts[outcome.cell, outcome.outcome] > most:
                        done[outcome.cell] = outcome
                        del left[outcome.cell]
        except (*LOST, StepFailed) as error:
            if not checked and isinstance(error, StepFailed):
                raise
            if not checked or time.monotonic() - lost > LOST_S:
                raise StepFailed(
                    f"the scheduler was lost ({error}); the runs continue; repeat `stend fleet run` to find them"
                ) from error
            tell("the scheduler was lost; the runs continue, reconnecting")
            time.sleep(1)
    return [done[order.cell] for order in fleet.orders()]


def _outcomes(client: Client, orders: list[Order]) -> Iterator[Outcome]:
    """Submit orders and yield their outcomes. Each drive is a resource, which allows one run on it at a time."""
    futures = [
        client.submit(
            tasks.carry,
            msgspec.json.encode(order),
            key=f"{order.fleet}-{order.cell}-{time.time_ns()}",
            resources={order.serial: 1},
            priority=-number,
            pure=False,
        )
        for number, order in enumerate(orders)
    ]
    for future in as_completed(futures, loop=client.loop):
        yield msgspec.json.decode(future.result(), type=Outcome)


def each(client: Client, task: Callable[..., T], *given: Any) -> dict[str, T]:
    """Run a task on every worker and return the results by address."""
    futures = {a: client.submit(task, *given, workers=[a], pure=False, priority=100) for a in hosts(client)}
    return {address: future.result(timeout=PATIENCE_S) for address, future in futures.items()}


def collect(client: Client, fleet: Fleet, tell: Tell) -> list[Path]:
    """Copy every run that is complete or failed to this host, with each file checked by its hash. Return the folders.

    Runs that are here already are not copied again. Those that were stopped or cut off stay on their hosts.
    """
    folders = list[Path]()
    for address, states in each(client, tasks.states, fleet.name).items():

        def request(task: Callable[..., T], *given: Any, address: str = address) -> T:
            answer: T = client.submit(task, *given, workers=[address], pure=False).result(timeout=PATIENCE_S)
            return answer

        folders += home.collected(request, fleet, states, tell)
    return folders
