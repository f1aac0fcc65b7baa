"""Saturation point of a load ladder: the last point before the response time doubles."""

from collections.abc import Iterator

from stend.base.units import block_label, mix_label
from stend.findings import Finding, Sheet, look
from stend.findings.look.figures import Figures, answers
from stend.model.record import Run

TESTS = ("composite", "demand-intensity", "rwsw-demand-intensity", "latency-curve", "thread-queue-sweep", "profiles")
MOST = 3
POINTS = ("max", "mid", "min")
FEWEST = 3


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per ladder with at least three rungs, at most three per test."""
    for test in look.tests(run, *TESTS):
        ladders: dict[str, list[Figures]] = {}
        for cell in answers(run, test.name):
            if cell.phase in POINTS:
                continue
            load = cell.workload
            size = "MIX" if load.mixed else block_label(load.block_bytes)
            kind = "SEQ" if load.random_pct == 0 else "RND"
            ladders.setdefault(f"{kind} {size} {mix_label(load.read_pct)}", []).append(cell)
        long = {
            what: cells for what, cells in ladders.items() if len({c.workload.outstanding for c in cells}) >= FEWEST
        }
        for what, cells in list(long.items())[:MOST]:
            yield _finding(test.name, what, cells)


def _finding(test: str, what: str, cells: list[Figures]) -> Finding:
    ladder = sorted(cells, key=lambda cell: (cell.workload.outstanding, cell.iops))
    unloaded = ladder[0].number("mean")
    most = max(ladder, key=lambda cell: cell.iops)
    within = [cell for cell in ladder if cell.number("mean") <= 2 * unloaded]
    last = max(within, key=lambda cell: cell.iops)
    values = {"what": what, "iops": last.iops, "outstanding": last.workload.outstanding, "unloaded": unloaded}
    values |= {"most": most.iops, "most_s": most.number("mean")}
    return Finding(key="doubled" if len(within) < len(ladder) else "never", test=test, values=values)
