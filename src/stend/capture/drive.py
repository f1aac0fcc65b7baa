"""Find the drive to capture and its trace points: those of requests if it has a queue of them, else those of bios."""

import operator
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.base.sysfs import Kernel, text

MINOR_BITS = 20
"""Bits of the minor number in the kernel's device numbers, as trace points have them."""


class Counters(NamedTuple):
    """The block layer's own counts of a drive's IOs: /sys/block/X/stat."""

    reads: int
    writes: int
    discards: int
    flushes: int

    @property
    def ios(self) -> int:
        """Return the reads, writes and discards together."""
        return self.reads + self.writes + self.discards

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(*map(operator.sub, self, other))


@dataclass(frozen=True, slots=True)
class Drive:
    """A whole disk of this host.

    `begins` and `ends` are the trace points of the issue and the end of an IO, `again` that of a requeue (or empty).
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
        """Read the counters now."""
        fields = [int(word) for word in (_folder(self.node) / "stat").read_text().split()] + [0] * 17
        return Counters(reads=fields[0], writes=fields[4], discards=fields[11], flushes=fields[15])

    def in_flight(self) -> int:
        """Return the number of requests that the drive has not answered yet."""
        return sum(int(word) for word in (_folder(self.node) / "inflight").read_text().split())

    def holds(self, path: Path) -> bool:
        """Return True if writes to this path end on this drive."""
        kernel, number = Kernel(), os.stat(path).st_dev
        return self.node in _below(kernel, kernel.node_of(number))


def drive(target: str) -> Drive:
    """Return the drive of a path or a node's name. Raise BadInput for anything but a whole disk with a size."""
    kernel = Kernel()
    node = kernel.node_at(target) or kernel.node_at(f"/dev/{target}")
    if not node:
        raise BadInput(f"{target} is not a block device of this host; name a whole disk, such as /dev/nvme0n1")
    if whole := kernel.parent(node):
        raise BadInput(f"{target} is a part of {whole}; only whole disks can be captured: capture /dev/{whole}")
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is set up behind it")
    major, _, minor = kernel.number(node).partition(":")
    queue = (_folder(node) / "mq").exists()
    return Drive(
        node=node,
        number=int(major) << MINOR_BITS | int(minor),
        capacity_bytes=kernel.size_bytes(node),
        block_bytes=int((_folder(node) / "queue/logical_block_size").read_text()),
        words=f"{node} {text(_folder(node) / 'device/model')}".strip(),
        begins="block_rq_issue" if queue else "block_bio_queue",
        ends="block_rq_complete" if queue else "block_bio_complete",
        again="block_rq_requeue" if queue else "",
    )


def _folder(node: str) -> Path:
    return Kernel().block(node)


def _below(kernel: Kernel, node: str) -> set[str]:
    """Return a node and all nodes below it, through loop devices to the drives of their files."""
    if not node:
        return set()
    lower = [*kernel.slaves(node), *filter(None, [kernel.parent(node)])]
    behind = kernel.there(kernel.backing(node)) if kernel.backing(node) else None
    if behind is not None:
        lower.append(kernel.node_of(behind.st_dev))
    return {node}.union(*(_below(kernel, other) for other in lower))
