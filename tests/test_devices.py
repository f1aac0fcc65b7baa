"""Files, loop devices, compressed memory and virtual drives keep the same rules."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from stend import devices, gate
from stend.base.units import MiB
from stend.devices import Device
from stend.devices.virtual import VirtualDevice
from stend.engines import Engine
from stend.engines.fio import FioEngine
from stend.engines.simulated import SimulatedEngine
from tests.device_rules import DeviceRules
from tests.stand import SIZE, Stand, ours


class TestVirtual(DeviceRules):
    made_of_memory = True

    @pytest.fixture
    def target(self) -> Iterator[str]:
        yield "sim:small?resizes_at_s=100"  # noqa: PT022 - a generator like the others

    def engine(self, device: Device) -> Engine:
        assert isinstance(device, VirtualDevice)
        return SimulatedEngine(device.sim.drive)

    def shrunk(self, target: str) -> Device:
        device = devices.find(target)
        device.door.open(writes=True, destroy=None)
        self.engine(device).idle(101)
        return device


class Gated(DeviceRules):
    """What passes the gate, with real fio."""

    def named(self, device: Device) -> str | None:
        return gate.names_of(device.identity)[0]

    def engine(self, device: Device) -> Engine:
        return FioEngine(device.door.path)


@pytest.mark.fio
class TestFile(Gated):
    @pytest.fixture
    def target(self, tmp_path: Path) -> Iterator[str]:
        with ExitStack() as end:
            yield str(Stand(tmp_path, end).file())

    def shrunk(self, target: str) -> Device:
        device = devices.find(target)
        device.door.open(writes=True, destroy=self.named(device))
        os.truncate(target, SIZE // 2)
        return device


@pytest.mark.fio
@pytest.mark.block
class TestLoop(Gated):
    @pytest.fixture
    def target(self, tmp_path: Path) -> Iterator[str]:
        with ExitStack() as end:
            yield Stand(tmp_path, end).loop()

    def shrunk(self, target: str) -> Device:
        device = devices.find(target)
        device.door.open(writes=True, destroy=self.named(device))
        backing = Path(f"/sys/block/{Path(target).name}/loop/backing_file").read_text().strip()
        os.truncate(backing, SIZE // 2)
        subprocess.run(["losetup", "-c", target], check=True)
        return device


@pytest.mark.needs("wipefs")
def test_a_file_of_an_odd_length_is_used_in_whole_blocks_and_purged_to_its_last_byte(tmp_path: Path) -> None:
    path = tmp_path / "odd.bin"
    path.write_bytes(os.urandom(2 * MiB + 333))
    device = devices.find(str(ours(path)))
    assert device.identity.capacity_bytes == 2 * MiB  # fio fails at a shorter piece at the end
    device.door.open(writes=True, destroy=str(path))
    with closing(device.door):
        device.purge()
    assert path.read_bytes() == bytes(2 * MiB + 333)
