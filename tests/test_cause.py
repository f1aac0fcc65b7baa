"""A cause is given where the run carries its evidence, and not by a drive that is just short of it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stend import findings
from stend.base.units import GB, KiB
from stend.findings import Finding, cause, look
from stend.findings.look import heat
from stend.findings.look.figures import figures
from stend.findings.look.link import link
from stend.model.definition import Identity, Workload
from stend.model.events import Event, Telemetry
from stend.model.record import Run
from stend.report.parts import Keys, Pair, Stamps
from stend.report.story.because import because
from stend.report.story.rivals import side
from stend.report.story.telling import story
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events, made
from tests.test_findings_truth import SIZE, Iops, ran

DEPTHS = {"latency-curve": {"mixes": (100, 0), "blocks_kib": (4,), "threads_ladder": (4,)}}
OUT = {"profiles": {"workloads": ("file-server",)}}


def causes(run: Run, others: Sequence[Finding] | None = None) -> dict[str, Finding]:
    found = findings.find(run) if others is None else findings.named("cause", run, {}, others)
    told = {f.key: f for f in found if f.name == "cause"}
    assert all(finding_said(f, Language(lang)) for f in told.values() for lang in LANGUAGES)
    return told


def other(name: str, key: str, test: str, **values: Any) -> Finding:
    return Finding(name=name, key=key, test=test, values=values)


def waits(read_s: float, write_s: float, most: float = 1e9) -> Iops:
    """Each IO takes its time whatever the depth, up to a rate."""
    return lambda load: min(load.outstanding / (read_s if load.read_pct else write_s), most)


@pytest.mark.parametrize(
    ("level", "times", "key"),
    [
        ("raid5", 4.0, "raid5"),
        ("raid5", 2.0, ""),
        ("raid5", 40.0, "penalty"),
        ("raid6", 6.0, "raid6"),
        ("raid10", 2.0, "raid10"),
        ("raid1", 2.0, "raid1"),
        ("raid10", 6.0, "penalty"),
        ("raid0", 2.0, ""),
        ("", 4.0, ""),
    ],
)
def test_parity_or_mirrors_are_the_cause_of_slow_random_writes_only_of_a_known_level_whose_rates_agree(
    level: str, times: float, key: str
) -> None:
    def iops(load: Workload) -> float:
        return 60_000.0 if load.read_pct == 100 else 60_000.0 / times

    facts = {"level": level} if level else {}
    told = causes(ran(iops, "block-sweep", interface="SAS RAID", facts=facts))
    assert {name for name in told if name.startswith(("raid", "penalty"))} == {key} - {""}
    if key:
        assert told[key].values["share"] == pytest.approx(1 / times, rel=0.02)


@pytest.mark.parametrize(
    ("read", "write", "words"),
    [
        (0.55e9, 0.55e9, "Sequential reads and writes reach 550 MB/s"),
        (0.55e9, 0.2e9, "Sequential reads reach 550 MB/s"),
        (0.2e9, 0.55e9, "Sequential writes reach 550 MB/s"),
    ],
)
def test_the_link_limits_only_the_direction_that_reaches_it(read: float, write: float, words: str) -> None:
    def iops(load: Workload) -> float:
        return (read if load.read_pct else write) / load.block_bytes

    limit = causes(ran(iops, "throughput", interface="SATA 6 Gbit/s"))["link"]
    assert words in finding_said(limit, Language("en")).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("interface", "facts", "name", "most"),
    [
        ("sata", {"link": "6.0 Gb/s", "link_capable": "6.0 Gb/s"}, "SATA 6.0 Gb/s", 0.56e9),
        ("sata", {"link": "3.0 Gb/s", "link_capable": "6.0 Gb/s"}, "SATA 3.0 Gb/s", 0.28e9),
        ("sas", {"link": "12.0 Gbit x2"}, "SAS 12.0 Gbit x2", 2.24e9),
        ("nvme", {"link": "gen 4 x4"}, "PCIe 4 x4", 7e9),
        ("nvme", {"link": "128 GT/s x4"}, "128 GT/s x4", None),
        ("usb", {"link": "USB 10000 Mb/s"}, "USB 10000 Mb/s", 1.04e9),
        ("usb", {"link": "USB 480 Mb/s"}, "USB 480 Mb/s", 0.04e9),
        ("usb", {"link": "USB 1.5 Mb/s"}, "USB 1.5 Mb/s", None),
        ("USB 3.2 Gen 2x2 (20 Gbit/s)", {}, "USB 3.2 Gen 2x2 (20 Gbit/s)", 2.05e9),
        ("USB 3.2 Gen 1, 5 Gb/s", {}, "USB 3.2 Gen 1, 5 Gb/s", 0.44e9),
        ("NVMe PCIe 3.0 x4", {}, "NVMe PCIe 3.0 x4", 3.52e9),
        ("NVMe/TCP, 25 Gbit/s Ethernet", {}, "NVMe/TCP, 25 Gbit/s Ethernet", 2.95e9),
        ("eMMC 5.1 HS400", {}, "eMMC 5.1 HS400", 0.36e9),
        ("SAS RAID, 512 MiB cache", {}, "SAS RAID, 512 MiB cache", None),
        ("SAS RAID, 12 GiB cache", {}, "SAS RAID, 12 GiB cache", None),
    ],
)
def test_the_link_is_that_of_the_record_of_a_real_or_a_virtual_drive(
    interface: str, facts: dict[str, str], name: str, most: float | None
) -> None:
    drive = Identity(kind="x", target="x", path="x", capacity_bytes=1, interface=interface, facts=dict(facts))
    found = link(drive, {})
    assert (found.name, found.bytes_per_s) == (name, most and pytest.approx(most))
    assert bool(found.capable) == (facts.get("link_capable", facts.get("link")) != facts.get("link"))


@pytest.mark.parametrize(
    ("read_s", "write_s", "facts", "key"),
    [
        (94e-6, 21e-6, {}, "buffer"),
        (94e-6, 21e-6, {"power_loss_protection": "capacitors"}, "protected"),
        (94e-6, 21e-6, {"write_cache": "enabled", "write_cache_set": "disabled"}, "lasting"),
        (94e-6, 21e-6, {"write_cache": "disabled", "write_cache_set": "enabled"}, "buffer"),
        (12e-6, 11e-6, {}, ""),
        (94e-6, 60e-6, {}, ""),
        (400e-6, 189e-6, {}, ""),
    ],
)
def test_a_buffer_answers_writes_that_end_before_flash_could_be_programmed(
    read_s: float, write_s: float, facts: dict[str, str], key: str
) -> None:
    found = causes(ran(waits(read_s, write_s), "latency", facts=facts))
    assert set(found) & {"buffer", "protected", "lasting"} == {key} - {""}


def test_a_disk_has_no_buffer_before_its_flash() -> None:
    assert "buffer" not in causes(ran(waits(94e-6, 21e-6), "latency", rotational=True))


def test_the_reads_in_flight_are_those_of_littles_law_if_waits_stay_until_then() -> None:
    level = causes(ran(waits(12e-6, 1e-5, most=570e3), "latency-curve"))
    values = level["depth"].values
    assert values["needed"] == pytest.approx(values["rate"] * 12e-6, abs=0.5)
    assert values["at"] == pytest.approx(values["rate"] * values["then"], rel=0.1), "the depth that was measured"

    def early(load: Workload) -> float:
        return 2e5 * load.outstanding / (load.outstanding + 19)

    assert "depth" not in causes(ran(early, "latency-curve"))


def queue(most: int, growth: float = 0.3) -> Iops:
    """A disk that sorts up to a number of outstanding IOs."""
    return lambda load: 75 * min(load.outstanding, most) ** growth


@pytest.mark.parametrize(
    ("interface", "iops", "given"),
    [
        ("SATA 6 Gbit/s", queue(32), True),
        ("SATA 6 Gbit/s", queue(64), False),
        ("SATA 6 Gbit/s", queue(16), False),
        ("SATA 6 Gbit/s", queue(32, 0.05), False),
        ("SAS 12 Gbit/s", queue(32), False),
    ],
)
def test_ncq_needs_a_rate_that_grows_to_32_outstanding_ios_on_sata_and_not_beyond(
    interface: str, iops: Iops, given: bool
) -> None:
    assert ("ncq" in causes(ran(iops, "profiles", interface=interface, rotational=True))) is given


@pytest.mark.parametrize(
    ("facts", "wait_s", "given"),
    [
        ({"rotation_rpm": 7200}, 13e-3, True),
        ({"rotation_rpm": 7200}, 3.5e-3, False),
        ({"rotation_rpm": 7200}, 30e-3, False),
        ({}, 13e-3, False),
    ],
)
def test_half_a_turn_is_part_of_a_read_that_takes_longer_by_no_more_than_a_seek(
    facts: dict[str, int], wait_s: float, given: bool
) -> None:
    found = causes(ran(waits(wait_s, wait_s), "latency-curve", rotational=True, facts=facts))
    assert ("turn" in found) is given
    if given:
        assert found["turn"].values["half"] == pytest.approx(60 / 7200 / 2)


def test_reads_of_a_mix_and_reads_after_random_writes_are_no_single_reads() -> None:
    def iops(load: Workload) -> float:
        return load.outstanding / (9e-3 if 0 < load.read_pct < 100 else 6e-3)

    facts = {"rotation_rpm": 15_000}
    found = causes(ran(iops, "latency-curve", rotational=True, facts=facts))
    assert found["turn"].values["wait"] == pytest.approx(6e-3, rel=0.1)
    assert "turn" not in causes(ran(iops, "profiles", rotational=True, facts=facts))  # files are served before the web


def test_a_queue_is_full_where_the_rate_stays_and_the_wait_grows_with_the_depth() -> None:
    assert causes(ran(queue(16), "profiles"))["full"].values["enough"] == 16
    assert "full" not in causes(ran(queue(256), "profiles"))
    assert {"serial", "full"} & set(causes(ran(queue(1), "latency-curve"))) == {"serial"}


def test_blocks_of_a_limit_per_command_are_those_of_sequential_reads() -> None:
    told = causes(ran(lambda load: min(1e5, 1e9 / load.block_bytes), "block-sweep"))["commands"]
    assert finding_said(told, Language("en")).startswith("Sequential reads of blocks up to 8")
    assert finding_said(told, Language("ru")).startswith("Последовательные чтения блоками до 8")


def test_small_blocks_end_at_commands_and_large_ones_at_bytes() -> None:
    def bounded(load: Workload) -> float:
        return min(1e5, 1e9 / load.block_bytes)

    found = causes(ran(bounded, "block-sweep"))["commands"].values
    assert (found["small"], found["large"]) == (8 * KiB, 16 * KiB)
    assert "commands" not in causes(ran(lambda load: 1e7 / load.block_bytes**0.5, "block-sweep"))


def slc(state: str, size: float, key: str = "steps", **values: Any) -> Finding:
    known = {"state": state, "size": size, "first": 2e9, "last": 5e8}
    return other("slc_cache", key, "slc-cache", **known, **values)


EMPTY: Callable[[], Run] = lambda: ran(lambda load: 1e4, "slc-cache")  # noqa: E731 -- a run without causes of its own


@pytest.mark.parametrize(
    ("others", "key"),
    [
        ([slc("fresh", 66e9), slc("full-25", 19e9), slc("full-75", 19.1e9)], "shrinks"),
        ([slc("fresh", 66e9), slc("full-25", 65e9), slc("full-75", 64e9)], "cells"),
        ([slc("fresh", 66e9), slc("full-25", 19e9), slc("full-75", 50e9)], "cells"),
        ([slc("fresh", 66e9, rates=(2e9, 9e8, 5e8))], "fold"),
        ([slc("fresh", 66e9, rates=(2e9, 5e8))], "cells"),
        ([slc("full-75", 19e9)], ""),
        ([other("slc_cache", "flat", "slc-cache", state="fresh", first=2e9, last=2e9)], ""),
        ([], ""),
    ],
)
def test_the_end_of_a_cache_is_explained_by_what_its_levels_and_states_show(others: list[Finding], key: str) -> None:
    assert set(causes(EMPTY(), others)) == {key} - {""}


@pytest.mark.parametrize(
    ("share", "state", "rest", "given"),
    [
        (75, "full-75", [400e6, 300e6], True),
        (75, "full-75", [480e6, 300e6], False),
        (75, "full-75", [600e6], False),
        (75, "full-50", [400e6], False),
        (100, "full-75", [400e6], False),
        (75, "fresh", [400e6], False),
    ],
)
def test_writes_between_reads_use_a_cache_where_continuous_ones_at_that_fill_are_slower(
    share: int, state: str, rest: list[float], *, given: bool
) -> None:
    """The drive writes 482 MB/s in rounds that read too."""
    run = made("throughput", rounds=5, interval_s=20.0, tests={"throughput": {"active_range_pct": share}})
    found = causes(run, [slc(state, 19e9, rest=rest)])
    assert ("refilled" in found) is given
    if given:
        told = found["refilled"].values
        assert (told["rate"], told["after"]) == pytest.approx((482.5e6, 400e6), rel=0.01)


def knee(fills: float, ratio: float = 5.0) -> Finding:
    return other("saturation", "knee", "write-saturation", knee_bytes=fills * SIZE, ratio=ratio)


@pytest.mark.parametrize(
    ("others", "key"),
    [
        ([knee(1.2)], "cleaning"),
        ([knee(1.2, ratio=1.2)], ""),
        ([knee(0.04)], ""),
        ([knee(4.0)], ""),
        ([slc("fresh", 0.04 * SIZE), knee(0.042)], "cache_full"),
        ([slc("fresh", 0.04 * SIZE), knee(0.1)], ""),
        ([other("saturation", "flat", "write-saturation", ratio=1.0)], ""),
    ],
)
def test_a_drop_of_random_writes_is_explained_by_where_it_comes(others: list[Finding], key: str) -> None:
    assert set(causes(EMPTY(), others)) - {"cells"} == {key} - {""}


def test_a_disk_cleans_nothing() -> None:
    disk = ran(lambda load: 1e4, "slc-cache", rotational=True)
    rests = other("idle_recovery", "recovers", "idle-recovery", gain=3.0, levels={"5": 1.0, "10": 2.0, "15": 3.0})
    assert causes(disk, [knee(1.2), rests]) == {}


@pytest.mark.parametrize(
    ("levels", "key", "given"),
    [
        ((10.0, 15.0, 30.0), "recovers", True),
        ((10.0, 30.0, 15.0), "recovers", False),
        ((10.0, 10.0, 10.0), "none", False),
        ((34.0, 46.9, 47.0, 47.1), "recovers", False),
        ((10.0, 30.0), "partly", False),
    ],
)
def test_pauses_clean_a_drive_that_is_faster_after_every_longer_one(
    levels: tuple[float, ...], key: str, given: bool
) -> None:
    told = {str(5 * n): level for n, level in enumerate(levels, 1)}
    assert bool(causes(EMPTY(), [other("idle_recovery", key, "idle-recovery", gain=3.0, levels=told)])) is given


@pytest.mark.parametrize(
    ("slower", "share", "given"),
    [
        (1, 100, []),
        (3, 100, ["order"]),
        (3, 75, ["order_part"]),
        (0.9, 100, []),
        (0.1, 100, ["mixed_rounds"]),
        (0.1, 75, []),
    ],
)
def test_the_order_of_a_fill_shows_where_random_writes_are_faster_after_it_than_in_saturation(
    slower: float, share: int, given: list[str]
) -> None:
    truth = Truth(capacity_bytes=60 * GB, fresh_iops=90_000, steady_iops=20_000)
    changes = {"tests": {"write-saturation": {"minutes": 120}, "iops": {"active_range_pct": share}}, "rounds": 5}
    run = made("iops", "write-saturation", truth=truth, profile="review", interval_s=20.0, **changes)
    rows = [row._replace(seconds=row.seconds * slower) if row.state == "saturated" else row for row in figures(run)]
    evidence = cause.Evidence(run, rows, (), link(run.plan.device, {}))
    found = [*cause._mixed_rounds(evidence), *cause._order(evidence)]
    assert [f.key for f in found] == given


def test_a_cache_serves_reads_and_outer_tracks_are_faster_only_where_they_are() -> None:
    warm = Truth(capacity_bytes=600 * GB, read_iops=400, cache_bytes=10e9, cache_speedup=20, outer_bps=250e6)
    hits = causes(made("hot-range", truth=warm, profile="review", interval_s=60.0))["hits"].values["hits"]
    assert hits == pytest.approx(10e9 / (20 << 30), rel=0.05)
    cold = Truth(capacity_bytes=600 * GB, read_iops=400, outer_bps=250e6)
    assert "hits" not in causes(made("hot-range", truth=cold, profile="review", interval_s=60.0))
    disk = Truth(outer_bps=250e6, inner_bps=125e6)
    assert causes(made("lba-profile", truth=disk, profile="review"))["tracks"].values["ratio"] > 1.8
    assert "tracks" not in causes(made("lba-profile", truth=Truth(outer_bps=250e6, inner_bps=225e6), profile="review"))


def slowed(count: int) -> Run:
    """A saturation during which the drive counts throttling."""
    truth = Truth(capacity_bytes=120 * GB, fresh_iops=100_000)
    changes = {"tests": {"write-saturation": {"minutes": 120}}}
    told: list[Event] = events(["write-saturation"], truth, profile="review", interval_s=10.0, **changes)
    looks = [e for e in told if isinstance(e, Telemetry)]
    new = {e.t: Telemetry(t=e.t, values={"temperature_c": 45, "throttle_s": count * n}) for n, e in enumerate(looks)}
    return Run([new[e.t] if isinstance(e, Telemetry) else e for e in told])


def test_throttling_is_the_cause_that_replaces_all_others_of_its_test() -> None:
    assert set(causes(slowed(0))) == {"cleaning"}
    sure = other("saturation", "knee", "write-saturation", knee_bytes=1.2 * 120 * GB, ratio=5.0)
    assert set(causes(slowed(0), [sure])) == {"cleaning"}
    assert set(causes(slowed(60), [sure])) == {"throttled"}


def test_page_one_of_a_throttled_run_says_so_and_ranks_nothing_that_heat_changed() -> None:
    page = story([(None, slowed(60), {})], [side("published:sn150")], "en")
    (stamps,) = (block for block in page.lead.blocks if isinstance(block, Stamps))
    assert any(text.startswith("The drive throttled because of heat for") for text in stamps.texts)
    (keys,) = (block for block in page.lead.blocks if isinstance(block, Keys))
    assert [key.band.names for key in keys.keys if key.band] == [
        "HGST Ultrastar SN150 1.6\u00a0TB: 430,000",
        "HGST Ultrastar SN150 1.6\u00a0TB: 130,000 … 140,000",
    ]
    lists = [items.title for pair in page.lead.blocks if isinstance(pair, Pair) for items in pair.lists]
    assert not {"Best", "Worst"} & set(lists)


def test_the_throttled_time_of_two_phases_is_their_sum() -> None:
    """Records of each phase start at 0: a stretch in the next phase does not continue one of the phase before."""
    run = slowed(60)
    (test,) = run.plan.tests
    records = look.records(run, test.name, look.main_phase(run, test))
    once = sum(end - begin for begin, end in heat.throttled(run, records))
    assert sum(end - begin for begin, end in heat.throttled(run, [*records, *records])) == pytest.approx(2 * once)
    assert 0 < heat.throttled_s(slowed(2), records) <= 2 * len(heat.slow(run)) < once  # no more than it counted


def test_a_chapter_gets_the_first_cause_of_its_tests_or_none() -> None:
    words = Language("en")
    found = [
        other("limits", "drive", ""),
        other("cause", "rested", "idle-recovery"),
        other("cause", "hits", "hot-range"),
    ]
    assert because(found, ("idle-recovery",), words) == words("finding.cause.rested")
    assert because(found, ("fresh",), words) == ""


def test_a_shortened_run_has_no_causes() -> None:
    assert causes(made("latency", "profiles", shorten=60, quick=True), [knee(1.2)]) == {}
