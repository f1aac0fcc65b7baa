"""Measure the test host once before a study. Every later report on this machine shows the result."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from stend.base.extras import needing
from stend.base.home import home
from stend.base.sysfs import text
from stend.base.units import GB
from stend.host import ceiling, memory, processors


def measure(*, quick: bool) -> dict[str, Any]:
    """Measure memory by STREAM, fio's limits and the processors, with advice as text. Raise Missing without fio."""
    with needing("STREAM, the measure of memory,"):
        from stend.host import stream

    places = memory.modules(dmidecode())
    population, cpus = memory.population(places), processors.describe()
    facts: dict[str, Any] = {
        "modules": [place._asdict() for place in places if place.size_bytes],
        "stream_bytes_per_s": stream.measured(processors.last_cache_bytes(), repeats=2 if quick else stream.REPEATS),
        "fio_iops": ceiling.measured(seconds=0.5 if quick else ceiling.SECONDS),
        "fio_bytes_per_s": ceiling.data(seconds=0.5 if quick else ceiling.SECONDS),
        "processors": cpus,
        "advice": [*(memory.advice(places) if places else ()), *processors.advice(cpus)],
    }
    if population:
        share = facts["stream_bytes_per_s"]["triad"] / population.peak_bytes_per_s
        low, high = memory.expected(population)
        words = {"words": population.words, "triad_share": share, "expected": [low, high]}
        facts["memory"] = population._asdict() | words
        if share < low:
            peak = f"{population.peak_bytes_per_s / GB:.0f} GB/s"
            facts["advice"].append(
                f"Triad reaches {share:.0%} of the peak of {peak}; {low:.0%} to {high:.0%} were to be expected"
            )
    return facts


def dmidecode() -> str:
    """Return the output of dmidecode on memory devices, or "" if it is not installed or not permitted."""
    try:
        return subprocess.run(
            ["dmidecode", "--type", "17"], capture_output=True, errors="replace", timeout=20, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _machine() -> str:
    """Return a short identifier of this machine with its memory and processors."""
    cpu = text(Path("/proc/cpuinfo")).partition("cpu MHz")[0]
    words = [text(Path("/etc/machine-id")), cpu, *text(Path("/proc/meminfo")).splitlines()[:1]]
    return hashlib.blake2b("\n".join(words).encode(), digest_size=8).hexdigest()


def place() -> Path:
    """Return the path of the last measurement."""
    state = os.environ.get("XDG_STATE_HOME") or home() / ".local/state"
    return Path(state) / "stend" / "host.json"


def keep(facts: dict[str, Any]) -> Path:
    """Store a measurement for later runs on this machine, and return its path."""
    file = place()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"machine": _machine(), **facts}, indent=1))
    return file


def kept() -> dict[str, Any]:
    """Return the last measurement, or {} if it cannot be read or is from another machine."""
    try:
        facts: dict[str, Any] = json.loads(place().read_text())
    except (OSError, ValueError):
        return {}
    return facts if facts.pop("machine", "") == _machine() else {}
