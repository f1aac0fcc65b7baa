"""A drive that has other nodes: two paths without multipathing, and nodes that take commands past the block layer.

What uses it by one is found when the other is named.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from stend import devices
from stend.base.errors import Refused
from tests.gate_verbs import refused
from tests.lab import bench
from tests.lab.cases.test_gate import digest, mounted
from tests.lab.cases.test_scsi import HELD_MIB, found

pytestmark = pytest.mark.long


@pytest.fixture
def paths() -> Iterator[tuple[str, str]]:
    """Both nodes of one drive that the kernel plays, which hangs on two hosts."""
    bench.tool("modprobe", "scsi_debug", f"dev_size_mb={HELD_MIB}", "add_host=2", "vpd_use_hostno=0", "delay=0")
    bench.wait("both paths are there", lambda: len(list(found())) == 2)
    first, second = (f"/dev/{node}" for node in sorted(found()))
    yield first, second
    bench.tool("modprobe", "--remove", "scsi_debug")


@contextmanager
def open_for(path: str, flags: int) -> Iterator[None]:
    """A program that has it open, none of ours."""
    ready, told = os.pipe()
    program = os.fork()
    if program == 0:
        if os.fork():
            os._exit(0)
        os.open(path, flags)
        os.write(told, str(os.getpid()).encode())
        os.close(told)
        signal.pause()
    os.waitpid(program, 0)
    number = int(os.read(ready, 20))
    try:
        yield
    finally:
        os.kill(number, 9)
        bench.wait("it is gone", lambda: not Path(f"/proc/{number}/fd/0").exists())


def at_a_mount(end: ExitStack, other: str) -> str:
    bench.tool("mkfs.ext4", "-q", "-F", other)
    mounted(end, other, "-o", "ro")
    return "which is mounted at"


def at_a_program(end: ExitStack, other: str) -> str:
    end.enter_context(open_for(other, os.O_RDWR))
    return "which is open for writing in"


def at_one_who_has_it_alone(end: ExitStack, other: str) -> str:
    end.enter_context(open_for(other, os.O_RDONLY | os.O_EXCL))
    return "which the kernel or another program has to itself"


@pytest.mark.parametrize("use", [at_a_mount, at_a_program, at_one_who_has_it_alone])
def test_a_drive_is_refused_by_one_path_while_it_is_used_by_the_other(
    use: Callable[[ExitStack, str], str], paths: tuple[str, str], tmp_path: Path
) -> None:
    first, second = paths
    one, two = (devices.find(path).identity for path in paths)
    assert (one.serial, one.wwn) == (two.serial, two.wwn)
    with ExitStack() as end:
        words = use(end, second)
        before = digest(first)
        with pytest.raises(Refused, match=f"is the same drive as {Path(second).name}, {words}"):
            devices.find(first).door.open(writes=True, destroy=one.serial)
        assert len(refused(first, one.serial, tmp_path)) == 4
        assert digest(first) == before
    device = devices.find(first)
    device.door.open(writes=True, destroy=one.serial)
    device.door.close()


def generic(node: str) -> str:
    """The character device that takes commands for it."""
    disk = Path(node).name
    for place in Path(f"/sys/class/block/{disk}/device/scsi_generic").glob("sg*"):
        return f"/dev/{place.name}"
    return f"/dev/{disk.replace('nvme', 'ng', 1)}"


@pytest.mark.parametrize("serial", ["LABRAID0", "LABSCSI", "LABSATA"])
def test_a_drive_is_refused_while_somebody_sends_commands_past_its_block_node(serial: str, tmp_path: Path) -> None:
    """QEMU with scsi-generic, fio with io_uring_cmd."""
    bench.tool("modprobe", "sg")
    node = bench.node(serial)
    bench.wait("its other node is there", lambda: Path(generic(node)).exists())
    with open_for(generic(node), os.O_RDWR):
        assert len(refused(node, serial, tmp_path)) == 4
        with pytest.raises(Refused, match="is open for writing in"):
            devices.find(node).door.open(writes=True, destroy=serial)
    device = devices.find(node)
    device.door.open(writes=True, destroy=serial)
    device.door.close()
