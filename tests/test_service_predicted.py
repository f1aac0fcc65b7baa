"""Predictions for the service tests on drives and settings of no other test, written down before they were run.

They follow from the turn of a platter, from the sample that a percentile needs, from parallel flash, and from the space
that trims free.
"""

from pathlib import Path

import msgspec
import pytest

from stend import findings, store
from stend.findings import Finding
from stend.findings.look.figures import figures
from stend.findings.look.neighbours import pairs
from stend.model import service_map
from stend.model.record import Run
from stend.model.service_map import Key
from stend.session import Request, start

MINUTE = 60.0


def ran(
    into: Path, test: str, target: str, minute_s: float | None = None, *, quick: bool = True, **settings: object
) -> Run:
    study = {"title": test, "profile": "review", "tests": [test], "settings": {"tests": {test: settings}}}
    (into / "study.toml").write_bytes(msgspec.toml.encode(study))
    names = [str(into / "study.toml")]
    with start(Request(names, f"sim:{target}", quick=quick, seed=5, minute_s=minute_s, into=str(into / "run"))) as run:
        for _ in run:
            pass
    return store.load(run.folder)


def said(run: Run, name: str, key: str) -> list[Finding]:
    return [finding for finding in findings.find(run) if finding.name == name and finding.key == key]


def test_one_writer_of_a_hybrid_disk_commits_once_per_turn(tmp_path: Path) -> None:
    """10,500 turns per minute: 175 commits per second, whatever the size.

    16 writers were predicted to more than double that, because flushes combine. They do not: each writes at another
    place, and the head needs a seek and half a turn for each (here 308 per second). The rate of the head limits them.
    """
    run = ran(tmp_path, "journal", "st1800mm0088", 10.0)
    rows = [row for row in figures(run) if row.phase == "journal" and row.direction == "both"]
    single = [row.iops for row in rows if row.workload.threads == 1 and row.workload.block_bytes < 65536]
    assert all(150 < rate < 176 for rate in single)
    most = max(row.iops for row in rows if row.workload.threads == 16)
    assert 1.5 * max(single) < most < 450


def test_seven_reads_per_second_have_no_p99(tmp_path: Path) -> None:
    """A minute of 7 per second has 420 reads, and a p99 needs 1,000: no inflation is stated."""
    run = ran(
        tmp_path,
        "neighbours",
        "st600mx0052",
        MINUTE,
        rates_iops=[7, 7],
        victims=["reads"],
        depths=[1],
        neighbours=["read"],
    )
    assert said(run, "neighbours", "few_mean")
    assert not said(run, "neighbours", "worst")
    assert not said(run, "neighbours", "worst")
    assert not said(run, "neighbours", "changed")


def test_one_read_beside_another_keeps_most_of_its_rate_on_flash(tmp_path: Path) -> None:
    """Two reads in flight meet on the same die seldom: each keeps at least 80 % of its rate alone."""
    run = ran(
        tmp_path, "neighbours", "px02sm", 10.0, rates_iops=[0, 0], victims=["reads"], depths=[1], neighbours=["read"]
    )
    (every,) = pairs(run, run.plan.tests[0]).values()
    alone, beside = every
    assert 0.8 * alone.row.iops < beside.row.iops <= 1.02 * alone.row.iops
    (held,) = [r for r in run.results if r.beside]
    assert held.beside[0].counts.iops == pytest.approx(held.counts.iops, rel=0.05)


def test_a_trimmed_half_lowers_write_amplification(tmp_path: Path) -> None:
    """Trimmed blocks are spare space: cleaning copies less, and no more bytes are programmed than before.

    The prediction was made for flashmax3, which in so short a run writes into empty blocks and cleans nothing: that
    trimming gains nothing was no answer. At full length it gains (267,000 IOPS instead of 142,000).
    """
    short = ran(tmp_path, "trim", "flashmax3", 2.0)
    assert [f.confidence for f in said(short, "trim", "no_cleaning")] == ["can't tell"]
    assert not said(short, "trim", "no_gain_amplified")
    (tmp_path / "cleans").mkdir()
    run = ran(tmp_path / "cleans", "trim", "small", 20.0)
    found = [f for key in ("gains_amplified", "no_gain_amplified") for f in said(run, "trim", key)]
    assert len(found) == 1
    assert found[0].values["amplified"] < found[0].values["amplified_full"]
    assert found[0].values["times"] > 0.95


def test_a_small_map_is_monotonous_and_ends_within_the_drive(tmp_path: Path) -> None:
    """12 cells for one limit and p90: the contour falls as writes rise, and reads alone are below the closed loop's."""
    run = ran(tmp_path, "service-map", "saber1000", 10.0, limits_ms=[0.5], percentiles=[90.0], cells=12)
    (test,) = run.plan.tests
    cells, ends = service_map.cells(run, test), service_map.axes(run, test)
    assert len(cells) <= 12
    points = service_map.contour(cells, Key(90.0, 0.0005), ends)
    reads = [y for _, y in points]
    assert reads == sorted(reads, reverse=True)
    assert 0 < reads[0] < ends.reads
