"""Serve requests in short calls of a kernel, so that signals and requests to stop are handled between them."""

from collections.abc import Callable

from stend.base.errors import StepFailed
from stend.sim.flash_state import GIVEN_UP
from stend.sim.requests import ENDED_AT, TURNS, WORK, Loop

FOREVER = 1 << 62
WORK_A_CALL = 1 << 22
"""Pages, requests and superblocks that a kernel handles in one call, which takes a fraction of a second."""
LEAST_NS = 0.1
"""Least progress of the drive's clock per request, in ns: no drive serves ten requests in a nanosecond."""
MOST_TURNS = 1 << 20
"""Requests with less progress after which the clock counts as stopped. A drive has at most 2^16 outstanding IOs."""


def serve(kernel: Callable[[], bool], slots: Loop, until: int, name: str, mind: Callable[[], None]) -> bool:
    """Call a kernel until it has reached its time. Return False once the stream is exhausted.

    `mind` is called between two calls of the kernel and may raise, except during a final wait for outstanding requests
    (`until` is FOREVER). Raise StepFailed if the drive serves requests without end while its clock does not move.
    """
    slots.at[TURNS], clock = 0, slots.at[ENDED_AT]
    while True:
        slots.at[WORK] = WORK_A_CALL
        more = kernel()
        if not more or slots.at[WORK] > 0:
            return more
        if slots.at[ENDED_AT] - clock > slots.at[TURNS] * LEAST_NS:
            slots.at[TURNS], clock = 0, slots.at[ENDED_AT]
        if slots.at[TURNS] > MOST_TURNS:
            cleans = slots.at[TURNS] >= GIVEN_UP
            reason = "cleaning frees no space: it needs more flash.spare_pct" if cleans else "it answers in no time"
            raise StepFailed(f"the virtual drive {name} makes no progress: {reason}")
        if until < FOREVER:
            mind()
