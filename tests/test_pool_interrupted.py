"""Ctrl-C while the processes of a pool start: the program ends, and none of them waits for work that never comes."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
from concurrent.futures import process
from stend.many.sweep import pool as sweeping
from stend.publish import pool as publishing

begun = process.ProcessPoolExecutor._start_executor_manager_thread

def interrupted(self):
    if self._executor_manager_thread is None:
        (worker,) = self._processes  # it waits for work once it has a thread that watches its parent
        while len(os.listdir(f"/proc/{worker}/task")) < 2:
            pass
        os.kill(os.getpid(), signal.SIGINT)
    begun(self)

process.ProcessPoolExecutor._start_executor_manager_thread = interrupted
if __name__ == "__main__":
    if sys.argv[1] == "publish":
        publishing.make = abs
        list(publishing.run([1, 2, 3, 4, 5], 2))
    else:
        list(sweeping.run(1, iter(range(1, 6)), 2, max))
"""
PATIENCE_S = 300.0
"""Longer than any machine takes; without the mend it never ends."""


@pytest.mark.parametrize("which", ["publish", "sweep"])
def test_a_pool_that_is_interrupted_while_it_starts_ends(which: str) -> None:
    words = [sys.executable, "-c", PROGRAM, which]
    started = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, said = started.communicate(timeout=PATIENCE_S)
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert said.count("Traceback") == 1
