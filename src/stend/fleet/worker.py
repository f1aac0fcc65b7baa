"""A host of a fleet, which announces its drives and carries runs; the scheduler, which hands them out."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import Scheduler, Worker

from stend.fleet import own as mine
from stend.fleet import sealed, tasks
from stend.model.definition import Identity

AGAIN_S = 1.0


def work(
    scheduler: str, certificates: Path, name: str, targets: list[str], home: Path, tell: Callable[[str], None]
) -> None:
    """Carry runs until the process is ended; when the scheduler is gone, begin anew and look for it again."""
    own = mine.drives(targets)
    tasks.HOME, tasks.DRIVES = home.absolute(), {serial: drive.target for serial, drive in own.items()}
    home.mkdir(parents=True, exist_ok=True)
    sealed.seal()
    tell(f"{name}: {len(own)} drives: {', '.join(own)}")
    try:
        asyncio.run(_worked(scheduler, sealed.security(certificates, name), name, own))
    except (OSError, TimeoutError) as error:
        tell(f"the scheduler {scheduler} cannot be reached ({error or type(error).__name__}); tried again")
    os.execv(sys.executable, [sys.executable, "-m", "stend", *sys.argv[1:]])  # noqa: S606 no thread of before goes on


class Carrier(sealed.Closed, Worker):  # type: ignore[misc]
    """Dask's worker, with the operations of a fleet alone."""

    def __init__(self, *given: Any, **own: Any) -> None:
        super().__init__(*given, dashboard=False, extensions={}, **own)
        sealed.shut(self, sealed.WORKER)


class Broker(sealed.Closed, Scheduler):  # type: ignore[misc]
    """Dask's scheduler, with the operations of a fleet alone."""

    def __init__(self, **own: Any) -> None:
        super().__init__(protocol="tls", dashboard=False, extensions={}, **own)
        sealed.shut(self, sealed.SCHEDULER)


async def _worked(scheduler: str, security: Any, name: str, own: dict[str, Identity]) -> None:
    def announced(worker: Any) -> dict[str, list[Any]]:
        return {serial: [one.model, one.firmware, one.capacity_bytes, one.target] for serial, one in own.items()}

    worker = Carrier(
        scheduler,
        security=security,
        name=name,
        nthreads=2 * len(own) + 4,
        resources=dict.fromkeys(own, 1),
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
    """Hand out work until the process is ended. What it knew is told it again by clients, and by what workers find."""
    sealed.seal()

    async def scheduled() -> None:
        host, _, port = address.removeprefix("tls://").rpartition(":")
        security = sealed.security(certificates, name)
        scheduler = Broker(host=host, port=int(port), security=security)
        async with scheduler:
            tell(scheduler.address)
            await scheduler.finished()

    asyncio.run(scheduled())
