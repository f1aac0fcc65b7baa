"""Totals of fio's process, which grow from result to result, are compared with the counts of each result."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import store
from stend.engines import _fio_json as fio
from stend.model.counts import Counts
from stend.model.definition import Hold, Idle, Seconds
from stend.model.tally import Tally
from stend.model.workload import Workload
from stend.store import verify


@pytest.mark.parametrize(
    ("seeds", "totals", "counts", "wrong"),
    [
        ([1, 1], [10, 30], [10, 20], []),  # totals of one process go on from result to result
        ([1, 2], [10, 30], [10, 30], []),  # and begin again with another load
        ([1, 1], [10, 30], [10, 30], [1]),
        ([1, 1, 1], [10, 30, 60], [11, 99, 30], [0]),  # what follows a mismatch cannot be checked
        ([1, 1, 1], [10, None, 60], [10, 99, 99], [1]),
        ([1, 1, 2], [11, 30, 60], [10, 20, 50], [0, 2]),
    ],
)
def test_totals_of_fio_are_compared_from_result_to_result(
    seeds: list[int], totals: list[int | None], counts: list[int], wrong: list[int], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    def documents(path: Path) -> list[int]:
        total = totals[int(path.name)]
        if total is None:
            raise OSError(2, "gone")
        return [total]

    load = Workload(random_pct=100, read_pct=100, block_bytes=4096, threads=1, depth=1)
    results = [
        SimpleNamespace(seed=seed, step=Hold(workload=load, amount=Seconds(seconds=1)), number=number,
                        counts=Counts(1.0, 0.0, Tally(ios=ios, bytes=4096 * ios), Tally()))
        for number, (seed, ios) in enumerate(zip(seeds, counts, strict=True))
    ]  # fmt: skip
    folder: Any = verify.Folder.__new__(verify.Folder)
    folder.folder = tmp_path
    folder.run = SimpleNamespace(plan=SimpleNamespace(sent_by_stend=()), results=results)
    monkeypatch.setattr(verify, "_documents", documents)
    monkeypatch.setattr(store, "raw_name", lambda result: str(result.number))
    monkeypatch.setattr(fio, "total", lambda total, way: Tally(ios=total * (way == "read"), bytes=4096 * total))
    check = folder.raw()
    assert check.sound == (not wrong)
    assert wrong or check.words == f"{len(seeds)} agree with the results' counts"
    assert [int(part.split()[0].rstrip(":")) for part in check.words.split("; ") if wrong] == wrong


@pytest.mark.parametrize("skipped", ["rest", "by stend", "of its own engine"])
def test_steps_without_output_of_fio_are_not_compared(skipped: str, tmp_path: Path) -> None:
    load = Workload(random_pct=100, read_pct=100, block_bytes=4096, threads=1, depth=1)
    own = msgspec.structs.replace(load, read_pct=0, trim_pct=100)
    assert (load.ours, own.ours) == (False, True)
    held = Hold(workload=own if skipped == "of its own engine" else load, amount=Seconds(seconds=1))
    result = SimpleNamespace(seed=1, step=Idle(seconds=1) if skipped == "rest" else held, counts=Counts())
    folder: Any = verify.Folder.__new__(verify.Folder)
    folder.folder = tmp_path
    by_stend = {load} if skipped == "by stend" else set()
    folder.run = SimpleNamespace(plan=SimpleNamespace(sent_by_stend=by_stend), results=[result])
    assert folder.raw() == verify.Check("raw/", "0 agree with the results' counts")
