"""Collected inside the machine alone; elsewhere `make lab` is the way to run these."""

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent

if "STEND_LAB" not in os.environ:
    collect_ignore_glob = ["*"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every case is marked `lab`."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.lab)
