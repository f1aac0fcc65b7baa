"""OpenMetrics text: every figure of every run with its state and conditions, at the time when the run started.

Prometheus takes the file by `promtool tsdb create-blocks-from openmetrics`, which requires a time of each sample. The
end of a virtual run can be in the future.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from stend.findings.look import figures
from stend.findings.look.figures import Figures
from stend.model.quantities import OTHERS, QUANTITIES
from stend.model.record import Run
from stend.model.tally import NS, PERCENTS
from stend.report.parts.records import names

FIGURES = {
    "stend_iops": ("gauge", "", "IOs per second.", "iops"),
    "stend_throughput_bytes_per_second": ("gauge", "bytes_per_second", "Bytes per second.", "throughput"),
    "stend_response_time_seconds": ("summary", "seconds", "Response times; percentiles that the sample carries.", ""),
    "stend_response_time_max_seconds": ("gauge", "seconds", "The longest response time.", "max"),
    "stend_steady": ("gauge", "", "Whether the window was judged steady.", ""),
} | {f"stend_{n}": ("gauge", "", f"The quantity {n}, in {QUANTITIES[n].unit or 'times'}.", n) for n in OTHERS}
"""Name -> kind, unit and description of a family, and the quantity that it is, "" for another one."""


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `report.openmetrics`, which is the same in every language and style."""
    path = into / "report.openmetrics"
    registry = CollectorRegistry()
    registry.register(_Runs(runs))
    path.write_bytes(generate_latest(registry))  # type: ignore[no-untyped-call]
    return [path]


class _Runs(Collector):
    """All metrics of some runs."""

    def __init__(self, runs: Sequence[tuple[Path, Run, dict[str, Any]]]) -> None:
        self.runs = [(name, run) for name, (_, run, _) in zip(names(runs), runs, strict=True)]

    def collect(self) -> Iterator[Metric]:
        """Yield one family after the other, as the format requires."""
        about = Metric("stend_run", "Which drive, by what, and how it ended.", "info")
        for run_name, run in self.runs:
            about.add_sample("stend_run_info", {"run": run_name} | _about(run), 1, run.started[0].at)
        yield about
        for name, (kind, unit, documentation, _) in FIGURES.items():
            metric = Metric(name, documentation, kind, unit)
            for run_name, run in self.runs:
                for row in figures.figures(run):
                    for suffix, labels, value in _samples(name, row):
                        every = {"run": run_name} | _labels(row) | labels
                        metric.add_sample(name + suffix, every, value, run.started[0].at)
            yield metric


def _about(run: Run) -> dict[str, str]:
    drive = run.plan.device
    labels = {name: getattr(drive, name) for name in ("kind", "model", "serial", "firmware", "interface")}
    outcome = run.ended.outcome if run.ended else ""
    return labels | {"profile": run.plan.profile.name, "outcome": outcome, "virtual": str(drive.virtual).lower()}


def _labels(row: Figures) -> dict[str, str]:
    place = {"place": str(row.place)} if row.place > 1 else {}
    labels = {name: getattr(row, name) for name in ("test", "phase", "state", "window", "direction")}
    return labels | {"workload": row.workload.label} | place


def _samples(name: str, row: Figures) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield (suffix, further labels, value) of one row in a family, or nothing if it has no such figure."""
    match name:
        case "stend_steady" if row.steady is not None:
            yield "", {}, float(row.steady)
        case "stend_response_time_seconds":
            for quantity, percent in PERCENTS.items():
                if (value := row.value(quantity)) is not None:
                    yield "", {"quantile": f"{percent / 100:.5g}"}, value
            yield "_sum", {}, row.tally.latency_ns * NS
            yield "_count", {}, row.tally.ios
        case _ if (quantity := FIGURES[name][3]) and (value := row.value(quantity)) is not None:
            yield "", {}, value
