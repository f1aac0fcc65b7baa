"""Boundaries of conclusions from a few figures, with values that follow on paper."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.units import KiB, MiB
from stend.findings import cause, depth_scaling, headroom, media, response_limit, trim
from stend.findings.cause import Evidence
from stend.findings.look.link import Link
from stend.findings.look.media import Media
from stend.model.headroom import Pass, Why, evaluate
from stend.model.pace import Pace
from stend.model.verified import BLOCK, Verified, of_blocks
from stend.model.workload import Workload


def rung(depth: int, iops: float, mean: float = 0.001, test: str = "latency-curve", **more: Any) -> Any:
    """A row of a ladder."""
    load = Workload(**{"random_pct": 100, "read_pct": 100, "block_bytes": 4 * KiB, "depth": depth} | more)
    numbers = {"iops": iops, "mean": mean, "throughput": iops * load.block_bytes}
    return SimpleNamespace(test=test, phase="p", workload=load, iops=iops, steady=True, number=numbers.__getitem__)


def caused(rows: list[Any], link: Link = Link("PCIe 3.0 x4", None)) -> Evidence:  # noqa: B008
    return Evidence(SimpleNamespace(), rows, (), link)  # type: ignore[arg-type]


def told(found: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(one.key, one.values) for one in found]


LOAD = "RND 4K 100/0"


@pytest.mark.parametrize(
    ("ladder", "key", "values"),
    [
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (1000, 0.004), 8: (1000, 0.008)}, "full", {"enough": 2, "deep": 8}),
        ({1: (1000, 0.001), 2: (1000, 0.002), 4: (1000, 0.004)}, "serial", {"enough": 1, "deep": 4}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (1000, 0.004)}, None, {}),
        ({1: (500, 0.002), 2: (960, 0.002), 4: (1000, 0.004), 8: (1000, 0.008)}, "full", {"enough": 2, "deep": 8}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (1000, 0.004), 8: (1000, 0.0071)}, None, {}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (1000, 0.004), 8: (1000, 0.0089)}, None, {}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (890, 0.004), 8: (1000, 0.008)}, None, {}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (800, 0.005)}, "falls",
         {"at": 2, "most": 1000, "deep": 4, "least": 800, "then": 0.002, "wait": 0.005}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (700, 0.005), 8: (800, 0.01)}, None, {}),
        ({1: (500, 0.002), 2: (1000, 0.002), 4: (790, 0.005), 8: (800, 0.01)}, "falls",
         {"at": 2, "most": 1000, "deep": 8, "least": 800, "then": 0.002, "wait": 0.01}),
    ],
)  # fmt: skip
def test_a_ladder_is_full_from_a_depth_on_if_only_the_response_time_grows(
    ladder: dict[int, tuple[float, float]], key: str | None, values: dict[str, Any]
) -> None:
    """A fourfold depth must take four times as long, within a tenth; a rate that rises again only scatters."""
    rows = [rung(depth, *point) for depth, point in ladder.items()]
    expected = [(key, {"test": "latency-curve", "load": LOAD} | values)] if key else []
    assert [(one.key, {"test": one.test} | one.values) for one in cause._full(caused(rows))] == expected
    assert told(cause._full(caused([rung(depth, *point, test="cold-warm") for depth, point in ladder.items()]))) == []


@pytest.mark.parametrize(
    ("link", "rates", "key"),
    [
        ("PCIe 3.0 x4", {1: 500, 32: 1000, 64: 660}, "falls_profile"),
        ("PCIe 3.0 x4", {1: 500, 32: 1000, 64: 670}, None),
        ("SATA 6 Gb/s", {1: 500, 32: 1000, 64: 660}, "falls_beyond"),
        ("SATA 6 Gb/s", {1: 500, 16: 1000, 32: 960, 64: 660}, "falls_beyond"),
        ("SATA 6 Gb/s", {1: 500, 16: 1000, 32: 950, 64: 660}, "falls_profile"),
        ("SATA 6 Gb/s", {1: 500, 16: 1000, 64: 660}, "falls_profile"),
    ],
)
def test_a_profile_falls_if_it_keeps_two_thirds_or_less_of_its_highest_rate(
    link: str, rates: dict[int, float], key: str | None
) -> None:
    """A SATA drive queues 32 commands: what happens at deeper queues is in the host."""
    rows = [rung(depth, iops, test="profiles") for depth, iops in rates.items()]
    found = list(cause._falls(caused(rows, Link(link, None))))
    assert [one.key for one in found] == ([key] if key else [])
    if found:
        at = max(rates, key=lambda depth: rates[depth])
        values = {"n": 1, "of": 1, "phase": "p", "most": 1000, "least": 660, "at": at, "deep": 64}
        assert (found[0].values, found[0].confidence) == (values, "medium" if key == "falls_beyond" else "high")


def test_a_queue_is_deep_enough_from_a_twentieth_below_the_highest_rate() -> None:
    rows = [rung(8, 1000), rung(1, 100), rung(2, 949), rung(4, 950)]
    found = depth_scaling._finding("t", rows)
    assert (found.key, found.values) == ("scales", {"what": LOAD, "deep": 8, "single": 1, "enough": 4, "gain": 10.0})
    assert depth_scaling._finding("t", [rung(1, 100), rung(2, 200), rung(4, 300)]).key == "deepest"


def test_the_saturation_point_is_the_best_before_the_response_time_doubles() -> None:
    rows = [rung(4, 900, 0.0021), rung(1, 400, 0.001), rung(2, 700, 0.002)]
    found = response_limit._finding("t", "what", rows)
    values = {"what": "what", "iops": 700, "outstanding": 2, "unloaded": 0.001, "most": 900, "most_s": 0.0021}
    assert (found.key, found.values) == ("doubled", values)
    assert response_limit._finding("t", "what", rows[1:]).key == "never"


# Trims


def trims(size: int, depth: int, iops: float, mean: float, moved: int = 0, range_bytes: int = MiB) -> Any:
    more = {"random_pct": 0, "block_bytes": size, "trim_pct": 100, "trim_bytes": size, "range_bytes": range_bytes}
    row = rung(depth, iops, mean, "trim", **more)
    row.tally = SimpleNamespace(ios=100, bytes=moved)
    return row


@pytest.mark.parametrize(("moved", "again"), [(3 * MiB, True), (3 * MiB // 2, False)])
def test_a_trim_costs_its_smallest_size_and_so_much_for_each_further_mebibyte(
    moved: int, *, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At QD1 64 KiB take 1 ms and 1,088 KiB 3 ms: 2 ms for each MiB more. QD8 has the highest rates."""
    rows = [trims(1088 * KiB, 1, 300, 0.003, moved), trims(64 * KiB, 1, 900, 0.001), trims(64 * KiB, 8, 4000, 0.002),
            trims(1088 * KiB, 8, 310, 0.02)]  # fmt: skip
    monkeypatch.setattr(trim, "_rows", lambda *_: rows)
    test: Any = SimpleNamespace(name="trim")
    cost, *more = told(trim._costs(SimpleNamespace(), test))  # type: ignore[arg-type]
    assert cost == ("cost", {"size": 64 * KiB, "mean": 0.001, "mib": pytest.approx(0.002)})
    rates = [(64 * KiB, 4000), (1088 * KiB, 310)]
    expected = [("rate", {"size": size, "depth": 8, "rate": rate, "bytes": size * rate}) for size, rate in rates]
    assert more == ([("again", {"size": 1088 * KiB, "passes": 3})] if again else []) + expected
    del rows[:2]
    assert told(trim._costs(SimpleNamespace(), test)) == expected  # type: ignore[arg-type]
    del rows[1:]
    assert told(trim._costs(SimpleNamespace(), test)) == expected[:1], "one is the highest of both"  # type: ignore[arg-type]
    rows[:] = [trims(64 * KiB, 1, 900, 0.003), trims(128 * KiB, 1, 900, 0.001)]
    assert told(trim._costs(SimpleNamespace(), test))[0][1]["mib"] == 0.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mean", "covered", "key", "side"),
    [(0.00106, 0.0, "reads", ""), (0.00104, 0.0, "reads_unmoved", ""), (0.003, 0.1, "reads", ""),
     (0.0031, 0.1, "reads", "con"),
     (0.002, 0.11, "reads_covered", ""), (0.0009, 2.0, "reads_covered", "")],
)  # fmt: skip
def test_reads_beside_trims_are_slower_from_a_twentieth_on(
    mean: float, covered: float, key: str, side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(share: int, mean: float, ios: int = 10) -> Any:
        row = rung(1, 1000, mean, "trim", trim_pct=share, range_bytes=1000 * KiB)
        row.tally = SimpleNamespace(ios=ios, bytes=round(covered * 1000 * KiB))
        return row

    rows = [reads(0, 0.001), reads(5, mean), reads(20, 0.0005), reads(50, 9.0, ios=9)]
    monkeypatch.setattr(trim, "_rows", lambda *_: rows)
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(scale=1)))
    test: Any = SimpleNamespace(name="trim")
    (found,) = trim._reads(run, test)
    assert (found.key, found.side, found.confidence) == (key, side, "low" if key == "reads_covered" else "high")
    times = pytest.approx(mean / 0.001)
    values = {"share": 0.05, "alone": 0.001, "beside": mean, "times": times, "covered": min(covered, 1.0)}
    assert found.values == values
    del rows[1:3]
    assert told(trim._reads(run, test)) == [("reads_few", {})], "nine reads are not compared"
    del rows[1:]
    assert told(trim._reads(run, test)) == []


# Headroom


def passed(speed: float, why: Why = "", waited_s: float | None = 0.01) -> Pass:
    return Pass(speed, waited_s, Pace(sent=100, late=5, full=2), why, 100 * speed)


@pytest.mark.parametrize(
    ("passes", "key"),
    [
        ([passed(1), passed(2, "few", None)], "few"),
        ([passed(1), passed(64)], "most"),
        ([passed(1), passed(2, "host")], "host"),
        ([passed(1, "host")], "host_never"),
        ([passed(1, "slow"), passed(0.5, "slow")], "never_own"),
        ([passed(1, "slow", None), passed(0.5, "slow")], "never"),
        ([passed(1, "slow")], "never"),
        ([passed(1, "slow"), passed(0.5)], "slower"),
        ([passed(1), passed(2, "full")], "full"),
        ([passed(1.1), passed(2, "slow")], "found"),
        ([passed(1.09), passed(2, "slow")], "own"),
    ],
)
def test_a_search_for_headroom_ends_in_one_of_these_ways(passes: list[Pass], key: str) -> None:
    assert headroom._key(passes, evaluate(passes)) == key


def test_a_search_states_its_own_its_held_and_its_failed_speed() -> None:
    done = [passed(1, "host"), passed(1), passed(2), passed(4, "full", None)]
    late = {
        "held": 2,
        "held_late": 0.03,
        "held_full": 0.02,
        "held_s": 0.01,
        "failed": 4,
        "failed_late": 0.03,
        "failed_full": 0.02,
    }
    assert headroom._values(done, evaluate(done)) == {"passes": 4, "own_s": 0.01, "own_iops": 100.0} | late
    assert headroom._values(done[3:], evaluate(done[3:])) == {"passes": 1} | {k: late[k] for k in late if "failed" in k}
    assert headroom._own([passed(2), passed(1, "host")]) is None


# Media

WHOLE = 1000


def kept(
    *bad: tuple[Any, int, int], whole: bool = True, planned: bool = True, compared: int = WHOLE, **more: int
) -> Media:
    ranges = tuple(of_blocks(fault, first * BLOCK, blocks, **more) for fault, first, blocks in bad)
    return Media(Verified(blocks=WHOLE), Verified(blocks=compared, bad=ranges), WHOLE * BLOCK, planned, whole)


@pytest.mark.parametrize(
    ("seen", "key", "side"),
    [
        (kept(), "real", "pro"),
        (kept(("reread", 5, 1)), "real", "pro"),
        (kept(("dropped", 5, 1)), "less", "con"),
        (kept(("dropped", 5, 1), compared=1001), "faulty", "con"),
        (kept(whole=False), "partly", ""),
        (kept(("flipped", 5, 1), whole=False), "partly_lost", "con"),
        (kept(whole=False, planned=False), "sample", ""),
        (kept(("dropped", 5, 1), whole=False, planned=False), "sample_lost", "con"),
        (kept(("dropped", 5, 1), whole=False, planned=False, compared=1001), "sample_faulty", "con"),
    ],
)
def test_a_capacity_is_less_if_a_thousandth_is_lost(seen: Media, key: str, side: str) -> None:
    found = media._capacity("media", seen)
    assert (found.key, found.side) == (key, side)
    lost = sum(part.blocks for part in seen.compared.bad if part.fault != "reread")
    kept_bytes = (seen.compared.blocks - lost) * BLOCK
    assert found.values == {
        "kept": kept_bytes, "claimed": WHOLE * BLOCK, "compared": seen.compared.blocks * BLOCK,
        "share": kept_bytes / (seen.compared.blocks * BLOCK), "lost": lost,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("seen", "key"),
    [
        (kept(("dropped", 600, 400)), "ends"),
        (kept(("dropped", 0, 1000)), "all_dropped"),
        (kept(("zeroed", 0, 1000)), "all_zeroed"),
        (kept(("dropped", 0, 400)), "cached"),
        (kept(("zeroed", 300, 400)), "scattered_zeroed"),
        (kept(("dropped", 300, 400)), "scattered_dropped"),
        (kept(("dropped", 500, 98), ("dropped", 598, 400), ("dropped", 999, 1)), "ends"),
        (kept(("dropped", 500, 480), ("dropped", 999, 1)), "scattered_dropped"),
        (kept(("dropped", 500, 480), ("dropped", 999, 1), whole=False), "ends"),
        (kept(("dropped", 0, 10), ("dropped", 500, 10)), "cached"),
        (kept(("dropped", 0, 10), ("dropped", 500, 11)), "scattered_dropped"),
    ],
)
def test_lost_blocks_lie_at_the_end_at_the_start_or_scattered(seen: Media, key: str) -> None:
    """A lost end is contiguous: its blocks are 98 % of its length, where all were read. In flight are 32 MiB."""
    gone = list(seen.compared.bad)
    assert media._shape(gone, seen, gone[0].fault) == key
    blocks = sum(part.blocks for part in gone)
    placed = {"blocks": blocks, "bytes": blocks * BLOCK, "first": gone[0].first_bytes, "end": gone[-1].end_bytes}
    assert media._placed(gone) == placed | {"places": len(gone), "least": ""}


def test_each_fault_explains_the_lost_capacity_once() -> None:
    seen = kept(("wrapped", 4, 2), ("wrapped", 10, 1), distance_bytes=-6 * BLOCK)
    faults = dict(media._faults(seen))
    assert (faults["wraps"]["wrap"], faults["wraps"]["blocks"]) == (6 * BLOCK, 3)
    flips = dict(media._faults(kept(("flipped", 4, 2), bits=4)))["flips"]
    assert (flips["bits"], flips["one_in"]) == (4, 1.0e6), "of 4,096,000 bits four"
    others = ("dropped", "zeroed", "unreadable", "reread")
    told = [key for key, _ in media._faults(kept(*((fault, 100 * n + 7, 1) for n, fault in enumerate(others))))]
    assert told == ["scattered_dropped", "scattered_zeroed", "unreadable", "reread"]
    written = Media(Verified(blocks=9, bad=(of_blocks("unwritable", 0, 2),)), Verified(blocks=9), 9 * BLOCK, True, True)
    assert [(key, values["blocks"]) for key, values in media._faults(written)] == [("unwritable", 2)]
