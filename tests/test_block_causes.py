"""What rates by block size show, against sweeps written by hand."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.findings import cause
from stend.findings.look.blocks import limits_of_reads, part_of_sector
from stend.findings.look.figures import figures
from stend.findings.look.link import link
from stend.model.definition import Workload
from stend.sentences import finding_said
from stend.words import Language
from tests.synthetic import Truth, made
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


@pytest.mark.parametrize(
    ("mix", "told"), [(35e3, True), (290e3, False), (700e3, False)], ids=["turns", "within half", "both limits"]
)
def test_a_mix_far_below_reads_and_writes_alone_is_a_cost_of_changing_between_them(mix: float, *, told: bool) -> None:
    """830,000 reads and 460,000 writes: by their shares of time a 65/35 mix has 640,000, and never fewer than each."""

    def iops(load: Workload) -> float:
        rate = {0: 460e3, 100: 830e3}.get(int(load.read_pct), mix if load.read_pct == 65 else 700e3)
        return min(rate, 6e9 / load.block_bytes)

    found = causes(ran(iops, "iops", interface="PCIe 4.0 x4"))
    assert ("mix_slower" in found) is told
    if told:
        values = found["mix_slower"].values
        assert [values[name] for name in ("share", "mix", "reads", "writes")] == pytest.approx(
            [0.65, mix, 830e3, 460e3], rel=0.01
        )
        assert "65" in finding_said(found["mix_slower"], Language("ru"))


@pytest.mark.parametrize(("fresh", "key"), [(1.0, "order"), (4.4, "order_fresh")])
def test_rounds_at_the_rate_of_the_fresh_drive_did_not_reach_its_cleaning(fresh: float, key: str) -> None:
    """Rounds after the fill at 20,000 IOPS, and a fresh drive at 90,000 or about 20,000: a cache took these rounds."""
    truth = Truth(capacity_bytes=60 * 10**9, fresh_iops=90_000, steady_iops=20_000)
    changes = {"tests": {"write-saturation": {"minutes": 120}}, "rounds": 5}
    run = made("iops", "write-saturation", truth=truth, profile="review", interval_s=20.0, **changes)
    slower = {"saturated": 3.0, "fresh": fresh}
    rows = [row._replace(seconds=row.seconds * slower.get(row.state, 1.0)) for row in figures(run)]
    (found,) = cause._order(cause.Evidence(run, rows, (), link(run.plan.device, {})))
    assert found.key == key
