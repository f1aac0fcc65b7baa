"""The method box says what was done: every load, every departure from the specification, the write cache as it was."""

import msgspec
import pytest

from stend import findings
from stend.base.units import KiB
from stend.findings import Finding
from stend.findings.look.grounds import Because
from stend.model.definition import Hold, Purge, Workload
from stend.model.events import Judged, Note, Result
from stend.model.record import Run
from stend.planning import plan as planning
from stend.report.parts import Items, Pair, Stamps
from stend.report.parts.departures import departure_rows, departures
from stend.report.parts.document import protocol
from stend.report.parts.header import device, every_load, header
from stend.report.parts.method import conditions, method_section
from stend.report.parts.summary import stamps
from stend.report.story.telling import story
from stend.words import Language, Sentence
from tests.synthetic import Truth, made, told

EN, RU = Language("en"), Language("ru")


def box(run: Run, name: str, key: str) -> str:
    test = next(test for test in run.plan.tests if test.name == name)
    return next(
        value for block in header(run, test, {}, EN) for label, value in block.rows if label == EN(f"header.{key}")
    )


@pytest.fixture(scope="module")
def desktop() -> Run:
    tests = ("fresh", "iops", "latency", "throughput", "write-saturation")
    return made(*tests, profile="review-desktop", interval_s=60.0, shorten=60)


def test_every_load_of_a_test_is_told_whatever_its_longest_phase(desktop: Run) -> None:
    assert box(desktop, "fresh", "loads") == "SEQ T1/Q128: 0/100, 100/0 × 128K; RND T24/Q32: 100/0, 0/100 × 4K"
    assert box(desktop, "throughput", "loads") == "SEQ T8/Q16: 100/0, 0/100 × 1024K, 128K"
    assert box(desktop, "latency", "outstanding") == "T1/Q1, T1/Q32"
    assert box(desktop, "iops", "blocks") == "1024K, 128K, 64K, 32K, 16K, 8K, 4K"


def test_loads_that_make_no_grid_are_told_one_by_one() -> None:
    loads = [Workload(random_pct=100, read_pct=r, block_bytes=b * KiB, threads=2) for r, b in ((0, 4), (65, 8), (0, 4))]
    assert every_load(loads) == ["RND T2/Q1: 0/100 4K, 65/35 8K"]


def test_no_load_of_any_test_is_left_out_of_its_box(desktop: Run) -> None:
    for test in desktop.plan.tests:
        held = {r.step.workload for r in desktop.of(test.name) if isinstance(r.step, Hold)}
        measured = {w for w in held if not (w.read_pct == 0 and w.random_pct == 0)}
        text = box(desktop, test.name, "loads")
        assert measured
        assert not [w for w in measured if f"T{w.threads}/Q{w.depth}" not in text or f"{w.read_pct}/" not in text]


def test_the_box_says_where_the_reviews_profile_departs_from_the_specification(desktop: Run) -> None:
    found = departures(desktop)
    assert found
    said = dict(departure_rows(desktop, EN))
    assert {one.setting for one in found["iops"]} >= {"steady", "blocks_kib"}
    assert {one.setting for one in found["latency"]} >= {"depths", "blocks_kib"}
    assert {one.setting for one in found["write-saturation"]} >= {"active_range_pct", "seek_steady", "minutes"}
    assert (
        "steady-state rule: four rounds, 90–110% of the mean instead of five rounds, 20% and 10%"
        in said[EN("departure.all", spec="2.0.2")]
    )
    assert "queue depths: 1, 32 instead of 1" in said[EN("departure.of", test="latency", spec="2.0.2")]
    assert "active range, %: 100 instead of 75" in said[EN("departure.of", test="write-saturation", spec="2.0.2")]
    saturation = said[EN("departure.of", test="write-saturation", spec="2.0.2")]
    assert "duration, minutes: 600 instead of the clause's limit" in saturation
    rows = [row for t in protocol([(None, desktop, {})], "en").section("part-1").tables for row in t.rows]
    assert set(said.items()) <= set(rows)


@pytest.mark.parametrize("profile", ["enterprise-2.0.2", "enterprise-1.1", "client-2.0.2"])
def test_the_specifications_own_profiles_depart_in_nothing_and_an_operators_change_shows(profile: str) -> None:
    run = made("iops", "write-saturation", profile=profile, interval_s=60.0)
    assert [text for _, text in departure_rows(run, EN)] == [EN("departure.none")]
    changed = made("iops", "write-saturation", profile=profile, interval_s=60.0, rounds=6)
    assert [text for _, text in departure_rows(changed, EN)] == ["maximum rounds: 6 instead of 25"]


def test_a_value_that_is_a_name_of_the_plan_is_said_in_the_readers_language() -> None:
    run = made("idle-recovery", profile="review-desktop", interval_s=600.0, shorten=60, minute_s=1)
    english, russian = (" ".join(text for _, text in departure_rows(run, one)) for one in (EN, RU))
    assert "state before the pauses: saturated instead of steady" in english
    assert "состояние перед паузами — насыщение (по PTS — установившееся)" in russian
    assert not {"saturation", "fill", "steady"} & set(russian.split())


def test_every_setting_that_can_depart_has_a_name_in_both_languages() -> None:
    for name in ("review", "review-desktop", "client-2.0.2"):
        run = made("iops", "latency", "throughput", "write-saturation", "idle-recovery", profile=name, interval_s=600.0,
                   shorten=60, minute_s=1)  # fmt: skip
        settings = {one.setting for own in (departures(run) or {}).values() for one in own} - {"shared"}
        assert [s for s in settings if not EN.knows(f"setting.{s}")] == []
        assert len(list(departure_rows(run, RU))) == len(list(departure_rows(run, EN))) > 0


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "the profile requires: disabled (WCD); it cannot be set here"),
        (
            {"write_cache": "enabled", "write_cache_set": "disabled"},
            "the profile requires: disabled (WCD); was enabled (WCE), set for the run, read back disabled (WCD)",
        ),
        (
            {"write_cache": "disabled", "write_cache_set": "disabled"},
            "the profile requires: disabled (WCD); was already so, read back disabled (WCD)",
        ),
    ],
)
def test_the_write_cache_is_told_as_asked_as_set_and_as_read_back(facts: dict[str, str], said: str) -> None:
    run = made("iops", interval_s=600.0, shorten=60)
    plan = msgspec.structs.replace(run.plan, device=msgspec.structs.replace(run.plan.device, facts=facts))
    again = Run([msgspec.structs.replace(run.started[0], plan=plan)])
    assert dict(device(again, None, EN))["cache"] == said


def test_an_array_is_named_by_its_level_and_members() -> None:
    run = made("iops", interval_s=600.0, shorten=60)
    facts = {"level": "raid10", "raid_disks": "8", "chunk_bytes": 65536}
    plan = msgspec.structs.replace(run.plan, device=msgspec.structs.replace(run.plan.device, facts=facts))
    again = Run([msgspec.structs.replace(run.started[0], plan=plan)])
    assert dict(device(again, None, RU))["array"].replace("\u00a0", " ") == "RAID 10 × 8, 64 КиБ"
    assert not dict(device(run, None, EN))["array"]


def test_a_profile_of_another_specification_claims_no_departures() -> None:
    run = made("iops", interval_s=600.0, shorten=60)
    other = msgspec.structs.replace(planning.load_profile("review"), specification="9")
    plan = msgspec.structs.replace(run.plan, profile=other)
    assert list(departure_rows(Run([msgspec.structs.replace(run.started[0], plan=plan)]), EN)) == []


@pytest.mark.parametrize(
    ("key", "has", "first"),
    [
        ("", None, "Nothing deviates from the profile."),
        ("cache_left_off", None, "The state of the write cache is unknown and is left as it is: the profile"),
        ("cache_none", True, "The profile requires the write cache disabled; this drive has none, or does not"),
        ("cache_none", None, "The profile requires the write cache disabled; this drive has none, or does not"),
        ("cache_none", False, "Nothing deviates from the profile."),
    ],
)
def test_a_write_cache_that_is_not_as_required_deviates_on_page_one(key: str, has: bool | None, first: str) -> None:
    run = made("lba-profile", profile="review", interval_s=60.0)
    run.plan.device.facts["volatile_write_cache"] = has
    if key:
        run.add(Note(t=0.0, text=Sentence(key, setting=Sentence("disabled"))))
    lists = [block for block in story([(None, run, {})], [], "en").lead.blocks if isinstance(block, Pair)]
    assert [item.text for items in lists[0].lists for item in items.items if item.text.startswith(first)]


@pytest.mark.parametrize(("test", "sought"), [("fresh", False), ("slc-cache", False), ("iops", True)])
def test_a_page_says_nothing_of_a_comparison_or_a_search_that_the_run_did_not_make(test: str, sought: bool) -> None:
    """Neither "no deviations from PTS" where no test is of it, nor steady states where no test looked for one."""
    run = made(test, profile="review-desktop", interval_s=60.0, shorten=60)
    (lists,) = [block for block in story([(None, run, {})], [], "en").lead.blocks if isinstance(block, Pair)]
    sentences = [item.text for items in lists.lists for item in items.items]
    assert bool(list(departure_rows(run, EN))) == sought
    assert (EN("story.steady") in sentences or any("not reached" in text for text in sentences)) == sought


def test_a_stopped_run_names_the_tests_that_it_did_not_run_and_claims_no_steady_state_for_them() -> None:
    """Of iops and latency only the first was run, or the first in part."""
    events = list(told(("iops", "latency"), Run(), Truth(), "review-desktop", 60.0, {"shorten": 60}))
    first = next(n for n, event in enumerate(events) if isinstance(event, Judged) and event.where.test == "iops")
    begun = next(n for n, event in enumerate(events) if isinstance(event, Result) and event.where.test == "latency")
    for end, missing in ((first, True), (begun, True), (begun + 1, False), (len(events), False)):
        page = story([(None, run := Run(events[:end]), {})], [], "en")
        texts = [text for block in page.lead.blocks if isinstance(block, Stamps) for text in block.texts]
        assert (EN("stamp.not_run", tests="Latency") in texts) == missing
        lists = [block for block in page.lead.blocks if isinstance(block, Pair)]
        said = [item.text for pair in lists for items in pair.lists for item in items.items]
        assert (EN("story.steady") in said) == (end == len(events) and not run.unmet)


@pytest.mark.parametrize(("key", "certain"), [("reached", "steady"), ("early", "early")])
def test_a_steady_state_that_may_not_last_is_not_certain_on_page_one(
    key: str, certain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("iops", profile="review", interval_s=60.0, shorten=60)
    early = Finding(name="steady_state", key=key, test="iops", values={"because": Because("few", {"samples": 1})})
    monkeypatch.setattr(findings, "find", lambda *a: iter([early]))
    (lists,) = [block for block in story([(None, run, {})], [], "en").lead.blocks if isinstance(block, Pair)]
    assert EN(f"story.{certain}", tests="IOPS") in [item.text for items in lists.lists for item in items.items]


def test_the_stamp_counts_the_deviations_that_page_one_and_the_method_section_list() -> None:
    run = made("lba-profile", profile="review", interval_s=60.0)
    assert not [stamp for stamp in stamps(run, EN) if "deviation" in stamp]
    plan = msgspec.structs.replace(run.plan, deviations=(Sentence("verified"),))
    run.started[0] = msgspec.structs.replace(run.started[0], plan=plan)
    run.add(Note(t=0.0, text=Sentence("cache_left_off")))
    items = [block for block in method_section(run, {}, {}, EN).blocks if isinstance(block, Items)]
    assert len(items[0].items) == 2
    assert [stamp for stamp in stamps(run, EN) if stamp.startswith("2 deviations")]
    (lists,) = [block for block in story([(None, run, {})], [], "en").lead.blocks if isinstance(block, Pair)]
    page_one = [item.text.lower() for listed in lists.lists for item in listed.items]
    assert [item.text.lower() + "." in page_one for item in items[0].items] == [True, True]


@pytest.mark.parametrize(
    ("test", "access"),
    [
        ("hot-range", ", random access, 4 KiB, T4 Q16"),
        ("cold-warm", ", random access, 8 KiB"),
        ("lba-profile", ", sequential access, 128 KiB, T1 Q32"),
        ("slc-cache", ", sequential write 128 KiB, T1 Q32"),
        ("block-sweep", ", T4 Q32"),
        ("profiles", ""),
    ],
)
def test_loads_that_differ_by_their_mix_alone_have_one_access(test: str, access: str) -> None:
    run = made(test, shorten=60)
    text = conditions(run, run.plan.tests[0], EN).replace("\u00a0", " ")
    assert text.removeprefix(EN("page.own_method")) == access


def test_the_device_table_counts_the_purges_of_a_run_and_says_if_there_are_none(desktop: Run) -> None:
    def purges(run: Run, lang: Language) -> str:
        return dict(device(run, None, lang))["purge"]

    steps = [result for result in desktop.results if isinstance(result.step, Purge)]
    assert purges(desktop, EN) == f"{steps[0].said}, {len(steps)} times"
    assert purges(made("lba-profile", interval_s=60.0, shorten=60), RU) == "нет"
