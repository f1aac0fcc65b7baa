"""Several drives on one ladder: each mark is one recorded figure, and a drive alone has the charts of its test."""

from functools import cache
from typing import Any

import pytest

from stend.base.units import GiB
from stend.charts import pictures
from stend.charts.beside import Side, picture
from stend.findings import look
from stend.model.record import Run
from stend.words import Language
from tests.synthetic import Truth, made

WORDS = Language("en")
TESTS = {"blocks": "block-sweep", "servers": "profiles", "crowd": "thread-queue-sweep", "hot": "hot-range"}


@cache
def run_of(test: str, model: str) -> Run:
    truth = Truth(capacity_bytes=8 * GiB, model=model)
    return made(test, truth=truth, profile="review", interval_s=20.0, shorten=60, rounds=5)


def side(test: str, model: str) -> Side:
    return Side(model, run_of(test, model))


@pytest.mark.parametrize("name", TESTS)
def test_two_runs_stand_on_the_same_axes_and_each_mark_is_a_figure_of_one(name: str) -> None:
    sides = [side(TESTS[name], "A"), side(TESTS[name], "B")]
    drawn = list(picture(name, sides, WORDS, []))
    assert drawn
    for one in drawn:
        rows = one.spec["datasets"]["rows"]
        assert {row["drive"] for row in rows} == {"A", "B"}
        for drive in sides:
            own = [row["value"] for row in rows if row["drive"] == drive.name]
            known = [r.counts.iops for r in look.records(run_of(TESTS[name], drive.name), TESTS[name])]
            known += [value for row in drive.rows for value in (row.iops, row.number("mean") * 1e3)]
            assert all(any(value == pytest.approx(v, rel=1e-5) for v in known) for value in own)


def test_of_threads_that_share_as_many_ios_the_fastest_counts_and_another_load_is_left_out() -> None:
    changes: dict[str, Any] = {"profile": "review", "interval_s": 20.0, "shorten": 60, "rounds": 5}
    larger = made("thread-queue-sweep", truth=Truth(capacity_bytes=16 * GiB), **changes)
    sides = [side("thread-queue-sweep", "A"), Side("B", larger)]
    rates, waits = (one.spec["datasets"]["rows"] for one in picture("crowd", sides, WORDS, []))
    own = [row for row in sides[0].rows if (row.phase, row.direction) == ("sweep", "both")]
    for n in {row.workload.outstanding for row in own}:
        best = max((row for row in own if row.workload.outstanding == n), key=lambda row: row.iops)
        (rate,) = (row["value"] for row in rates if (row["n"], row["drive"]) == (n, "A"))
        (wait,) = (row["value"] for row in waits if (row["n"], row["drive"]) == (n, "A"))
        assert (rate, wait) == (pytest.approx(best.iops, rel=1e-5), pytest.approx(best.number("mean") * 1e3, rel=1e-5))
    options = {"thread-queue-sweep": {"block_kib": 4}}
    unlike = made("thread-queue-sweep", truth=Truth(capacity_bytes=8 * GiB), tests=options, **changes)
    assert not list(picture("crowd", [sides[0], Side("B", unlike)], WORDS, []))


@pytest.mark.parametrize("name", TESTS)
def test_a_drive_alone_or_beside_one_without_the_test_has_none(name: str) -> None:
    own = side(TESTS[name], "A")
    assert not list(picture(name, [own], WORDS, []))
    assert not list(picture(name, [own, side("fresh", "B")], WORDS, []))


def test_each_of_several_charts_names_its_value_and_has_a_caption_that_holds_for_it() -> None:
    sides = [side("block-sweep", model) for model in "ABC"]
    drawn = list(picture("blocks", sides, WORDS, []))
    assert len(drawn) > 2
    for one in drawn:
        most = dict.fromkeys("ABC", 0.0)
        for row in one.spec["datasets"]["rows"]:
            most[row["drive"]] = max(most[row["drive"]], row["value"])
        listed = ", ".join(f"{WORDS.show(value, 'said:rate')} ({name})" for name, value in most.items())
        assert one.says == f"{WORDS('beside.highest', listed=listed)} A, B and C coincide."


@pytest.mark.parametrize(("other", "noted"), [("review", False), ("enterprise-2.0.2", True)])
def test_what_precedes_the_pauses_of_each_drive_is_noted_if_it_differs(other: str, noted: bool) -> None:
    runs = {"A": "review", "B": other}
    sides = [Side(name, made("idle-recovery", profile=profile, shorten=60)) for name, profile in runs.items()]
    says = next(picture("rests", sides, WORDS, [])).says
    before = "A: saturation; B: writes until they were steady"
    assert (WORDS("beside.rests_before", listed=before) in says) == noted
    assert ("before the pauses" in says) == noted


def test_rare_answers_stand_at_the_load_they_were_measured_at_from_the_fewest_threads_that_reach_it() -> None:
    own = side("latency-curve", "A")
    drawn = list(picture("waits_by_iops", [own], WORDS, []))
    mixes = list(dict.fromkeys(r.workload.read_pct for r in own.rows))
    assert len(drawn) == len(mixes) >= 2
    for reads, one in zip(mixes, drawn, strict=True):
        longest = [row for row in one.spec["datasets"]["rows"] if row["name"] == WORDS("figure.max")]
        told = {row["n"]: (row["iops"], row["ms"]) for row in longest}
        known = [r for r in own.rows if (r.workload.read_pct, r.workload.block_bytes) == (reads, 4096)]
        known = [r for r in known if r.direction == "both" and not r.workload.rate_iops]
        assert set(told) == {r.workload.outstanding for r in known}
        for n, values in told.items():
            row = min((r for r in known if r.workload.outstanding == n), key=lambda r: r.workload.threads)
            assert values == (pytest.approx(row.iops, rel=1e-5), pytest.approx(row.number("max") * 1e3, rel=1e-5))


def test_cold_and_warm_ladders_show_the_longest_response_too() -> None:
    run = run_of("cold-warm", "A")
    (test,) = look.tests(run, "cold-warm")
    drawn = list(pictures("cold_warm", run, test))
    rows = drawn[2].spec["datasets"]["rows"]
    assert drawn[2].spec["layer"][0]["encoding"]["y"]["field"] == "max"
    known = [record.counts.max_s * 1e3 for record in look.records(run, "cold-warm")]
    assert all(any(row["max"] == pytest.approx(v, rel=1e-5) for v in known) for row in rows)
