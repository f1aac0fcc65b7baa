"""Causes that rest on the link and on the queue: shares of the payload rate, rates beyond a depth, open loops."""

from typing import Any

import pytest

from stend import findings
from stend.findings import look
from stend.findings.judgement.evidence import evidence
from stend.findings.look import headline
from stend.findings.look.figures import figures
from stend.findings.look.link import link_bytes_per_s, payload_bytes_per_s
from stend.many.sides import key_of
from stend.model.definition import Hold, Workload
from stend.report.parts import header
from stend.sentences import finding_said
from stend.words import Language
from tests.test_cause import causes
from tests.test_findings_truth import ran, rates

PCIE = [f"PCIe {generation}.0" for generation in range(1, 6)]
LINKS = {"link", "near_link", "slow_link"}


@pytest.mark.parametrize(
    ("facts", "rate", "key"),
    [
        ({"interface": "SATA 6 Gbit/s"}, 0.55e9, "link"),
        ({"interface": "SATA 6 Gbit/s"}, 0.52e9, ""),
        ({"interface": "SAS 12 Gbit/s"}, 0.55e9, ""),
        ({"interface": "SATA 6 Gbit/s"}, 0.65e9, ""),  # more than the link carries: its record is wrong
        ({"interface": "SAS 24 Gbit/s"}, 2.35e9, "link"),
        ({"interface": "nvme", "facts": {"link": "gen 3 x4", "link_capable": "gen 3 x4"}}, 3.45e9, "near_link"),
        ({"interface": "nvme", "facts": {"link": "gen 3 x4", "link_capable": "gen 3 x4"}}, 3.6e9, "link"),
        ({"interface": "nvme", "facts": {"link": "gen 3 x2", "link_capable": "gen 3 x4"}}, 1.75e9, "slow_link"),
        ({"interface": "sas", "facts": {"link": "6.0 Gbit x1", "link_capable": "12.0 Gbit x1"}}, 0.59e9, "link"),
        ({"interface": "nvme", "facts": {"link": "gen 4 x4"}}, 3.45e9, ""),
        ({"interface": "nvme"}, 3.45e9, ""),
    ],
)
def test_the_link_is_the_limit_only_near_what_the_negotiated_link_carries(
    facts: dict[str, Any], rate: float, key: str
) -> None:
    assert set(causes(ran(rates(rate, rate), "throughput", **facts))) & LINKS == {key} - {""}


@pytest.mark.parametrize(
    ("interface", "total", "one_way", "limited"),
    [
        ("SATA 6 Gbit/s", 0.55e9, 0.55e9, True),
        ("SATA 6 Gbit/s", 0.50e9, 0.50e9, False),
        ("SAS 12 Gbit/s", 0.55e9, 0.55e9, False),
        ("NVMe PCIe 3.0 x1", 1.1e9, 0.80e9, False),  # both ways together are more than one way carries, none is full
        ("NVMe PCIe 3.0 x1", 1.3e9, 0.87e9, True),
    ],
)
def test_the_link_limits_profiles_that_end_together_at_what_it_carries(
    interface: str, total: float, one_way: float, *, limited: bool
) -> None:
    told = causes(ran(rates(total, one_way), "profiles", interface=interface))
    key, other_key = ("profiles_link", "profiles_one_way")[:: 1 if "SATA" in interface else -1]
    assert (key in told, other_key in told) == (limited, False)
    if limited and "SATA" in interface:
        assert {"n": 9, "of": 9}.items() <= told["profiles_link"].values.items()


def test_streams_alone_do_not_make_the_link_the_limit_of_profiles() -> None:
    def iops(load: Workload) -> float:
        return (0.1e9 if load.random_pct else 0.55e9) / load.block_bytes

    assert "profiles_link" not in causes(ran(iops, "profiles", interface="SATA 6 Gbit/s"))


@pytest.mark.parametrize(
    ("interface", "rate", "words"),
    [
        ("SAS 24 Gbit/s", 2.35e9, "98% of the 2,400 MB/s"),
        ("SAS 12 Gbit/s", 1.1e9, "92% of the 1,200 MB/s"),
        ("SATA 6 Gbit/s", 0.55e9, "92% of the 600 MB/s"),
        ("NVMe PCIe 5.0 x4", 14.8e9, "94% of the 15,800 MB/s"),
    ],
)
def test_the_share_of_the_link_is_that_of_its_payload_rate(interface: str, rate: float, words: str) -> None:
    told = causes(ran(rates(rate, rate), "throughput", interface=interface))["link"]
    assert words in finding_said(told, Language("en")).replace("\u00a0", " ")


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("bus", ["SATA 1.5", "SATA 3", "SATA 6", "SAS 3", "SAS 6", "SAS 12", "SAS 24", *PCIE])
def test_no_link_reaches_more_in_practice_than_its_standard_allows(bus: str, lanes: int) -> None:
    name = f"{bus} x{lanes}" if "PCIe" in bus else f"{bus} Gbit/s x{lanes}"
    assert 0.85 * payload_bytes_per_s(name) < (link_bytes_per_s(name) or 0) < payload_bytes_per_s(name)


@pytest.mark.parametrize(("least", "key"), [(1.0, "full"), (0.95, "full"), (0.8, "falls"), (0.25, "falls")])
def test_a_rate_that_falls_with_a_deeper_queue_is_not_said_to_stay(least: float, key: str) -> None:
    def iops(load: Workload) -> float:
        return 1e4 * min(load.outstanding, 8) * (least if load.outstanding > 16 else 1.0)

    told = causes(ran(iops, "profiles"))
    assert set(told) & {"full", "falls"} == {key}
    if key == "falls":
        assert told[key].values["least"] == pytest.approx(least * told[key].values["most"], rel=0.02)
        assert told[key].values["at"] <= 16


def test_a_rate_that_sags_between_two_depths_has_no_sentence_on_the_depths() -> None:
    def iops(load: Workload) -> float:
        return 1e4 * min(load.outstanding, 8) * (0.5 if 16 < load.outstanding < 128 else 1.0)

    assert not set(causes(ran(iops, "profiles"))) & {"full", "falls"}


def test_a_rate_that_scatters_with_depth_is_not_said_to_fall() -> None:
    def iops(load: Workload) -> float:
        deep = {32: 0.8, 64: 0.9, 128: 0.78, 256: 0.88, 512: 0.79}
        return 1e4 * min(load.outstanding, 8) * deep.get(load.outstanding, 1.0)

    assert not set(causes(ran(iops, "profiles"))) & {"full", "falls"}


@pytest.mark.parametrize(("gain", "known"), [(1.9, True), (2.4, False)])
def test_two_ios_at_once_are_not_said_to_give_more_than_twice_the_rate_of_one(gain: float, known: bool) -> None:
    def iops(load: Workload) -> float:
        return 1e4 if load.outstanding == 1 else gain * 1e4

    curve = ran(iops, "latency-curve")
    assert ("deep_writes" in evidence(curve, {}, tuple(findings.find(curve))).figures) is known


def test_an_open_loop_has_no_depth_in_any_figure_or_cause() -> None:
    def iops(load: Workload) -> float:
        return min(load.rate_iops, 5e5) if load.rate_iops else min(1e4 * load.outstanding, 4e4)

    curve = ran(iops, "latency-curve")
    assert any(result.step.workload.rate_iops for result in curve.results if isinstance(result.step, Hold))
    known = evidence(curve, {}, tuple(findings.find(curve)))
    assert all(row.workload.closed for row in known.rows.values())
    assert {known.figures["deep_reads_at"], known.figures["deep_writes_at"]} == {4.0}
    opened = [row for row in figures(curve) if not row.workload.closed]
    assert opened
    assert headline.busy(opened) is headline.level(opened, "read_window") is None
    assert not any(headline.queued(row, "p99") for row in opened)
    keys = [key_of(row) for row in figures(curve)]
    assert [key.closed for key in keys] == [row.workload.closed for row in figures(curve)]
    for test in look.tests(curve):
        shown = dict(header._parameters(curve, test, Language("en")))["outstanding"]
        assert "T4/Q32" in shown
        assert "Q1024" not in shown
