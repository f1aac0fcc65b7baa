"""Boundaries of causes and of the end of a saturation, with values that follow on paper."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.units import KiB
from stend.findings import Finding, cause, saturation
from stend.findings.cause import Evidence
from stend.findings.look import headline
from stend.findings.look.because import Because
from stend.findings.look.fall import Fall
from stend.findings.look.link import Link
from stend.findings.look.pause import Pause
from stend.findings.look.saturated import Saturated
from stend.model.definition import Bytes, Hold
from stend.model.workload import Workload

PCIE, SATA = Link("PCIe 3.0 x1", 950.0, payload=1000.0), Link("SATA 6 Gb/s", 950.0, payload=1000.0)


def row(rate: float = 0.0, mean: float = 0.001, test: str = "latency-curve", state: str = "window", **load: Any) -> Any:
    """A row; `rate` is its throughput in bytes/s where its block has one byte, else in IOs/s."""
    work = Workload(**{"random_pct": 100, "read_pct": 100, "block_bytes": 4 * KiB} | load)
    numbers = {"iops": rate, "mean": mean, "throughput": rate * (work.block_bytes if work.block_bytes > 1 else 1)}
    return SimpleNamespace(test=test, phase="p", state=state, workload=work, iops=rate, steady=True, direction="both",
                           number=numbers.__getitem__)  # fmt: skip


def evidence(rows: list[Any], *others: Finding, link: Link = PCIE, **device: Any) -> Evidence:
    plain = {"rotational": False, "facts": {}, "capacity_bytes": 1000, "physical_bytes": 4096}
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(**plain | device)))
    return Evidence(run, rows, others, link)


def told(found: Any) -> list[tuple[str, str, dict[str, Any], str]]:
    return [(one.key, one.test, one.values, one.confidence) for one in found]


def stream(rate: float, read_pct: int = 100, test: str = "throughput") -> Any:
    return row(rate, test=test, random_pct=0, read_pct=read_pct, block_bytes=1)


@pytest.mark.parametrize(
    ("reads", "writes", "key", "way", "rate"),
    [(920, 100, "link", "read", 920), (909, 100, "near_link", "read", 909), (100, 910, "link", "write", 910),
     (1000, 905, "near_link", "both", 905), (902, 100, None, "", 0), (1021, 100, None, "", 0)],
)  # fmt: skip
def test_a_stream_near_its_link_is_limited_by_it(
    reads: float, writes: float, key: str | None, way: str, rate: float
) -> None:
    """Near is from 95 % of what arrives in practice to 102 % of the payload; surely from 91 % of the payload."""
    rows = [stream(reads), stream(reads / 2), stream(writes, 0), row(1000.0, test="throughput", block_bytes=1)]
    values = {"way": way, "rate": rate, "most": 1000.0, "share": rate / 1000, "link": PCIE.name}
    assert told(cause._link(evidence(rows))) == ([(key, "throughput", values, "medium")] if key else [])
    slower = list(cause._link(evidence(rows, link=PCIE._replace(capable="PCIe 4.0 x1"))))
    assert [one.key for one in slower] == (["slow_link"] if key else [])
    assert told(cause._link(evidence(rows, link=Link("x", None)))) == []
    both = [stream(950, test=test) for test in ("fresh", "block-sweep", "throughput")]
    assert [one.test for one in cause._link(evidence(both))] == ["throughput"], "one test is enough"


@pytest.mark.parametrize(
    ("single", "rate", "depth", "values"),
    [
        (0.001, 4000, 4, {"needed": 4, "at": 4}),
        (0.001, 3999, 4, None),
        (0.001, 8000, 4, {"needed": 8, "at": 4}),
        (0.001, 8100, 4, None),
        (0.001, 4000, 10, {"needed": 4, "at": 10}),
        (0.001, 4000, 11, None),
    ],
)
def test_a_depth_is_needed_by_littles_law(
    single: float, rate: float, depth: int, values: dict[str, int] | None
) -> None:
    """IOs in flight are the rate times the response time of one: half of them to two and a half times as many."""
    rows = [row(900, single), row(rate, 0.003, depth=depth)]
    more = {"wait": single, "rate": rate, "then": 0.003}
    assert told(cause._depth(evidence(rows))) == ([("depth", "latency-curve", more | values, "high")] if values else [])
    assert told(cause._depth(evidence(rows[1:]))) == []
    later = row(900, 0.002, test="latency")
    found = list(cause._depth(evidence([*rows, later])))
    assert all(one.values["wait"] == 0.002 for one in found), "of both tests, that of the latency test"


@pytest.mark.parametrize(
    ("link", "half", "full", "streamed", "found"),
    [(SATA, 100, 130, 1.0, True), (PCIE, 100, 130, 1.0, False), (SATA, 100, 109, 1.0, False),
     (SATA, 100, 130, 0.1, False)],
)  # fmt: skip
def test_a_sata_drive_ends_at_thirty_two_commands(
    link: Link, half: float, full: float, streamed: float, *, found: bool
) -> None:
    rows = [row(half, depth=16), row(full, depth=32), row(full, depth=64)]
    rows.append(row(streamed * 10_000, test="throughput", random_pct=0, block_bytes=128 * KiB))
    rows[-1].iops = 0.0
    if streamed < 1:
        rows[-1].number = {"throughput": full * 4 * KiB * 1.1}.__getitem__
    values = {"load": "RND 4K 100/0", "half": half, "full": full}
    assert told(cause._ncq(evidence(rows, link=link))) == (
        [("ncq", "latency-curve", values, "medium")] if found else []
    )


@pytest.mark.parametrize(
    ("write", "read", "facts", "key"),
    [
        (50e-6, 100e-6, {}, "buffer"),
        (51e-6, 100e-6, {}, None),
        (100e-6, 300e-6, {}, "buffer"),
        (101e-6, 300e-6, {}, None),
        (20e-6, 50e-6, {}, "buffer"),
        (20e-6, 49e-6, {}, None),
        (0.0, 100e-6, {}, None),
        (20e-6, 100e-6, {"power_loss_protection": True}, "protected"),
        (20e-6, 100e-6, {"write_cache_set": "disabled", "write_cache": "enabled"}, "lasting"),
        (20e-6, 100e-6, {"write_cache": "disabled"}, "lasting"),
    ],
)
def test_writes_end_in_a_buffer_that_flash_could_not_be_programmed_in(
    write: float, read: float, facts: dict[str, Any], key: str | None
) -> None:
    """Flash takes 100 us to program a page and 50 us to read one; the write ends in half of the read."""
    rows = [row(mean=read, test="latency"), row(mean=write, test="latency", read_pct=0)]
    expected = [(key, "latency", {"write": write, "read": read}, "medium")] if key else []
    assert told(cause._buffer(evidence(rows, facts=facts))) == expected
    assert told(cause._buffer(evidence(rows[:1], facts=facts))) == []
    assert told(cause._buffer(evidence(rows, facts=facts, rotational=True))) == []
    deep = [row(mean=read, test="latency", depth=2), rows[1]]
    assert told(cause._buffer(evidence(deep, facts=facts))) == []


def test_a_disk_is_faster_at_its_first_addresses_and_a_warm_cache_serves_reads() -> None:
    def zoned(ratio: float, key: str = "zoned") -> Finding:
        return Finding(name="zones", key=key, test="lba-profile", values={"ratio": ratio})

    tracks = [("tracks", "lba-profile", {"ratio": 1.3}, "medium")]
    assert told(cause._tracks(evidence([], zoned(1.3), rotational=True))) == tracks
    for finding, rotational in ((zoned(1.29), True), (zoned(1.3, "even"), True), (zoned(1.3), False)):
        assert told(cause._tracks(evidence([], finding, rotational=rotational))) == []

    def hot(key: str, mix: str = "100/0", **how: Any) -> Finding:
        return Finding(name="hot_range", key=key, test="hot-range", values={"mix": mix, "hits": 0.5, "range": 9}, **how)

    served = [("hits", "hot-range", {"hits": 0.5, "range": 9}, "medium")]
    assert [told(cause._hits(evidence([], hot(key)))) for key in ("holds", "part", "none")] == [served, served, []]
    assert told(cause._hits(evidence([], hot("holds", "35/65"), hot("part", confidence="can't tell")))) == []


@pytest.mark.parametrize(("rate", "known"), [(111, True), (110, False), (299, True), (300, False)])
def test_sequential_writes_are_faster_between_reads_than_after_the_cache_is_full(rate: float, *, known: bool) -> None:
    """Half of the drive: on the half that is left the cache was followed by 100, after 300."""
    part = {"state": "full-50", "rest": [90.0, 100.0], "first": 300.0}
    full = Finding(name="slc_cache", key="steps", test="slc-cache", values=part)
    writes = row(rate, test="throughput", random_pct=0, read_pct=0, block_bytes=1, range_bytes=500)
    values = {"rate": rate, "after": 100.0, "share": 0.5}
    expected = [("refilled", "throughput", values, "medium")] if known else []
    assert told(cause._refilled(evidence([writes, writes], full))) == expected
    other = row(rate, test="throughput", random_pct=0, read_pct=0, block_bytes=1, range_bytes=250)
    assert told(cause._refilled(evidence([other], full))) == []
    assert told(cause._refilled(evidence([writes], full, rotational=True))) == []


@pytest.mark.parametrize(
    ("sizes", "rates", "key", "values"),
    [
        ((100, 80, 70), [9.0, 5.0], "shrinks", {"size": 100, "left": 70, "share": 0.75}),
        ((100, 80, 81), [9.0, 5.0], "cells", {"first": 9.0, "last": 5.0, "size": 100}),
        ((100, 90, 79), [9.0, 7.0, 5.0], "shrinks", {"size": 100, "left": 79, "share": 0.75}),
        ((100, 104, 70), [9.0, 7.0, 5.0], "fold", {"first": 9.0, "middle": 7.0, "last": 5.0}),
        ((100,), [9.0, 7.0, 5.0], "fold", {"first": 9.0, "middle": 7.0, "last": 5.0}),
        ((100,), [9.0, 5.0, 7.0], "cells", {"first": 9.0, "last": 7.0, "size": 100}),
        ((100,), [9.0, 7.0, 6.0, 5.0], "cells", {"first": 9.0, "last": 5.0, "size": 100}),
    ],
)
def test_fast_writes_end_in_a_cache_that_shrinks_is_folded_or_has_other_cells(
    sizes: tuple[int, ...], rates: list[float], key: str, values: dict[str, Any]
) -> None:
    states = ("fresh", "full-50", "full-75")
    others = [
        Finding(
            name="slc_cache",
            key="steps",
            test="slc-cache",
            values={"state": state, "size": size, "rates": rates, "first": 9.0},
        )
        for state, size in zip(states, sizes, strict=False)
    ]
    assert told(cause._cache(evidence([], *others))) == [(key, "slc-cache", values, "medium")]
    assert told(cause._cache(evidence([], *others[1:]))) == []


@pytest.mark.parametrize(
    ("filled", "end", "part", "fresh", "key"),
    [
        (130, 100, 1000, 200, "order"),
        (129, 100, 1000, 200, None),
        (180, 100, 1000, 200, "order_fresh"),
        (179, 100, 1000, 200, "order"),
        (130, 100, 500, 200, "order_part"),
        (130, 100, 1000, None, "order"),
        (100, 120, 1000, 200, "mixed_rounds"),
        (100, 119, 1000, 200, None),
        (100, 120, 500, 200, None),
    ],
)
def test_random_writes_after_a_fill_are_faster_or_slower_than_after_hours_of_them(
    filled: float, end: float, part: int, fresh: float | None, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test fills in order first. Its range is a part of the drive of 1,000 bytes, which the saturation covers."""
    rates = {"write_window": (filled, part), "write_saturated": (end, 0), "write_fresh": (fresh, 0)}
    rows = {
        name: row(rate, test="iops", read_pct=0, range_bytes=size) if rate else None
        for name, (rate, size) in rates.items()
    }
    monkeypatch.setattr(headline, "level", lambda _, name: rows[name])
    step = Hold(workload=Workload(0, 0, 128 * KiB), amount=Bytes(bytes=1))

    def found(*others: Finding, before: Hold = step, **device: Any) -> list[str]:
        known = evidence([], *others, **device)
        ran = {("iops", "precondition"): [SimpleNamespace(step=before)]}
        run: Any = SimpleNamespace(plan=known.run.plan, of=lambda test, phase: ran.get((test, phase), []))
        return [
            one.key for one in (*cause._order(known._replace(run=run)), *cause._mixed_rounds(known._replace(run=run)))
        ]

    expected = [key] if key else []
    assert found() == expected
    assert found(rotational=True) == []
    short = Finding(name="saturation", key="because", values={"because": Because("fills")})
    assert found(short) == [], "spare flash may be left at that end"
    assert found(Finding(name="other", key="x", values={"because": Because("fills")})) == expected
    assert found(Finding(name="saturation", key="x", values={"because": Because("quick")})) == expected
    random = Hold(workload=Workload(100, 0, 4 * KiB), amount=Bytes(bytes=1))
    assert found(before=random) == ([key] if key == "mixed_rounds" else [])


# The end of a saturation


def fall(blur: float = 0.0, *, flat: bool = True, level: float = 100.0) -> Fall:
    return Fall(level, 50.0, 0.0, 60.0, 6000.0, blur, True, flat, 60)


def ended(monkeypatch: pytest.MonkeyPatch, course: Saturated | None) -> tuple[str, str, str]:
    monkeypatch.setattr(saturation, "saturated", lambda *_: course)
    found = saturation.of_phase.__wrapped__(SimpleNamespace(), "write-saturation", "saturate")  # type: ignore[attr-defined]
    return found.key, found.confidence, found.side


PLAIN = Saturated(start=100.0, first_s=60.0, end=50.0, last=50.0, seconds=7200.0, written=9e9, fills=2.0, samples=100)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"falls": (fall(),)}, ("knee", "high", "")),
        ({"falls": (fall(0.06),)}, ("knee", "medium", "")),
        ({"falls": (fall(0.05),)}, ("knee", "high", "")),
        ({"falls": (fall(0.05),), "cool": False}, ("knee", "medium", "")),
        ({"falls": (fall(), fall(0.06))}, ("knees", "medium", "")),
        ({"falls": (fall(), fall(flat=False))}, ("knee", "high", "")),
        ({"falls": (fall(0.25),)}, ("knee", "medium", "")),
        ({"falls": (fall(0.26), fall())}, ("noisy", "medium", "")),
        ({"falls": (fall(),), "end": 33.0}, ("knee", "high", "con")),
        ({"falls": (fall(),), "declines": True}, ("falling", "medium", "con")),
        ({"falls": (fall(),), "why": Because("fills")}, ("unsettled", "medium", "")),
        ({"falls": (fall(),), "declines": True, "why": Because("fills")}, ("falling", "medium", "con")),
        ({"falls": (fall(flat=False),)}, ("declines", "medium", "con")),
        ({"falls": (fall(flat=False),), "end": 81.0}, ("flat", "high", "")),
        ({"declines": True}, ("declines", "medium", "con")),
        ({}, ("flat", "high", "")),
        ({"cool": False}, ("flat", "medium", "")),
        ({"fresh": False}, ("because", "can't tell", "")),
        ({"why": Because("fills")}, ("because", "can't tell", "")),
        ({"pause": Pause(1, 5, 60.0, 240.0, 1.0, True)}, ("paused", "medium", "")),
        ({"pause": Pause(1, 5, 60.0, 240.0, 40.0, False)}, ("slowed", "medium", "")),
        ({"samples": 0}, ("short", "can't tell", "")),
        (None, ("short", "can't tell", "")),
    ],
)  # fmt: skip
def test_a_saturation_ends_in_one_of_these_ways(
    changes: dict[str, Any] | None, told: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = None if changes is None else PLAIN._replace(**changes)
    assert ended(monkeypatch, course) == told
