"""IOs paired in memory that is used over and over: what is told is what a simple list would tell."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stend.capture import running, spool
from stend.capture._pairing import NEXT, OPEN, TAIL, InFlight, in_flight, over, pair, rewind
from stend.capture._records import DONE, ISSUE, READ, Records, records
from stend.trace import form

MANY, ROOM, LOOK = 60_000, 1 << 16, 5000
IO = tuple[int, int, int, int, int]
COLUMNS = ("t_ns", "offset", "latency_ns", "depth", "process")


def told(long_ns: int) -> tuple[Records, list[IO]]:
    """Records of reads, each at a place of its own, up to 60 at a time, one in 3,000 for long; what they say."""
    draw = np.random.default_rng(11)
    t_ns = np.cumsum(draw.integers(1, 2000, MANY))
    took_ns = draw.integers(1, 60_000, MANY)
    took_ns[::3000] = long_ns
    events = sorted(
        [(int(t), ISSUE, n) for n, t in enumerate(t_ns)] + [(int(t), DONE, n) for n, t in enumerate(t_ns + took_ns)]
    )
    place = draw.permutation(MANY)  # ascending places would hardly ever share a place of the table
    made, ios, flying = records(2 * MANY), [(0, 0, 0, 0, 0)] * MANY, 0
    for at, (t, kind, n) in enumerate(events):
        made.t_ns[at], made.kind[at], made.op[at], made.pid[at] = t, kind, READ, n % 7
        made.sector[at], made.sectors[at] = place[n] * 8, 8
        flying += 1 if kind == ISSUE else -1
        if kind == ISSUE:
            ios[n] = (t, int(place[n]) * 4096, int(took_ns[n]), flying, n % 7)
    made.many[0] = 2 * MANY
    return made, ios


def taken(f: InFlight, first: int, last: int) -> list[IO]:
    """IOs with these running numbers."""
    places = np.arange(first, last) & (ROOM - 1)
    return list(zip(*(getattr(f, name)[places].tolist() for name in COLUMNS), strict=True))


@pytest.mark.parametrize(("long_ns", "moves"), [(50_000, 3), (2_000_000, 3), (20_000_000, 0)])
@pytest.mark.parametrize("crowded", [False, True])
def test_what_is_told_of_ios_is_the_same_however_often_their_memory_begins_anew(
    long_ns: int, moves: int, crowded: bool
) -> None:
    """A crowded table is nearly half full, which is the most that it may be: many IOs share places."""
    made, expected = told(long_ns)
    most = max(io[COLUMNS.index("depth")] for io in expected)
    slots = 2 << most.bit_length() if crowded else 1 << 15
    f, seen, moved = in_flight(ROOM, slots, 0), list[IO](), 0
    for begin in range(0, 2 * MANY, LOOK):
        before = int(f.at[TAIL])
        rewind(f)
        moved += f.at[TAIL] < before
        order = np.arange(begin, min(begin + LOOK, 2 * MANY))
        assert pair(made, order, 1 << 62, -1, f) == len(order)
        first = int(f.at[TAIL])
        seen += taken(f, first, int(over(f, -1, ROOM)))
    assert seen == expected
    assert f.at[OPEN] == f.at[NEXT] - f.at[TAIL] == 0
    assert moved >= moves


def test_two_reads_of_one_place_at_once_are_two_ios() -> None:
    """Only an IO that was requeued continues when it is issued again."""
    made, f = records(4), in_flight(ROOM, 1 << 8, 0)
    for at, (t, kind) in enumerate([(10, ISSUE), (20, ISSUE), (30, DONE), (45, DONE)]):
        made.t_ns[at], made.kind[at], made.op[at], made.sector[at], made.sectors[at] = t, kind, READ, 64, 8
    made.many[0] = 4
    assert pair(made, np.arange(4), 1 << 62, -1, f) == 4
    ios = taken(f, 0, int(f.at[NEXT]))
    assert [io[0] for io in ios] == [10, 20]
    assert sum(io[2] for io in ios) == (30 - 10) + (45 - 20)
    assert f.at[OPEN] == 0


@pytest.mark.block
@pytest.mark.needs("trace points of the block layer", "zram in the kernel")
def test_nothing_is_compiled_once_a_capture_has_begun(tmp_path: Path) -> None:
    """What is compiled meanwhile takes seconds, in which the kernel's buffers overflow."""
    code = """
import subprocess
import sys
from pathlib import Path
from stend.capture import _pairing, _records
from stend.capture.running import Wish, capture
from stend.trace import folding
from tests.stand import zram

kernels = (_records.decode, _pairing.pair, _pairing.over, _pairing.rewind, folding.fold)
seen = []
def told(went):
    seen.append([len(kernel.signatures) for kernel in kernels])
    if not went.seconds:
        subprocess.run(["dd", f"if={node}", "of=/dev/null", "status=none"], check=True)
with zram(1 << 22) as node:
    went = capture(Wish(target=node, seconds=0.3, into=Path(sys.argv[1])), lambda: False, told)
assert went.reads > 0
print(seen[0] == seen[-1] == [1] * 5, seen)
"""
    out = subprocess.run([sys.executable, "-c", code, f"{tmp_path}/out"], capture_output=True, text=True, check=False)
    assert out.stdout.startswith("True"), out.stdout + out.stderr


def test_a_batch_that_a_busy_host_took_late_is_kept_in_parts_of_the_usual_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PART_IOS", 1000)
    wish = running.Wish(target="", seconds=1, into=tmp_path / "trace", addresses=True)
    kept = spool.Spool(wish.into, wish.limit_bytes, ring=True)
    keeping = running._Keeping(wish, kept, form.About(source="test"), lambda offset: offset)
    batch = {name: np.zeros(4500, kind) for name, kind in form.COLUMNS.items()}
    keeping.add(batch | {"t_ns": np.arange(4500), "length": np.full(4500, 4096)})
    keeping.end(0)
    assert len(list(kept.folder.iterdir())) == 5
    kept.join(form.About(source="test"))
    assert [t for batch in form.opened(wish.into).batches() for t in batch["t_ns"].tolist()] == list(range(4500))
