"""How a child of a storm ends, and what is raised where an invariant does not hold."""

import os
import signal
import time

PATIENCE_S = 1500
"""A hang, on any host. A child of a bare and busy one waits minutes for kernels that others compile, and longer than
for a condition (`waits.PATIENCE_S`), after which the child itself states what did not come true."""


class Torn(AssertionError):
    """An invariant of the record did not hold."""


def end(number: int) -> int:
    """Return how a child ended; Torn when it hangs."""
    deadline = time.monotonic() + PATIENCE_S
    while os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
            raise Torn(f"hung for {PATIENCE_S} s")
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
