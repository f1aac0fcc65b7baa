"""Results that are seldom lost or refused: of records, comparisons, lots and published runs."""

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Generator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import IO

import pytest
import zstandard

from stend import imports, store
from stend.base.errors import BadInput, StepFailed
from stend.engines import _room
from stend.imports import folder as folders
from stend.many import limits
from stend.many.batch import lot as lots
from stend.many.batch import verdict
from stend.many.compare import Side, compared, rules
from stend.many.sides import side
from stend.model.events import Event, Result
from stend.model.workload import Workload
from stend.publish import lab, ledger, pool, prose, samples
from stend.store import reports, verify, writer
from tests.imported import SAMPLES
from tests.labs import run
from tests.sides import load, of_rates, outcome, row
from tests.synthetic import Truth


@cache
def kept_run() -> Path:
    """A finished run, made once."""
    path = Path(mkdtemp(prefix="stend-rare-")) / "run"
    return run(path, Truth(), names=("latency",), virtual=True, tests={"latency": {"mixes": [100], "blocks_kib": [4]}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run."""
    return Path(shutil.copytree(kept_run(), tmp_path / "run"))


# Records


def checked(folder: Path) -> dict[str, verify.Check]:
    return {check.piece: check for check in verify.Folder(folder).checks()}


def test_what_is_beside_a_record_and_cannot_be_read_is_named_with_the_cause(folder: Path) -> None:
    names = ("kept.html", "away.html", "blocked.html", "edited.html")
    for name in names:
        (folder / name).write_text("page")
    reports.remember(folder, [folder / name for name in names], [store.load(folder).seal])
    (folder / "away.html").unlink()
    for name in ("blocked.html", "host.json"):
        (folder / name).unlink()
        (folder / name).mkdir()
    (folder / "edited.html").write_text("another")
    found = {check.piece: check for check in verify.Folder(folder).checks()}
    assert {name for name, check in found.items() if not check.sound} == {"host.json", "blocked.html", "edited.html"}
    assert (found["kept.html"].words, found["away.html"].words) == ("made from this record", "was taken away")
    for name in ("host.json", "blocked.html"):
        assert found[name].words.startswith("cannot be read: ")
    assert found["edited.html"].words.endswith("`stend report` makes it again")


def none() -> Generator[Event, None, None]:
    yield from ()


def test_a_torn_record_is_kept_until_its_end_can_be_cut_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash the disk may be full, or mounted for reading only."""
    events = folder / "events.jsonl"
    whole = events.read_bytes()
    cut = whole[: whole.rstrip(b"\n").rindex(b"\n") + 20]
    events.write_bytes(cut)

    def fails(fd: int, size: int) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patched:
        patched.setattr(os, "ftruncate", fails)
        with pytest.raises(StepFailed, match=f"cannot be written: Read-only file system; .* `stend resume {folder}`"):
            list(store.append(folder, none()))
    assert events.read_bytes() == cut
    assert list(store.append(folder, none())) == []
    assert events.read_bytes() == cut[: cut.rindex(b"\n") + 1]


def test_a_folder_that_cannot_be_locked_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS without lockd, and on FUSE: two processes would write one record."""

    def fails(fd: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", fails)
    with (
        pytest.raises(StepFailed, match=r"cannot be locked \(No locks available\): .* copy it to one that does$"),
        writer.sole(folder, "resume"),
    ):
        pass


def test_a_run_whose_number_is_none_can_still_be_read(folder: Path) -> None:
    assert store.run_number(folder) is not None
    events = folder / "events.jsonl"
    head, _, rest = events.read_bytes().partition(b"\n")
    changed = json.loads(head)
    changed["run"] = "no number"
    events.write_bytes(json.dumps(changed).encode() + b"\n" + rest)
    assert store.run_number(folder) is None
    assert store.load(folder).results


# Comparisons and lots


def drives(count: int) -> Side:
    return side("lot", [outcome(f"r{i}", [row(load(), 1000 + i)], drive=f"SN{i}") for i in range(count)])


def test_what_is_no_lot_is_refused_with_the_difference() -> None:
    with pytest.raises(BadInput, match="a lot needs two drives or more, but these runs have 1"):
        lots.lot(drives(1))
    unlike = drives(2)
    other = outcome("other", [row(load(), 900)], drive="SN9", settings={"model": "Another"})
    mixed = side("lot", [*unlike.runs, other])
    with pytest.raises(BadInput, match=r"\(model: Drive, Another\); --anyway accepts them as one lot"):
        lots.lot(mixed)
    assert [note.key for note in lots.lot(mixed, anyway=True).notes] == ["unlike"]
    with pytest.raises(BadInput, match=r"matches no figure of these drives; known figures: .*iops\[iops,window\]"):
        verdict.picked(lots.lot(unlike), limits.parsed("iops[nosuch] > 5"))


def test_firmware_that_differs_is_no_other_lot_and_is_said() -> None:
    runs = [outcome(f"r{i}", [row(load(), 1000)], drive=f"SN{i}", settings={"firmware": f"F{i}"}) for i in range(2)]
    (note,) = lots.lot(side("lot", runs)).notes
    assert note.values == {"name": "firmware", "values": ["F0", "F1"]}


@pytest.mark.parametrize(
    ("text", "quantity", "said"),
    [
        ("p99 < 5 W", "p99", "'p99 < 5 W': w is not a unit of p99; use s, ms, us, µs, ns"),
        ("iops > 5 ms", "iops", "'iops > 5 ms': ms is not a unit of iops; use k, m"),
        ("dies < 5 GB/s", "", "'dies < 5 GB/s': gb/s is not a unit of dies; use k, m, %"),
    ],
)
def test_a_unit_of_another_quantity_is_refused_with_those_that_fit(text: str, quantity: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        limits.parsed(text).bound(quantity)
    assert str(refused.value) == said


def test_a_rule_whose_figure_has_no_value_is_refused() -> None:
    whole = compared(of_rates("a", 1000.0, 1010.0), of_rates("b", 1100.0, 1110.0))
    with pytest.raises(BadInput, match=r"the rule .* matches no figure for which both sides have a value"):
        list(rules.picked(whole, rules.parse("watts[iops] < 5%")))


# Published runs


@pytest.mark.parametrize(
    ("lines", "said"),
    [(1, "holds a run that never started; leave it out"), (2, "has no results to publish; leave it out")],
)
def test_a_run_without_results_is_not_published(folder: Path, lines: int, said: str) -> None:
    events = folder / "events.jsonl"
    events.write_bytes(b"".join(events.read_bytes().splitlines(keepends=True)[:lines]))
    known = lab.read(None).lab
    with pytest.raises(BadInput, match=said):
        (samples.find if lines == 1 else partial(samples.load, lab=known))(folder)


def test_a_review_in_another_encoding_is_refused(folder: Path) -> None:
    (folder / "review.md").write_bytes("Обзор".encode("cp1251"))
    with pytest.raises(BadInput, match=r"the review .*review\.md is not UTF-8 text"):
        prose.read(SimpleNamespace(folder=folder), "en", lambda name: ("", ""), "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": 9}', "has format 9; this stend reads 1: use a newer"),
        ("{", "so that changes cannot be found: .*; restore it"),
    ],
)
def test_a_ledger_that_cannot_be_used_stops_the_build(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / ledger.NAME).write_text(text)
    with pytest.raises(BadInput, match=said):
        ledger.read(tmp_path)


def test_a_maker_of_pages_that_dies_ends_the_build_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the kernel kills one for lack of memory."""

    class Executor:
        def submit(self, *given: object) -> Future[None]:
            made = Future[None]()
            made.set_exception(BrokenProcessPool())
            return made

        def shutdown(self, *, wait: bool, cancel_futures: bool) -> None:
            assert wait
            assert cancel_futures

    monkeypatch.setattr(pool, "ProcessPoolExecutor", lambda *given, **more: Executor())
    with pytest.raises(StepFailed, match="a process that makes pages died, possibly for lack of memory; repeat"):
        list(pool.run([None] * 50, 2))  # type: ignore[list-item]


def test_a_folder_that_a_full_disk_left_half_made_is_empty_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command has to work when there is room: `stend resume` cannot continue a folder without a record."""
    place = tmp_path / "run"

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StepFailed, match="run cannot be written: No space left on device; name another"):
            store.create(place, {"target": "x"}, {"cpu": "y"})
    assert list(place.iterdir()) == []
    store.create(place, {"target": "x"}, {"cpu": "y"})


@pytest.mark.parametrize("printed", [b"small", os.urandom(1 << 20)], ids=["when closed", "when written"])
@pytest.mark.parametrize("lines", [False, True], ids=["raw", "record"])
def test_a_disk_that_fills_up_with_the_output_of_a_load_ends_the_run_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: bytes, *, lines: bool
) -> None:
    """A load prints once more while it is stopped, which must not hide that sentence."""
    whole, folder = list(store.read(kept_run())), tmp_path / "run"
    store.create(folder, {}, {})
    raw, ends, opened = store.Raw(folder), list[str](), list[IO[bytes]]()

    def run() -> Generator[Event, None, None]:
        try:
            for event in whole:
                if isinstance(event, Result):
                    fill()
                    raw(printed)
                yield event
        finally:
            raw(printed * 2)
            ends.append("load")

    def fill() -> None:
        on(os.devnull if lines else "/dev/full")
        if lines:
            monkeypatch.setattr(store, "_write", full)

    def on(disk: str) -> None:
        opened.append(open(disk, "wb", buffering=0))  # noqa: SIM115 (closed below)
        writer = zstandard.ZstdCompressor().stream_writer(opened[-1])
        monkeypatch.setattr("stend.store.zstandard.open", lambda *given, **more: writer)

    def full(*given: object) -> None:
        on("/dev/full")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    said = f"^{folder} cannot be written: No space left on device; fix that, then `stend resume {folder}`$"
    with pytest.raises(StepFailed, match=said):
        list(store.append(folder, run(), raw))
    for file in opened:
        file.close()
    assert ends == ["load"]
    kept = list(store.read(folder))
    assert kept == whole[: len(kept)]
    assert not isinstance(whole[len(kept) - 1], Result)


def test_an_import_into_a_full_disk_names_the_folder_that_it_would_have_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, form, taken = imports.taken_from(SAMPLES / "fio-3.33.json")

    def full(folder: Path, *words: object) -> None:
        raise StepFailed(f"{folder} cannot be written: No space left on device; name another with --into")

    monkeypatch.setattr(store, "create", full)
    with pytest.raises(StepFailed, match=rf"^{tmp_path}/\d+-\d+-fio-\S+ cannot be written"):
        folders.write(handed, form, taken, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_shrank_is_named_by_its_own_path(tmp_path: Path) -> None:
    """Engines open it by its descriptor, whose path means nothing to an operator."""
    target = tmp_path / "drive.bin"
    target.write_bytes(bytes(8192))
    load = Workload(random_pct=0, read_pct=100, block_bytes=4096, range_bytes=16384)
    with target.open("rb") as file, pytest.raises(StepFailed, match=rf"^{target} is 8 KiB too small for SEQ 4K"):
        _room.fitted(f"/proc/{os.getpid()}/fd/{file.fileno()}", load)
