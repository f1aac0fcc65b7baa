"""The worker of a host, which announces its drives and carries out runs, and the scheduler that distributes them."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import Scheduler, Worker

from stend.base.errors import StepFailed
from stend.fleet import local, sealed, tasks
from stend.fleet.file import parse_address
from stend.model.definition import Identity

AGAIN_S = 1.0


def work(
    scheduler: str, certificates: Path, name: str, targets: list[str], home: Path, tell: Callable[[str], None]
) -> None:
    """Carry out runs until the process is ended. If the scheduler is lost, restart by exec and reconnect."""
    parse_address(scheduler)
    drives = local.drives(targets)
    tasks.HOME, tasks.DRIVES = home.absolute(), {serial: drive.target for serial, drive in drives.items()}
    home.mkdir(parents=True, exist_ok=True)
    sealed.seal()
    tell(f"{name}: {len(drives)} {'drive' if len(drives) == 1 else 'drives'}: {', '.join(drives)}")
    try:
        asyncio.run(_work(scheduler, sealed.security(certificates, name), name, drives))
    except (OSError, TimeoutError, RuntimeError) as error:
        cause = _start_error(error)
        if "name taken" in str(cause):
            tell(f"the scheduler {scheduler} has a worker named {name} already; one of the two must stop; trying again")
        else:
            tell(f"the scheduler {scheduler} cannot be reached ({str(cause) or type(cause).__name__}); trying again")
    os.execv(sys.executable, [sys.executable, "-m", "stend", *sys.argv[1:]])  # noqa: S606 ends all threads


def _start_error(error: Exception) -> BaseException:
    """Return the error for which Dask could not start, out of the RuntimeError around it. Raise any other again."""
    if not isinstance(error, RuntimeError):
        return error
    if not isinstance(error.__cause__, OSError | TimeoutError | ValueError):
        raise error
    return error.__cause__


class Carrier(sealed.Closed, Worker):  # type: ignore[misc]
    """Dask's worker with only the operations that a fleet uses."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, dashboard=False, extensions={}, **options)
        sealed.shut(self, sealed.WORKER)


class Broker(sealed.Closed, Scheduler):  # type: ignore[misc]
    """Dask's scheduler with only the operations that a fleet uses."""

    def __init__(self, **options: Any) -> None:
        super().__init__(protocol="tls", dashboard=False, extensions={}, **options)
        sealed.shut(self, sealed.SCHEDULER)


async def _work(scheduler: str, security: Any, name: str, drives: dict[str, Identity]) -> None:
    def announced(worker: Any) -> dict[str, list[Any]]:
        return {serial: [d.model, d.firmware, d.capacity_bytes, d.target] for serial, d in drives.items()}

    worker = Carrier(
        scheduler,
        security=security,
        name=name,
        nthreads=2 * len(drives) + 4,
        resources=dict.fromkeys(drives, 1),
        memory_limit=0,
        metrics={"drives": announced},
        death_timeout=10,
        local_directory=str(tasks.HOME / "dask"),
    )
    try:
        async with worker:
            await worker.finished()
    finally:
        await asyncio.sleep(AGAIN_S)


def schedule(address: str, certificates: Path, name: str, tell: Callable[[str], None]) -> None:
    """Run the scheduler until the process is ended. After a restart clients submit their orders again.

    Raise StepFailed if it cannot listen at the address.
    """
    sealed.seal()
    host, port = parse_address(address)

    async def run() -> None:
        scheduler = Broker(host=host, port=port, security=sealed.security(certificates, name))
        async with scheduler:
            tell(scheduler.address)
            await scheduler.finished()

    try:
        asyncio.run(run())
    except (OSError, RuntimeError) as error:
        cause = _start_error(error)
        why = getattr(cause, "strerror", None) or str(cause)
        raise StepFailed(f"cannot listen at {address}: {why}; choose another address of this host or port") from error
