"""Describe processors: caches, governor, idle states and NUMA nodes, which can disturb measurements of microseconds."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stend.host.files import read

CPU = Path("/sys/devices/system/cpu")
NODES = Path("/sys/devices/system/node")
GROUPS, GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""The control groups (version 2, or with a folder per controller version 1), and the file that names this process's."""
DEEP_US = 20
"""An idle state with a longer exit time is visible in response times."""
SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def last_cache_bytes() -> int:
    """Return the size of all last-level caches together, or 32 MiB if it cannot be read."""
    shared = {}
    for cpu in CPU.glob("cpu[0-9]*"):
        levels = sorted(cpu.glob("cache/index[0-9]*"))
        if levels:
            size = read(levels[-1] / "size")
            shared[read(levels[-1] / "shared_cpu_list")] = int(size[:-1] or 0) * SUFFIXES.get(size[-1:], 1)
    return sum(shared.values()) or 32 << 20


def describe() -> dict[str, Any]:
    """Return {cpus, usable, nodes, governor, idle: [{name, exit_us}]}."""
    states = sorted((CPU / "cpu0/cpuidle").glob("state[0-9]*"))
    idle = [{"name": read(s / "name"), "exit_us": int(read(s / "latency") or 0)} for s in states
            if read(s / "disable") != "1"]  # fmt: skip
    return {
        "cpus": os.cpu_count(),
        "usable": usable(),
        "nodes": len(list(NODES.glob("node[0-9]*"))) or 1,
        "governor": governors(),
        "idle": idle,
    }


def usable() -> float:
    """Return how many processors this process may use, by its affinity and by quotas of control groups."""
    quotas = [quota for line in read(GROUP).splitlines() for quota in _quotas(*line.partition(":")[2].split(":", 1))]
    shares = [int(words[0]) / int(words[1]) for words in quotas if len(words) == 2 and words[0].isdigit()]
    return min([float(len(os.sched_getaffinity(0))), *shares])


def _quotas(controllers: str, group: str) -> Iterator[list[str]]:
    """Yield the quotas and periods of a group and of those above it, as words. Version 2 names no controllers.

    In a container of version 1 the path of the group is the host's, and the topmost folder is the container's group.
    """
    if controllers and "cpu" not in controllers.split(","):
        return
    top = GROUPS / controllers
    for place in (top / group.lstrip("/"), *(top / group.lstrip("/")).parents):
        if place.is_relative_to(top):
            old = f"{read(place / 'cpu.cfs_quota_us')} {read(place / 'cpu.cfs_period_us')}"
            yield (old if controllers else read(place / "cpu.max")).split()


def governors() -> str:
    """Return the governors of all processors, each once, such as `performance, powersave`, or "" if none is known."""
    return ", ".join(sorted({read(file) for file in CPU.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {""}))


def advice(processors: dict[str, Any]) -> Iterator[str]:
    """Yield settings to change before microseconds are measured, for processors as `describe` returns them."""
    if processors["usable"] < (processors["cpus"] or 0):
        yield (
            f"This process may use {processors['usable']:g} of {processors['cpus']} processors, by its affinity or the "
            "quota of a control group such as a container: give it all of them"
        )
    if processors["governor"] not in ("", "performance"):
        yield f"The governor is {processors['governor']}: `cpupower frequency-set -g performance` keeps the clock up"
    deep = [state for state in processors["idle"] if state["exit_us"] > DEEP_US]
    if deep:
        name, exit_us = deep[-1]["name"], deep[-1]["exit_us"]
        yield f"Idle state {name} takes {exit_us} µs to leave: `cpupower idle-set -D {DEEP_US}` forbids it"
