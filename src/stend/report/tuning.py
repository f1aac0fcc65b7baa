"""Settings of other software from measured figures: Linux io.cost, Seastar's io_properties.yaml, Ceph's mClock.

io.cost: `io.cost.model` in the kernel's Documentation/admin-guide/cgroup-v2.rst. Seastar: the file that iotune writes.
Ceph: `osd_mclock_max_capacity_iops_*`, random writes of 4 KiB. Only figures of lasting states are used: a purged drive
answers reads without its medium and writes faster than it will in service.
"""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stend.base.units import KiB, block_label
from stend.base.version import __version__
from stend.findings.look.figures import Figures, lasting
from stend.model.record import Run
from stend.report.parts.records import names
from stend.words import Language

SMALL, LARGE = 4 * KiB, 64 * KiB
"""Size of the IOs whose rate is a setting, and the smallest size whose bandwidth is one."""


class Wanted(NamedTuple):
    """A figure that settings need: random or sequential, reads or writes, IOs or bytes per second."""

    random_pct: int
    read_pct: int
    quantity: str

    def __str__(self) -> str:
        access = "random" if self.random_pct else "sequential"
        way = "reads" if self.read_pct else "writes"
        return f"{access} {way} of " + ("4 KiB" if self.quantity == "iops" else f"{LARGE // KiB} KiB or more")

    def best(self, rows: Sequence[Figures]) -> Figures | None:
        """Return the row with the highest value among plain loads of this kind, or None without any.

        Rows that were judged and not steady count only if there are no others.
        """
        found = [row for row in rows if self._is(row)]
        return max(found, key=lambda row: (row.steady is not False, row.number(self.quantity)), default=None)

    def _is(self, row: Figures) -> bool:
        load = row.workload
        plain = not (load.mixed or load.serves)
        size = load.block_bytes == SMALL if self.quantity == "iops" else load.block_bytes >= LARGE
        return plain and size and (load.random_pct, load.read_pct) == (self.random_pct, self.read_pct)


READ_BYTES, WRITE_BYTES = Wanted(0, 100, "throughput"), Wanted(0, 0, "throughput")
READS, WRITES = Wanted(100, 100, "iops"), Wanted(100, 0, "iops")
IO_COST = {
    "rbps": READ_BYTES,
    "rseqiops": Wanted(0, 100, "iops"),
    "rrandiops": READS,
    "wbps": WRITE_BYTES,
    "wseqiops": Wanted(0, 0, "iops"),
    "wrandiops": WRITES,
}
SEASTAR = {"read_iops": READS, "read_bandwidth": READ_BYTES, "write_iops": WRITES, "write_bandwidth": WRITE_BYTES}


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `tuning.txt`, which is the same in every language and style."""
    path = into / "tuning.txt"
    named = zip(names(runs), runs, strict=True)
    path.write_text("\n".join(line for name, (_, run, _) in named for line in lines(name, run)), encoding="utf-8")
    return [path]


def lines(name: str, run: Run) -> Iterator[str]:
    """Yield the settings of a run, each after the measured load that it comes from."""
    drive, rows = run.plan.device, lasting(run)
    yield f"# {drive.model} {drive.serial}, run {name}, stend {__version__}"
    yield from (f"# {stamp}" for stamp in run.stamps)
    if drive.virtual:
        yield f"# {Language('en')('stamp.virtual')}"
    yield ""
    yield "# Linux, /sys/fs/cgroup/io.cost.model: MAJ:MIN of the drive is in `lsblk`; what is left out keeps its value"
    if found := (yield from _chosen(IO_COST, rows)):
        yield "MAJ:MIN ctrl=user model=linear " + " ".join(f"{key}={value}" for key, value in found.items())
    yield ""
    yield "# Seastar (ScyllaDB, Redpanda), io_properties.yaml: set the mount point; all four values are needed"
    found = yield from _chosen(SEASTAR, rows)
    if len(found) == len(SEASTAR):
        yield "disks:"
        yield "  - mountpoint: /var/lib/data"
        yield from (f"    {key}: {value}" for key, value in found.items())
    yield ""
    yield "# Ceph: an upper bound, because BlueStore writes more than its client; N is the number of the OSD"
    kind = "hdd" if drive.rotational else "ssd"
    for key, value in (yield from _chosen({f"osd_mclock_max_capacity_iops_{kind}": WRITES}, rows)).items():
        yield f"ceph config set osd.N {key} {value}"
    yield ""


def _chosen(settings: dict[str, Wanted], rows: Sequence[Figures]) -> Generator[str, None, dict[str, int]]:
    """Yield a comment for each setting: its load, or that none was measured in a lasting state. Return the values."""
    best = {key: wanted.best(rows) for key, wanted in settings.items()}
    for key, row in best.items():
        yield f"#   {key}: {source(row) if row else f'not measured in a lasting state ({settings[key]})'}"
    return {key: round(row.number(settings[key].quantity)) for key, row in best.items() if row}


def source(row: Figures) -> str:
    """Return the measured load that a value comes from."""
    load, held = row.workload, {True: "steady", False: "not steady", None: row.state}[row.steady]
    kind = f"{'random' if load.random_pct else 'sequential'} {'reads' if load.read_pct else 'writes'}"
    size, outstanding = block_label(load.block_bytes), f"T{load.threads} Q{load.depth}"
    return f"{row.test}, {row.phase}, {kind} {size} {outstanding}, {held}"
