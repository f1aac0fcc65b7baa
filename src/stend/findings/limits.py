"""The limit of the highest figures: the drive, its link, or the processors of the host."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.findings.look.link import NEAR_LINK, link
from stend.model.record import Run

NAME = "limits"
BUSY = 0.9


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the run, or nothing if nothing was measured."""
    cells = [cell for test in look.tests(run) for cell in look.cells(run, test)]
    if not cells:
        return
    # The threads of a load share the CPU seconds of the host; no thread can use more than one core.
    busiest = max(cells, key=lambda cell: cell.counts.cpu_s / cell.counts.seconds / cell.workload.threads)
    busy = busiest.counts.cpu_s / busiest.counts.seconds / busiest.workload.threads
    wire = link(run.plan.device, sheet)
    rate = max(wire.busier(cell.counts) for cell in cells)
    values = {"rate": rate, "link": wire.bytes_per_s, "interface": wire.name, "busy": busy}
    if wire.bytes_per_s and rate >= NEAR_LINK * wire.bytes_per_s:
        yield Finding(name=NAME, key="link", values=values, confidence="medium")
    elif busy >= BUSY and not run.plan.device.virtual:
        threads = {"load": busiest.workload.label, "threads": busiest.workload.threads}
        yield Finding(name=NAME, key="cpu", values=values | threads, confidence="low")
    elif wire.bytes_per_s:
        yield Finding(name=NAME, key="drive", values=values, confidence="medium")
    else:
        yield Finding(name=NAME, key="unknown", values=values, confidence="can't tell")
