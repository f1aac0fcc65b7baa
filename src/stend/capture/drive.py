"""Which drive is captured, and by which trace points: requests where it has a queue of them, bios where it has none."""

import os
from dataclasses import dataclass
from pathlib import Path

from stend.base.errors import BadInput
from stend.base.sysfs import Kernel

MINOR_BITS = 20
"""Of a device number inside the kernel, and so in trace points."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What the block layer itself has counted of a drive: /sys/block/X/stat."""

    reads: int
    writes: int
    discards: int
    flushes: int

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(
            self.reads - other.reads,
            self.writes - other.writes,
            self.discards - other.discards,
            self.flushes - other.flushes,
        )


@dataclass(frozen=True, slots=True)
class Drive:
    """A whole disk of this host.

    `begins` and `ends` are the trace points of an IO's issue and of its end, `again` that of one taken back.
    """

    node: str
    number: int
    capacity_bytes: int
    block_bytes: int
    words: str
    begins: str
    ends: str
    again: str = ""

    def counters(self) -> Counters:
        """Of this moment."""
        told = [int(word) for word in (_home(self.node) / "stat").read_text().split()] + [0] * 17
        return Counters(reads=told[0], writes=told[4], discards=told[11], flushes=told[15])

    def in_flight(self) -> int:
        """Requests that it has not answered yet."""
        return sum(int(word) for word in (_home(self.node) / "inflight").read_text().split())

    def holds(self, path: Path) -> bool:
        """Whether what is written to this path ends on this drive."""
        kernel, number = Kernel(), os.stat(path).st_dev
        return self.node in _below(kernel, kernel.node_of(number))


def drive(target: str) -> Drive:
    """The drive behind a path or a node's name. BadInput for anything else than a whole disk."""
    kernel = Kernel()
    node = kernel.node_at(target) or kernel.node_at(f"/dev/{target}")
    if not node:
        raise BadInput(f"{target} is no block device of this host; a capture is of one, such as /dev/nvme0n1")
    if whole := kernel.parent(node):
        raise BadInput(f"{target} is a part of {whole}; the block layer tells of whole disks: capture /dev/{whole}")
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is set up behind it")
    major, _, minor = kernel.number(node).partition(":")
    queue = (_home(node) / "mq").exists()
    return Drive(
        node=node,
        number=int(major) << MINOR_BITS | int(minor),
        capacity_bytes=kernel.size_bytes(node),
        block_bytes=int((_home(node) / "queue/logical_block_size").read_text()),
        words=f"{node} {_model(node)}".strip(),
        begins="block_rq_issue" if queue else "block_bio_queue",
        ends="block_rq_complete" if queue else "block_bio_complete",
        again="block_rq_requeue" if queue else "",
    )


def _home(node: str) -> Path:
    return Kernel().block(node)


def _model(node: str) -> str:
    path = _home(node) / "device/model"
    return path.read_text().strip() if path.exists() else ""


def _below(kernel: Kernel, node: str) -> set[str]:
    """A node with all that it lies on, loop devices with what holds their files."""
    if not node:
        return set()
    lower = [*kernel.slaves(node), *filter(None, [kernel.parent(node)])]
    behind = kernel.there(kernel.backing(node)) if kernel.backing(node) else None
    if behind is not None:
        lower.append(kernel.node_of(behind.st_dev))
    return {node}.union(*(_below(kernel, other) for other in lower))
