"""The limit of the highest figures: the drive, its link, or the processors of the host."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.findings.look.link import BEYOND, link
from stend.model.counts import Counts
from stend.model.events import Result
from stend.model.record import Run
from stend.model.tally import NONE
from stend.model.workload import Workload

BUSY = 0.9


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the run, or nothing if nothing was measured."""
    cells = [cell for test in look.tests(run) for cell in look.cells(run, test)]
    if not cells:
        return
    busiest = max(cells, key=lambda cell: cell.counts.cpu_s / cell.counts.seconds / _threads(cell.workload))
    busy = min(busiest.counts.cpu_s / busiest.counts.seconds / _threads(busiest.workload), 1.0)
    wire = link(run.plan.device, sheet)
    together = [_together(result) for result in run.results if result.beside and result.counts.seconds]
    rate = max(wire.busier(counts) for counts in (*(cell.counts for cell in cells), *together))
    values = {"rate": rate, "link": wire.payload, "interface": wire.name, "busy": busy}
    if wire.near(rate):
        yield Finding(key="link", values=values, confidence="medium")
    elif busy >= BUSY and not run.plan.device.virtual:
        threads = {"load": busiest.workload.label, "threads": _threads(busiest.workload)}
        yield Finding(key="cpu", values=values | threads, confidence="low")
    elif wire.bytes_per_s and rate > BEYOND * wire.payload:
        yield Finding(key="beyond", values=values, confidence="can't tell")
    elif wire.bytes_per_s:
        yield Finding(key="drive", values=values, confidence="medium")
    else:
        yield Finding(key="unknown", values=values, confidence="can't tell")


def _threads(load: Workload) -> int:
    """Return the threads that send a load and those beside it. They share the CPU seconds of the host.

    Each uses at most one core. stend's own sender has one thread whatever the load has.
    """
    return sum(1 if load.ours else one.threads for one in (load, *load.beside))


def _together(result: Result) -> Counts:
    """Return the counts of a load and those beside it in the time of the load."""
    reads, writes = (sum((getattr(counts, way) for counts in result.every), NONE) for way in ("read", "write"))
    return Counts(seconds=result.counts.seconds, read=reads, write=writes)
