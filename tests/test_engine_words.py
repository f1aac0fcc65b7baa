"""Job files and verified blocks: what is written into them, by fio's manual and by the layout of a block."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.base.units import GiB, MiB
from stend.engines import _fio_job as fio_job
from stend.engines import fio_jobs, replay, verify
from stend.engines.content import Content
from stend.engines.verify import content
from stend.model.definition import Bytes, Hold, Idle, Phase, Seconds, Whole
from stend.model.verified import BLOCK
from stend.model.workload import Verify, Workload
from stend.sim.medium import Extent, Tag


def load(**more: Any) -> Workload:
    words = {"random_pct": 0, "read_pct": 0, "block_bytes": 4096, "threads": 1, "depth": 1, "range_bytes": GiB}
    return Workload(**(words | more))


@pytest.mark.parametrize(
    ("count", "among", "shares"), [(0, 2, [0, 0]), (5, 2, [3, 2]), (4, 2, [2, 2]), (2, 3, [1, 1, 0]), (7, 3, [3, 2, 2])]
)
def test_blocks_are_shared_evenly_and_the_first_threads_have_more(count: int, among: int, shares: list[int]) -> None:
    assert fio_job._shares(count, among) == shares


@pytest.mark.parametrize(
    ("blocks", "threads", "from_blocks", "limit_blocks"),
    [
        (10, 1, 0, 10),
        (10, 3, 0, 25),
        (10, 3, 4, 7),
        (10, 3, 6, 30),
        (2, 3, 0, 4),
        (10, 2, 10, 20),
        (10, 4, 39, 41),
        (9, 2, 1, 1),
    ],
)
def test_a_limited_stream_moves_its_bytes_within_its_slices(
    blocks: int, threads: int, from_blocks: int, limit_blocks: int
) -> None:
    made = load(range_bytes=blocks * 4096, threads=threads, start_bytes=8192)
    parts = fio_job.parts(made, from_blocks * 4096, limit_blocks * 4096)
    every = [section for part in parts for section in part]
    assert sum(section.io_bytes for section in every) == limit_blocks * 4096
    for section in every:
        assert section.start_bytes >= 8192
        assert section.start_bytes + section.range_bytes <= 8192 + blocks * 4096
        assert section.range_bytes % 4096 == section.io_bytes % 4096 == section.start_bytes % 4096 == 0
        assert (section.range_bytes > 0, section.threads, section.block_bytes) == (True, 1, 0)
    assert len(parts) <= 2
    assert all(len(part) <= min(threads, blocks) for part in parts)


def test_a_smaller_last_block_is_written_as_often_as_the_range() -> None:
    made = load(range_bytes=10 * 4096 + 512)
    (rest,) = fio_job.parts(made, 0, 3 * made.range_bytes)
    assert rest == [
        fio_job.Section(0, 40_960, 122_880), fio_job.Section(40_960, 512, 1536, block_bytes=512),
    ]  # fmt: skip
    assert fio_job.parts(made, 0, 4096) == [[fio_job.Section(0, 40_960, 4096)]]


def test_a_random_load_shares_its_blocks_among_its_threads() -> None:
    made = load(random_pct=100, threads=3)
    assert fio_job.parts(made) == [[fio_job.Section(0, GiB, threads=3)]]
    assert [section.io_bytes for section in fio_job.parts(made, 0, 4 * 4096 + 1)[0]] == [8192, 8192, 4096]
    assert [section.io_bytes for section in fio_job.parts(made, 0, 4096)[0]] == [4096]


def phase(*steps: Any, rounds: int = 1, until: tuple[Any, ...] = (), **more: Any) -> Phase:
    return Phase(name="p", round=tuple(steps), rounds=rounds, until=until, **more)


@pytest.mark.parametrize(
    ("amount", "until", "rounds", "amounts"),
    [
        (Seconds(seconds=60), (), 10, (None, 600, 600)), (Seconds(seconds=60),
        (Bytes(bytes=GiB),), 10, (GiB, None, 600)),
        (Bytes(bytes=MiB), (), 3, (3 * MiB, None, 0)), (Bytes(bytes=MiB), (Seconds(seconds=9),), 3, (3 * MiB, None, 9)),
        (Seconds(seconds=60), (Seconds(seconds=90),), 2, (None, 90, 90)), (Seconds(seconds=60), (), 1, None),
        (Whole(seconds=9), (), 2, None),
    ],
)  # fmt: skip
def test_rounds_of_a_single_hold_are_one_long_job(
    amount: Any, until: tuple[Any, ...], rounds: int, amounts: tuple[Any, ...] | None
) -> None:
    long = fio_jobs._long(phase(Hold(workload=load(), amount=amount), rounds=rounds, until=until))
    if amounts is None or long is None:
        assert long is None is amounts
        return
    whole: Any = long.hold.amount
    assert (getattr(whole, "bytes", None), getattr(whole, "seconds", None), long.most_s) == amounts


def test_a_limit_in_bytes_is_of_writes_alone() -> None:
    """fio(1): io_size counts reads too."""
    hold = Hold(workload=load(read_pct=50), amount=Seconds(seconds=60))
    assert fio_jobs._long(phase(hold, rounds=2, until=(Bytes(bytes=GiB),))) is None
    assert fio_jobs._long(phase(hold, rounds=2)) is not None
    assert fio_jobs._long(phase(hold, hold, rounds=2)) is None


def sections(text: str) -> dict[str, dict[str, str]]:
    made: dict[str, dict[str, str]] = {}
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            now = made.setdefault(line.strip("[]"), {})
        else:
            name, _, value = line.partition("=")
            now[name] = value
    return made


def test_a_job_file_has_a_job_for_each_step_one_after_the_other() -> None:
    steps: list[Any] = [
        Hold(workload=load(), amount=Seconds(seconds=1.5)),
        Idle(seconds=2),
        Hold(workload=load(), amount=Bytes(bytes=MiB)),
    ]
    whole, timed, rest, sized = sections(fio_jobs.job_file(steps)).values()
    assert (timed["time_based"], timed["runtime"], timed["stonewall"], "io_size" in timed) == (
        "1",
        "1500ms",
        "1",
        False,
    )
    assert (rest["ioengine"], rest["runtime"], rest["rate_iops"], rest["size"]) == ("null", "2000ms", "1", "1m")
    assert (sized["io_size"], sized["stonewall"], "runtime" in sized, "time_based" in sized) == (
        str(MiB),
        "1",
        False,
        False,
    )
    assert [name[:2] for name in sections(fio_jobs.job_file(steps))][1:] == ["01", "02", "03"]
    assert (whole["filename"], whole["ioengine"], "write_lat_log" in whole) == ("${TARGET}", "${ENGINE}", False)
    logged = sections(fio_jobs.job_file(steps[2:], most_s=9.0, log="x"))
    assert (logged["global"]["log_avg_msec"], logged["global"]["write_bw_log"]) == ("60000", "x")
    assert [words.get("runtime") for words in logged.values()] == [None, "9000ms"]


def test_jobs_of_one_part_begin_together() -> None:
    made = load(threads=2, range_bytes=8 * 4096)
    jobs = list(fio_jobs._hold(7, Hold(workload=made, amount=Bytes(bytes=8 * 4096)), 0.0))
    assert [name.rpartition("-")[2] for name, _ in jobs][1:] == ["2"]
    assert [words.get("stonewall") for _, words in jobs] == ["1", None]
    assert all(name.startswith("07-seq-4k-0-100-t2-q1") for name, _ in jobs)


# Verified blocks


def test_a_verified_load_has_its_places_on_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(bytes(16 * 4096))

    def begun(task: Any, **more: Any) -> Any:
        return SimpleNamespace(task=task, stop=lambda: None, more=more)

    monkeypatch.setattr(verify, "VerifyLoad", begun)
    made = load(random_pct=0, start_bytes=4096, range_bytes=8 * 4096, threads=2, depth=3, verify=Verify(number=5))
    for kwargs, limit in (({}, 6 * 4096), ({"limit_bytes": 9 * 4096}, 9 * 4096)):
        engine: Any = verify.VerifyEngine(str(tmp_path / "a"), block_bytes=512, interval_s=2.0)
        task = engine.start(made, seed=7, from_bytes=2 * 4096, **kwargs).task
        assert (task.begin_bytes, task.first_bytes, task.end_bytes) == (4096, 3 * 4096, 9 * 4096)
        assert (task.writes, task.tag, task.limit_bytes, task.threads) == (True, (7, 5), limit, 6)
        assert (task.io_bytes, task.every_bytes, task.piece_bytes) == (4096, 4096, 4096)
    large: Any = verify.VerifyEngine(str(tmp_path / "a"), block_bytes=8192)
    sparse = load(read_pct=100, verify=Verify(every_bytes=8192), range_bytes=8 * 4096)
    task = large.start(sparse, seed=1).task
    assert (task.writes, task.every_bytes, task.piece_bytes, task.first_bytes) == (False, 8192, 8192, 0)


def blocks(first: int, many: int, tag: content.Tag) -> Any:
    made = np.empty((many, content.WORDS), np.uint64)
    content.written(made, content.addressed(first, many), tag)
    return made


TAG = content.Tag(7, 3)


def test_a_block_states_its_address_run_and_pass_and_folds_to_nought() -> None:
    made = blocks(4096, 3, TAG)
    assert made[:, 0].tobytes() == b"STENDBLK" * 3
    assert made[:, 1:4].tolist() == [[4096 + n * BLOCK, 7, 3] for n in range(3)]
    assert np.bitwise_xor.reduce(made, axis=1).tolist() == [0, 0, 0]
    assert len({row.tobytes() for row in made} | {row.tobytes() for row in blocks(4096, 3, content.Tag(7, 4))}) == 6


def test_words_are_mixed_by_split_mix_64() -> None:
    """The first outputs of SplitMix64 with the seed 1234567 (the reference implementation of S. Vigna)."""
    seed, step = 1234567, 0x9E3779B97F4A7C15
    states = np.array([seed + n * step & (1 << 64) - 1 for n in range(3)], np.uint64)
    assert content._mixed(states).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize(("bits", "fault"), [(1, "flipped"), (1024, "flipped"), (1025, "dropped")])
def test_a_quarter_of_a_blocks_bits_may_be_flipped(bits: int, fault: str) -> None:
    """A block has 4096 bits."""
    expected = blocks(0, 1, TAG)
    found = expected.copy()
    flat = found.view(np.uint8).reshape(-1)
    for bit in range(4096 - bits, 4096):
        flat[bit // 8] ^= 1 << bit % 8
    (bad,) = content.bad_ranges(found, expected, TAG)
    assert (bad.fault, bad.bits, bad.blocks) == (fault, bits if fault == "flipped" else 0, 1)


def test_bad_blocks_are_ranges_of_one_kind_and_distance() -> None:
    expected = blocks(0, 12, TAG)
    found = expected.copy()
    found[1:3] = 0
    found[3] = 0x0101010101010101
    found[5:7] = blocks(1 << 20, 2, TAG)
    found[7] = blocks(0, 1, TAG)
    found[9] = blocks(9 * BLOCK, 1, content.Tag(7, 2))
    found[10] = blocks(10 * BLOCK, 1, content.Tag(8, 3))
    found[11, 60] ^= np.uint64(5)
    told = [(one.fault, one.first_bytes // BLOCK, one.blocks, one.distance_bytes, one.bits)
            for one in content.bad_ranges(found, expected, TAG)]  # fmt: skip
    assert told == [
        ("zeroed", 1, 3, 0, 0), ("wrapped", 5, 2, (1 << 20) - 5 * BLOCK, 0), ("wrapped", 7, 1, -7 * BLOCK, 0),
        ("dropped", 9, 2, 0, 0), ("flipped", 11, 1, 0, 2),
    ]  # fmt: skip
    assert content.bad_ranges(expected, expected, TAG) == ()


# Verified content without bytes


class Written:
    """A medium that notes what is written, and reads as it is told."""

    def __init__(self, *extents: Extent, unreadable: tuple[int, int] = (0, 0), flips: tuple[int, ...] = ()) -> None:
        self.extents, self.bad, self.flips, self.writes = extents, unreadable, flips, list[tuple[int, int, Any]]()

    def write(self, first: int, end: int, tag: Any) -> None:
        self.writes.append((first, end, tag))

    def unreadable(self, first: int, end: int) -> tuple[int, int]:
        return max(self.bad[0], first), min(self.bad[1], end)

    def read(self, first: int, end: int) -> list[Extent]:
        return [one for one in self.extents if first <= one.first < end]

    def flipped(self, first: int, end: int) -> list[int]:
        return [place for place in self.flips if first <= place < end]


@pytest.mark.parametrize(
    ("every_bytes", "from_bytes", "limit_bytes", "extents"),
    [
        (0, 0, 40_960, [(0, 40_960)]), (0, 12_288, 40_960, [(12_288, 40_960), (0, 12_288)]), (0, 0, 8192, [(0, 8192)]),
        (0, 0, 90_112, [(0, 40_960), (0, 40_960), (0, 8192)]), (8192, 0, 12_288, [(0, 4096), (8192, 12_288),
        (16_384, 20_480)]),
        (8192, 32_768, 8192, [(32_768, 36_864), (0, 4096)]), (8192, 0, 6144, [(0, 4096), (8192, 10_240)]),
        (0, 0, 0, []),
    ],
)  # fmt: skip
def test_content_covers_the_places_of_its_load_in_order(
    every_bytes: int, from_bytes: int, limit_bytes: int, extents: list[tuple[int, int]]
) -> None:
    medium: Any = Written()
    made = load(range_bytes=40_960, start_bytes=8192, verify=Verify(number=2, every_bytes=every_bytes))
    whole = Content(medium, made, 7, from_bytes, limit_bytes)
    assert whole.verified() is whole.verified()
    assert whole.verified().blocks == limit_bytes // BLOCK
    assert medium.writes == [(8192 + first, 8192 + end, (7, 2)) for first, end in extents]


def test_what_is_read_is_compared_by_kind() -> None:
    tag = Tag(7, 2)
    medium: Any = Written(
        Extent(0, 1024, 0, None), Extent(1024, 2048, 0, Tag(7, 1)), Extent(2048, 4096, 512, tag),
         Extent(4096, 6144, 0, tag),
        Extent(8192, 9216, 0, None), unreadable=(6144, 8192), flips=(4608, 5632, 9000),
    )  # fmt: skip
    made = load(range_bytes=40_960, read_pct=100, verify=Verify(number=2))
    bad = Content(medium, made, 7, 0, 40_960).verified().bad
    assert [(one.fault, one.first_bytes, one.blocks, one.distance_bytes, one.bits) for one in bad] == [
        ("zeroed", 0, 2, 0, 0), ("dropped", 1024, 2, 0, 0), ("wrapped", 2048, 4, 512, 0), ("flipped", 4608, 1, 0, 1),
        ("flipped", 5632, 1, 0, 1), ("unreadable", 6144, 4, 0, 0), ("zeroed", 8192, 2, 0, 0),
    ]  # fmt: skip


def test_senders_that_are_held_are_used_while_all_of_them_live_and_for_the_same_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started, ended = list[Any](), list[Any]()

    def start(task: Any, seconds: float) -> Any:
        sender = SimpleNamespace(task=task, alive=True)
        sender.end = lambda: ended.append(sender)
        started.append(sender)
        return sender

    monkeypatch.setattr(replay, "start_sender", start)
    engine = replay.ReplayEngine("", interval_s=0.5)
    made = load(random_pct=100, beside=(load(read_pct=100, random_pct=100),))
    held = engine._held(made, 7, 4096, None)
    tasks = [task for task, _ in held]
    assert [(task.seed, task.from_bytes, task.limit_bytes, task.loads) for task in tasks] == [
        (7, 4096, 0, 2),
        (8, 0, 0, 2),
    ]
    assert {(task.interval_ns, task.range_bytes, task.block_bytes, task.path) for task in tasks} == {
        (500_000_000, GiB, 512, "")
    }
    assert (engine._held(made, 7, 4096, None), len(started), ended) == (held, 2, [])
    started[1].alive = False
    engine._held(made, 7, 4096, None)
    assert (len(started), ended) == (4, started[:2])
    engine._held(made, 8, 4096, 8192)
    assert (len(started), ended, started[4].task.limit_bytes) == (6, started[:4], 8192)
