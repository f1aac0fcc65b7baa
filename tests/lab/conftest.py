"""Collected inside the machine alone; elsewhere `make lab` is the way to run these."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BOOT = os.environ.get("STEND_LAB")

if not BOOT:
    collect_ignore_glob = ["*"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every case is marked `lab`; in a boot that shares its cases out the longest come first."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.lab)
    if BOOT == "shared":
        items.sort(key=lambda item: (item.get_closest_marker("long") is None, "iops" not in item.name))


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """In a boot that shares its cases out: its own, then whichever is the next for all machines."""
    if BOOT != "shared" or session.testsfailed:
        return None
    from tests.lab import bench

    shared = [item for item in session.items if item.path.parent.name == "cases"]
    for item in session.items:
        if item not in shared:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    while (number := int(bench.ask_host("next"))) < len(shared):
        item = shared[number]
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What failed is told at once: the machine may not live to the summary."""
    if BOOT and report.failed:
        print(f"\n{report.longreprtext}", file=sys.__stdout__, flush=True)
