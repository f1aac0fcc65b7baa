"""Sentences and charts of the service tests where the sample carries no p99, and where there are no writes."""

import re
from pathlib import Path

import msgspec
import pytest

from stend import findings, store
from stend.base.units import GiB
from stend.charts import pictures
from stend.findings import Finding, neighbours
from stend.findings.look.figures import answers
from stend.findings.look.neighbours import pairs
from stend.many.compare.differences import quantities
from stend.many.sides import key_of
from stend.model import service_band
from stend.model.definition import Hold, Workload
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.service_map import Axes
from stend.planning.plan import load_profile
from stend.report.story.telling import story
from stend.sentences import finding_said
from stend.session import Request, start
from stend.words import Language
from tests.pictures import run_of
from tests.synthetic import Truth, made
from tests.test_service_findings import changed, tally


def of(run: Run, name: str, *keys: str) -> list[Finding]:
    return [finding for finding in findings.find(run) if finding.name == name and (finding.key in keys or not keys)]


def slower(result: Result, load: Workload) -> Result:
    """50 reads beside each neighbour; beside 32 trims they take 20 ms, beside others 5 ms."""
    if not load.beside or load.sync == "flush":
        return result
    other = load.beside[0]
    ns = 20e6 if other.trim_pct and other.depth == 32 else 5e6
    return msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, read=tally((50, ns))))


def test_without_any_p99_the_page_names_the_neighbour_with_the_longest_mean() -> None:
    run = changed(run_of("neighbours"), slower)
    (finding,) = of(run, "neighbours", "few_mean_fallen")
    values = finding.values
    assert (values["phase"], values["neighbour"], values["depth"]) == ("beside-reads", "trim", 32)
    assert values["beside"] == pytest.approx(20e-3)
    rows = {r.step.workload: r.counts for r in run.of("neighbours", "beside-reads") if isinstance(r.step, Hold)}
    trims = next(
        c for load, c in rows.items() if load.beside and load.beside[0].trim_pct and load.beside[0].depth == 32
    )
    assert values["iops"] == pytest.approx(trims.iops)
    assert "20.0\N{NO-BREAK SPACE}ms" in finding_said(finding, Language("en"))
    assert "20,0\N{NO-BREAK SPACE}мс" in finding_said(finding, Language("ru"))


def quicker(result: Result, load: Workload) -> Result:
    """50 reads beside each neighbour, of 1 µs."""
    if not load.beside or load.sync == "flush":
        return result
    return msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, read=tally((50, 1e3))))


def test_no_neighbour_is_named_for_the_longest_mean_if_none_is_longer_than_alone() -> None:
    run = changed(run_of("neighbours"), quicker)
    (finding,) = (finding for finding in of(run, "neighbours", "few_mean", "few_mean_fallen", "few_alike"))
    assert (finding.key, finding.values["phase"]) == ("few_alike", "beside-reads")
    assert "none takes longer" in finding_said(finding, Language("en"))


def test_reads_that_take_as_long_beside_a_neighbour_are_not_called_longer() -> None:
    """The means differ by a thousandth, and beside streams too few reads for a mean are answered."""

    def same(result: Result, load: Workload) -> Result:
        ns = 5e6 if load.beside and not load.beside[0].random_pct else 99.8e3 if load.beside else 99.7e3
        read = tally((5 if ns == 5e6 else 50, ns))
        sends = load.sync == "none" and load.rate_iops
        return (
            msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, read=read))
            if sends
            else result
        )

    found = of(changed(run_of("neighbours"), same), "neighbours")
    (finding,) = (one for one in found if one.values.get("phase") == "beside-reads" and one.key.startswith("few"))
    assert (finding.key, finding.confidence) == ("few", "can't tell")


def rare(result: Result, load: Workload) -> Result:
    """Beside 32 trims only five reads are answered, after 20 ms; beside the others 50 reads take 1 µs."""
    changed_result = quicker(result, load)
    if not load.beside or load.sync == "flush" or not (load.beside[0].trim_pct and load.beside[0].depth == 32):
        return changed_result
    return msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, read=tally((5, 20e6))))


def test_a_neighbour_with_few_slow_reads_is_not_passed_over_as_none_that_takes_longer() -> None:
    every = of(changed(run_of("neighbours"), rare), "neighbours", "few", "few_mean", "few_mean_fallen", "few_alike")
    assert [(finding.key, finding.values["phase"]) for finding in every] == [("few", "beside-reads")]


def test_the_longest_mean_is_that_where_ten_reads_were_completed() -> None:
    run = changed(run_of("neighbours"), slower)
    (finding,) = of(run, "neighbours", "few_mean_fallen")
    assert "Where at least ten were completed" in finding_said(finding, Language("en"))
    assert "где их не меньше десяти" in finding_said(finding, Language("ru"))


def test_reads_of_trimmed_blocks_that_are_faster_are_not_called_slower() -> None:
    values = {"share": 0.5, "alone": 92e-6, "beside": 84e-6, "times": 0.91, "covered": 1.0}
    faster = Finding(key="reads_covered", test="trim", values=values, name="trim")
    assert "дольше" not in finding_said(faster, Language("ru"))


def test_a_neighbour_of_a_study_is_named_in_words() -> None:
    values = {"phase": "beside-reads", "neighbour": "RND 1024K 0/100", "depth": 128}
    stopped = Finding(key="stopped", test="neighbours", values=values, name="neighbours")
    assert "beside random write 1\N{NO-BREAK SPACE}MiB at QD128" in finding_said(stopped, Language("en"))
    assert "случайная запись 1\N{NO-BREAK SPACE}МиБ" in finding_said(stopped, Language("ru"))


def test_a_load_that_all_but_stops_keeps_more_than_no_percent_of_its_rate() -> None:
    values = {"phase": "beside-synced-writes", "neighbour": "trim", "depth": 32, "mean": 0.26, "iops": 3.83}
    left = Finding(key="unknown_fallen", test="neighbours", values=values | {"kept": 3.83 / 40962}, name="neighbours")
    assert "0.0094% remain: 3.83" in finding_said(left, Language("en"))


def test_a_journal_without_a_single_writer_names_the_setting() -> None:
    profile = msgspec.structs.replace(load_profile("enterprise-2.0.2"), tests={"journal": {"threads_ladder": [4]}})
    run = made("journal", truth=Truth(capacity_bytes=8 * GiB), profile=profile, interval_s=10.0, shorten=60)
    assert [finding.key for finding in of(run, "journal")] == ["no_single"]


def test_questions_of_service_tests_claim_no_default_of_a_setting() -> None:
    """A study or `--quick` changes limits, rests and writers, and the text under the title is the same."""
    for words in (Language("en"), Language("ru")):
        for name in ("journal", "rates", "power", "wake"):
            text = words(f"question.{name}.what")
            assert not re.search(r"1, 2, 5|60|(?i:sixteen|шестнадцати)|32", text), text


def test_a_comparison_counts_synced_writes_and_leaves_out_the_flush_before_the_rest() -> None:
    run = run_of("journal")
    figures = {key for key in map(key_of, answers(run)) if key.direction == "both"}
    assert figures
    assert "rest" not in {key.phase for key in figures}
    for key in figures:
        rate = "iops" if key.service or key.random_pct else "throughput"
        assert next(quantities(key)) == rate, key


def test_a_chart_of_the_p99_without_a_neighbour_is_not_drawn() -> None:
    title = Language("en").phase("beside-reads")
    for run, many in ((run_of("neighbours"), 2), (changed(run_of("neighbours"), slower), 1)):
        drawn = [p.title for p in pictures("neighbours", run, run.plan.tests[0]) if p.title.endswith(title)]
        assert len(drawn) == many


def unknown(result: Result, load: Workload) -> Result:
    """Beside 32 trims only 50 reads are answered, after 20 ms; beside the others the p99 is known and shorter."""
    return slower(result, load) if load.beside and load.beside[0].trim_pct and load.beside[0].depth == 32 else result


def test_the_worst_known_neighbour_is_not_called_the_worst() -> None:
    every = of(changed(run_of("neighbours"), unknown), "neighbours")
    found = {finding.key: finding for finding in every if finding.values["phase"] == "beside-reads"}
    assert "worst" not in found
    assert "worst_fallen" not in found
    assert found["unknown_fallen"].values["neighbour"] == "trim"
    assert [*found] == ["unknown_fallen", "worst_known"], "page one has the first"
    for lang in ("en", "ru"):
        assert finding_said(found["worst_known"], Language(lang))


@pytest.mark.parametrize(
    ("alone", "beside", "fallen"),
    [
        (1000, 840, True),
        (1000, 880, False),
        (10_000, 8800, True),
        (10_000, 9500, False),
        (1000, 1170, False),
        (12, 14, False),
        (12, 7, False),
        (120, 60, True),
    ],
)
def test_a_victim_lost_its_rate_only_if_counts_of_so_many_ios_show_it(alone: int, beside: int, *, fallen: bool) -> None:
    """Counts of a rate scatter by their square root: 12 and 7 IOs are one rate, 120 and 60 are two."""
    run = run_of("neighbours")
    test = run.plan.tests[0]
    (first, second, *_) = pairs(run, test)["beside-reads"]
    counted = [
        pair._replace(row=pair.row._replace(seconds=1.0, tally=tally((ios, 1e6))))
        for pair, ios in ((first, alone), (second, beside))
    ]
    assert neighbours._fallen(run, *counted) is fallen


@pytest.mark.parametrize(
    ("longest_s", "rate", "fallen"), [(0.01, 1000.0, True), (0.13, 1000.0, False), (0.13, 0.0, True)]
)
def test_ios_that_wait_when_a_short_window_ends_are_not_lost_at_a_rate(
    longest_s: float, rate: float, *, fallen: bool
) -> None:
    """200 IOs in 0.2 s alone, and beside a stream of long writes the same 200 in 0.33 s: 58% of the rate."""
    run = run_of("neighbours")
    (first, second, *_) = pairs(run, run.plan.tests[0])["beside-reads"]
    counted = [
        pair._replace(
            row=pair.row._replace(
                seconds=seconds,
                tally=tally((200, longest_s * 1e9)),
                workload=msgspec.structs.replace(pair.row.workload, rate_iops=rate),
            )
        )
        for pair, seconds in ((first, 0.2), (second, 0.344))
    ]
    assert neighbours._fallen(run, *counted) is fallen


@pytest.mark.parametrize(("most", "key"), [(800, "falls"), (1000, "level"), (2000, "grows")])
def test_writers_that_lower_the_rate_do_not_gain_little(most: int, key: str) -> None:
    def rated(result: Result, load: Workload) -> Result:
        ios = 1000 if load.threads == 1 else most
        seconds = result.counts.seconds
        counts = msgspec.structs.replace(result.counts, write=tally((round(ios * seconds), 1e6)), cpu_s=0.1 * seconds)
        pace = Pace(flush=tally((round(ios * seconds), 9e5)))
        return msgspec.structs.replace(result, counts=counts, pace=pace) if load.sync == "flush" else result

    (found,) = of(changed(run_of("journal"), rated), "journal", "falls", "level", "grows")
    assert found.key == key
    assert found.side == ("pro" if key == "grows" else "con")
    assert finding_said(found, Language("ru"))


@pytest.mark.parametrize("key", ["flat_alone", "host_alone"])
@pytest.mark.parametrize(("lang", "words"), [("en", "without writes"), ("ru", "без записи")])
def test_reads_alone_are_not_beside_no_writes(key: str, lang: str, words: str) -> None:
    values = {"percent": 99.0, "limit": 0.001, "low": 1e4, "high": 9e4, "written": 0.0, "reads": 1e5, "cells": 2}
    said = finding_said(Finding(name="service_map", key=key, test="service-map", values=values), Language(lang))
    assert words in said


def test_reads_alone_are_shaded_by_reads_only() -> None:
    """A contour that ends at a twentieth of the writes: to its left and right it is widened in both directions."""
    ends, steep = Axes(100_000, 1e9), [(0.0, 80_000.0), (5e7, 0.0), (1e9, 0.0)]
    assert service_band._tube(steep, 0.0, 0.1, ends) == (70_000, 90_000)
    assert service_band._tube(steep, 5e7, 0.1, ends) == (0, 90_000)


def test_of_percentiles_with_too_few_reads_the_lowest_is_named() -> None:
    """A disk of 50 reads per second: a step has too few of them for p99, and thus for p99.9."""
    run = changed(run_of("service-map"), lambda result, _: result, scale=10**7)
    (finding,) = of(run, "service_map", "few")
    assert finding.values["percent"] == 99.0


@pytest.mark.slow
def test_the_page_of_a_scaled_drive_says_what_its_percentiles_rest_on(tmp_path: Path) -> None:
    for target, said in (("sim:kc2000?scale=256", True), ("sim:small", False)):
        into = str(tmp_path / target.partition("?")[0][4:])
        with start(Request(["fresh"], target, quick=True, into=into)) as under_way:
            for _ in under_way:
                pass
        run = store.load(under_way.folder)
        for lang, words in (("en", "one of 256 IOs"), ("ru", "одну операцию из 256")):
            assert (words in str(story([(None, run, {})], None, lang))) is said


@pytest.mark.parametrize(
    ("usual_ms", "longest_ms", "stated"), [(0.022, 500, True), (0.022, 90, False), (9.0, 500, False)]
)
def test_a_rare_stall_of_synced_writes_is_stated_beside_their_p99(
    usual_ms: float, longest_ms: float, *, stated: bool
) -> None:
    """A drive that stops for half a second every ten seconds: its mean exceeds its p99, and only the longest shows why.

    etcd sends a heartbeat every 100 ms. Beside a p99 of 9 ms, half a second is a tail as of many drives.
    """

    def hiccups(result: Result, load: Workload) -> Result:
        counts = msgspec.structs.replace(result.counts, write=tally((99_999, usual_ms * 1e6), (6, longest_ms * 1e6)))
        return msgspec.structs.replace(result, counts=counts) if load.sync == "flush" else result

    found = of(changed(run_of("journal"), hiccups), "journal", "longest")
    assert bool(found) is stated
    for finding in found:
        assert finding.values["max_s"] == longest_ms / 1e3
        assert "The longest of them took 500\N{NO-BREAK SPACE}ms." in finding_said(finding, Language("en"))
        assert finding_said(finding, Language("ru"))
