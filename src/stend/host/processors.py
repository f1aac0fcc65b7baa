"""Describe processors: caches, governor, idle states and NUMA nodes, which can disturb measurements of microseconds."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stend.base import control_groups
from stend.base.sysfs import HOST, text
from stend.base.units import KiB, MiB

CPU = Path("/sys/devices/system/cpu")
NODES = Path("/sys/devices/system/node")
DEEP_US = 20
"""An idle state with a longer exit time is visible in response times."""


def last_cache_bytes() -> int:
    """Return the size of all last-level caches together, or 32 MiB if it cannot be read."""
    shared = {}
    for cpu in CPU.glob("cpu[0-9]*"):
        levels = sorted(cpu.glob("cache/index[0-9]*"))
        if levels:
            size = text(levels[-1] / "size").removesuffix("K")  # the kernel prints no other unit
            shared[text(levels[-1] / "shared_cpu_list")] = int(size or 0) * KiB
    return sum(shared.values()) or 32 * MiB


def describe() -> dict[str, Any]:
    """Return {cpus, usable, nodes, governor, idle: [{name, exit_us}]}."""
    states = sorted((CPU / "cpu0/cpuidle").glob("state[0-9]*"))
    idle = [{"name": text(s / "name"), "exit_us": int(text(s / "latency") or 0)} for s in states
            if text(s / "disable") != "1"]  # fmt: skip
    return {
        "cpus": count(),
        "usable": usable(),
        "nodes": len(list(NODES.glob("node[0-9]*"))) or 1,
        "governor": governors(),
        "idle": idle,
    }


def count() -> int:
    """Return the number of processors of this host, or 1 if the system does not report it."""
    return os.cpu_count() or 1


def usable() -> float:
    """Return how many processors this process may use, by its affinity and by quotas of control groups."""
    return min([float(len(os.sched_getaffinity(0))), *control_groups.processors(HOST)])


def governors() -> str:
    """Return the governors of all processors, each once, such as `performance, powersave`, or "" if none is known."""
    return ", ".join(sorted({text(file) for file in CPU.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {""}))


def advice(processors: dict[str, Any]) -> Iterator[str]:
    """Yield settings to change before microseconds are measured, for processors as `describe` returns them."""
    if processors["usable"] < processors["cpus"]:
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
