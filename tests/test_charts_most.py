"""Charts with more lines, bars or colours than they show, and with too little to be drawn at all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stend.charts import Picture
from stend.charts.convergence import MOST_SERIES, draw
from stend.charts.parts import GREY
from stend.charts.traced import pictures, shares, stream_map
from stend.trace.described import described
from stend.words import Language
from tests.synthetic import made
from tests.test_charts import encodings
from tests.traced import written

WORDS = Language("en")
RATE = 100


def traced(folder: Path, *, streams: int, seconds: int) -> dict[str, Picture]:
    """Return the charts of a trace: in each second RATE reads of each block size, the first sizes twice as many."""
    sizes = np.repeat(4096 * np.arange(1, streams + 1), [2 * RATE if n < 2 else RATE for n in range(streams)])
    size = np.tile(sizes, seconds)
    t_ns = np.sort(np.random.default_rng(1).random(len(size))) * seconds * 1e9
    offset = np.random.default_rng(2).integers(0, 1 << 18, len(size)) * 4096
    t_ns[0], t_ns[-1] = 0, seconds * 1e9 - 1
    columns = {"t_ns": t_ns, "op": 0 * size, "offset": offset, "length": size}
    whole = described(written(folder, {name: values.astype(np.int64) for name, values in columns.items()}))
    return {one.name: one for one in pictures(whole, WORDS)}


@pytest.mark.parametrize(("seconds", "drawn"), [(1, False), (2, True)])
def test_a_map_of_streams_needs_two_steps(tmp_path: Path, seconds: int, drawn: bool) -> None:
    assert ("stream_map" in traced(tmp_path, streams=2, seconds=seconds)) == drawn


@pytest.mark.parametrize("more", [0, 1, 3])
def test_streams_beyond_the_colours_of_a_map_are_merged(tmp_path: Path, more: int) -> None:
    made = traced(tmp_path, streams=stream_map.MOST + more, seconds=2)["stream_map"]
    rows = made.spec["datasets"]["rows"]
    names = {row["stream"] for row in rows}
    found: list[Any] = list(encodings(made.spec))
    (scale,) = (one["color"]["scale"] for one in found if "color" in one)
    assert set(scale["domain"]) == names
    assert len(set(scale["range"])) == len(names)  # no colour twice, and grey for the others
    assert not more or scale["range"][-1] == GREY
    others = WORDS("traced.others")
    assert len(names) == stream_map.MOST + bool(more)
    assert (others in names) == bool(more)
    for begin in {row["t"] for row in rows}:
        column = [row for row in rows if row["t"] == begin]
        assert column[0]["low"] == 0
        assert [row["low"] for row in column[1:]] == [row["high"] for row in column[:-1]]
        assert sum(row["iops"] for row in column) == pytest.approx(column[-1]["high"])
    rare = sum(row["iops"] for row in rows if row["stream"] == others) / sum(row["iops"] for row in rows)
    assert rare == pytest.approx(more / (stream_map.MOST + more + 2), abs=0.02)


def test_shares_have_the_most_frequent_streams(tmp_path: Path) -> None:
    few = traced(tmp_path, streams=3, seconds=2)["shares"].spec["datasets"]
    assert [len(few[name]) for name in ("rows", "sums")] == [6, 3]
    assert few["sums"][-1]["sum"] == pytest.approx(100)
    many = traced(tmp_path, streams=shares.MOST + 4, seconds=2)["shares"].spec["datasets"]
    assert len(many["sums"]) == shares.MOST
    assert many["sums"][-1]["sum"] == pytest.approx(100 * (shares.MOST + 2) / (shares.MOST + 6))
    assert [row["sum"] for row in many["sums"]] == sorted(row["sum"] for row in many["sums"])


def test_convergence_has_a_line_of_each_block_size_up_to_the_most() -> None:
    assert MOST_SERIES == 12  # series beyond it have colours that cannot be told apart
    for many in (MOST_SERIES, MOST_SERIES + 2):
        blocks = [4 * (n + 1) for n in range(many)]
        tests = {"iops": {"blocks_kib": blocks, "mixes": [0]}}
        run = made("iops", rounds=2, shorten=60, interval_s=10.0, tests=tests)
        (one,) = draw(run, run.plan.tests[0], WORDS)
        assert len({row["series"] for row in one.rows["rows"]}) == MOST_SERIES
