"""Streams: a workload whose IOs' size is tied to their access and direction."""

import msgspec
import pytest

from stend.base.units import KiB, MiB
from stend.model.definition import Bytes, Hold, Seconds
from stend.model.workload import Stream, Workload, streamed
from stend.planning.describe import composition

READS = Stream(share=60, random=True, read=True, block_bytes=8 * KiB)
LOG = Stream(share=15, random=False, read=False, block_bytes=64 * KiB, zone=(90, 100))
PAGES = Stream(share=5, random=True, read=False, block_bytes=8 * KiB)


def test_what_was_chosen_of_a_trace_is_stretched_to_the_whole() -> None:
    load = streamed((READS, LOG, PAGES), threads=2, depth=16)
    assert [stream.share for stream in load.streams] == [75, 18.75, 6.25]
    assert (load.random_pct, load.read_pct, load.block_bytes) == (81, 75, 8 * KiB)
    assert load.label == "81%RND MIX 75/25 T2 Q16"
    assert load.sizes == ((8 * KiB, 75), (64 * KiB, 18.75), (8 * KiB, 6.25))


def test_streams_that_differ_in_their_place_only_are_told_apart() -> None:
    elsewhere = msgspec.structs.replace(LOG, zone=(0, 10))
    one, other = (streamed((READS, log), 1, 1) for log in (LOG, elsewhere))
    assert one.mix == "RND 8K R:80+SEQ 64K W:20@90-100"
    assert other.mix != one.mix


def test_one_write_in_a_thousand_does_not_make_a_workload_that_only_reads() -> None:
    load = streamed((READS, msgspec.structs.replace(PAGES, share=0.01)), 1, 1)
    assert (load.random_pct, load.read_pct) == (100, 99)


def test_a_plan_says_each_stream_and_where_it_is() -> None:
    told = composition(streamed((READS, LOG), 1, 1))
    assert told == "RND 8K R 80 %, SEQ 64K W 20 % from 90 to 100 % of the range"


@pytest.mark.parametrize("parts", [((50, 5),), ((50, 5), (50, 95)), ((50, 5), (30, 15), (20, 80))])
@pytest.mark.parametrize("sizes", [(), ((4096, 100),), ((512, 4), (4096, 67), (65536, 29))])
@pytest.mark.parametrize("align_bytes", [0, 8192])
def test_a_plan_says_each_size_and_each_zone_once(
    parts: tuple[tuple[int, int], ...], sizes: tuple[tuple[int, int], ...], align_bytes: int
) -> None:
    load = Workload(100, 67, 4096, 1, 1, 0, block_mix=sizes, zones=parts, align_bytes=align_bytes)
    names = {512: "0.5K", 4096: "4K", 65536: "64K"}
    words = [", ".join(f"{names[size]} {share} %" for size, share in sizes)] if sizes else []
    zones = [f"{share} % in the next {part} %" for share, part in parts]
    zones[0] = f"{parts[0][0]} % in the first {parts[0][1]} %" + (" of the range" if len(parts) > 1 else "")
    words += [", ".join(zones), *(["aligned to 8 KiB"] if align_bytes else [])]
    assert composition(load) == "; ".join(words)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"streams": (READS,)}, "do not make 100 %"),
        ({"read_pct": 50}, "are not those of its streams"),
        ({"random_pct": 50}, "are not those of its streams"),
        ({"block_mix": ((4096, 100),)}, "must not have a block mix or zones"),
        ({"zones": ((100, 100),)}, "must not have a block mix or zones"),
        ({"streams": ({"share": 0, "random": True, "read": True, "block_bytes": 512},)}, "> 0"),
        ({"streams": ({"share": 100, "random": True, "read": True, "block_bytes": 512, "zone": (7, 7)},)}, "is empty"),
    ],
)
def test_a_workload_that_contradicts_its_streams_is_none(change: dict[str, object], said: str) -> None:
    load = streamed((READS, LOG), threads=1, depth=1)
    told = msgspec.to_builtins(load) | msgspec.to_builtins(change)
    assert msgspec.convert(msgspec.to_builtins(load), Workload) == load
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.convert(told, Workload)


def test_streams_are_held_for_a_time_only() -> None:
    load = streamed((READS, LOG), threads=1, depth=1)
    assert Hold(workload=load, amount=Seconds(seconds=60)).workload is load
    with pytest.raises(ValueError, match="held for a time"):
        Hold(workload=load, amount=Bytes(bytes=MiB))
