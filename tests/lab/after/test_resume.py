"""After the power cut: the run folder is whole, the run goes on, and the report says what happened."""

import json

import pytest

from stend import store
from tests.lab import bench

pytestmark = pytest.mark.long


def test_the_run_that_was_cut_off_is_whole_and_goes_on() -> None:
    folder = bench.RUNS / "cut"
    before = store.load(folder)
    assert before.ended is None
    assert len(before.results) >= 5
    done = bench.stend("resume", str(folder), "--destroy-data", "LABONE")
    assert done.returncode == 0, done.stderr
    after = store.load(folder)
    assert after.results[:2] == before.results[:2]
    assert [(r.where.round, r.index) for r in after.of("latency", "rounds-q1")] == [(1, i) for i in range(9)]
    assert any("interrupted" in stamp for stamp in after.stamps)
    assert "interrupted" in (folder / "report.html").read_text()
    assert json.loads((folder / "settings.json").read_text())["restored"]
    assert bench.cache("LABONE") == "enabled"
