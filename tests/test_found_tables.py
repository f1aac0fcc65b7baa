"""Figures of sentences that findings read off a course are in a table: pauses, levels of a fill, hot ranges, a knee."""

import msgspec
import pytest

from stend import findings
from stend.base.units import MB, GiB
from stend.findings import Finding, cause, look
from stend.report.parts import Table
from stend.report.story import telling
from stend.report.story.found import FOUND, found_tables, having_table
from stend.report.story.page_one import Review
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made

EN = Language("en")
SMALL = 16 * GiB


def reviewed(test: str, truth: Truth, lang: str = "en") -> Review:
    run = made(test, truth=truth, interval_s=5.0)
    return telling.reviewed(run, {}, Language(lang))


def table(review: Review) -> Table | None:
    return next(found_tables({"": review}, [test.name for test in review.run.plan.tests], review.words), None)


def test_each_pause_has_the_rate_before_it_and_after_it_and_its_share_of_the_best_minute() -> None:
    review = reviewed("idle-recovery", Truth(capacity_bytes=SMALL, noise=0.0))
    (found,) = [f for f in review.findings if f.name == "idle_recovery"]
    made_table = table(review)
    assert made_table
    levels = found.values["levels"]
    assert len(made_table.rows) == len(levels) > 1
    for row, (rest, level) in zip(made_table.rows, levels.items(), strict=True):
        shown = (EN.show(float(rest), "time"), EN.show(found.values["befores"][rest], "rate"), EN.show(level, "rate"))
        assert row == (*shown, EN.show(level / found.values["fresh"], "pct"))


@pytest.mark.parametrize("steady", [200_000.0, 20_000.0], ids=["unfallen", "none"])
def test_pauses_that_change_nothing_are_one_row(steady: float) -> None:
    review = reviewed("idle-recovery", Truth(capacity_bytes=SMALL, recovery_bps=0.0, noise=0.0, steady_iops=steady))
    made_table = table(review)
    assert made_table
    assert [row[0] for row in made_table.rows] == ["5\N{NO-BREAK SPACE}s … 50\N{NO-BREAK SPACE}s"]
    page = telling.story([(None, review.run, {})], [], "en")
    titles = [block.title for section in page.sections for block in section.tables]
    assert EN("found.idle_recovery") in titles
    assert not [title for title in titles if "every workload" in title]


def test_pauses_whose_effect_is_unknown_are_one_row_only_if_none_gains() -> None:
    run = made("fresh", shorten=60)
    for best, count in ((351.0, 1), (900.0, 2)):
        befores = {"5": 455.0, "50": 455.0}
        values = {"before": 455.0, "befores": befores, "fresh": 460.0, "levels": {"5": 305.0, "50": best}}
        unknown = Finding(name="idle_recovery", key="because", test="idle-recovery", values=values)
        assert len(list(FOUND["idle_recovery"].rows(run, [unknown]))) == count


def test_the_volumes_of_the_levels_of_a_fill_add_up_to_the_capacity() -> None:
    slc = ((64 * GiB, 2100 * MB), (400 * GiB, 700 * MB), (float("inf"), 500 * MB))
    review = reviewed("slc-cache", Truth(slc=slc, noise=0.0))
    rows = list(FOUND["slc_cache"].rows(review.run, [f for f in review.findings if f.name == "slc_cache"]))
    fresh = [row for row in rows if row[0] == "fresh"]
    assert [rate for *_, rate in fresh] == pytest.approx([2100 * MB, 700 * MB, 500 * MB], rel=0.05)
    assert sum(volume for _, _, volume, _ in fresh) == pytest.approx(review.run.plan.device.capacity_bytes, rel=0.02)


@pytest.mark.parametrize(("rotational", "key"), [(False, "because"), (True, "gradual")])
def test_inner_tracks_of_a_disk_are_no_full_cache(rotational: bool, key: str) -> None:
    run = made("slc-cache", truth=Truth(slc=((320 * GiB, 170 * MB), (float("inf"), 110 * MB)), noise=0.0))
    device = msgspec.structs.replace(run.plan.device, rotational=rotational)
    run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))
    fresh = next(f for f in findings.named("slc_cache", run, {}) if f.values["state"] == "fresh")
    assert fresh.key == key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_volume_at_the_knee_is_in_a_table(lang: str) -> None:
    review = reviewed("write-saturation", Truth(capacity_bytes=SMALL, noise=0.0), lang)
    made_table = table(review)
    assert made_table
    assert review.words.show(review.figures["knee_bytes"], "gib") in made_table.rows[0]
    assert review.words.show(review.figures["writes"], "rate") in made_table.rows[-1]
    (test,) = review.run.plan.tests
    seconds = sum(r.counts.seconds for r in look.last_records(review.run, test, look.main_phase(review.run, test)))
    assert [row[0] for row in made_table.rows] == ["1", review.words("found.end", seconds=seconds)]


@pytest.mark.parametrize(("cache", "rows"), [(40 * GiB, True), (0, False)])
def test_a_hot_range_has_rows_only_if_some_mix_gains(cache: int, rows: bool) -> None:
    truth = Truth(cache_bytes=cache, cache_speedup=10, cache_fill_s=600, noise=0.0)
    review = reviewed("hot-range", truth)
    assert [f for f in review.findings if f.name == "hot_range"]
    assert bool(table(review)) is rows
    assert bool(having_table(review)) is rows


def test_the_rate_after_a_cache_whose_levels_are_unknown_is_that_of_the_table() -> None:
    """The last tenth of a QLC drive was faster than its rest: sentence and table had 88 and 78 MB/s."""
    run = made("slc-cache", truth=Truth(capacity_bytes=SMALL), profile="review-desktop", interval_s=1.0)
    values = {"state": "fresh", "size": 4.0 * GiB, "share": 0.25, "first": 2100e6, "last": 900e6, "about": ""}
    found = Finding(name="slc_cache", key="first", test="slc-cache", values=values, confidence="medium")
    (cells,) = (one for one in cause.find(run, {}, [found]) if one.key == "cells")
    *_, (_, _, _, rate) = FOUND["slc_cache"].rows(run, [found])
    assert cells.values["last"] == pytest.approx(rate)
    assert rate != pytest.approx(900e6, rel=0.1)


def test_the_page_of_rests_that_six_digits_do_not_hold_can_be_written() -> None:
    """A minute of ten seconds makes rests of 0.8333 to 8.3333 s: the page of such a run could not be written."""
    run = made("idle-recovery", truth=Truth(capacity_bytes=8 * GiB), profile="review", minute_s=10, shorten=60)
    (rests,) = (found for found in telling.reviewed(run, {}, EN).findings if found.name == "idle_recovery")
    assert f"{rests.values['best_rest']:g}" in rests.values["levels"]
    assert float(f"{rests.values['best_rest']:g}") != rests.values["best_rest"]
