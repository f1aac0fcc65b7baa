"""Waiting for a condition: how long it takes is the host's affair, and only a hang ends it."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from stend.base.errors import BadInput

PATIENCE_S = 500.0
"""A hang, on any host: tests that pass never come near it."""
T = TypeVar("T")


def wait_for(true: Callable[[], T | None]) -> T:
    """Return what it returns once that is true; what cannot be read yet is not true yet."""
    until = time.monotonic() + PATIENCE_S
    while True:
        with suppress(AssertionError, BadInput, IndexError, OSError, StopIteration):
            if told := true():
                return told
        assert time.monotonic() < until, "a condition that a test waits for never came true"
        time.sleep(0.02)
