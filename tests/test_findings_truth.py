"""What findings say where a run's arithmetic is known by hand: links, prices, endurance, rests, fio's last bin."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stend import findings
from stend.base.units import GB, KiB
from stend.engines import _fio_json as fio
from stend.findings import Finding
from stend.model.definition import Workload
from stend.model.record import Run
from stend.model.stats import BINS
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.loop import run
from stend.sentences import finding_said
from stend.words import Language
from tests.synthetic import Synthetic, SyntheticDevice, Truth, identity, made

Iops = Callable[[Workload], float]
SIZE = 500_107_862_016


@dataclass
class Plain(Synthetic):
    """A drive whose IOPS depend on the load alone."""

    iops: Iops = lambda load: 1.0

    def rate(self, workload: Workload, at_bytes: float) -> float:
        return self.iops(workload)


def ran(iops: Iops, *tests: str, profile: str = "enterprise-2.0.2", **facts: Any) -> Run:
    truth = Truth(capacity_bytes=SIZE, noise=0.0)
    drawn = planning.draw(list(tests), planning.load_profile(profile), identity(truth, **facts))
    drive = Plain(truth, interval_s=20.0, iops=iops)
    drive.fresh()
    return Run(list(run(drawn, SyntheticDevice(drive, drawn.device), drive, seed=1, at=0.0)))


def told(run: Run, name: str, **sheet: Any) -> Finding:
    return next(f for f in findings.find(run, sheet) if f.name == name)


def rates(total: float, one_way: float) -> Iops:
    """At most `total` bytes per second in both directions together."""

    def iops(load: Workload) -> float:
        most = max(load.read_pct, 100 - load.read_pct) / 100
        return min(total, one_way / most) / load.block_bytes

    return iops


@pytest.mark.parametrize(
    ("interface", "total", "one_way", "key"),
    [
        ("NVMe PCIe 3.0 x4", 3.4e9, 2e9, "drive"),
        ("SAS 12 Gbit/s", 1.1e9, 0.7e9, "drive"),
        ("SATA 6 Gbit/s", 0.55e9, 0.4e9, "link"),
    ],
)
def test_a_mix_is_near_the_limit_only_of_a_link_that_both_directions_share(
    interface: str, total: float, one_way: float, key: str
) -> None:
    found = told(ran(rates(total, one_way), "iops", interface=interface), "limits")
    assert found.key == key
    assert found.values["rate"] == pytest.approx(total if key == "link" else one_way, rel=0.05)


def small_reads(load: Workload) -> float:
    """Blocks of 512 bytes are faster than those of 4 KiB."""
    level = 240_000 if load.read_pct == 100 else 50_000
    return level * 4 * KiB / max(load.block_bytes, 4 * KiB) * (1.2 if load.block_bytes < 4 * KiB else 1)


def test_the_price_of_a_thousand_iops_is_that_of_lasting_4_kib_reads() -> None:
    found = told(ran(small_reads, "fresh", "iops"), "value", price=119.99)
    assert found.values["per_kiops"] == pytest.approx(119.99 / 240, rel=0.01)
    assert found.values["load"].startswith("RND 4K 100/0")
    assert "119.99 USD" in finding_said(found, Language("en"))


@pytest.mark.parametrize("sheet", [{"endurance_tbw": 300}, {"endurance_tbw": 300, "endurance_dwpd": 0.3}])
def test_tb_written_are_those_of_the_sheet_whatever_its_rounded_dwpd(sheet: dict[str, float]) -> None:
    found = told(ran(small_reads, "iops"), "value", warranty_years=5, **sheet)
    assert found.values["tbw"] == 300e12
    computed = 300e12 / (SIZE * 5 * 365)
    assert found.values["dwpd"] == pytest.approx(sheet.get("endurance_dwpd", computed))


def test_a_price_of_nothing_buys_no_ratio() -> None:
    found = told(ran(small_reads, "iops"), "value", price=0, endurance_tbw=300)
    assert (found.key, "tb_each" in found.values) == ("endurance", False)


@pytest.mark.slow
def test_rests_that_give_back_nothing_speak_against_a_drive_only_if_it_fell() -> None:
    even = Truth(capacity_bytes=32 * GB // (128 * KiB) * (128 * KiB), fresh_iops=50_000, steady_iops=50_000)
    found = told(made("idle-recovery", truth=even, profile="review", interval_s=20.0), "idle_recovery")
    assert (found.key, found.side, found.confidence) == ("unfallen", "", "can't tell")


def test_the_longest_of_an_interval_is_that_of_the_total_where_it_lies_in_fios_last_bin() -> None:
    before = Tally(1, 4096, 20e9, 4e20, 40e9, {BINS - 1: 1})
    now = Tally(2, 8192, 60e9, 2e21, 40e9, {BINS - 1: 2})
    found = fio.since(before, now)
    assert found.max_ns == 40e9 >= found.latency_ns / found.ios
