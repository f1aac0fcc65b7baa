"""The verified content of a test: which blocks kept their data, which faults the others have, and where."""

from typing import NamedTuple

from stend.findings.look.once import once
from stend.model.definition import Hold, PlannedTest
from stend.model.events import Result
from stend.model.record import Run
from stend.model.verified import BLOCK, LOST, Fault, Range, Verified, summed


class Media(NamedTuple):
    """Blocks that a test wrote and compared, and the bad ones of both.

    `planned` is True if the test is to cover every block of the drive, and `whole` if it has. Only then the capacity is
    known.
    """

    written: Verified
    compared: Verified
    capacity_bytes: int
    planned: bool
    whole: bool

    def lost(self, *faults: Fault) -> list[Range]:
        """Return ranges of blocks that did not return what was written, of these kinds."""
        return [part for part in self.compared.bad if part.fault in (faults or LOST)]

    @property
    def failed(self) -> bool:
        """Return True if a block did not return what was written, or could not be written."""
        return bool(self.lost()) or any(part.fault == "unwritable" for part in self.written.bad)

    @property
    def compared_bytes(self) -> int:
        """Return the bytes that were read and compared."""
        return self.compared.blocks * BLOCK

    @property
    def kept_bytes(self) -> int:
        """Return the bytes that returned what was written: after a whole test the real capacity."""
        return self.compared_bytes - self.compared.count(*LOST) * BLOCK


@once
def media(run: Run, name: str) -> Media | None:
    """Return the verified content of a test, or None if it compared nothing."""
    test = next((test for test in run.plan.tests if test.name == name), None)
    steps = [result for result in run.of(name) if result.verified]
    compared = summed(result.verified for result in steps if result.verified and _reads(result))
    if test is None or not compared.blocks:
        return None
    written = summed(result.verified for result in steps if result.verified and not _reads(result))
    capacity = run.plan.device.capacity_bytes
    planned = _covers(test, capacity)
    return Media(written, compared, capacity, planned, planned and compared.blocks * BLOCK >= capacity)


def _reads(result: Result) -> bool:
    return isinstance(result.step, Hold) and result.step.workload.read_pct == 100


def _covers(test: PlannedTest, capacity_bytes: int) -> bool:
    """Return True if a test's plan reads each block of the drive."""
    loads = [hold.workload for hold in test.holds]
    return any(
        load.verify and not load.verify.every_bytes and load.read_pct == 100 and load.range_bytes >= capacity_bytes
        for load in loads
    )
