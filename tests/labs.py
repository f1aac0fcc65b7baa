"""Labs of synthetic drives: whole run folders of real or virtual drives, made in a moment, to be published."""

from pathlib import Path
from typing import Any

import msgspec

from stend import store
from stend.model.definition import Identity
from stend.model.events import Event, MeterFacts, Note, Started
from stend.words import text
from tests.synthetic import Truth, events

TESTS = ("iops", "latency")
FEW: dict[str, Any] = {
    "tests": {
        "iops": {"mixes": [100, 65, 0], "blocks_kib": [128, 8, 4]},
        "latency": {"mixes": [100, 0], "blocks_kib": [4]},
    }
}
"""Cells of each test; nothing is shortened, so that the runs may be ranked."""


def run(
    path: Path,
    truth: Truth,
    *,
    seed: int = 1,
    names: tuple[str, ...] = TESTS,
    virtual: bool = False,
    host: dict[str, Any] | None = None,
    manifest: dict[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    facts: dict[str, Any] | None = None,
    meters: tuple[MeterFacts, ...] = (),
    interval_s: float = 60.0,
    **changes: Any,
) -> Path:
    """A run folder of a synthetic drive; `facts` are fields of its identity."""
    store.create(
        path, {"target": "synthetic"} | (manifest or {}), {"kernel": "6.1", "cpu": "Test CPU", "cpus": 8} | (host or {})
    )

    def own(event: Event) -> Event:
        if not isinstance(event, Started):
            return event
        fields: dict[str, Any] = {"kind": "nvme", "target": "/dev/nvme0n1", "path": "/dev/nvme0n1"}
        fields = {"virtual": virtual} | ({} if virtual else fields) | (facts or {})
        drive: Identity = msgspec.structs.replace(event.plan.device, **fields)
        plan = msgspec.structs.replace(event.plan, device=drive)
        return msgspec.structs.replace(event, plan=plan, meters=meters, at=event.at + 100_000 * seed, seed=seed)

    made = [own(event) for event in events(names, truth, interval_s=interval_s, **{**FEW, **changes})]
    made[1:1] = [Note(t=0.0, text=text(note)) for note in notes]
    for _ in store.append(path, (event for event in made)):
        pass
    return path
