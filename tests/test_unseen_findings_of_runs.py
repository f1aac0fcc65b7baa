"""Boundaries of the findings about a whole run: what was written, what limits it, its price, and its peers."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.units import KiB
from stend.findings import cache_policy, limits, look, peers, service_map, untouched, value
from stend.findings.look import headline
from stend.findings.look.link import Link
from stend.model import service_map as maps
from stend.model.counts import Counts
from stend.model.tally import Tally
from stend.model.workload import Workload


def told(found: Any) -> list[tuple[str, dict[str, Any], str]]:
    return [(one.key, one.values, one.side) for one in found]


@pytest.fixture
def _inspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "tests", lambda *_: [SimpleNamespace(name="inspect")])


def looked(*parts: list[dict[str, Any]], used: str = "") -> Any:
    """A run of these parts, each with what the drive reported in it."""
    starts = [sum(map(len, parts[:n])) for n in range(len(parts))]
    events = [SimpleNamespace(values=values) for part in parts for values in part]
    return SimpleNamespace(stretches=[(0, start, 0) for start in starts], telemetry=events, used=used)


def kernel(writes: int, discards: int = 0) -> dict[str, int]:
    return {"kernel_write_bytes": writes, "kernel_discard_bytes": discards}


@pytest.mark.usefixtures("_inspected")
@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (looked([kernel(5), kernel(5)]), [("nothing", {"moved": 0, "by": "kernel"}, "")]),
        (looked([kernel(5), kernel(6)]), [("written", {"moved": 1, "by": "kernel"}, "con")]),
        (looked([kernel(5), kernel(5, 3)]), [("written", {"moved": 3, "by": "kernel"}, "con")]),
        (looked([kernel(5), kernel(4)]), [("nothing", {"moved": 0, "by": "kernel"}, "")]),
        (looked([kernel(5), kernel(7)], [kernel(0), kernel(3)]), [("written", {"moved": 5, "by": "kernel"}, "con")]),
        (looked([kernel(5), kernel(6)], used="mounted"),
         [("in_use", {"moved": 1, "by": "kernel"}, ""), ("used", {"how": "mounted"}, "")]),
        (looked([{"host_write_bytes": 5}, {"host_write_bytes": 6}]), [("written", {"moved": 1, "by": "drive"}, "con")]),
        (looked([kernel(5) | {"host_write_bytes": 5}, kernel(5) | {"host_write_bytes": 9}]),
         [("nothing", {"moved": 0, "by": "kernel"}, "")]),
        (looked([{"file_bytes": 5, "file_mtime_ns": 7}] * 2), [("file", {}, "")]),
        (looked([{"file_bytes": 5, "file_sha256": "a"}] * 2), [("file_hash", {}, "")]),
        (looked([{"file_bytes": 5, "file_mtime_ns": n} for n in (7, 8)]), [("file_changed", {}, "con")]),
        (looked([{"file_bytes": 5, "file_sha256": text} for text in "ab"]), [("file_changed", {}, "con")]),
        (looked([{"temperature_c": 30}] * 2), [("unknown", {}, "")]),
        (looked([kernel(5)]), [("unknown", {}, "")]),
        (looked([]), [("unknown", {}, "")]),
    ],
)  # fmt: skip
def test_an_inspection_wrote_nothing_if_no_counter_grew(
    run: Any, expected: list[tuple[str, dict[str, Any], str]]
) -> None:
    assert told(untouched.find(run, {})) == expected


# Limits


def cell(moved: int, cpu_s: float, **load: Any) -> Any:
    work = Workload(**{"random_pct": 100, "read_pct": 100, "block_bytes": 4 * KiB} | load)
    return SimpleNamespace(workload=work, counts=Counts(10.0, cpu_s, Tally(ios=1, bytes=moved)))


@pytest.mark.parametrize(
    ("cells", "wire", "virtual", "key", "busy"),
    [
        ([cell(9000, 1.0), cell(10, 2.0)], Link("L", 1000.0, payload=1000.0), False, "drive", 0.2),
        ([cell(9500, 9.0)], Link("L", 1000.0, payload=1000.0), False, "link", 0.9),
        ([cell(9000, 9.0)], Link("L", 1000.0, payload=1000.0), False, "cpu", 0.9),
        ([cell(9000, 8.9)], Link("L", 1000.0, payload=1000.0), False, "drive", 0.89),
        ([cell(9000, 9.0)], Link("L", 1000.0, payload=1000.0), True, "drive", 0.9),
        ([cell(9000, 18.0, threads=2)], Link("L", None), False, "cpu", 0.9),
        ([cell(9000, 90.0)], Link("L", None), False, "cpu", 1.0),
        ([cell(10_210, 1.0)], Link("L", 1000.0, payload=1000.0), False, "beyond", 0.1),
        ([cell(9000, 1.0)], Link("L", None), False, "unknown", 0.1),
    ],
)
def test_the_highest_figures_are_limited_by_the_link_the_processors_or_the_drive(
    cells: list[Any], wire: Link, virtual: bool, key: str, busy: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "tests", lambda *_: [SimpleNamespace(name="t")])
    monkeypatch.setattr(look, "cells", lambda *_: cells)
    monkeypatch.setattr(limits, "link", lambda *_: wire)
    run: Any = SimpleNamespace(results=[], plan=SimpleNamespace(device=SimpleNamespace(virtual=virtual)))
    ((found, values, _),) = told(limits.find(run, {}))
    rate = max(one.counts.read.bytes for one in cells) / 10
    assert (found, values["busy"], values["rate"], values["link"]) == (key, pytest.approx(busy), rate, wire.payload)
    assert values.get("threads") == (cells[0].workload.threads if key == "cpu" else None)
    cells.clear()
    assert told(limits.find(run, {})) == []


# Price and peers


@pytest.mark.parametrize(
    ("sheet", "measured", "expected"),
    [
        ({}, True, []),
        ({"price": 200}, True,
         [("price", {"price": 200.0, "currency": "USD", "per_gb": 0.2, "per_kiops": 4.0, "load": "L"}, "")]),
        ({"price": 200, "currency": "EUR"}, False,
         [("price_alone", {"price": 200.0, "currency": "EUR", "per_gb": 0.2}, "")]),
        ({"endurance_dwpd": 1}, True, [("endurance", {"dwpd": 1.0, "tbw": 1825e12, "years": 5.0}, "")]),
        ({"endurance_dwpd": 1, "price": 365}, False,
         [("price_alone", {"price": 365.0, "currency": "USD", "per_gb": 0.365}, ""),
          ("written", {"dwpd": 1.0, "tbw": 1825e12, "years": 5.0, "tb_each": 5.0, "currency": "USD"}, "")]),
    ],
)  # fmt: skip
def test_a_price_is_by_gigabyte_thousand_ios_and_terabyte_written(
    sheet: dict[str, Any], measured: bool, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = SimpleNamespace(iops=50_000.0, workload=SimpleNamespace(label="L")) if measured else None
    monkeypatch.setattr(value, "figures", lambda _: ())
    monkeypatch.setattr(headline, "level", lambda *_: reads)
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(capacity_bytes=10**12)))
    assert told(value.find(run, sheet)) == expected


@pytest.mark.parametrize(
    ("read", "wait", "sides"),
    [(111.0, 90e-6, ("pro", "pro")), (109.0, 92e-6, ("", "")), (90.0, 111e-6, ("con", "con"))],
)
def test_a_drive_is_better_or_worse_than_a_peer_from_a_tenth_on(
    read: float, wait: float, sides: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"p": {"about": {"title": "Peer"}, "iops": {"4K 100": 100}, "latency": {"avg 4K 100": 100}}}
    monkeypatch.setattr(peers, "published", lambda: known)

    def row(rate: float, **load: Any) -> Any:
        work = Workload(**{"random_pct": 100, "read_pct": 100, "block_bytes": 4 * KiB, "depth": 1} | load)
        return SimpleNamespace(test="latency", workload=work, iops=rate, value=lambda _: wait)

    rows = [
        row(read, depth=32),
        row(read - 1, depth=2),
        row(9e9),
        row(9e9, depth=32, block_bytes=512),
        row(5.0, read_pct=0),
    ]
    monkeypatch.setattr(peers, "lasting", lambda _: rows)
    run: Any = SimpleNamespace()
    assert told(peers.find(run, {"peers": ["p"]})) == [
        ("read", {"own": read, "theirs": 100.0, "ratio": read / 100, "peer": "Peer"}, sides[0]),
        (
            "read_s",
            {"own": wait, "theirs": pytest.approx(100e-6), "ratio": pytest.approx(wait / 100e-6), "peer": "Peer"},
            sides[1],
        ),
    ]
    assert told(peers.find(run, {"peers": ["q"]})) == [("unknown", {"peer": "q", "known": "p"}, "")]
    assert told(peers.find(run, {})) == []


# Caches that were not seen, and maps without cells


@pytest.mark.parametrize(("read", "key"), [(249, "unwarmed"), (250, "none")])
def test_a_part_of_which_a_quarter_was_read_had_no_cache_if_nothing_was_hit(read: int, key: str) -> None:
    def held(moved: int) -> Any:
        return SimpleNamespace(
            counts=Counts(1.0, 0.0, Tally(ios=1, bytes=moved)), workload=SimpleNamespace(range_bytes=1000)
        )

    test: Any = SimpleNamespace(name="cold-warm")
    found = cache_policy._unseen(test, {"gain": 1.0}, [held(100), held(read - 100)])
    more = {"read": read, "range": 1000} if key == "unwarmed" else {}
    assert (found.key, found.values) == (key, {"gain": 1.0} | more)
    assert found.confidence == ("can't tell" if key == "unwarmed" else "high")


@pytest.mark.parametrize("limits_ran", [True, False])
def test_a_map_without_cells_has_too_few_reads_for_its_lowest_percentile(
    limits_ran: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = SimpleNamespace(name="service-map", profile=SimpleNamespace(options={"percentiles": [99.9, 99.0]}))
    monkeypatch.setattr(look, "tests", lambda *_: [test])
    monkeypatch.setattr(maps, "cells", lambda *_: [])
    ran = {("service-map", maps.LIMITS): [1]} if limits_ran else {}
    run: Any = SimpleNamespace(of=lambda test, phase: ran.get((test, phase), []))
    assert told(service_map.find(run, {})) == ([("few", {"percent": 99.0}, "")] if limits_ran else [])
