"""Control groups of this process: how many processors it may use, and how fast it may use which drive."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stend.base.sysfs import HOST, Kernel, text

KINDS = {"rbps": "read_bps", "wbps": "write_bps", "riops": "read_iops", "wiops": "write_iops"}
"""Limits of IO as `io.max` of version 2 names them, and as the files of version 1 do."""


class Limit(NamedTuple):
    """A limit of a group on a drive, which is named as `major:minor`, in bytes or IOs per second."""

    group: str
    drive: str
    kind: str
    rate: int


def processors(kernel: Kernel = HOST) -> Iterator[float]:
    """Yield the quotas of this process's groups, in processors."""
    for _, folder in _folders("cpu", kernel):
        old = f"{text(folder / 'cpu.cfs_quota_us')} {text(folder / 'cpu.cfs_period_us')}"
        words = (text(folder / "cpu.max") or old).split()
        if len(words) == 2 and words[0].isdigit():
            yield int(words[0]) / int(words[1])


def rates(kernel: Kernel = HOST) -> Iterator[Limit]:
    """Yield the limits of this process's groups on drives."""
    for group, folder in _folders("blkio", kernel):
        for kind, old in KINDS.items():
            for line in text(folder / f"blkio.throttle.{old}_device").splitlines():
                yield from _rates(group, line.replace(" ", f" {kind}="))
        for line in text(folder / "io.max").splitlines():
            yield from _rates(group, line)


def _rates(group: str, line: str) -> Iterator[Limit]:
    """Yield the limits of a line such as `8:16 rbps=2097152 wbps=max riops=max wiops=120`."""
    drive, *pairs = line.split()
    for kind, _, rate in (pair.partition("=") for pair in pairs):
        if kind in KINDS and rate.isdigit():
            yield Limit(group, drive, kind, int(rate))


def _folders(controller: str, kernel: Kernel) -> Iterator[tuple[str, Path]]:
    """Yield the name and the folder of this process's groups and of those above them: version 2, then version 1.

    Version 2 names no controllers. Version 1 has a folder for each. In a container of version 1 the group's path is
    that of the host, and the topmost folder is the container's group.
    """
    for line in text(kernel.proc / "self/cgroup").splitlines():
        controllers, _, group = line.partition(":")[2].partition(":")
        if not controllers or controller in controllers.split(","):
            top = kernel.sys / "fs/cgroup" / controllers
            own = top / group.lstrip("/")
            for folder in (own, *own.parents):
                if folder.is_relative_to(top):
                    yield str("/" / folder.relative_to(top)), folder
