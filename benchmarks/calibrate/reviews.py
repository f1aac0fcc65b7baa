"""Compare runs of review suites on virtual drives with the numbers and statements of the published reviews."""

import math
import statistics
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import msgspec

from stend import findings
from stend.base.units import GiB, KiB, MiB
from stend.findings import Finding, look
from stend.findings.look.figures import derived
from stend.model.counts import Counts, added
from stend.model.definition import Workload
from stend.model.record import Run
from stend.model.tally import PERCENTS
from stend.planning import plan

WINDOW, END = 4, 30
"""Records in the window of a review, and at the end of a saturation."""
UNITS = {"GiB": GiB, "MiB/s": MiB, "MB/s": 1_000_000}
FEW = "fewer than ten simulated IOs are beyond it: no percentile is shown, and none is compared"


class Row(msgspec.Struct, frozen=True):
    """A published number and the virtual drive's under the conditions of the suite; None is a percentile not shown."""

    review: str
    what: str
    unit: str
    published: float
    measured: float | None
    why: str

    @property
    def error(self) -> float:
        """Return the relative error against the published value (the middle of a published range); nan without one."""
        return math.nan if self.measured is None else self.measured / self.published - 1


class Statement(msgspec.Struct, frozen=True):
    """A published statement and the key of the finding about the virtual drive."""

    review: str
    says: str
    finding: str
    right: bool
    why: str


def reviews() -> dict[str, Any]:
    """Return the published numbers and statements by suite; `why` has the reasons of deviations."""
    return tomllib.loads((resources.files(__package__) / "reviews.toml").read_text())


def suite_of(run: Run) -> str:
    """Return the review suite with the drive and tests of a run, or an empty string."""
    drive, tests = run.plan.device.target.removeprefix("sim:"), tuple(test.name for test in run.plan.tests)
    known = {str(review["target"]): suite for suite, review in reviews().items() if suite != "why"}
    suite = known.get(drive, "")
    return suite if suite and tuple(plan.gather([suite], None, {})[0]) == tests else ""


def measured(suite: str, of: Run) -> Iterator[Row | Statement]:
    """Yield every number and statement of a review with the result of a run of its suite."""
    known = reviews()
    published, reasons = known[suite], known["why"]
    by_name = {f.name: f for f in reversed(list(findings.find(of, {})))}
    for row in published["row"]:
        value = row["published"]
        middle = statistics.mean(value) if isinstance(value, list) else float(value)
        unit = row.get("unit", "IOPS")
        figure = _figure(of, by_name, row, unit)
        why = FEW if figure is None else reasons.get(row.get("why"), "")
        yield Row(suite, row["what"], unit, middle, figure, why)
    for statement in published.get("statement", ()):
        finding = by_name.get(statement["finding"])
        key = finding.key if finding else "nothing"
        why = reasons.get(statement.get("why"), "")
        yield Statement(suite, statement["says"], key, key in statement["keys"], why)


def _figure(run: Run, by_name: dict[str, Finding], row: dict[str, Any], unit: str) -> float | None:
    if "finding" in row:
        name, *path = row["finding"].split(".")
        value: Any = by_name[name].values if name in by_name else None
        for key in path:
            value = value[int(key) if key.isdigit() else key] if value else None
        return float(value or 0) / UNITS.get(unit, 1)
    records = [r for r in look.records(run, row["test"]) if _fits(r, row)]
    if unit in PERCENTS:
        value = derived(added([r.counts for r in records[-WINDOW:]]).both, 1, unit)
        return None if value is None else value * 1e6
    return _taken(records, row.get("take", "window"), unit)


def _fits(record: look.Record, row: dict[str, Any]) -> bool:
    load: Workload = record.workload
    phase = record.result.where.phase
    wanted = row.get("load")
    return (
        (phase == row["phase"] if "phase" in row else phase.partition("-")[0] not in ("fill", "precondition"))
        and (wanted is None or wanted == [load.random_pct, load.read_pct, load.block_bytes / KiB])
        and load.read_pct == row.get("read", load.read_pct)
        and [load.threads, load.depth] == row.get("queue", [load.threads, load.depth])
    )


def _taken(records: list[look.Record], take: str, unit: str) -> float:
    counts = [r.counts for r in records]
    if take in ("best", "worst"):
        return (max if take == "best" else min)((_quantity(c, unit) for c in counts), default=0.0)
    if take == "gain":
        return added(counts[-WINDOW:]).iops / counts[0].iops
    if take == "warm":
        cold, warm = (
            [r.counts.iops for r in records if r.result.where.phase == phase] for phase in ("cold", "warm-reads")
        )
        return statistics.mean(w / c for c, w in zip(cold, warm, strict=True))
    chosen = {"window": counts[-WINDOW:], "first": counts[:5], "end": counts[-END:]}[take]
    return _quantity(added(chosen), unit) if chosen else 0.0


def _quantity(counts: Counts, unit: str) -> float:
    match unit:
        case "us":
            return counts.mean_s * 1e6
        case "ms read":
            return counts.read.mean_s * 1e3
        case "ms write":
            return counts.write.mean_s * 1e3
        case "MiB/s" | "MB/s":
            return counts.bytes_per_s / UNITS[unit]
        case _:
            return counts.iops


def table(results: list[Row | Statement]) -> str:
    """Return Markdown tables of every number, every statement, and the median and worst error of each review."""
    rows = [r for r in results if isinstance(r, Row)]
    lines = ["| review | what | | published | twin | error | |", "|---|---|---|--:|--:|--:|---|"]
    for r in rows:
        twin, error = ("not shown", "-") if r.measured is None else (f"{r.measured:.4g}", f"{r.error:+.1%}")
        lines.append(f"| {r.review} | {r.what} | {r.unit} | {r.published:.6g} | {twin} | {error} | {r.why} |")
    lines += ["", "| review | statement | the twin's finding | | |", "|---|---|---|---|---|"]
    statements = [s for s in results if isinstance(s, Statement)]
    lines += [
        f"| {s.review} | {s.says} | {s.finding} | {'right' if s.right else 'wrong'} | {s.why} |" for s in statements
    ]
    lines += ["", "| review | numbers | not shown | median error | worst | worst of those not explained |"]
    lines += ["|---|--:|--:|--:|--:|--:|"]
    for review in dict.fromkeys(r.review for r in rows):
        numbers = [r for r in rows if r.review == review]
        compared = [r for r in numbers if r.measured is not None]
        errors, plain = [abs(r.error) for r in compared], [abs(r.error) for r in compared if not r.why]
        lines.append(
            f"| {review} | {len(compared)} | {len(numbers) - len(compared)} "
            f"| {statistics.median(errors):.1%} | {max(errors):.1%} | {max(plain):.1%} |"
        )
    return "\n".join(lines)
