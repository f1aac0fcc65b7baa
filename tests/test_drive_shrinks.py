"""A drive that becomes smaller: a run that fails, and one that is to be resumed, state both sizes."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from stend import devices
from stend.base.errors import Refused, StepFailed
from stend.base.units import MiB
from stend.model.definition import Workload
from stend.model.events import Ended
from stend.runner.loop import run
from stend.session.opening import check_drive
from tests.stand import ours
from tests.still import IDENTITY, StillDevice, StillEngine
from tests.test_run import drawn

SIZES = f"changed its size from {16 * MiB} to {8 * MiB} bytes"


class Failing(StillEngine):
    """An engine whose loads fail at once; before, the drive may lose half of its size."""

    def __init__(self, path: Path, *, shrinks: bool) -> None:
        self.path, self.shrinks = path, shrinks
        super().__init__(self.fail)

    def fail(self, workload: Workload, now: float) -> float:
        if self.shrinks:
            os.truncate(self.path, 8 * MiB)
        raise StepFailed("fio failed: Input/output error")


@pytest.mark.parametrize("shrinks", [True, False])
def test_a_failed_run_states_both_sizes_of_a_drive_that_became_smaller(tmp_path: Path, *, shrinks: bool) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(bytes(16 * MiB))
    device, found = StillDevice(), devices.find(str(ours(path)))
    found.door.open(writes=True, destroy=str(path))
    device.door = found.door
    *_, last = run(drawn("write-saturation", minute_s=1), device, Failing(path, shrinks=shrinks), seed=1, at=0.0)
    found.door.close()
    assert isinstance(last, Ended)
    before = f"{path} {SIZES}; find out why; " if shrinks else ""
    assert last.reason == f"{before}fio failed: Input/output error"


def test_a_drive_that_became_smaller_is_not_resumed_and_both_sizes_are_stated() -> None:
    then = replace(IDENTITY, capacity_bytes=16 * MiB)
    check_drive(then, then)
    with pytest.raises(Refused, match=f"still {SIZES} since the run began"):
        check_drive(then, replace(then, capacity_bytes=8 * MiB))
