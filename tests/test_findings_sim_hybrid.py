"""What findings say of drawn virtual disks with a flash cache, or without one, is what their parameters say.

Thirty times smaller than the drive they are drawn from: its seeks go by the share of the drive that they cross.
"""

import random
from typing import Any

import msgspec
import pytest

from stend.base.units import GB, GiB, KiB
from stend.devices.virtual import VirtualDevice
from stend.findings.judgement.evidence import evidence
from stend.model.record import Run
from stend.sim import Spec, load
from tests.rehearsal import rehearsed, said
from tests.stand import few

pytestmark = pytest.mark.slow
WITHIN = 0.05
HOT_GIB = 0.7
SETTINGS: dict[str, dict[str, Any]] = {
    "hot-range": {"hot_gib": HOT_GIB, "mixes": [100], "hours": 3},
    "cold-warm": {"hot_gib": HOT_GIB, "mixes": [100], "depths": [1, 32], "warm_hours": 3},
}
MINUTE_S = {"hot-range": 1, "cold-warm": 5}


def drawn(number: int, name: str, *, share: float, chunk_bytes: int = 64 * KiB, **changes: Any) -> Spec:
    """A hybrid whose cache holds a share of the hot range, in chunks of a size."""
    dice = random.Random(f"{name} {number}")
    spec = load("st600mx0052")
    assert spec.disk
    disk = msgspec.structs.replace(
        spec.disk,
        spindle_rpm=dice.choice([7200, 10000, 15000]),
        cache_bytes=int(share * HOT_GIB * GiB) // chunk_bytes * chunk_bytes,
        cache_chunk_bytes=chunk_bytes,
        cache_read_us=dice.uniform(50, 110),
        **changes,
    )
    return msgspec.structs.replace(spec, disk=disk, capacity_bytes=20 * GB // 4096 * 4096, seed=number + 1)


def ran(spec: Spec, test: str, **settings: Any) -> Run:
    changes: dict[str, Any] = {"minute_s": MINUTE_S[test], "tests": {test: SETTINGS[test] | settings}}
    return Run(list(rehearsed(VirtualDevice(f"sim:{spec.name}", spec), test, **changes)))


@pytest.mark.parametrize("number", few(16, 5))
def test_the_size_of_the_cache_is_what_the_parameters_say(number: int) -> None:
    share = random.Random(f"share {number}").uniform(0.2, 0.85)
    found = said(ran(drawn(number, "part", share=share), "hot-range"), "hot_range")
    assert found.key == "part"
    assert found.values["size"] == pytest.approx(share * HOT_GIB * GiB, rel=WITHIN)


def test_the_size_of_a_cache_is_unknown_where_hits_wait_in_the_queue_behind_misses() -> None:
    """A SATA drive queues 32 of the 64 IOs: no read of its cache is quick, although 40% are hits."""
    spec = drawn(0, "queued", share=0.4)
    spec = msgspec.structs.replace(spec, host=msgspec.structs.replace(spec.host, queue=32))
    run = ran(spec, "hot-range")
    found = said(run, "hot_range")
    assert found.key == "faster"
    assert found.values["gain"] > 1.4
    assert "hits" not in found.values
    assert "hot_hits" not in evidence(run, {}, (found,)).figures


@pytest.mark.parametrize("number", few(4, 1))
def test_a_cache_as_large_as_the_range_holds_it(number: int) -> None:
    assert said(ran(drawn(number, "whole", share=1.2), "hot-range"), "hot_range").key == "holds"


@pytest.mark.parametrize("number", few(4, 1))
def test_a_disk_without_a_cache_has_none_however_short_its_ways(number: int) -> None:
    spec = drawn(number, "none", share=0)
    assert said(ran(spec, "hot-range"), "hot_range").key == "none"
    found = said(ran(spec, "cold-warm"), "cache_policy")
    assert found.key == "none"
    assert found.values["gain"] > 1.3


@pytest.mark.parametrize("number", few(4, 1))
@pytest.mark.parametrize(
    ("key", "share", "kept"),
    [
        ("unclear", (0.2, 0.3), {"cache_writes": "around"}),
        ("unclear", (0.2, 0.3), {"cache_writes": "through"}),
        ("around", (1.1, 1.5), {"cache_writes": "around"}),
        ("through", (0.4, 0.9), {"chunk_bytes": 8 * KiB}),
        ("through", (1.1, 1.5), {"cache_writes": "through"}),
    ],
    ids=["small-around", "small-through", "all-around", "whole-chunks", "all-through"],
)
def test_writes_that_the_cache_keeps_are_told_from_those_it_passes_by(
    key: str, share: tuple[float, float], kept: dict[str, Any], number: int
) -> None:
    spec = drawn(number, key, share=random.Random(f"{key} {number}").uniform(*share), **kept)
    assert said(ran(spec, "cold-warm"), "cache_policy").key == key


@pytest.mark.parametrize(
    ("kept", "hours", "key"),
    [("through", 0.15, "through"), ("around", 0.15, "around"), ("through", 0.05, "unwritten")],
)
def test_writes_that_reach_a_part_of_the_blocks_do_not_show_a_cache_that_they_pass_by(
    kept: str, hours: float, key: str
) -> None:
    """45 s of single writes reach about a third of the blocks, of which reads then find a third of the hits."""
    run = ran(drawn(0, "brief", share=1.3, cache_writes=kept), "cold-warm", warm_hours=hours)
    assert said(run, "cache_policy").key == key
