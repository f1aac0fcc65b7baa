"""Parts of traces by arithmetic on paper: steps, depths, extents, volumes, and text in blocks of whole lines."""

import io
import tarfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.base.errors import BadInput
from stend.model.tally import Tally
from stend.trace import described, playable, sound, source, steps, taken
from stend.trace.form import DISCARD, FLUSH, READ, WRITE, About
from stend.trace.readers import formats
from stend.trace.steps import Key, Part, Step

S = 1_000_000_000


def step(start_ns: int = 0, length_ns: int = S, idle_ns: int | None = None, depths: Any = None, *parts: Part) -> Step:
    return Step(start_ns, length_ns, idle_ns, depths or {}, parts)


def part(ios: int, op: int = READ, depth_sum: int = 0, **more: Any) -> Part:
    return Part(op, more.get("block_bytes", 4096), more.get("random", True), Tally(ios, ios * 4096), depth_sum)


@pytest.mark.parametrize(
    ("depths", "mean", "half"),
    [
        ({}, None, 0), ({1: 1}, 1.0, 1), ({1: 1, 2: 1}, 1.5, 1), ({1: 1, 2: 2}, 5 / 3, 2),
        ({3: 2, 1: 1, 2: 1}, 2.25, 2),
        ({4: 5, 1: 4}, 24 / 9, 4), ({1024: 1, 1: 3}, 1027 / 4, 1),
    ],
)  # fmt: skip
def test_the_depth_of_a_step_is_a_mean_and_half_of_the_issues_do_not_exceed_another(
    depths: dict[int, int], mean: float | None, half: int
) -> None:
    assert (step(depths=depths).depth, step(depths=depths).half_depth) == (mean, half)


def test_figures_of_a_step_are_sums_of_its_streams() -> None:
    first = step(S, S, S // 4, {1: 2}, part(3, depth_sum=6), part(1, WRITE))
    second = step(3 * S, 2 * S, S // 2, {1: 1, 2: 5}, part(5, depth_sum=0))
    assert (first.ios, first.idle_share, first.parts[0].depth, first.parts[1].depth) == (4, 0.25, 2.0, None)
    both = first + second
    assert (both.start_ns, both.length_ns, both.idle_ns, both.depths) == (S, 4 * S, 3 * S // 4, {1: 3, 2: 5})
    assert [(one.key.label, one.tally.ios, one.depth_sum) for one in both.parts] == [
        ("RND 4K R", 8, 6),
        ("RND 4K W", 1, 0),
    ]
    assert (first + step(2 * S)).idle_ns is (step() + first).idle_ns is None
    assert step(length_ns=0, idle_ns=0).idle_share is step().idle_share is None
    assert step(idle_ns=0).idle_share == 0.0


@pytest.mark.parametrize(
    ("key", "label"),
    [
        (Key(READ, 4096, True), "RND 4K R"), (Key(WRITE, 65536, False), "SEQ 64K W"), (Key(FLUSH, 0, False), "flush"),
        (Key(DISCARD, 0, False), "discard"),
    ],
)  # fmt: skip
def test_a_stream_has_a_short_name(key: Key, label: str) -> None:
    assert key.label == label


@pytest.mark.parametrize(
    ("end_ns", "seconds"), [(0, 1), (1, 1), (300 * S, 1), (300 * S + 1, 2), (600 * S, 2), (601 * S, 3)]
)
def test_a_trace_is_shown_in_at_most_three_hundred_steps_of_whole_seconds(end_ns: int, seconds: int) -> None:
    assert steps.length_of(end_ns) == seconds * S


def test_steps_that_start_in_one_multiple_are_one() -> None:
    every = [step(n * S, S, 0, {}, part(n + 1)) for n in (0, 1, 2, 3, 6)]
    assert [(one.start_ns // S, one.length_ns // S, one.ios) for one in steps.coarser(every, 3 * S)] == [
        (0, 3, 6), (3, 1, 4), (6, 1, 7),
    ]  # fmt: skip
    assert list(steps.coarser([], S)) == []


def test_the_most_frequent_stream_is_the_first_and_equals_are_in_the_order_of_their_keys() -> None:
    every = [
        step(0, S, None, {}, part(3, WRITE), part(3, READ)),
        step(S, S, None, {}, part(7, FLUSH), part(1, DISCARD)),
    ]
    assert [(one.op, one.tally.ios) for one in steps.cumulative(every)] == [
        (FLUSH, 7),
        (READ, 3),
        (WRITE, 3),
        (DISCARD, 1),
    ]


@pytest.mark.parametrize(
    ("ios", "share", "many"), [([8, 1, 1], 0.8, 1), ([7, 1, 1, 1], 0.8, 2), ([5, 5], 1.0, 2), ([1], 0.0, 1)]
)
def test_the_fewest_streams_that_make_a_share(ios: list[int], share: float, many: int) -> None:
    assert len(described.frequent([part(n) for n in ios], share)) == many
    assert len(described.frequent([part(n) for n in [80, 10, 10]])) == 1


@pytest.mark.parametrize(
    ("span", "most", "unit"), [(1, 8, 4096), (8 * 4096, 8, 4096), (8 * 4096 + 1, 8, 8192), (64 * 4096, 8, 32_768)]
)
def test_a_cell_is_the_smallest_that_needs_no_more_cells_than_there_are(span: int, most: int, unit: int) -> None:
    assert described._unit(span, most, 4096) == unit


@pytest.mark.parametrize(
    ("gaps", "end_ns", "rate"),
    [(None, 2 * S, 5.0), (Tally(9, 0, S), 2 * S, 5.0), (Tally(9, 0, 0), 2 * S, None), (None, 0, None)],
)
def test_ios_of_one_moment_have_no_rate(gaps: Tally | None, end_ns: int, rate: float | None) -> None:
    parts = (part(6), part(3, WRITE), part(1, FLUSH))
    whole = described.Described(About(source="x"), end_ns, (), parts, None, gaps, derived=False)
    assert (whole.rate, whole.ios, whole.bytes, whole.of(WRITE).ios) == (rate, 10, 40_960, 3)


# Extents


def batch(*rows: tuple[int, int, int]) -> dict[str, Any]:
    op, offset, length = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    nothing = np.zeros(len(rows), np.int64)
    return {"t_ns": nothing, "op": op, "flags": nothing, "offset": offset, "length": length}


def test_the_extent_of_a_trace_is_of_its_reads_and_writes_in_all_batches() -> None:
    extent = playable.Extent()
    batches = [
        batch((FLUSH, 0, 0)),
        batch((READ, 8192, 512), (WRITE, 4096, 1024), (DISCARD, 0, 1 << 30)),
        batch((READ, 12_800, 4096)),
    ]
    assert list(extent.measured(iter(batches))) == batches
    assert (extent.first, extent.end, extent.longest) == (4096, 16_896, 4096)
    assert extent.odd_bits == 4096 | 512 | 1024 | 12_800 - 8192 | 4096 - 8192
    assert extent.odd_bits & -extent.odd_bits == 512
    assert {size: int(places.sum()) for size, places in extent.places.items()} == {
        512: 3, 1024: 2, 2048: 1, 4096: 1, 8192: 0, 16_384: 0, 32_768: 0, 65_536: 0,
    }  # fmt: skip
    assert (int(extent.places[4096][12_800 % 4096]), int(extent.places[1024][0])) == (1, 1)
    other = playable.Extent()
    list(other.measured(iter([*batches[:2], batch((READ, 12_800, 4608))])))
    assert other.hash.digest() != extent.hash.digest()


# Numbers that no trace has


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"t_ns": [0, 0, 5]}, ""), ({"t_ns": [3, 2]}, "row 2 was issued before the row above it, at 2 ns"),
        ({"t_ns": [-1]}, "row 1 has -1 as its t_ns"), ({"op": [0, 3]}, ""), ({"op": [0, 4]}, "row 2 has 4 as its op"),
        ({"latency_ns": [-1, 0], "depth": [-1, 1 << 20], "process": [-1, 2**31 - 1]}, ""),
        ({"latency_ns": [-2]}, "row 1 has -2 as its latency_ns"),
        ({"process": [2**31]}, "row 1 has 2147483648 as its process"),
        ({"op": [0], "length": [sound.LONGEST]}, ""),
        ({"op": [1], "length": [sound.LONGEST + 1]}, f"row 1 reads or writes {sound.LONGEST + 1} bytes at once"),
        ({"op": [3], "length": [sound.LONGEST + 1]}, ""),
    ],
)  # fmt: skip
def test_a_number_that_no_trace_can_have_is_named_with_its_row(columns: dict[str, list[int]], reason: str) -> None:
    made = {name: np.array(values, np.int64) for name, values in columns.items()}
    checker = sound.Sound("x")
    if reason:
        with pytest.raises(BadInput) as refused:
            list(checker.checked(iter([made])))
        assert str(refused.value) == f"x cannot be used as a trace: {reason}"
    else:
        assert list(checker.checked(iter([made]))) == [made]


def test_rows_and_times_go_on_from_batch_to_batch() -> None:
    batches = [{"t_ns": np.array([1, 5])}, {"t_ns": np.array([5, 5, 4])}]
    with pytest.raises(BadInput, match=r": row 5 was issued before the row above it, at 4 ns$"):
        list(sound.Sound("x").checked(iter(batches)))
    with pytest.raises(BadInput, match=r": row 3 was issued before the row above it, at 4 ns$"):
        list(sound.Sound("x").checked(iter([batches[0], {"t_ns": np.array([4])}])))


# Volumes and order


def ordered(*times: list[int], volume: str = "") -> tuple[taken.Sorted, list[int]]:
    kept = taken.Sorted(volume)
    kept.names = {1: "a", 2: "b"}
    given = [kept.add({"t_ns": np.array(t, np.int64), "volume": np.array([1 + n % 2 for n in t])}) for t in times]
    found = [int(t) for some in (*given, kept.rest()) for one in some for t in one["t_ns"]]
    return kept, found


def test_times_count_from_the_first_io_and_never_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taken, "WINDOW", 2)
    kept, found = ordered([14, 12, 13, 10], [9, 20], [], [15, 21])
    assert found == [0, 2, 2, 3, 4, 5, 10, 11]
    assert (kept.begun_ns, kept.late, kept.left_out) == (10, 1, 0)
    kept, found = ordered([4, 2, 3], [5], volume="b")
    assert (found, kept.left_out, kept.begun_ns) == ([0, 2], 2, 3)
    assert ordered([])[1] == []


@pytest.mark.parametrize(
    ("names", "words"),
    [({}, ""), ({1: "b", 2: "a"}, "a, b"), ({n: str(n) for n in range(5)}, "0, 1, 2, 3, 4"),
     ({n: str(n) for n in range(7)}, "0, 1, 2, 3, 4 and 2 more")],
)  # fmt: skip
def test_at_most_five_volumes_are_named(names: dict[int, str], words: str) -> None:
    kept: Any = SimpleNamespace(names=names)
    assert taken._some(kept) == words


@pytest.mark.parametrize(
    ("begun_ns", "more", "begun_s", "notes"),
    [
        (taken.OLDEST_S * S, {}, float(taken.OLDEST_S), []), (taken.OLDEST_S * S - S, {}, None, ["trace_epoch"]),
        (5 * S, {"epoch": False}, None, []),
        (taken.OLDEST_S * S, {"timed": False}, float(taken.OLDEST_S), ["trace_order"]),
        (None, {}, None, ["trace_epoch"]),
    ],
)  # fmt: skip
def test_facts_of_a_converted_trace(
    begun_ns: int | None, more: dict[str, bool], begun_s: float | None, notes: list[str]
) -> None:
    """631 152 000 s after 1970 began the year 1990; before it no trace of these formats was made."""
    reader: Any = SimpleNamespace(**({"words": "w", "notes": (), "epoch": True, "timed": True} | more))
    kept = taken.Sorted("")
    kept.begun_ns, kept.names = begun_ns, {1: "sda"}
    about = taken._about(reader, kept, Counter(x=1), Counter(), 9)
    assert (about.begun_s, about.device, about.lines, about.malformed) == (begun_s, "sda", 9, {"x": 1})
    assert [note.key for note in about.notes] == notes
    kept.names = {1: "sda", 2: "sdb"}
    assert [note.key for note in taken._about(reader, kept, Counter(), Counter(), 9).notes][:1] == ["trace_volumes"]
    assert taken._about(reader, kept, Counter(), Counter(), 9).device == ""
    chosen = taken.Sorted("sdb")
    chosen.names = kept.names
    assert taken._about(reader, chosen, Counter(), Counter(), 9).device == "sdb"


def test_several_volumes_count_as_processes_unless_one_is_chosen() -> None:
    volumes, reader = np.array([1, 1 << 40 | 5, -7], np.int64), formats()["msr"](b"")
    kept = taken.Sorted("")
    kept.names = {1: "a", 2: "b"}
    columns = taken._columns({"t_ns": volumes, "volume": volumes}, reader, kept)
    assert list(columns) == ["t_ns", "process"]
    assert columns["process"].tolist() == [(v ^ v >> 31) & 0x7FFFFFFF for v in volumes.tolist()]
    for names, volume in (({1: "a"}, ""), ({1: "a", 2: "b"}, "a")):
        kept = taken.Sorted(volume)
        kept.names = names
        assert list(taken._columns({"t_ns": volumes, "volume": volumes}, reader, kept)) == ["t_ns"]


# Text


def test_text_is_read_in_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BLOCK", 4)
    monkeypatch.setattr(source, "LONGEST", 8)

    def pieces(text: bytes) -> list[bytes]:
        return [piece.tobytes() for piece in source.blocks(io.BytesIO(text))]

    assert pieces(b"ab\ncd\nef") == [b"ab\n", b"cd\n", b"ef"]
    assert pieces(b"12345678") == [b"12345678"]
    assert pieces(b"12345678\n") == [b"12345678\n"]
    assert pieces(b"1234567890ab") == [bytes(8)]
    assert pieces(b"1234567890abcd\n1\n") == [bytes(8) + b"cd\n", b"1\n"]
    assert pieces(b"") == []


def test_the_head_of_a_file_is_its_first_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for text, head in ((b"ab\ncd", b"ab\n"), (b"abcd", b"abcd"), (b"\xef\xbb\xbfab\n", b"ab\n"), (b"", b"")):
        path.write_bytes(text)
        assert source.head(path) == head
    path.write_bytes(b"x" * 65_534 + b"\n" + b"y" * 9)
    assert source.head(path) == b"x" * 65_534 + b"\n"


def test_files_of_an_archive_are_read_one_after_the_other(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, text in (("a", b"12"), ("b", b"34\n")):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
        folder = tarfile.TarInfo("c")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    with source.unpacked(tmp_path / "a.tar") as file:
        assert b"".join(iter(lambda: file.read(1), b"")) == b"12\n34\n"
