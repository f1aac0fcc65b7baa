"""Find the parts that drives of one host share on their way to memory, by sysfs: bridges, adapters, disks below."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from stend.base.sysfs import HOST, Kernel, count, natural, text
from stend.base.units import GB
from stend.devices.telling.facts import GENERATIONS, numa_node
from stend.gate import mounts
from stend.model.definition import Identity

FUNCTION = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
ASIDE = ("file system", "enclosure")
"""Kinds of shared parts that are always listed; of all other kinds only the part nearest to the drives is."""
STORAGE = "0x01"
LANE_BYTES = {1: 0.25 * GB, 2: 0.5 * GB, 3: 0.985 * GB, 4: 1.969 * GB, 5: 3.938 * GB, 6: 7.563 * GB}
"""Generation -> bytes per second of one lane after its encoding (PCI Express Base Specification)."""


class Part(NamedTuple):
    """One part on a drive's way to memory: its kind, its name, and its bandwidth, or 0 if unknown."""

    kind: str
    name: str
    bytes_per_s: float = 0.0


class Shared(NamedTuple):
    """A part that several drives, named by their targets, are behind. `own_bytes_per_s` is the sum of their links."""

    part: Part
    targets: tuple[str, ...]
    own_bytes_per_s: float = 0.0

    @property
    def share(self) -> float:
        """Return the largest share of its link that a drive gets when all are busy, or 1 if a bandwidth is unknown."""
        known = self.part.bytes_per_s and self.own_bytes_per_s
        return min(self.part.bytes_per_s / self.own_bytes_per_s, 1.0) if known else 1.0


def shared(drives: Sequence[Identity], kernel: Kernel = HOST) -> list[Shared]:
    """Return the parts that two or more drives share; for each set of drives the nearest part, and those of ASIDE."""
    ways = {drive.target: way(drive, kernel) for drive in drives if not drive.virtual}
    parts_by_drives: dict[tuple[str, ...], Shared] = {}
    for part in dict.fromkeys(part for parts in ways.values() for part in parts):
        behind = tuple(target for target, parts in ways.items() if part in parts)
        if len(behind) > 1:
            links = [next((p.bytes_per_s for p in ways[target] if p.kind == "link"), 0.0) for target in behind]
            key = (*behind, part.kind) if part.kind in ASIDE else behind
            # the last part of a way is the nearest to the drive
            parts_by_drives[key] = Shared(part, behind, sum(links) if all(links) else 0.0)
    return list(parts_by_drives.values())


def way(drive: Identity, kernel: Kernel = HOST) -> list[Part]:
    """Return the parts between memory and a drive, the farthest first, or for a file or a stack those of its disks."""
    node = kernel.node_at(drive.path)
    disks = sorted(mounts.disks_below(kernel, drive.path), key=natural)
    hardware = dict.fromkeys(part for disk in disks for part in _hardware(kernel, disk))
    backing = kernel.backing(node) if node else drive.path
    mount = mounts.of_path(kernel, backing) if backing else None
    file_system = [Part("file system", mount.point)] if mount else []
    return [*hardware, *(Part("disk", disk) for disk in disks), *file_system]


def numa(drive: Identity, kernel: Kernel = HOST) -> tuple[str, str]:
    """Return the NUMA node of a drive and the processors near it as the kernel lists them; each empty if unknown."""
    folder = _real(kernel, kernel.node_at(drive.path))
    near = [place for place in (folder, *folder.parents) if text(place / "local_cpulist")]
    return (numa_node(near[0]), text(near[0] / "local_cpulist")) if near else ("", "")


def _real(kernel: Kernel, node: str) -> Path:
    return (kernel.block(node) / "device").resolve() if node else Path("/")


def _hardware(kernel: Kernel, disk: str) -> list[Part]:
    folder = _real(kernel, disk)
    functions = [place for place in reversed((folder, *folder.parents)) if FUNCTION.fullmatch(place.name)]
    parts = [_function(place, last=place is functions[-1]) for place in functions]
    if functions:
        parts.append(Part("link", disk, _bandwidth(functions[-1])))
    parts += [Part("SAS expander", p.name) for p in reversed(folder.parents) if p.name.startswith("expander-")]
    enclosure = next(folder.glob("enclosure_device:*"), None)
    return [*parts, *([Part("enclosure", enclosure.resolve().parent.name)] if enclosure else [])]


def _function(place: Path, *, last: bool) -> Part:
    """Return a PCI function as a part: a root port, a port of a switch, or last the drive itself or its adapter."""
    if last:
        kind = "PCIe adapter" if text(place / "class").startswith(STORAGE) else "PCIe function"
    else:
        kind = "PCIe port" if FUNCTION.fullmatch(place.parent.name) else "PCIe root port"
    return Part(kind, place.name, _bandwidth(place))


def _bandwidth(place: Path) -> float:
    """Return the bytes per second of a link as negotiated, or 0 if unknown."""
    generation = GENERATIONS.get(text(place / "current_link_speed").partition(" ")[0], 0)
    return LANE_BYTES.get(generation, 0.0) * min(count(place / "current_link_width"), 32)
