"""Runs as OpenMetrics, for Prometheus."""

from collections import Counter
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from stend.live.now import Now
from stend.runner.progress import ToGo

KIND = CONTENT_TYPE_LATEST
STATES = ("running", "ended", "cut off", "elsewhere")
LIVE = ("running", "elsewhere")
"""States in which the last figures of a run are its present ones."""
FIGURES = {
    "stend_iops": ("iops", "", "IOs per second in the last second of load."),
    "stend_throughput_bytes_per_second": (
        "bytes_per_s",
        "bytes_per_second",
        "Bytes per second in the last second of load.",
    ),
    "stend_response_time_mean_seconds": ("mean_s", "seconds", "Mean response time in the last second of load."),
    "stend_response_time_max_seconds": ("max_s", "seconds", "Longest response time in the last second of load."),
    "stend_temperature_celsius": ("temperature_c", "celsius", "Temperature that the drive reports."),
    "stend_power_watts": ("power_w", "watts", "Power in the last reading of the meter."),
    "stend_elapsed_seconds": ("elapsed_s", "seconds", "Seconds since the run began."),
}


def text(runs: Iterable[Now], outcomes: Iterable[str] = ()) -> bytes:
    """Return the metrics of unfinished runs, and counts of the outcomes of all runs, in the OpenMetrics text format."""
    registry = CollectorRegistry()
    registry.register(_Stand(list(runs), Counter(outcomes)))
    page: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return page


class _Stand(Collector):
    """A collector of the metrics of runs."""

    def __init__(self, runs: list[Now], outcomes: dict[str, int]) -> None:
        self.runs, self.outcomes = runs, outcomes
        self.live = [run for run in runs if run.state in LIVE]

    def collect(self) -> Iterator[Metric]:
        """Yield one metric family after another, as OpenMetrics requires."""
        yield from self._states()
        for name, (field, unit, meaning) in FIGURES.items():
            metric = Metric(name, meaning, "gauge", unit)
            for run in self.live:
                if (value := getattr(run, field)) is not None:
                    metric.add_sample(name, _labels(run), value)
            yield metric
        waits = Metric(
            "stend_step_response_time_seconds", "Response time of the last completed step.", "summary", "seconds"
        )
        for run in self.live:
            for percent, value in run.quantiles.items():
                labels = _labels(run) | {"workload": run.finished, "quantile": f"{float(percent) / 100:g}"}
                waits.add_sample("stend_step_response_time_seconds", labels, value)
        yield waits
        remaining = Metric("stend_to_go_seconds", "Remaining time: at least, likely, at most.", "gauge", "seconds")
        for run in self.live:
            for bound in ToGo._fields if run.likely_s is not None else ():
                labels = _labels(run) | {"bound": bound.removesuffix("_s")}
                remaining.add_sample("stend_to_go_seconds", labels, getattr(run, bound))
        yield remaining

    def _states(self) -> Iterator[Metric]:
        ended = Metric("stend_runs", "Runs below the folder by outcome.", "gauge")
        for outcome, count in sorted(self.outcomes.items()):
            ended.add_sample("stend_runs", {"outcome": outcome}, count)
        yield ended
        states = Metric(
            "stend_run_state", "1 for the present state of a run.", "gauge"
        )  # promtool does not support state sets
        for run in self.runs:
            for state in STATES:
                states.add_sample("stend_run_state", {"run": run.run, "state": state}, run.state == state)
        yield states


def _labels(run: Now) -> dict[str, str]:
    return {name: getattr(run, name) for name in ("run", "drive", "serial", "test", "phase")}
