"""What the storm goes over: a virtual drive, a file, a new zram, and a loop device with a write cache to set."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from stend import devices, store
from stend.base import fio_features
from stend.base.sysfs import HOST, Kernel
from stend.base.units import MiB
from stend.cli import main
from stend.devices import block
from stend.devices.drive import DriveDevice
from stend.devices.telling.below import Member
from stend.model.events import Result
from tests.stand import let_go, loop_of, ours, zram

SHORT = ("--quick", "--rounds", "2", "--seed", "7", "--round-seconds", "0.2")
VIRTUAL = ("latency", "write-saturation", *SHORT)
REAL = ("throughput", "write-saturation", *SHORT)
"""Rounds that go on where they were, and a test that begins anew; on real drives in some ten seconds."""

SIZE = 32 * MiB
CACHE = {"write back": "enabled", "write through": "disabled"}
"""What the kernel calls a volatile write cache, and what drives call it."""


class Ground(NamedTuple):
    """What is run, what an uninterrupted run comes to, and the file that holds the drive's data."""

    kind: str
    target: str
    expected: tuple[Result, ...] = ()
    backing: str = ""

    def asked(self, folder: Path) -> list[str]:
        """A run into a folder."""
        long = REAL if self.kind != "virtual" else VIRTUAL
        return ["run", *long, "--target", self.target, *self.named(), "--into", str(folder)]

    def named(self) -> list[str]:
        """The drive, named a second time; virtual ones need none."""
        name = devices.name(devices.find(self.target).identity)
        return ["--destroy-data", name] if name else []

    def settings(self) -> dict[str, str]:
        """Every switch that the kernel has for the drive; none of a file and of a virtual one."""
        queue = Path("/sys/block", Path(self.target).name, "queue")
        return {p.name: p.read_text() for p in sorted(queue.glob("*")) if os.access(p, os.R_OK)}


class Switched(DriveDevice):
    """A loop device, whose write cache the kernel lets one set, as a drive of a kind of its own."""

    purge = block.BlockDevice.purge

    @property
    def switch(self) -> Path:
        """Where the kernel tells and takes it."""
        return self.kernel.block(self.node) / "queue/write_cache"

    def cache(self) -> str:
        """As the kernel has it now."""
        return CACHE[self.switch.read_text().strip()]

    def write_cache(self, setting: str) -> None:
        """The kernel flushes no more, or does again."""
        self.switch.write_text(next(ours for ours, theirs in CACHE.items() if theirs == setting))


def _switched(target: str, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> Switched:
    found = _found(target, kernel, members)
    return Switched(found.identity, kernel)


_found = block.find


@contextmanager
def ground(kind: str, top: Path) -> Iterator[Ground]:
    """A drive of this kind: `virtual`, `file`, `loop`, or a new `zram`."""
    with ExitStack() as undo:
        if kind == "virtual":
            yield _undisturbed(Ground(kind, "sim:small"), top)
            return
        fio_features.probe()  # here, once for all children
        if kind == "zram":
            yield _undisturbed(Ground(kind, undo.enter_context(zram(SIZE))), top)
            return
        (top / "scratch.bin").write_bytes(os.urandom(SIZE))
        ours(top / "scratch.bin")
        if kind == "loop":
            node = loop_of(top / "scratch.bin")
            undo.callback(let_go, node)
            undo.enter_context(pytest.MonkeyPatch.context()).setattr(block, "find", _switched)
            yield _undisturbed(Ground(kind, node, backing=str(top / "scratch.bin")), top)
            return
        file = str(top / "scratch.bin")
        yield _undisturbed(Ground(kind, file, backing=file), top)


def _undisturbed(bare: Ground, top: Path) -> Ground:
    """With the figures of a run that nobody disturbs; here and not in a child, so that all have what it compiles."""
    folder = top / "undisturbed"
    with (top / "said.txt").open("w") as said, redirect_stdout(said), redirect_stderr(said):
        code = main(bare.asked(folder))
    assert code == 0, (top / "said.txt").read_text()
    return bare._replace(expected=tuple(store.load(folder).results))
