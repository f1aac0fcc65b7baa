"""Tests of services on real kernel drivers: a volume of which only flushes are late."""

import json
from pathlib import Path
from typing import Any

import pytest

from stend import findings, store
from stend.findings import Finding
from tests.lab import bench
from tests.lab.cases.test_media import VOLUME, lying

pytestmark = pytest.mark.long
SECTORS = 128 * 2048
DELAY_MS, TICK_MS = 10, 4
"""The delay that the volume is given, and the kernel's tick: dm-delay of Linux before 6.7 ends a delay at a tick."""
JOURNAL = ("blocks_kib = [4]", "threads_ladder = [1]", "bursts = [1, 16]")


def journal(path: str) -> dict[str, Finding]:
    """The findings of a short journal: {key: finding}."""
    folder, study = bench.RUNS / "journal", bench.study("journal", *JOURNAL)
    done = bench.stend("run", study, "--quick", "--round-seconds", "2", "--rounds", "1", "--target", path,
                       "--destroy-data", VOLUME, "--into", str(folder))  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {f.key: f for f in findings.find(store.load(folder)) if f.name == "journal"}


def synced(path: str) -> dict[str, Any]:
    """The response times in ns of fdatasync by fio, which writes 4 KiB and then flushes."""
    words = ("--name=sync", f"--filename={path}", "--rw=write", "--bs=4k", "--size=64m", "--direct=1", "--fdatasync=1")
    told = bench.tool("fio", *words, "--time_based", "--runtime=10", "--ioengine=psync", "--output-format=json")
    lat: dict[str, Any] = json.loads(told)["jobs"][0]["sync"]["lat_ns"]
    return lat


def ticks(path: str) -> tuple[int, int]:
    """Writes and flushes that the kernel has completed on a volume, and milliseconds for them."""
    fields = (Path("/sys/class/block") / Path(path).name / "stat").read_text().split()
    return int(fields[4]) + int(fields[15]), int(fields[7]) + int(fields[16])


def test_a_delay_of_flushes_alone_is_the_cost_of_a_flush() -> None:
    bench.tool("modprobe", "dm-delay")
    with lying(f"0 {SECTORS} delay DRIVE 0 0 DRIVE 0 0 DRIVE 0 {DELAY_MS}") as path:
        before = ticks(path)
        by_fio = synced(path)
        counted = [after - first for after, first in zip(ticks(path), before, strict=True)]
        costs = journal(path)["costs"].values
    fio_ms = by_fio["percentile"]["50.000000"] / 1e6
    per_kernel = f"{counted[1]} ms for {counted[0]} writes and flushes"
    print(f"flush {costs['flush_s'] * 1e3:.2f} ms; fio {fio_ms:.2f} ms; kernel {per_kernel}")
    assert min(costs["flush_s"] * 1e3, fio_ms) >= DELAY_MS - TICK_MS
