"""Runs as OpenMetrics, for Prometheus."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from stend.live.now import Now
from stend.runner.progress import ToGo

KIND = CONTENT_TYPE_LATEST
STATES = ("running", "ended", "cut off", "elsewhere")
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
    "stend_elapsed_seconds": ("t_s", "seconds", "Seconds since the run began, by the run's clock."),
}


def text(runs: Iterable[Now]) -> bytes:
    """Return the metrics of these runs in the OpenMetrics text format."""
    registry = CollectorRegistry()
    registry.register(_Stand(list(runs)))
    page: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return page


class _Stand(Collector):
    """A collector of the metrics of runs."""

    def __init__(self, runs: list[Now]) -> None:
        self.runs = runs

    def collect(self) -> Iterator[Metric]:
        """Yield one metric family after another, as OpenMetrics requires."""
        states = Metric(
            "stend_run_state", "1 for the present state of a run.", "gauge"
        )  # promtool does not support state sets
        for run in self.runs:
            for state in STATES:
                states.add_sample("stend_run_state", {"run": run.run, "state": state}, run.state == state)
        yield states
        for name, (field, unit, meaning) in FIGURES.items():
            metric = Metric(name, meaning, "gauge", unit)
            for run in self.runs:
                if (value := getattr(run, field)) is not None:
                    metric.add_sample(name, _labels(run), value)
            yield metric
        waits = Metric(
            "stend_step_response_time_seconds", "Response time of the last completed step.", "summary", "seconds"
        )
        for run in self.runs:
            for percent, value in run.quantiles.items():
                labels = _labels(run) | {"workload": run.finished, "quantile": f"{float(percent) / 100:g}"}
                waits.add_sample("stend_step_response_time_seconds", labels, value)
        yield waits
        remaining = Metric("stend_to_go_seconds", "Remaining time: at least, likely, at most.", "gauge", "seconds")
        for run in self.runs:
            for bound in ToGo._fields if run.likely_s is not None else ():
                labels = _labels(run) | {"bound": bound.removesuffix("_s")}
                remaining.add_sample("stend_to_go_seconds", labels, getattr(run, bound))
        yield remaining


def _labels(run: Now) -> dict[str, str]:
    return {name: getattr(run, name) for name in ("run", "drive", "serial", "test", "phase")}
