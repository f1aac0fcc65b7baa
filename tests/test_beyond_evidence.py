"""A run that is short, cut off or interrupted by rests states no more than its records show."""

import re
from typing import Any

import msgspec
import pytest

from stend import charts, findings
from stend.base.errors import BadInput
from stend.base.units import GiB
from stend.charts.beside import waits
from stend.charts.parts.sides import Side
from stend.devices.virtual import VirtualDevice
from stend.findings import look
from stend.findings.judgement import Why
from stend.findings.judgement.evidence import evidence
from stend.findings.look import hits
from stend.findings.look.figures import figures
from stend.findings.look.grounds import Because
from stend.findings.look.headline import key_figures
from stend.findings.look.saturated import saturated
from stend.model.events import Event, Judged, Note
from stend.model.record import Run
from stend.planning import plan
from stend.report.parts import Items, Stamps, card
from stend.report.parts.method import method_section
from stend.report.story import page_one, questions, telling
from stend.report.story.telling import story
from stend.sentences import finding_said, why_said
from stend.sim import build, load
from stend.words import LANGUAGES, Language, Sentence
from tests.rehearsal import rehearsed, said
from tests.synthetic import Truth, events, made

EN = Language("en")
SHORT = {"minute_s": 0.2, "second_s": 0.02, "shorten": 60, "rounds": 5}
WARM = "small?thermal.ambient_c=40&thermal.kelvin_per_w=8&thermal.limit_c=70&thermal.throttle_pct=50&power.write_w=6"


def ran(drive: str, test: str, **changes: Any) -> Run:
    return Run(list(rehearsed(VirtualDevice("sim:small", load(drive)), test, "enterprise-2.0.2", **changes)))


@pytest.mark.parametrize(("drive", "cut_off"), [("small", False), ("small?dies_at_s=5", True)])
def test_the_chapter_of_a_test_that_failed_half_way_is_stamped(drive: str, cut_off: bool) -> None:
    run = ran(drive, "iops", **SHORT)
    (test,) = run.plan.tests
    assert any("TEST NOT FINISHED" in stamp for stamp in charts.stamped(run, test, EN)) is cut_off


@pytest.mark.parametrize(
    "accident",
    [
        "dies_at_s=2",
        "hangs_at_s=2&hang_s=99",
        "loses_power_at_s=2",
        "errors_from_bytes=67108864&errors_bytes=4096",
        "protected=false&lies_about_flush=true&loses_power_at_s=2",
    ],
)
def test_a_russian_page_names_the_failure_of_a_virtual_drive_in_russian(accident: str) -> None:
    run = ran(f"small?{accident}", "iops", **SHORT)
    assert run.ended is not None
    words = Language("ru").translated(run.ended.reason).replace("stend small", "").replace("dies_at_s", "")
    assert not re.search("[A-Za-z]", words)


def test_a_virtual_drive_without_room_for_its_dies_is_refused_by_its_size() -> None:
    with pytest.raises(BadInput, match="of 1 MiB is too small for its dies"):
        build(load("small?capacity_bytes=1048576"))


def test_the_cause_of_the_wait_of_a_disk_has_the_wait_of_page_one() -> None:
    """A smaller block at QD1 comes first in the ladder, and its mean is another one."""
    drive = "sas15k?capacity_bytes=4000000000"
    run = ran(drive, "latency-curve", minute_s=0.5, shorten=60)
    every = tuple(findings.find(run, {}))
    (turn,) = (finding for finding in every if (finding.name, finding.key) == ("cause", "turn"))
    assert turn.values["wait"] == pytest.approx(evidence(run, {}, every).figures["read_wait"], rel=1e-9)


@pytest.mark.parametrize(("minute_s", "fresh"), [(0.02, True), (2, False)])
def test_a_first_record_of_more_than_the_capacity_is_no_rate_of_a_purged_drive(minute_s: float, fresh: bool) -> None:
    """16 MiB are written in 50 ms."""
    run = ran(
        "small?capacity_bytes=16777216", "write-saturation", minute_s=minute_s, shorten=60, interval_s=minute_s / 40
    )
    test = run.plan.tests[0]
    course = saturated(run, test.name, test.phases[-2].name)
    assert course is not None
    assert course.fresh is fresh
    known = evidence(run, {}, ()).figures
    assert ("start" in known) is fresh
    assert ("fall" in known) is fresh
    assert ("begun_s" in known) is not fresh
    assert fresh or said(run, "saturation").key == "because"


def test_the_answer_about_a_saturation_without_a_start_gives_its_end_alone() -> None:
    (asked,) = (question for question in questions.questions() if question.name == "saturation")
    known = {"writes": 1e4, "sat_s": 60.0, "begun_s": 60.0}
    assert [answer.key for answer in asked.answers if answer.holds(known)] == ["answer_5"]
    for name in LANGUAGES:
        assert Language(name)("question.saturation.answer_5", **known)


def test_the_longest_write_of_a_saturation_is_that_of_the_whole_test() -> None:
    """The drive hangs for a second after the last record of the saturation, while response times are recorded."""
    calm = ran("small?capacity_bytes=16777216", "write-saturation", minute_s=1, shorten=60)
    at_s = max(result.t for result in calm.of("write-saturation", "histogram")) - 0.5
    hung = ran(f"small?capacity_bytes=16777216&hangs_at_s={at_s}&hang_s=1", "write-saturation", minute_s=1, shorten=60)
    assert evidence(calm, {}, ()).figures["longest"] < 0.1
    assert evidence(hung, {}, ()).figures["longest"] == pytest.approx(1.0, abs=0.1)


def test_a_chapter_about_several_drives_names_those_that_a_stamp_concerns() -> None:
    runs = [ran("small?dies_at_s=5", "iops", **SHORT), ran("small", "iops", **SHORT)]
    page = story([(None, run, {}) for run in runs], None, "en", names=("A", "B"))
    (chapter,) = (section for section in page.sections if section.anchor == "steady")
    (stamped,) = (block.texts for block in chapter.blocks if isinstance(block, Stamps))
    shortened, *named = stamped[0].split(" · ")
    assert shortened.startswith("SHORTENED: A MINUTE LASTED 200")  # of both, so that none is named
    assert named == ["A: TEST NOT FINISHED", "B: STEADY STATE NOT REACHED"]


@pytest.mark.parametrize("ended", [True, False])
def test_a_forecast_is_on_the_page_of_a_running_test_alone(ended: bool) -> None:
    run = ran("small", "iops", **SHORT)
    values = {"test": "iops", "phase": "rounds", "n": 3, "most": 5, "far": 2.0, "left": 2}
    run.add(Note(t=0.0, text=Sentence("forecast", **values)))
    if not ended:
        run.ended = None
    texts = [
        item.text
        for block in method_section(run, {}, {}, EN).blocks
        if isinstance(block, Items)
        for item in block.items
    ]
    assert any("is not to be expected" in text for text in texts) is not ended


def test_a_quick_run_of_a_study_lists_only_settings_that_it_has() -> None:
    _, profile, told = plan.gather(["quick-look"], None, {}, quick=True)
    assert profile.minute_s == plan.QUICK["minute_s"]
    assert not [text for text in map(str, told) if "seconds to a minute" in text or "GiB of the drive" in text]
    _, _, usual = plan.gather(["quick-look"], None, {})
    assert "at most 8 GiB of the drive are tested" in map(str, usual)


def test_a_latency_test_of_a_single_round_states_and_draws_its_response_times() -> None:
    """As in a quick look: without a measurement window, but after a fill, like its IOPS."""
    run = ran("small", "latency", **SHORT | {"rounds": 1})
    every = tuple(findings.find(run, {}))
    assert evidence(run, {}, every).figures["read_wait"] == pytest.approx(84e-6, rel=0.1)  # 60 us sense, bus, command
    assert len(list(waits.single([Side("small", run)], EN))) == 1


def test_a_saturation_that_wrote_less_than_the_capacity_saturated_nothing() -> None:
    """The rule may be met on clean flash: the rate is that of a fresh drive."""
    run = ran("small?capacity_bytes=137438953472&scale=64", "write-saturation", minute_s=0.2, shorten=60)
    assert {row.state for row in figures(run) if row.phase != "purge"} == {"fresh", "phase"}
    assert not {"writes", "write_tail", "fall"} & evidence(run, {}, tuple(findings.find(run, {}))).figures.keys()


def test_one_write_in_a_thousand_is_never_a_percentile_of_a_hundred() -> None:
    changes: dict[str, Any] = {"tests": {"write-saturation": {"histogram_minutes": 0}}}
    run = ran("small?capacity_bytes=1073741824&scale=16", "write-saturation", **SHORT | changes)
    (row,) = (r for r in figures(run) if r.state in ("saturated", "window"))
    assert row.value("p99") is not None
    assert row.value("p99.9") is None
    assert "write_tail" not in evidence(run, {}, tuple(findings.find(run, {}))).figures


def test_blocks_smaller_than_a_sector_are_named_by_their_bytes() -> None:
    run = ran("small?logical_bytes=4096", "latency", **SHORT)
    assert "blocks of 512 B do not exist on 4096-byte sectors" in map(str, run.plan.notes)


def test_a_cache_that_few_reads_could_fill_is_unknown_and_not_absent() -> None:
    spec = load("sas15k?disk.cache_bytes=8589934592&disk.cache_writes=through")
    spec = msgspec.structs.replace(spec, capacity_bytes=40_960_000_000)
    changes: dict[str, Any] = {"tests": {"cold-warm": {"hot_gib": 8, "mixes": [100], "depths": [1, 32]}}}
    run = Run(list(rehearsed(VirtualDevice("sim:sas15k", spec), "cold-warm", minute_s=0.2, shorten=60, **changes)))
    found = said(run, "cache_policy")
    assert (found.key, found.confidence) == ("unwarmed", "can't tell")


@pytest.mark.parametrize(
    ("gain", "hits", "key"),
    [(15.0, 1.0, "answer_1"), (1.27, 0.23, "answer_1"), (1.02, 0.0, "answer_2"), (1.2, None, None)],
)
def test_a_cache_that_holds_a_part_of_the_range_is_not_called_absent(
    gain: float, hits: float | None, key: str | None
) -> None:
    """A quarter of the reads from a cache makes a disk 1.3 times as fast at most."""
    (asked,) = (question for question in questions.questions() if question.name == "hot")
    known = {"hot_gain": gain, "hot_bytes": 1e10} | ({} if hits is None else {"hot_hits": hits})
    assert [answer.key for answer in asked.answers if answer.holds(known)] == [key] * (key is not None)


@pytest.mark.parametrize(
    ("share", "gain", "told"), [(0.0, 1.05, True), (0.001, 1.66, False), (0.4, 1.66, True), (0.1, 1.66, False)]
)
def test_a_share_of_hits_is_stated_only_where_it_explains_the_gain(share: float, gain: float, *, told: bool) -> None:
    """Of reads that became 1.66 times as fast at least two in five are hits, whatever their response times."""
    assert hits.explains(share, gain) is told


def test_a_hot_range_of_few_records_is_one_sentence_and_no_figure() -> None:
    run = ran("small?capacity_bytes=16777216", "hot-range", **SHORT)
    found = said(run, "hot_range")
    assert (found.key, found.confidence) == ("short", "can't tell")
    for lang in LANGUAGES:
        assert finding_said(found, Language(lang))
    assert "hot_gain" not in evidence(run, {}, (found,)).figures


def test_a_temperature_within_a_kelvin_for_seconds_is_not_settled() -> None:
    """8 W at 4 K/W lead to 57 C with a time constant of a minute; the loads last for 2 s each."""
    run = ran("small?power.write_w=8", "heat", **SHORT)
    writes, reads = (finding for finding in findings.find(run, {}) if finding.name == "heat")
    assert (writes.key, reads.key) == ("brief", "brief")
    for lang in LANGUAGES:
        assert finding_said(writes, Language(lang))


def test_a_use_that_heat_leaves_open_in_two_tests_has_the_reason_once() -> None:
    """The times are those of different tests, which the sentence does not name."""
    causes = tuple(Because("throttled", {"seconds": seconds}) for seconds in (6120.0, 15960.0))
    assert why_said(Why(reasons=(), because=causes, tests=(), facts=()), EN) == EN("because.throttled_run")


def test_a_drive_that_throttles_throughout_has_no_fall_of_its_rate() -> None:
    run = ran("small?thermal.limit_c=32&overheats_at_s=100", "heat")
    for found in (finding for finding in findings.find(run, {}) if finding.name == "heat"):
        assert found.key == "throttled_throughout"
        for lang in LANGUAGES:
            assert finding_said(found, Language(lang))


def test_throttling_within_the_first_minute_gives_bounds_and_counts_no_rest() -> None:
    """From 48 C, 6 W at 8 K/W lead to 70 C after 48 s. The 15 minutes of rest before are not throttled."""
    run = ran(WARM + "&power.idle_w=1", "heat")
    writes, reads = (finding for finding in findings.find(run, {}) if finding.name == "heat")
    assert (writes.key, reads.key) == ("throttled_first", "throttled")
    full = max(counts.bytes_per_s for _, counts in run.sampled(run.of("heat", "heat-writes")[0]))
    assert writes.values["was"] <= full
    assert writes.values["share"] > 0.5
    held_s = sum(r.counts.seconds for phase in ("heat-writes", "heat-reads") for r in run.of("heat", phase))
    assert 0 < said(run, "thermal").values["counted"] <= held_s


def test_a_long_write_in_the_middle_of_a_saturation_is_its_longest() -> None:
    """Neither the first record nor the window has it: a drive that hangs at hour 5 has long delays."""
    run = made("write-saturation", interval_s=20.0, shorten=60)
    results = [r for r in run.results if r.where.phase == "saturate"]
    middle = results[len(results) // 2]
    tally = msgspec.structs.replace(middle.counts.write, max_ns=2e9)
    slow = msgspec.structs.replace(middle, counts=msgspec.structs.replace(middle.counts, write=tally))
    events: list[Event] = [run.started[0], *(slow if r is middle else r for r in run.results), *run.judged]
    assert evidence(run, {}, ()).figures["longest"] < 1.0
    assert evidence(Run(events), {}, ()).figures["longest"] == pytest.approx(2.0)


@pytest.mark.parametrize("steady", [True, False])
def test_the_end_of_a_saturation_is_its_window_only_if_that_is_steady(steady: bool) -> None:
    """The five rounds of PTS 10 span hours, in which a drive may fall by half: then the last fifth is the end."""
    truth = Truth(capacity_bytes=64 * GiB, fresh_iops=4e3, steady_iops=1e3, pool_fills=1.0, fall_fills=3.0, noise=0.0)
    told = events(["write-saturation"], truth, interval_s=60.0)
    run = Run([msgspec.structs.replace(e, steady=steady) if isinstance(e, Judged) else e for e in told])
    phase, last = "saturate", look.last_records(run, run.plan.tests[0], "saturate")
    window = run.window("write-saturation", phase, last[-1].workload).iops
    fifth = sum(r.counts.both.ios for r in last) / sum(r.counts.seconds for r in last)
    assert abs(window / fifth - 1) > 0.01
    (end,) = (row for row in figures(run) if row.phase == phase and row.state in ("window", "saturated"))
    assert end.iops == pytest.approx(window if steady else fifth)
    assert end.steady is (True if steady else None)
    known = evidence(run, {}, tuple(findings.find(run, {})))
    assert known.figures["writes"] == pytest.approx(end.iops)
    assert key_figures(run)["write_iops"] == pytest.approx(end.iops)
    assert ("writes" in known.unusable, "start" in known.unusable) == (not steady, False)


def test_a_key_figure_that_no_lasting_state_has_is_that_of_any_state() -> None:
    run = made("iops", shorten=60, interval_s=20.0)
    rows = [row for row in figures(run) if row.direction == "both"]
    chosen = {name: row for name, row, _ in card._first_choices([], rows)}
    assert chosen["read"] is not None
    assert chosen["read"] == {name: row for name, row, _ in card._first_choices(rows, [])}["read"]


@pytest.mark.parametrize(("profile", "part"), [("client-2.0.2", True), ("enterprise-2.0.2", False)])
def test_the_end_of_a_saturation_of_a_part_of_the_drive_is_a_bound(profile: str, part: bool) -> None:
    """PTS-C writes 75 % of a drive, and the rest serves as spare area: a full drive is slower."""
    truth = Truth(capacity_bytes=16 * GiB, fresh_iops=40e3, steady_iops=10e3, fall_fills=0.1, noise=0.0)
    run = made("write-saturation", truth=truth, profile=profile, interval_s=20.0)
    known = evidence(run, {}, tuple(findings.find(run, {})))
    assert "writes" in known.figures
    assert {why.key for name, why in known.bounds.items() if name == "writes"} == ({"unfilled"} if part else set())
    assert "start" not in known.bounds


def test_composite_and_demand_intensity_have_a_chart_each_in_their_chapter() -> None:
    run = made("composite", "demand-intensity", shorten=600, interval_s=20.0, rounds=2)
    (chapter,) = (section for section in story([(None, run, {})], [], "en").sections if section.anchor == "work")
    titles = [block.title.partition(":")[0] for block in chapter.blocks if isinstance(block, charts.Picture)]
    assert titles == ["Composite Block Size Workload", "Demand Intensity"]
    known = evidence(run, {}, tuple(findings.find(run, {}))).figures
    most = max(row.iops for row in figures(run) if row.test == "demand-intensity" and row.phase == "sweep")
    assert known["demand_most"] == pytest.approx(most)


def test_a_saturation_of_a_part_is_named_by_that_part() -> None:
    own = telling.reviewed(made("write-saturation", shorten=600, interval_s=20.0, rounds=2), {}, EN)
    titled = page_one.title("writes", own._replace(figures={"writes": 7e4, "sat_s": 36e3, "sat_part": 0.75}))
    assert titled == EN("figure_name.writes_part", sat_part=0.75)
