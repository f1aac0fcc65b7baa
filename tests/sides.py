"""Runs made of numbers, for comparisons: one figure or a few, with the settings that a test wants to differ."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from stend import store
from stend.base.units import GB, KiB
from stend.findings.look.figures import Figures
from stend.many.compare import Outcome, Side, side
from stend.many.sides import Key
from stend.model.definition import Workload
from stend.model.events import Started
from stend.model.stats import bin_index
from stend.model.tally import Tally
from tests.synthetic import Truth, events

SETTINGS = {
    "profile": "enterprise-2.0.2",
    "quick": False,
    "cache": "disabled",
    "provisioned": 1.0,
    "engine": "fio",
    "model": "Drive",
    "firmware": "1",
}
SECONDS = 100.0


def load(read_pct: int = 0, block_kib: int = 4, depth: int = 32) -> Workload:
    return Workload(random_pct=100, read_pct=read_pct, block_bytes=block_kib * KiB, threads=4, depth=depth)


def row(work: Workload, iops: float, *, test: str = "iops", steady: bool | None = True) -> Figures:
    """A figure of 100 s: response times all alike, `outstanding / iops` each."""
    ios = round(iops * SECONDS)
    each_ns = work.outstanding / iops * 1e9
    tally = Tally(ios, ios * work.block_bytes, ios * each_ns, ios * each_ns**2, each_ns, {bin_index(each_ns): ios})
    return Figures(test, "rounds", "window", "rounds", work, 1, "both", (1, 2, 3, 4, 5), steady, SECONDS, tally)


def key(figures: Figures) -> Key:
    work = figures.workload
    block = f"{work.block_bytes // KiB}K"
    place = (figures.test, figures.phase, figures.state, work.random_pct, work.read_pct, block)
    return Key(*place, work.threads, work.depth, 1, figures.direction)


def outcome(
    name: str, rows: Iterable[Figures], at: float = 0.0, drive: str = "SN1", settings: Mapping[str, Any] | None = None
) -> Outcome:
    told = SETTINGS | dict(settings or {})
    return Outcome(name, drive, at, at + 60, crc32(name.encode()), told, {key(r): r for r in rows}, 480 * GB, {}, ())


def of_rates(
    name: str, *rates: float, first_s: float = 0.0, every_s: float = 200.0, settings: Mapping[str, Any] | None = None
) -> Side:
    """A side of runs of one cell with these IOPS, one run after the other."""
    runs = (
        outcome(f"{name}{i}", [row(load(), rate)], first_s + i * 200, settings=settings) for i, rate in enumerate(rates)
    )
    return side(name, runs)


def folder(path: Path, *, seed: int, truth: Truth, names: tuple[str, ...] = ("iops",), **changes: Any) -> Path:
    """A run folder of a synthetic drive, its own beginning and seed."""
    store.create(path, {"target": "synthetic", "label": changes.pop("label", "")}, {"kernel": "6.1"})
    asked = {"interval_s": 20.0, "shorten": 60, "rounds": 5} | changes
    made = events(names, truth, **asked)
    own = (
        msgspec.structs.replace(e, at=e.at + 100_000 * seed, seed=seed) if isinstance(e, Started) else e for e in made
    )
    for _ in store.append(path, own):
        pass
    return path
