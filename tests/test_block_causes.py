"""What rates by block size show, against sweeps written by hand."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.findings.look.blocks import limits_of_reads, part_of_sector
from stend.model.definition import Workload
from tests.test_cause import causes
from tests.test_findings_truth import ran

KIB = 1024


def row(kib: float, iops: float, read_pct: int = 0, random_pct: int = 0) -> Any:
    block = int(kib * KIB)
    load = SimpleNamespace(block_bytes=block, read_pct=read_pct, random_pct=random_pct)
    values = {"iops": iops, "throughput": iops * block}
    return SimpleNamespace(workload=load, iops=iops, number=values.__getitem__)


def writes(part: float, whole: float = 160e3) -> list[Any]:
    return [row(0.5, part), row(1, part), row(2, part), row(4, whole), row(8, whole / 2)]


def test_a_part_of_a_sector_costs_the_whole_of_it() -> None:
    assert part_of_sector(writes(13_300), 4096) == {"sector": 4096, "half": 2048, "part": 13_300, "whole": 160e3}


@pytest.mark.parametrize(
    ("rows", "sector"),
    [
        (writes(13_300), 512),  # the smallest block is a sector
        (writes(155e3), 4096),  # a cache gathers the parts
        (writes(13_300)[3:], 4096),  # nothing smaller was measured
        ([row(2, 13_300), row(8, 80e3)], 4096),  # nor a whole sector
        ([row(2, 13_300, 0, 100), row(4, 160e3, 0, 100)], 4096),  # random writes cost more anyway
        ([row(2, 13_300, 100), row(4, 160e3, 100)], 4096),  # reads change nothing
        ([], 4096),
    ],
)
def test_without_a_loss_below_the_sector_nothing_is_said(rows: list[Any], sector: int) -> None:
    assert part_of_sector(rows, sector) is None


def test_reads_end_at_ios_then_at_bytes() -> None:
    """160,000 commands or 1 GB/s: reads of 8 KiB would need 1.31 GB/s for as many."""
    sizes = (0.5, 1, 2, 4, 8, 16, 32, 64)
    rows = [row(kib, min(160e3, 1e9 / (kib * KIB)), 100) for kib in sizes]
    found = limits_of_reads([*rows, *writes(13_300)])
    assert found == {"small": 4 * KIB, "iops": 160e3, "large": 8 * KIB, "rate": pytest.approx(1e9)}
    assert limits_of_reads(rows[:4]) is None
    assert limits_of_reads(rows[5:]) is None
    assert limits_of_reads([]) is None


@pytest.mark.parametrize(
    ("reads", "writes", "interface", "told"),
    [
        (90e3, 90e3, "USB 3.2 Gen 2 (10 Gbit/s)", True),
        (90e3, 60e3, "USB 3.2 Gen 2 (10 Gbit/s)", False),
        (136e3, 136e3, "SATA 6 Gbit/s", False),
    ],
    ids=["command limit", "flash", "link"],
)
def test_one_rate_of_every_mix_is_a_limit_per_command_unless_it_is_the_links(
    reads: float, writes: float, interface: str, told: bool
) -> None:
    def iops(load: Workload) -> float:
        most = writes + (reads - writes) * load.read_pct / 100
        return min(most, 1e9 / load.block_bytes)

    assert ("any_mix" in causes(ran(iops, "iops", interface=interface))) is told
