"""The test stand itself, measured once before a study and told in every report that is made on it since."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from stend.base.extras import needing
from stend.base.units import GB
from stend.host import ceiling, memory, processors
from stend.host.files import read


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Memory, STREAM, fio's ceiling, processors; advice in words. Missing without fio."""
    with needing("STREAM, the measure of memory,"):
        from stend.host import stream

    places = memory.modules(dmidecode())
    found, cpus = memory.population(places), processors.describe()
    told: dict[str, Any] = {
        "modules": [place._asdict() for place in places if place.size_bytes],
        "stream_bytes_per_s": stream.measured(processors.last_cache_bytes(), repeats=2 if quick else stream.REPEATS),
        "fio_iops": ceiling.measured(seconds=0.5 if quick else ceiling.SECONDS),
        "fio_bytes_per_s": ceiling.data(seconds=0.5 if quick else ceiling.SECONDS),
        "processors": cpus,
        "advice": [*(memory.advice(places) if places else ()), *processors.advice(cpus)],
    }
    if found:
        share = told["stream_bytes_per_s"]["triad"] / found.peak_bytes_per_s
        low, high = memory.expected(found)
        told["memory"] = found._asdict() | {"words": found.words, "triad_share": share, "expected": [low, high]}
        if share < low:
            peak = f"{found.peak_bytes_per_s / GB:.0f} GB/s"
            told["advice"].append(
                f"Triad reaches {share:.0%} of the peak of {peak}; {low:.0%} to {high:.0%} were to be expected"
            )
    return told


def dmidecode() -> str:
    """What it tells of memory devices; empty where it is missing or may not."""
    try:
        return subprocess.run(
            ["dmidecode", "--type", "17"], capture_output=True, text=True, errors="replace", timeout=20, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _machine() -> str:
    """This machine with this memory and these processors, as a short name."""
    cpu = read(Path("/proc/cpuinfo")).partition("cpu MHz")[0]
    words = [read(Path("/etc/machine-id")), cpu, *read(Path("/proc/meminfo")).splitlines()[:1]]
    return hashlib.blake2b("\n".join(words).encode(), digest_size=8).hexdigest()


def place() -> Path:
    """Where the last measurement is kept."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "stend" / "host.json"


def keep(told: dict[str, Any]) -> Path:
    """For the runs to come on this machine."""
    file = place()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"machine": _machine(), **told}, indent=1))
    return file


def kept() -> dict[str, Any]:
    """The last measurement; {} when there is none, or it was of another machine."""
    try:
        told: dict[str, Any] = json.loads(place().read_text())
    except (OSError, ValueError):
        return {}
    return told if told.pop("machine", "") == _machine() else {}
