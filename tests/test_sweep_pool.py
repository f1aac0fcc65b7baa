"""Drives of a sweep go to workers as these are free, each is kept as it ends, and the table has a row per figure."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import StepFailed
from stend.many.sweep import folder, going, pool
from stend.many.sweep.design import Design, Range, Written, parsed
from tests.test_charts_many import swept_study


class Pool:
    """Workers that end each drive at once, and note how many drives were ahead."""

    def __init__(self, workers: int, **how: Any) -> None:
        self.workers, self.how, self.shut = workers, how, list[Any]()
        self.ahead = list[int]()
        self.under_way = 0

    def submit(self, work: Any, design: Any, point: Any) -> "Future[Any]":
        self.under_way += 1
        self.ahead.append(self.under_way)
        future = Future[Any]()
        try:
            future.set_result(work(design, point))
        except BrokenProcessPool as error:
            future.set_exception(error)
        return future

    def shutdown(self, **how: bool) -> None:
        self.shut.append(how)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Pool]:
    made = list[Pool]()

    def executor(workers: int, **how: Any) -> Pool:
        made.append(Pool(workers, **how))
        return made[-1]

    def first(under_way: set[Any], return_when: str) -> tuple[set[Any], set[Any]]:
        assert return_when == "FIRST_COMPLETED"
        done = min(under_way, key=lambda future: str(future.exception() or future.result()))
        made[-1].under_way -= 1
        return {done}, under_way - {done}

    monkeypatch.setattr(pool, "ProcessPoolExecutor", executor)
    monkeypatch.setattr(pool, "wait", first)
    monkeypatch.setattr(pool, "context", lambda: "context")
    return made


DESIGN = Design("design", Written("sim:small", ("iops",), {}, drives=9), {"a": Range(0.0, 1.0)})


def test_so_many_drives_are_ahead_as_keep_all_workers_busy(pools: list[Pool]) -> None:
    found = list(pool.run(DESIGN, DESIGN.points(), 2, lambda design, point: {"drive": point.number}))
    assert sorted(line["drive"] for line in found) == [point.number for point in DESIGN.points()]
    (used,) = pools
    assert (used.workers, max(used.ahead), len(used.ahead)) == (2, 2 * pool.AHEAD, 9)
    assert used.how == {"mp_context": "context", "initializer": pool.begin}
    assert used.shut == [{"wait": True, "cancel_futures": True}]


def test_a_worker_that_dies_ends_a_sweep_with_a_sentence(pools: list[Pool]) -> None:
    def work(design: Any, point: Any) -> Any:
        raise BrokenProcessPool

    with pytest.raises(StepFailed, match="a worker of the sweep died"):
        list(pool.run(DESIGN, DESIGN.points(), 2, work))
    assert pools[0].shut


def test_each_drive_is_kept_as_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, shown = list[Any](), list[int]()

    def run(design: Any, points: Any, workers: int) -> Any:
        asked.append((design, [*points], workers))
        for number in points:
            assert len(list(folder.lines(tmp_path))) == len(shown)
            yield {"drive": number}

    monkeypatch.setattr(going, "pool", SimpleNamespace(run=run))
    for left, workers in (([3, 1], 8), ([], 8), ([4, 5, 6], 2)):
        shown.clear()
        (tmp_path / folder.LINES).unlink(missing_ok=True)
        going._run(DESIGN, left, tmp_path, workers, shown.append)  # type: ignore[arg-type]
        assert [line["drive"] for line in folder.lines(tmp_path)] == left
        assert shown == list(range(1, len(left) + 1))
    assert [call[2] for call in asked] == [2, 1, 2]


def test_the_table_of_a_sweep_has_a_row_per_figure(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    into = tmp_path / "sweep"
    swept_study(into)
    design = parsed((into / folder.DESIGN).read_bytes(), into)
    values = dict.fromkeys(design.parameters, 1) | {"flash.cleaning": "x"}
    appending = folder.Appending(into)
    failed = {"outcome": "failed", "reason": "why", "stend": "", "figures": []}
    appending.add({"drive": 61, "seed": 1, "values": values, "target": "t"} | failed)
    appending.close()
    lines: list[dict[str, Any]] = [{"seed": 1, "reason": "", "stend": ""} | line for line in folder.lines(into)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "lines", lambda place: iter(lines))
        path = folder.write_table(into, design)
    assert path == into / folder.TABLE
    table = duckdb.sql(f"SELECT * FROM '{path}'")
    kinds = dict(zip(table.columns, map(str, table.types), strict=True))
    assert [kinds[name] for name in design.parameters] == ["DOUBLE", "BIGINT", "VARCHAR"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    assert len(rows) == 61
    first = lines[0]
    row = next(row for row in rows if row["drive"] == first["drive"])
    assert row["iops"] == pytest.approx(first["figures"][0]["iops"])
    assert {name: row[name] for name in design.parameters} == first["values"]
    assert next(row for row in rows if row["drive"] == 61)["iops"] is None
    assert not path.with_suffix(".rows").exists()


@pytest.mark.parametrize(
    ("step", "value", "whole"),
    [(0.25, 1.1, 1.0), (0.25, 1.13, 1.25), (0.5, 1.76, 2.0), (0.4, 2.0, 2.0), (None, 1.4, 1.0)],
)
def test_a_stepped_value_is_the_nearest_within_the_range(step: float | None, value: float, whole: float) -> None:
    assert Range(0.0, 2.0, step=step)._stepped(value) == pytest.approx(whole)
