"""A fleet seen from its desk: orders handed out until each run has ended, asked after, stopped, brought home."""

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
from stend.fleet.file import Fleet, Order
from stend.fleet.tasks import Outcome
from stend.session.series import FINISHED

PATIENCE_S, LOST_S, CUTS = 20.0, 120.0, 50
"""How long drives may take to be announced, a lost scheduler or host to come back; how often a run may be cut off."""
LOST = (OSError, CancelledError, TimeoutError, RuntimeError)
T = TypeVar("T")
Tell = Callable[[str], None]


@contextmanager
def desk(scheduler: str, certificates: Path, name: str) -> Iterator[Client]:
    """A client of that scheduler. StepFailed where it cannot be reached."""
    if not scheduler:
        raise BadInput("the fleet file names no scheduler; its runs are jobs of Slurm: add --slurm")
    sealed.seal()
    try:
        client = Client(
            scheduler, security=sealed.security(certificates, name), timeout=PATIENCE_S, set_as_default=False
        )
    except LOST as error:
        why = str(error) or type(error).__name__
        raise StepFailed(
            f"the scheduler {scheduler} cannot be reached ({why}); runs that were begun go on without it, "
            "and this finds them again once it is back"
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=5)


def hosts(client: Client) -> dict[str, dict[str, Drive]]:
    """The drives that each worker announces, by its address and their serials."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return {
        address: {serial: Drive(told["name"], *one) for serial, one in told["metrics"].get("drives", {}).items()}
        for address, told in workers.items()
    }


def announced(client: Client) -> dict[str, Drive]:
    """Every drive by its serial."""
    return {serial: drive for own in hosts(client).values() for serial, drive in own.items()}


def there(client: Client, fleet: Fleet, tell: Tell) -> Fleet:
    """The fleet with its drives chosen, once all are announced; BadInput or Refused where that cannot be in a while."""
    patience_s = LOST_S if _begun(client, fleet) else PATIENCE_S
    until, heard = time.monotonic() + patience_s, False
    while True:
        told = announced(client)
        try:
            own = chosen.kept(fleet) or chosen.settled(fleet, told)
            _once_each(client, own)
        except (BadInput, Refused) as error:
            hopeless = isinstance(error, Refused) and set(fleet.destroy) <= told.keys()
            if hopeless or time.monotonic() > until:
                raise
            if not heard:
                tell(f"{error}; hosts that are still to come have {patience_s:.0f} s")
            heard = True
            time.sleep(0.5)
        else:
            chosen.keep(fleet, own)
            return own


def _begun(client: Client, fleet: Fleet) -> bool:
    """Whether any host has runs of it: then one that is not there now, or does not answer, is on its way back."""
    try:
        return any(each(client, tasks.states, fleet.name).values())
    except LOST:
        return True


def _once_each(client: Client, fleet: Fleet) -> None:
    """BadInput unless each drive of the fleet is announced, and by one host alone."""
    told = Counter(serial for own in hosts(client).values() for serial in own)
    for serial in fleet.serials:
        if told[serial] > 1:
            raise BadInput(f"the drive {serial} is announced by two hosts; end one of them")
        if not told[serial]:
            known = ", ".join(sorted(told)) or "none at all"
            raise BadInput(f"no host announces the drive {serial}; announced are {known}")


def run(fleet: Fleet, certificates: Path, name: str, tell: Tell) -> list[Outcome]:
    """Every run of the fleet to its end; what was lost on the way is asked for again, and found where it is."""
    left: dict[str, Order] = {}
    done: dict[str, Outcome] = {}
    counts: Counter[str] = Counter()
    lost, checked = time.monotonic(), False
    while left or not checked:
        try:
            with desk(fleet.scheduler, certificates, name) as client:
                if not checked:
                    fleet, checked = there(client, fleet, tell), True
                    left = {order.cell: order for order in fleet.orders(list(hosts(client).values()))}
                for outcome in _told(client, list(left.values())):
                    lost = time.monotonic()
                    tell(f"{outcome.cell}: {outcome.outcome}{': ' + outcome.said if outcome.said else ''}")
                    counts[outcome.cell] += 1
                    most = CUTS if outcome.outcome == "cut off" else fleet.retries if outcome.outcome == "failed" else 0
                    if counts[outcome.cell] > most:
                        done[outcome.cell] = outcome
                        del left[outcome.cell]
        except (*LOST, StepFailed) as error:
            if not checked and isinstance(error, StepFailed):
                raise
            if not checked or time.monotonic() - lost > LOST_S:
                raise StepFailed(
                    f"the scheduler was lost ({error}); the runs go on, `stend fleet run` finds them again"
                ) from error
            tell(f"the scheduler was lost ({type(error).__name__}); the runs go on, it is asked again")
            time.sleep(1)
    return [done[order.cell] for order in fleet.orders()]


def _told(client: Client, orders: list[Order]) -> Iterator[Outcome]:
    """Outcomes as they come; an order's drive is its resource, so that one run at a time is on it."""
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
    """What every worker answers to a task."""
    futures = {a: client.submit(task, *given, workers=[a], pure=False, priority=100) for a in hosts(client)}
    return {address: future.result(timeout=PATIENCE_S) for address, future in futures.items()}


def collect(client: Client, fleet: Fleet, tell: Tell) -> list[Path]:
    """Every finished run as a folder here, each file checked by its hash; those that are here already are left."""
    found = []
    for address, states in each(client, tasks.states, fleet.name).items():

        def ask(task: Callable[..., T], *given: Any, address: str = address) -> T:
            answer: T = client.submit(task, *given, workers=[address], pure=False).result(timeout=PATIENCE_S)
            return answer

        for cell in (cell for cell, state in states.items() if state == "ended"):
            folder = Path(fleet.into) / cell
            if home.brought(ask, fleet.name, cell, folder):
                tell(f"{cell}: {folder}")
            found.append(folder)
    return found


def finished(outcomes: list[Outcome]) -> bool:
    """Whether every run came to its end."""
    return all(one.outcome in FINISHED for one in outcomes)
