"""A figure has one source: when that tells something else, so does whatever shows it; no name has two numbers."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from stend import charts, findings, suite
from stend.base.units import GiB
from stend.cli import _summary
from stend.findings.judgement.evidence import evidence
from stend.findings.look import figures as source
from stend.findings.look.once import once
from stend.model.record import Run
from stend.report.parts import Keys
from stend.report.parts.document import protocol
from stend.report.parts.records import rows
from stend.report.story.telling import story
from stend.words import Language
from tests.pictures import run_of
from tests.synthetic import Truth, made

pytestmark = pytest.mark.together
WORDS = Language("en")
TESTS = (
    "fresh", "iops", "throughput", "latency", "write-saturation", "idle-recovery", "profiles", "block-sweep",
    "latency-curve", "slc-cache",
)  # fmt: skip
SHEET = {"claimed": {"rand_write_4k": 150_000, "rand_read_4k": 250_000}, "peers": ["saber1000"], "price": 100}
COUNTED = ("seconds", "gap_s", "cpu_s", "end_s", "deviation_s")
"""Columns that are no figures: what was asked for and what was counted."""
COURSES = {
    "claims", "cold_warm", "convergence", "cross_stimulus", "demand", "exceedance", "headroom",
    "heat", "hot_range", "latency_heat", "lba_profile", "media_map", "service_map",
    "replay", "replay_time", "saturation", "saturation_fills", "slc_bytes", "slc_time",
    "surface_map", "temperature", "watts", "window",
}  # fmt: skip
"""Charts of single records, of rounds or of best moments: each point is one, none is a figure of a state."""
OF_COURSES = {
    "capacity", "start", "uneven", "cache_share", "cache_bytes", "cache_first", "cache_fall", "stream_end",
    "cache_next", "cache_last",
    "block_threads", "back_rest", "rested_rest", "unrested", "knee_s", "knee_bytes", "later", "later_s", "brief_s",
    "rested_bytes", "rested_low", "rested_high", "rested_enough",
    "rested_before", "back_gain", "rested_less", "rested_less_rest",
    "rested_first", "deep_reads", "deep_writes", "deep_reads_at", "deep_writes_at", "server_depth", "database_depth",
    "sat_s", "sat_fills", "fallen_s", "held", "fresh_writes", "big_block", "big_share", "fall", "sweep_deep",
    "sweep_shallow", "sweep_at", "sweep_near_at", "hot_bytes", "seq_part", "seq_outer", "again", "again_end",
    "cache_at", "write_tail_at", "mix_tail_at", "write_queued", "mix_queued", "rested_share", "full_rest", "rested_of",
    "buffer_block", "buffer_reads", "buffer_at",
    "reads_in_rounds", "mix_in_rounds", "stream_rounds", "sat_part", "demand_at",
    "mix_tail_reads", "mix_tail_writes", "wavers", "wavers_low", "wavers_high",
    "spot_from", "spot_to",
}  # fmt: skip
"""Evidence that a finding reads off a course, that the plan or the sheet tells."""


@cache
def whole() -> Run:
    return made(*TESTS, truth=Truth(capacity_bytes=8 * GiB), profile="review", interval_s=10.0, shorten=60, rounds=5)


def screens(run: Run) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_summary.lines(run)):
        if told := re.match(r" {4}\S.* T\d+ Q\d+ +(\S+) +(\S+) +(\S+ \S+) +(\S+ \S+)", line):
            yield from ((f"screen {number} {place}", text) for place, text in enumerate(told.groups()))
        elif re.match(r" +\d+K +", line):
            yield from ((f"matrix {number} {place}", cell) for place, cell in enumerate(line.split()[1:]))
    for number, result in enumerate(_summary.figures(run)["results"]):
        for way in ("read", "write"):
            for name, value in result.get(way, {}).items():
                if name != "ios":
                    yield f"show --json {number} {way} {name}", str(value or "")
        yield f"show --json {number}", str(result.get("iops", ""))


def pages(run: Run) -> Iterator[tuple[str, str]]:
    page = protocol([(None, run, {})], "en")
    (keys,) = [block for block in page.lead.blocks if isinstance(block, Keys)]
    yield from ((f"card {key.name}", key.value) for key in keys.keys)
    for chapter in page.sections:
        for table in chapter.tables if chapter.anchor.startswith("part-1-") else ():
            for row in table.rows if "verification" not in table.title else ():
                yield from ((f"{chapter.anchor} {table.title} {row[0]} {n}", c) for n, c in enumerate(row[1:]))
    for asked in story([(None, run, {})], [], "en").sections[:-1]:  # without the method
        for table in asked.tables:
            for row in table.rows:
                yield from ((f"story {table.title} {row[0]} {n}", c) for n, c in enumerate(row[2:]))


def exports(run: Run) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(rows(run, "a")):
        for name, value in row.items():
            if name.endswith(("_s", "iops")) and name not in COUNTED and "deviation" not in name:
                yield f"records {number} {name}", str(value or "")


def told(run: Run) -> dict[str, str]:
    """Place -> number, of all places that show a figure and know one."""
    every = (*screens(run), *pages(run), *exports(run))
    return {place: text for place, text in every if re.search("[1-9]", text)}


@pytest.fixture
def doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The source tells every figure twice as large, to whoever asks it."""
    real = source.quantities

    def twice(*asked: object) -> dict[str, float | None]:
        values = real(*asked)  # type: ignore[arg-type]
        return {name: None if value is None else 2 * value for name, value in values.items()}

    for module in list(sys.modules.values()):
        if getattr(module, "quantities", None) is real:
            monkeypatch.setattr(module, "quantities", twice)


def test_every_screen_table_card_and_export_follows_the_source(request: pytest.FixtureRequest) -> None:
    before = told(whole())
    request.getfixturevalue("doubled")
    after = told(whole())
    assert len(before) > 3000
    assert not [place for place, text in before.items() if after[place] == text]


@pytest.mark.slow
def test_every_chart_follows_the_source_or_shows_a_course(request: pytest.FixtureRequest) -> None:
    def drawn() -> dict[str, list[object]]:
        found: dict[str, list[object]] = {}
        for test in suite.names():
            for picture in charts.of(run_of(test), run_of(test).plan.tests[0], "en", SHEET):
                found.setdefault(picture.name, []).append(picture.spec["datasets"])
        return found

    before = drawn()
    request.getfixturevalue("doubled")
    after = drawn()
    assert {name for name in before if before[name] == after[name]} == COURSES


def test_findings_and_evidence_follow_the_source_or_a_course(request: pytest.FixtureRequest) -> None:
    def known() -> tuple[dict[str, float], dict[str, float]]:
        run = whole()
        found = tuple(findings.find(run, SHEET))
        values = {
            f"{one.name} {one.key} {name}": one.values[name]
            for one in found
            for name in ("own", "per_kiops", "iops", "most", "mixed", "alone")
            if name in one.values
        }
        return evidence(run, SHEET, found).figures, values

    before = known()
    request.getfixturevalue("doubled")
    after = known()
    assert len(before[1]) > 5
    assert {name for name in before[0] if before[0][name] == after[0][name]} <= OF_COURSES
    assert not [name for name in before[1] if before[1][name] == after[1][name]]


def test_no_name_state_and_window_has_two_numbers() -> None:
    for run in (whole(), *(run_of(test) for test in suite.names())):
        listed = [r for t, p in run.phases() if run.of(t.name, p.name) for r in source.listed(run, t.name, p.name)]
        every = {row[:7]: row for row in listed}
        assert not [row for row in source.figures(run) if every.setdefault(row[:7], row) != row]
        assert max(Counter(row[:7] for row in source.figures(run)).values(), default=1) == 1
        named = Counter((*row[:4], row.workload, row.place, row.direction) for row in every.values())
        assert max(named.values(), default=1) == 1


def test_a_fold_is_worked_out_once_and_anew_when_the_run_has_grown() -> None:
    events = whole()
    run, asked = Run([events.started[0]]), []

    @once
    def fold(run: Run, name: str) -> int:
        asked.append(name)
        return len(run.results)

    assert (fold(run, "a"), fold(run, "a"), fold(run, "b")) == (0, 0, 0)
    run.add(events.results[0])
    assert fold(run, "a") == 1
    assert asked == ["a", "b", "a"]
