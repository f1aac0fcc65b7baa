"""What every device must do, whatever it is. A test file joins by handing over a drive and the engine that loads it."""

from collections.abc import Iterator

import msgspec
import pytest

from stend import devices
from stend.base.errors import Refused, StepFailed
from stend.base.units import KiB, MiB
from stend.devices import Device
from stend.engines import Engine
from stend.model.counts import Counts
from stend.model.definition import Identity, Workload

FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=1, depth=4, range_bytes=4 * MiB)
READS = msgspec.structs.replace(FILL, read_pct=100)


def done(engine: Engine, workload: Workload) -> Counts:
    """The counts of a load over its whole range."""
    load, total = engine.start(workload, seed=1, limit_bytes=workload.range_bytes), Counts()
    while (counts := load.next()) is not None:
        total += counts
    return total


class DeviceRules:
    """Inherit, and give `target`, `named` and `engine`, and what makes the drive vanish or another one."""

    made_of_memory = False
    """Nothing outside of this process is lost with it: it need not be named to be destroyed."""

    @pytest.fixture
    def target(self) -> Iterator[str]:
        """What an operator writes after --target."""
        raise NotImplementedError

    def named(self, device: Device) -> str | None:
        """What an operator writes after --destroy-data."""
        return device.identity.serial

    def engine(self, device: Device) -> Engine:
        """What makes its load."""
        raise NotImplementedError

    def shrunk(self, target: str) -> Device:
        """The drive, found as it was, and then made half as large."""
        raise NotImplementedError

    @pytest.fixture
    def device(self, target: str) -> Iterator[Device]:
        found = devices.find(target)
        yield found
        found.door.close()

    @pytest.fixture
    def ours(self, device: Device) -> Device:
        device.door.open(writes=True, destroy=self.named(device))
        return device

    def test_it_says_who_it_is_and_says_the_same_again(self, target: str, device: Device) -> None:
        who = device.identity
        assert isinstance(who, Identity)
        assert who.target == target
        assert who.kind
        assert who.model
        assert who.capacity_bytes > 0
        assert who.capacity_bytes % who.logical_bytes == 0
        assert who.physical_bytes % who.logical_bytes == 0
        assert devices.find(target).identity == who

    def test_nothing_is_done_to_it_before_it_is_opened(self, device: Device) -> None:
        with pytest.raises(Refused, match="open it first"):
            device.purge()
        with pytest.raises(Refused, match="open it first"):
            device.door.check()

    def test_it_is_opened_once(self, ours: Device) -> None:
        with pytest.raises(Refused, match="open already"):
            ours.door.open(writes=True, destroy=self.named(ours))

    def test_it_must_be_named_to_be_written(self, device: Device) -> None:
        for wrong in (None, "", "not-its-name"):
            if not self.made_of_memory:
                with pytest.raises(Refused):
                    device.door.open(writes=True, destroy=wrong)

    def test_who_opens_it_to_read_cannot_purge_it(self, device: Device) -> None:
        device.door.open(writes=False, destroy=None)
        device.door.check()
        with pytest.raises(Refused, match="reading only"):
            device.purge()

    def test_a_purge_tells_its_method_and_the_drive_is_still_the_same(self, target: str, ours: Device) -> None:
        assert len(ours.purge().split()) > 1
        ours.door.check()
        assert devices.find(target).identity.capacity_bytes == ours.identity.capacity_bytes

    def test_what_is_written_can_be_read_and_is_counted(self, ours: Device) -> None:
        engine = self.engine(ours)
        before = ours.health()
        assert done(engine, FILL).write.bytes == 4 * MiB
        assert done(engine, READS).read.bytes == 4 * MiB
        engine.close()
        ours.door.check()
        after = ours.health()
        assert after.keys() == before.keys()
        if "host_write_bytes" in after:
            assert after["host_write_bytes"] - before["host_write_bytes"] >= 4 * MiB

    def test_health_is_numbers(self, ours: Device) -> None:
        assert all(isinstance(value, int | float) for value in ours.health().values())

    def test_another_size_ends_the_work_on_it(self, target: str) -> None:
        device = self.shrunk(target)
        with pytest.raises(StepFailed, match="size"):
            device.door.check()
        device.door.close()

    def test_letting_go_twice_does_no_harm_and_then_it_is_closed(self, ours: Device) -> None:
        ours.door.close()
        ours.door.close()
        with pytest.raises(Refused, match="open it first"):
            ours.purge()
