"""Scaling with queue depth: the gain of the deepest queue over a single IO, and the depth that is enough, if any."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.findings.look.figures import Figures, answers
from stend.model.record import Run

TESTS = ("composite", "demand-intensity", "rwsw-demand-intensity", "latency-curve", "profiles", "cold-warm")
NEARLY = 0.95


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per test, for the kind of IO with the longest ladder."""
    for test in look.tests(run, *TESTS):
        kinds: dict[tuple[str, int, int], list[Figures]] = {}
        for cell in answers(run, test.name):
            load = cell.workload
            kinds.setdefault((cell.phase, load.read_pct, load.block_bytes), []).append(cell)
        ladder = max(kinds.values(), key=lambda cells: len({c.workload.outstanding for c in cells}), default=[])
        if len({c.workload.outstanding for c in ladder}) > 2:
            yield _finding(test.name, ladder)


def _finding(test: str, cells: list[Figures]) -> Finding:
    cells = sorted(cells, key=lambda cell: cell.workload.outstanding)
    most = max(cell.iops for cell in cells)
    enough = next(cell for cell in cells if cell.iops >= NEARLY * most)
    deep, single = cells[-1], cells[0]
    points = {"deep": deep, "single": single, "enough": enough}
    depths = {name: cell.workload.outstanding for name, cell in points.items()}
    values = {"what": single.workload.pattern} | depths | {"gain": deep.iops / single.iops}
    sooner = depths["enough"] < depths["deep"]
    return Finding(key="scales" if sooner else "deepest", test=test, values=values)
