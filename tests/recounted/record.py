"""A record as plain JSON: its results, windows and samples, and rates and response times of them."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KIB = 1024
Row = dict[str, Any]


class Record:
    """The results, samples and judgements of a run folder."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.results: list[Row] = []
        self.samples: list[tuple[float, float, int]] = []  # end, seconds, bytes
        self.windows: dict[tuple[str, str], list[int]] = {}
        self.steady: dict[tuple[str, str], bool] = {}
        self.plan: Row = {}
        for line in lines:
            event = json.loads(line)
            match event.get("type"):
                case "started":
                    self.plan = event["plan"]
                case "sample":
                    counts = event["counts"]
                    self.samples.append((event["t"], counts[0], counts[2][1] + counts[3][1]))
                case "result" if event["step"]["type"] == "hold":
                    self.results.append(_flat(event))
                case "judged" if event.get("verdicts"):
                    where = event["where"]
                    self.windows[where["test"], where["phase"]] = event["verdicts"][0]["rounds"]
                    self.steady[where["test"], where["phase"]] = event.get("steady", False)
        self.capacity = float(self.plan["device"]["capacity_bytes"])

    def of(self, test: str, phase: str = "", **load: Any) -> list[Row]:
        """Return the results of a test or phase (by how its name begins) whose load has these settings."""
        own = [r for r in self.results if r["test"] == test and r["phase"].startswith(phase)]
        return [r for r in own if all(r["load"].get(key) == value for key, value in load.items())]

    def window(self, rows: list[Row]) -> list[Row]:
        """Return those of the rounds in which steady state was judged last; all where it was not."""
        return [r for r in rows if r["round"] in self.windows.get((r["test"], r["phase"]), [r["round"]])]

    def loads(self, rows: list[Row]) -> list[list[Row]]:
        """Return the results of each load apart, in the windows of their phases."""
        apart: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            apart[row["phase"] + json.dumps(row["load"], sort_keys=True)].append(row)
        return [_without_warm_up(self.window(own)) for own in apart.values()]

    def during(self, row: Row) -> list[tuple[float, float]]:
        """Return (end in seconds from the row's start, bytes/s) of the samples of a result."""
        begin = row["t"] - row["seconds"]
        return [(t - begin, b / s) for t, s, b in self.samples if begin + 1e-6 < t <= row["t"] + 1e-6 and s]


def _without_warm_up(rows: list[Row]) -> list[Row]:
    """Return the last result of each round: a shorter one of the same load before it is a warm-up."""
    last = {row["round"]: row for row in rows}
    shorter = any(row["seconds"] < 0.9 * last[row["round"]]["seconds"] for row in rows)
    return list(last.values()) if shorter else rows


def _flat(event: Row) -> Row:
    seconds, _, read, write = event["counts"]
    load = {"threads": 1, "depth": 1, "range_bytes": 0} | event["step"]["workload"]
    where = event["where"]
    return {
        "test": where["test"], "phase": where["phase"], "round": where.get("round", 0), "t": event["t"],
        "seconds": seconds, "gap": event.get("gap_s", 0.0), "load": load, "read": read, "write": write,
    }  # fmt: skip


def read(folder: Path) -> Record:
    """Return the record of a run folder."""
    with (folder / "events.jsonl").open() as lines:
        return Record(iter(lines))


def iops(rows: list[Row]) -> float:
    """Return IOs per second of several results together."""
    return float(sum(r["read"][0] + r["write"][0] for r in rows) / sum(r["seconds"] for r in rows))


def rate(rows: list[Row]) -> float:
    """Return bytes per second of several results together."""
    return float(sum(r["read"][1] + r["write"][1] for r in rows) / sum(r["seconds"] for r in rows))


def mean(rows: list[Row], ways: tuple[str, ...] = ("read", "write")) -> float:
    """Return the mean response in seconds."""
    return float(sum(r[w][2] for r in rows for w in ways) / sum(r[w][0] for r in rows for w in ways) / 1e9)


def longest(rows: list[Row]) -> float:
    """Return the longest response in seconds."""
    return float(max(r[w][4] for r in rows for w in ("read", "write")) / 1e9)


def percentile(rows: list[Row], percent: float, ways: tuple[str, ...] = ("read", "write")) -> float | None:
    """Return the response in seconds that so many percent of the IOs do not exceed; None with fewer than ten beyond."""
    bins: dict[int, int] = defaultdict(int)
    for row in rows:
        for way in ways:
            for index, count in row[way][5].items():
                bins[int(index)] += count
    total, below = sum(bins.values()), 0
    if total * (100 - percent) / 100 < 10:
        return None
    for index in sorted(bins):
        below += bins[index]
        if below >= math.ceil(total * percent / 100):
            return _middle_ns(index) / 1e9
    return None


def _middle_ns(index: int) -> float:
    """Return the middle of one of fio's latency bins: 64 linear ones, then 64 for each power of two."""
    if index < 128:
        return index + 0.5
    shift = index // 64 - 1
    return (64 + index % 64 + 0.5) * 2.0**shift


def outstanding(row: Row) -> int:
    """Return threads times depth."""
    threads, depth = row["load"]["threads"], row["load"]["depth"]
    return int(threads * depth)
