"""What leaves the house in other programs' formats, read back by them, tells the figures of the one source."""

import csv
import json
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hdrh.histogram import HdrHistogram
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from stend.findings.look import figures as source
from stend.findings.look.figures import Direction, of_record
from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.record import Run
from stend.model.stats import bin_edges_ns
from stend.model.tally import PERCENTS
from stend.report import csv as as_csv
from stend.report import hdr, openmetrics, parquet
from stend.report import json as as_json
from stend.report.parts.records import WAITS
from tests.test_one_source import doubled, whole  # noqa: F401  the fixture is asked by name

ENDS_NS = [bin_edges_ns(index)[1] for index in range(2000)]
HDR_ERROR = 0.009
"""What `hdr.ERROR` says: half a bin and three digits."""
FIGURES = ("iops", "bytes_per_s", *(f"{way}_{name}" for way in ("read", "write") for name in WAITS))


def holds(run: Run) -> list[Result]:
    return [result for result in run.results if isinstance(result.step, Hold)]


def table(form: str, into: Path) -> list[dict[str, Any]]:
    """The records as a program that knows nothing of us reads them."""
    runs: list[tuple[Path, Run, dict[str, Any]]] = [(Path("a"), whole(), {})]
    match form:
        case "csv":
            (path,) = as_csv.write(runs, "en", "pts", into)
            rows: list[dict[str, Any]] = list(csv.DictReader(path.read_text("utf-8").splitlines()))
        case "parquet":
            (path,) = parquet.write(runs, "en", "pts", into)
            found = duckdb.connect().execute(f"from '{path}'")
            names = [column[0] for column in found.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        case _:
            path, _ = as_json.write(runs, "en", "pts", into)
            rows = json.loads(path.read_bytes())["runs"][0]["records"]
    return [row for row in rows if row["kind"] == "hold"]


def of_source(result: Result) -> Iterator[tuple[str, float | None]]:
    yield "iops", of_record(result, "both")["iops"]
    yield "bytes_per_s", of_record(result, "both")["throughput"]
    ways: tuple[Direction, ...] = ("read", "write")
    yield from ((f"{way}_{name}", of_record(result, way)[what]) for way in ways for name, what in WAITS.items())


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_every_row_read_back_is_the_source_s_record(form: str, tmp_path: Path) -> None:
    rows, records = table(form, tmp_path), holds(whole())
    assert len(rows) == len(records) > 300
    for row, record in zip(rows, records, strict=True):
        for name, value in of_source(record):
            assert (float(row[name]) if row[name] not in ("", None) else None) == value, (name, record.where)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_table_follows_the_source(form: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    before = table(form, tmp_path)
    request.getfixturevalue("doubled")
    after = table(form, tmp_path)
    told = [(b[name], a[name]) for b, a in zip(before, after, strict=True) for name in FIGURES if b[name]]
    assert len(told) > 3000
    assert all(float(now) == 2 * float(was) for was, now in told if float(was))


def samples(into: Path) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    (path,) = openmetrics.write([(Path("a"), whole(), {})], "en", "pts", into)
    families = text_string_to_metric_families(path.read_text("utf-8"))  # type: ignore[no-untyped-call]
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for f in families for s in f.samples}


def test_openmetrics_follow_the_source_and_count_what_was_recorded(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    before = samples(tmp_path)
    request.getfixturevalue("doubled")
    after = samples(tmp_path)
    counted = ("_info", "_steady", "_count", "_sum")
    figures = [key for key in before if not key[0].endswith(counted)]
    assert len(figures) > 500
    assert all(after[key] == pytest.approx(2 * before[key], rel=1e-12) for key in figures)
    every = {row.tally.ios for row in source.figures(whole())}
    assert {value for key, value in before.items() if key[0].endswith("_count")} == every - {0}


def intervals(into: Path) -> list[HdrHistogram]:
    """The histograms of the records in their order, as HdrHistogram's own decoder reads them."""
    (path,) = hdr.write([(Path("a"), whole(), {})], "en", "pts", into)
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("Tag=")]
    return [HdrHistogram.decode(line.split(",")[-1]) for line in lines]


@pytest.mark.slow
def test_a_histogram_tells_the_percentiles_of_the_source_within_its_bound(tmp_path: Path) -> None:
    ways: tuple[Direction, ...] = ("read", "write")
    binned = [(record, way) for record in holds(whole()) for way in ways if getattr(record.counts, way).bins]
    compared = 0
    for (record, way), histogram in zip(binned, intervals(tmp_path), strict=True):
        ios = getattr(record.counts, way).ios
        assert histogram.get_total_count() == ios
        ranks = {  # with its neighbours, for ranks are rounded differently
            name: (percent - 100 / ios, min(percent + 100 / ios, 100.0)) for name, percent in PERCENTS.items()
        }
        values = histogram.get_percentile_to_value_dict([max(rank, 0.0) for both in ranks.values() for rank in both])
        for name, both in ranks.items():
            if (asked := of_record(record, way)[name]) is not None:
                apart = max(_bin_ns(asked * 1e9), asked * 1e9 * HDR_ERROR)
                least, most = (values[rank] for rank in both)
                assert least - apart <= asked * 1e9 <= most + apart, (record.where, way, name)
                compared += 1
    assert compared > 300


def _bin_ns(value_ns: float) -> int:
    """The width of the bin that a value lies in: the source's interpolation and a bin's middle share it."""
    lower, end = bin_edges_ns(bisect_right(ENDS_NS, value_ns))
    return end - lower
