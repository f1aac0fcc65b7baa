"""The zoo of faulty drives: `python -m tests.zoo` prints the tables of misses and false alarms.

Media tests and inspections run to their findings. docs/method/data has the tables (`benchmarks/data.py`).
"""

import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from stend import findings
from stend.base.units import KiB, MiB
from stend.devices import virtual
from stend.engines._room import size_bytes
from stend.engines.simulated import SimulatedEngine
from stend.engines.verify import VerifyEngine
from stend.findings.look.media import Media, media
from stend.many.incoming import lot
from stend.model.definition import Identity
from stend.model.record import Run
from stend.planning import plan as planning
from stend.runner.loop import run
from tests.inspected import FAULTS, against, disk, inspected, verdict
from tests.liar import Honest, mounted
from tests.liars import (
    CacheOnly,
    Corner,
    DeafBit,
    Failing,
    Flipping,
    Forgetful,
    Frozen,
    Limbo,
    Misdirecting,
    Stuck,
    Wrapping,
)
from tests.stand import let_go, loop_of, zram
from tests.still import StillDevice

SIZE = 48 * MiB
REAL = 20 * MiB


class Liar(NamedTuple):
    """A drive, the finding that must name its lie, values of it, and the bytes that are really kept."""

    made: Callable[[], Honest]
    key: str
    values: dict[str, Any]
    kept: int


def drive_at(path: Path) -> StillDevice:
    """A file as a drive without the gate, which refuses FUSE."""
    device = StillDevice()
    device.identity = Identity(
        kind="file", target=str(path), path=str(path), capacity_bytes=size_bytes(str(path)), serial="LIAR"
    )
    return device


def ran(path: Path, *, quick: bool = False, seed: int = 5) -> Run:
    """A media test of a file to its end."""
    device = drive_at(path)
    names, profile, _ = planning.gather(("media",), None, {}, quick=quick)
    plan = planning.draw(names, profile, device.identity)
    return Run(run(plan, device, VerifyEngine(str(path)), seed=seed, at=0.0))


def simulated(target: str, *, quick: bool = False) -> Run:
    """A media test of a virtual drive to its end."""
    device = virtual.find(target)
    device.door.open(writes=True, destroy=None)
    names, profile, _ = planning.gather(("media",), None, {}, quick=quick)
    plan = planning.draw(names, profile, device.identity)
    return Run(run(plan, device, SimulatedEngine(device.sim.drive), seed=5, at=0.0))


def content(past: Run) -> Media:
    """The verified content of a media test that ended."""
    assert past.ended is not None
    assert past.ended.outcome == "complete", past.ended.reason
    seen = media(past, "media")
    assert seen is not None
    return seen


def said(past: Run) -> dict[str, dict[str, Any]]:
    """The findings of a media test: {key: values}."""
    return {finding.key: finding.values for finding in findings.find(past) if finding.name == "media"}


def _before() -> bytes:
    """What another run wrote to the whole drive."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "before")
        path.write_bytes(bytes(SIZE))
        assert content(ran(path, seed=4)).kept_bytes == SIZE
        return path.read_bytes()


ODD = 12345 * 1536
"""A capacity that is not a multiple of 4 KiB, and not near a power of two."""
LIARS: dict[str, Liar] = {
    "wraps at a power of two": Liar(lambda: Wrapping(SIZE, 16 * MiB), "wraps", {"wrap": 16 * MiB}, 16 * MiB),
    "wraps at 20 MiB": Liar(lambda: Wrapping(SIZE, REAL), "wraps", {"wrap": REAL}, REAL),
    "wraps at 37035 sectors": Liar(lambda: Wrapping(SIZE, ODD), "wraps", {"wrap": ODD}, ODD),
    "wraps 512 bytes before its end": Liar(
        lambda: Wrapping(SIZE, SIZE - 512), "wraps", {"wrap": SIZE - 512}, SIZE - 512
    ),
    "ignores an address bit": Liar(lambda: DeafBit(SIZE, 8 * MiB), "wraps", {"wrap": 8 * MiB}, 24 * MiB),
    "keeps its last MiB for all beyond": Liar(lambda: Corner(SIZE, REAL), "wraps", {"wrap": MiB}, REAL),
    "drops, returns zeros": Liar(lambda: Limbo(SIZE, REAL), "ends", {"first": REAL, "end": SIZE}, REAL),
    "drops, returns ones": Liar(lambda: Limbo(SIZE, REAL, 0xFF), "ends", {"first": REAL, "end": SIZE}, REAL),
    "drops, returns random data": Liar(lambda: Limbo(SIZE, REAL, None), "ends", {"first": REAL, "end": SIZE}, REAL),
    "keeps nothing": Liar(lambda: Limbo(SIZE, 0), "all_zeroed", {"bytes": SIZE}, 0),
    "is frozen with another run's data": Liar(lambda: Frozen(SIZE, _before()), "all_dropped", {"bytes": SIZE}, 0),
    "is a cache of 4 MiB": Liar(lambda: CacheOnly(SIZE, 4 * MiB), "cached", {"first": 0}, 4 * MiB),
    "loses every 13th write": Liar(
        lambda: Forgetful(SIZE, 13), "scattered_dropped", {"blocks": 48 // 13 * 2048}, SIZE - 48 // 13 * MiB
    ),
    "flips one bit": Liar(
        lambda: Flipping(SIZE, [123456789]), "flips", {"blocks": 1, "bits": 1, "first": 123456789 // 4096 * 512},
        SIZE - 512,
    ),
    "flips one bit of 10^9": Liar(
        lambda: Flipping(128 * MiB, [987654321]), "flips", {"blocks": 1, "bits": 1, "first": 987654321 // 4096 * 512},
        128 * MiB - 512,
    ),
    "flips 100 bits": Liar(
        lambda: Flipping(SIZE, random.Random(3).sample(range(0, SIZE * 8, 4096), 100)),
        "flips", {"blocks": 100, "bits": 100}, SIZE - 100 * 512,
    ),
    "cannot read 8 KiB": Liar(
        lambda: Failing(SIZE, 7 * MiB + 4096, 7 * MiB + 12288), "unreadable",
        {"bytes": 8 * KiB, "first": 7 * MiB + 4096, "end": 7 * MiB + 12288}, SIZE - 8 * KiB,
    ),
    "reads at the second attempt": Liar(
        lambda: Failing(SIZE, 7 * MiB, 7 * MiB + 4096, times=1), "reread", {"first": 7 * MiB}, SIZE
    ),
    "cannot write 4 KiB": Liar(
        lambda: Failing(SIZE, 9 * MiB, 9 * MiB + 4096, writes=True), "unwritable",
        {"bytes": 4 * KiB, "first": 9 * MiB}, SIZE - 4 * KiB,
    ),
    "writes one page elsewhere": Liar(
        lambda: Misdirecting(SIZE, 40 * MiB + 8192, 3 * MiB), "wraps", {"bytes": 4096, "first": 3 * MiB}, SIZE - 8192
    ),
    "has bits that are stuck at one": Liar(
        lambda: Stuck(SIZE, [number * MiB + 100 + number for number in range(1, 48)]), "flips", {}, 0
    ),
}  # fmt: skip


def healthy() -> Iterator[tuple[str, Callable[[Path], Run]]]:
    """Drives that keep what they are given: FUSE, files, loop devices, zram and virtual ones, of odd sizes too."""
    for number in range(6):
        size = (16 + 3 * number) * MiB + number * 4096

        def fuse(folder: Path, size: int = size) -> Run:
            with mounted(folder, lambda: Honest(size)) as path:
                return ran(path)

        yield f"FUSE of {size} bytes", fuse
    for number in range(6):
        size = 8 * MiB + number * 5 * MiB + number * 12288

        def file(folder: Path, size: int = size) -> Run:
            path = folder / "drive"
            folder.mkdir()
            path.write_bytes(b"")
            os.truncate(path, size)
            return ran(path)

        yield f"file of {size} bytes", file
    for number in range(4):
        size = 24 * MiB + number * 4608

        def loop(folder: Path, size: int = size) -> Run:
            folder.mkdir()
            (folder / "backing").write_bytes(b"")
            os.truncate(folder / "backing", size)
            node = loop_of(folder / "backing")
            try:
                return ran(Path(node))
            finally:
                let_go(node)

        yield f"loop of {size} bytes", loop

        def memory(folder: Path, size: int = size) -> Run:
            with zram(size // 4096 * 4096) as node:
                return ran(Path(node))

        yield f"zram of {size // 4096 * 4096} bytes", memory
    for name in ("ideal", "kc2000", "st600mx0052", "px02sm"):
        yield name, lambda folder, name=name: simulated(f"sim:{name}")  # type: ignore[misc]
    for seed in range(16):
        yield f"small, unit {seed}", lambda folder, seed=seed: simulated(f"sim:small?unit={seed}&spread=1")  # type: ignore[misc]


def main() -> int:
    """Print tables of media tests, inspections and healthy drives. Return 1 if a drive is missed or accused falsely."""
    wrong = sum([media_tests(), inspections(), accused()])
    print(f"\n{wrong} drives missed or accused falsely")
    return int(bool(wrong))


def media_tests() -> int:
    """Print a row for each liar: the whole media test, and the one of `--quick`, which samples; return the misses."""
    print("| drive | media test | bytes written and read | `--quick` | bytes written and read |\n|---|---|--:|---|--:|")
    missed = 0
    for name, liar in LIARS.items():
        with tempfile.TemporaryDirectory() as folder:
            with mounted(Path(folder, "full"), liar.made) as path:
                whole = ran(path)
            with mounted(Path(folder, "quick"), liar.made) as path:
                sample = ran(path, quick=True)
        found = liar.key in said(whole)
        missed += not found
        quick = ", ".join(key for key in said(sample) if not key.startswith("sample")) or "missed"
        print(
            f"| {name} | {liar.key if found else 'MISSED'} | {moved(whole)} | {quick} | {moved(sample)} |", flush=True
        )
    return missed


def inspections() -> int:
    """Print a row for each faulty disk of 8 TB: an inspection of five minutes; return the misses."""
    print("\n| disk of 8 TB | inspection | verdict | bytes read |\n|---|---|---|--:|")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, fault in FAULTS.items():
            past = inspected(disk(Path(folder), fault.reports, **fault.options))
            found = against(past) == fault.found and verdict(past) == fault.verdict
            missed += not found
            keys = ", ".join(sorted(key.partition(".")[2] for key in against(past))) if found else "MISSED"
            print(f"| {name} | {keys} | {verdict(past)} | {moved(past)} |", flush=True)
        rows = lot(
            [(name, inspected(disk(Path(folder), serial="A", seed=n), seed=n)) for n, name in enumerate("ab", 1)]
        )
        found = all([why.key for why in row.reasons] == ["lot_serial"] for row in rows)
    print(f"| has the serial number of another | {'lot_serial' if found else 'MISSED'} | {rows[0].verdict} | |")
    return missed + (not found)


def accused() -> int:
    """Print a row for each kind of healthy drive: how many, and false alarms of the media test; return the alarms."""
    alarms, drives = Counter[str](), Counter[str]()
    for name, made in healthy():
        kind = name.split()[0].strip(",") if " " in name else "twin"
        with tempfile.TemporaryDirectory() as folder:
            alarms[kind] += list(said(made(Path(folder, "drive")))) != ["real"]
        drives[kind] += 1
    print("\n| healthy drives | number | false alarms |\n|---|--:|--:|")
    for kind, number in drives.items():
        print(f"| {kind} | {number} | {alarms[kind]} |", flush=True)
    return alarms.total()


def moved(past: Run) -> int:
    """Return the bytes that a run wrote and read."""
    return sum(result.counts.write.bytes + result.counts.read.bytes for result in past.results)


if __name__ == "__main__":
    sys.exit(main())
