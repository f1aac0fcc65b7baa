"""Write steps as fio job files for a host without stend; the drive and the ioengine are set by variables."""

import re
from collections.abc import Iterator, Sequence

from stend.engines._fio_job import ALWAYS, content, kind, parts, stretch
from stend.model.definition import Bytes, Hold, Idle, Seconds
from stend.model.tally import PERCENTS

PERCENTILES = ":".join(f"{percent:g}" for percent in PERCENTS.values())
SHARED = {"filename": "${TARGET}", "ioengine": "${ENGINE}", **ALWAYS, "percentile_list": PERCENTILES}
"""Options of every job, without a seed, so that fio draws other offsets in every round."""

LOG_MS = 60_000
"""The interval over which the logs of a long hold are averaged."""


def job_file(steps: Sequence[Hold | Idle], *, most_s: float = 0.0, log: str = "") -> str:
    """Return the text of one file: the steps one after the other, each with its own result.

    Every step with an amount of bytes ends after `most_s` seconds at the latest, if given. `log` is the name of logs to
    write.
    """
    shared = SHARED | ({f"write_{kind}_log": log for kind in ("iops", "bw", "lat")} if log else {})
    if log:
        shared["log_avg_msec"] = str(LOG_MS)
    lines = ["[global]", *(f"{name}={value}" for name, value in shared.items())]
    for number, step in enumerate(steps, 1):
        jobs = _rest(number, step) if isinstance(step, Idle) else _hold(number, step, most_s)
        for name, words in jobs:
            lines += ["", f"[{name}]", *(f"{key}={value}" for key, value in words.items())]
    return "\n".join(lines) + "\n"


Jobs = Iterator[tuple[str, dict[str, str]]]


def _rest(number: int, idle: Idle) -> Jobs:
    """Yield a job that sends almost no IO, and none to a drive, for the length of the rest."""
    words = {"stonewall": "1", "ioengine": "null", "rw": "read", "bs": "4k", "size": "1m", "rate_iops": "1"}
    yield f"{number:02}-rest", words | {"time_based": "1", "runtime": f"{idle.seconds * 1000:.0f}ms"}


def _hold(number: int, hold: Hold, most_s: float) -> Jobs:
    """Yield one job for each section; the first of a part waits for all before it, the others begin with it."""
    workload, limit = hold.workload, hold.amount.bytes if isinstance(hold.amount, Bytes) else None
    name = f"{number:02}-{re.sub('[^a-z0-9]+', '-', workload.label.lower())}"
    endless = isinstance(hold.amount, Seconds)
    most_s = hold.amount.seconds if isinstance(hold.amount, Seconds) else most_s
    time = ({"time_based": "1"} if endless else {}) | ({"runtime": f"{most_s * 1000:.0f}ms"} if most_s else {})
    for part, sections in enumerate(parts(workload, limit_bytes=limit), 1):
        for place, section in enumerate(sections, 1):
            job = f"{name}-{part}-{place}" if place > 1 or part > 1 else name
            begins = {"stonewall": "1"} if place == 1 else {}
            yield job, begins | kind(workload) | content(workload) | stretch(section) | time
