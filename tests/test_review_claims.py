"""A review's sentences and labels claim what its run measured, and name the load that was run."""

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from stend import charts
from stend.base.units import GiB, KiB
from stend.charts.beside import Side
from stend.findings import Finding, cache_policy
from stend.findings.judgement import Reason, concluded, measured
from stend.findings.judgement.measured import named
from stend.findings.look.figures import figures, listed
from stend.model.bins import bin_index
from stend.model.events import Note
from stend.model.published import span
from stend.model.tally import Tally
from stend.report.parts import Items, Keys, Pair, Text
from stend.report.parts.audit import deviated
from stend.report.parts.method import about, method_section
from stend.report.parts.tables import workloads
from stend.report.story import questions, telling
from stend.report.story.rivals import side
from stend.report.story.tables import key_table
from stend.sentences import reason_said
from stend.words import Language, Sentence, key_of, text
from tests.synthetic import Truth, made

EN = Language("en")
RU = Language("ru")
SMALL: dict[str, Any] = {"interval_s": 20.0, "shorten": 60, "rounds": 5}


@pytest.mark.parametrize(
    ("tests", "published", "label"),
    [
        (["iops"], [], "65/35, filled, IOPS"),
        (["block-sweep"], [], "67/33, filled, IOPS"),  # its mix is another one
        (["block-sweep"], ["published:kc2000"], "67/33 and 65/35, filled, IOPS"),
    ],
)
def test_a_mix_has_the_shares_of_the_load_that_was_run(tests: list[str], published: list[str], label: str) -> None:
    run = made(*tests, truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    table = key_table([Side("A", run), Side("B", run), *map(side, published)], EN, {})
    assert table is not None
    assert label in [row[0] for row in table.rows]


def test_a_published_rate_of_a_drive_that_was_not_filled_is_no_rate_of_a_full_one() -> None:
    facts = side("published:saber1000").facts
    assert facts["conditions"]["fill"] is False
    assert [span(facts, name) for name in ("mix", "filled_writes")] == [None, None]
    filled = {**facts, "conditions": {**facts["conditions"], "fill": True}}
    assert [span(filled, name) for name in ("mix", "filled_writes")] == [(34966.0,) * 2, (31763.0,) * 2]


@pytest.mark.parametrize("virtual", [True, False])
def test_the_model_of_a_published_drive_stands_beside_the_real_one_and_is_called_a_model(*, virtual: bool) -> None:
    run = made("iops", "latency", truth=Truth(capacity_bytes=8 * GiB, model="HGST SN150"), **SMALL)
    drive = replace(run.plan.device, virtual=virtual)
    run.started[0] = replace(run.started[0], plan=replace(run.plan, device=drive))
    page = telling.story([(None, run, {})], (), "en", EN)
    tables = [table for section in page.sections if section.anchor == "beside" for table in section.tables]
    assert page.title == ("HGST SN150, virtual model" if virtual else "HGST SN150")
    assert [table.head[2:] for table in tables] == (
        [("HGST Ultrastar SN150 1.6\u00a0TB, the real drive",)] if virtual else []
    )
    listed = [
        item.text for block in page.lead.blocks if isinstance(block, Pair) for of in block.lists for item in of.items
    ]
    assert any("the real drive: published figures" in text for text in listed) == virtual
    assert [bool(table.note) for table in tables] == ([True] if virtual else [])
    named = telling.story([(None, run, {})], [side("published:sn150")], "en", EN)  # asked for, it is there once
    (table,) = next(section for section in named.sections if section.anchor == "beside").tables
    assert table.head[2:] == ("HGST Ultrastar SN150 1.6\u00a0TB",)


def answers(*tests: str, words: Language = EN, truth: Truth | None = None) -> str:
    """Return the answers of a review of these tests as one text."""
    run = made(*tests, truth=truth or Truth(capacity_bytes=8 * GiB), **SMALL)
    page = telling.story([(None, run, {})], (), words.name, words)
    texts = (block.text for section in page.sections for block in section.blocks if isinstance(block, Text))
    return "\n".join(texts)


def test_the_tail_of_a_mix_is_stated_with_its_mix_and_depth() -> None:
    assert "In a 65/35 mix at QD1, one read in a thousand takes" in answers("latency")
    assert "В смеси 65/35 при очереди из 1 операции одно чтение из тысячи" in answers("latency", words=RU)


def test_a_composite_load_is_stated_with_its_most_and_its_middle_point() -> None:
    run = made("composite", truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    known = {item.name: item.value or 0.0 for item in named(run, ())}
    rows = [row for row in figures(run) if row.direction == "both"]
    most = max(row.iops for row in rows if row.phase == "sweep")  # as on its chart
    assert (known["load_most"], known["load"]) == (most, [row.iops for row in rows if row.phase == "mid"][-1])
    assert f"reaches at most {EN.show(most, 'said:rate')} IOPS" in answers("composite")


HYBRID = Truth(
    capacity_bytes=600 * GiB, read_iops=500, half_depth=4, fresh_iops=300, steady_iops=250, outer_bps=250e6,
    inner_bps=180e6, cache_bytes=15 * GiB, cache_speedup=20, cache_fill_s=2000, keeps_writes=True,
)  # fmt: skip


@pytest.mark.parametrize("fast", [True, False])
def test_a_buffer_of_short_writes_is_stated_beside_a_write_through_cache(
    monkeypatch: pytest.MonkeyPatch, *, fast: bool
) -> None:
    run = made("cold-warm", truth=HYBRID, profile="review", interval_s=60.0)
    single = next(row for row in figures(made("latency", truth=Truth(), **SMALL)) if not row.workload.read_pct)
    assert single.number("mean") < 300e-6
    rows = [*figures(run), *([single] if fast else [])]
    monkeypatch.setattr(cache_policy, "figures", lambda run: rows)
    (found,) = (replace(one, name="cache_policy") for one in cache_policy.find(run, {}))
    known = {item.name for item in named(run, [found]) if item.value is not None}
    hot = next(one for one in questions.questions() if one.name == "hot")
    told = [a.key for a in hot.answers if a.holds(dict.fromkeys(known, 1.0))]
    assert (found.key, told) == ("through", ["answer_5", "answer_9"] if fast else ["answer_5"])


@pytest.mark.parametrize(("gib", "told"), [(25, ["answer_10", "answer_11"]), (0, [])])
def test_what_a_warm_part_brings_to_a_mix_and_to_the_longest_read_is_stated(gib: int, told: list[str]) -> None:
    run = made("cold-warm", truth=dataclasses.replace(HYBRID, cache_bytes=gib * GiB), profile="review", interval_s=60.0)
    policy = [replace(one, name="cache_policy") for one in cache_policy.find(run, {})]
    known = {item.name: item.value for item in named(run, policy) if item.value is not None}
    hot = next(one for one in questions.questions() if one.name == "hot")
    assert [a.key for a in hot.answers if a.holds(known) and a.key in ("answer_10", "answer_11")] == told
    both = [row for row in figures(run) if row.direction == "both"]
    deepest = {r.phase: r for r in both if (r.workload.read_pct, r.workload.outstanding) == (50, 64)}
    assert known["warmed_mix_gain"] == deepest["warm-reads"].iops / deepest["cold"].iops


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_sequential_rate_of_a_disk_is_stated_as_the_mean_over_its_range(lang: str) -> None:
    words, run = Language(lang), made("lba-profile", truth=dataclasses.replace(HYBRID, cache_bytes=0), **SMALL)
    lead = telling.story([(None, run, {})], (), lang, words).lead
    (keys,) = (block for block in lead.blocks if isinstance(block, Keys))
    names = [key.name for key in keys.keys]
    assert words("figure_name.seq_read_along") in names
    assert words("figure_name.seq_read") not in names
    said = reason_said(Reason("seq_read", "pass", 1.0, {"seq_read": 2e8, "seq_along": 1.0}), words)
    assert said.endswith("on average over its range" if lang == "en" else "в среднем по диапазону")


def test_random_and_sequential_writes_of_a_large_block_are_of_one_block() -> None:
    run = made("block-sweep", truth=dataclasses.replace(HYBRID, cache_bytes=0), **SMALL)
    known = {item.name: item.value or 0.0 for item in named(run, ())}
    rates = {
        way: {row.workload.block_bytes: row.number("throughput") for row in figures(run)
              if (row.test, row.workload.random_pct, row.workload.read_pct) == ("block-sweep", way, 0)}
        for way in (0, 100)
    }  # fmt: skip
    block = int(known["big_block"])
    assert (known["big_writes"], known["stream_writes"]) == (rates[100][block], rates[0][block])
    assert known["big_share"] == min(rates[100][b] / rates[0][b] for b in rates[100] if b >= 64 * KiB)
    told = EN("question.blocks.answer_5", **known | {"stream_writes": 2e8, "big_block": 65536.0})
    assert "Random writes of 64 KiB blocks run at" in told.replace("\u00a0", " ")
    assert "of the 200 MB/s of sequential writes by 4 threads at once." in told.replace("\u00a0", " ")


WAITS = {"read_wait": 220e-6, "write_wait": 550e-6}
RARE = {"write_usual": 329e-6, "write_longest": 0.7}
BIG = {"big_writes": 8e6, "big_block": 65536.0, "big_share": 0.22, "stream_writes": 36e6}


@pytest.mark.parametrize(
    ("chapter", "known", "keys"),
    [
        ("wait", WAITS, ["answer_1"]),
        ("wait", WAITS | RARE, ["answer_7", "answer_10"]),
        ("wait", WAITS | {"read_usual": 1e-4, "read_longest": 0.3}, ["answer_8", "answer_9"]),
        ("wait", WAITS | RARE | {"read_usual": 1e-4, "read_longest": 0.3}, ["answer_8", "answer_10"]),
        ("blocks", BIG | {"block_threads": 4.0}, ["answer_5"]),
        ("blocks", BIG | {"block_threads": 1.0}, ["answer_3"]),
    ],
)
def test_a_mean_is_called_usual_and_a_stream_single_only_where_they_are(
    chapter: str, known: dict[str, float], keys: list[str]
) -> None:
    asked = next(one for one in questions.questions() if one.name == chapter)
    assert [one.key for one in asked.answers if one.holds(known)] == keys


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("every_s", [0.0, 120.0])
def test_a_mean_above_its_99_percent_is_shown_with_the_usual_wait_and_the_longest(every_s: float, lang: str) -> None:
    """Each long wait lasts a thousand times the mean, and a minute has some hundreds of writes."""
    truth = Truth(capacity_bytes=8 * GiB, tail_every_s=every_s, fresh_iops=20, steady_iops=20)
    run, words = made("latency", truth=truth, profile="review", **SMALL), Language(lang)
    known = {item.name: item.value or 0.0 for item in named(run, ())}
    page = telling.story([(None, run, {})], (), lang, words)
    (keys,) = (block for block in page.lead.blocks if isinstance(block, Keys))
    rare = words("figure_name.write_wait_rare", usual=known.get("write_usual"), longest=known.get("write_longest"))
    assert (rare in {key.name for key in keys.keys}) is (every_s > 0)
    assert (words("figure_name.write_wait") in {key.name for key in keys.keys}) is (every_s == 0)
    assert ("write_usual" in known) is (every_s > 0)
    assert known.get("write_usual", 0) < known["write_wait"]


@pytest.mark.parametrize(("longest_ns", "raised"), [(400_000, False), (40_000_000, True)])
def test_long_waits_that_leave_the_mean_at_the_median_do_not_raise_it(longest_ns: int, raised: bool) -> None:
    """Of 10,000 writes of 14 us ten are long: the mean is 14.4 us, or 54 us."""
    run = made("latency", truth=Truth(capacity_bytes=8 * GiB), profile="review", **SMALL)
    bins = {bin_index(14_000): 9_990, bin_index(longest_ns): 10}
    sum_ns = 9_990 * 14_000 + 10 * longest_ns
    tally = Tally(10_000, 10_000 * 4096, sum_ns, 9_990 * 14_000**2 + 10 * longest_ns**2, longest_ns, bins)
    rows = [r._replace(tally=tally, reported=None) for r in listed(run, "latency", "rounds-q1")]
    names = {item.name for item in measured._waits(rows, rows)}
    assert "write_wait" in names
    assert ("write_usual" in names) is raised


@pytest.mark.parametrize(("slow", "usual"), [(2000, True), (200, False)])
def test_the_mean_of_two_kinds_of_reads_is_not_that_of_a_usual_one(slow: int, *, usual: bool) -> None:
    """Of 10,000 reads of 82 us 2,000 take 3 ms for a retry: the mean is 670 us, which none takes. With 200: 140 us."""
    run = made("latency", truth=Truth(capacity_bytes=8 * GiB), profile="review", **SMALL)
    parts = ((10_000 - slow, 82_000), (slow, 3_000_000))
    bins = {bin_index(ns): n for n, ns in parts}
    sum_ns, squares = (sum(n * ns**power for n, ns in parts) for power in (1, 2))
    tally = Tally(10_000, 10_000 * 4096, sum_ns, squares, 3_000_000, bins)
    rows = [r._replace(tally=tally, reported=None) for r in listed(run, "latency", "rounds-q1")]
    names = {item.name: item.value for item in measured._waits(rows, rows)}
    assert ("read_usual" in names, "write_usual" in names) == (usual, usual)
    assert names["read_wait"] == pytest.approx(sum_ns / 10_000 / 1e9)
    if usual:
        assert names["read_usual"] == pytest.approx(82e-6, rel=0.02)


@pytest.mark.parametrize(("key", "end"), [("answer_6", "rested_share"), ("answer_7", "full_rest")])
def test_the_rate_that_pauses_restore_is_stated(key: str, end: str) -> None:
    told = EN(f"question.recovery.{key}", **{end: 0.5, "rested_of": 5200.0})
    assert "5,200 IOPS, the best minute before" in told.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("test", "title"),
    [
        ("iops", "IOPS: every workload over the measurement window"),
        ("profiles", "Application Profiles: every workload"),
    ],
)
def test_a_table_of_workloads_names_its_test_and_claims_a_window_only_where_there_is_one(test: str, title: str) -> None:
    run = made(test, truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    (table,) = workloads(run, run.plan.tests[0], EN)
    assert table.title == title


def test_a_steady_state_rule_that_is_not_that_of_pts_is_described_once() -> None:
    run = made("throughput", profile="review", interval_s=30.0, shorten=60, rounds=5)
    (table,) = deviated(run, EN)
    cells = {row[0]: row[2] for row in table.rows}
    assert cells[EN("audit.rule")] == "four rounds, 90–110% of the mean"


def test_the_year_of_a_publication_has_its_word_in_russian() -> None:
    assert RU.source("True System, 2015") == "True System, 2015\u00a0г."
    assert RU.source("True System, 4 August 2015") == "True System, 4 августа 2015\u00a0г."
    assert EN.source("True System, 2015") == "True System, 2015"


@pytest.mark.parametrize(("virtual", "key"), [(True, "took_simulated"), (False, "took")])
def test_the_duration_of_a_virtual_run_is_named_as_simulated_time(key: str, *, virtual: bool) -> None:
    run = made("fresh", **SMALL)
    run.started[0] = replace(run.started[0], plan=replace(run.plan, device=replace(run.plan.device, virtual=virtual)))
    rows = [row for table in about(run, {}, EN) for row in table.rows]
    assert [name for name, _ in rows if name.startswith("Took")] == [EN(f"method.{key}")]


def test_a_note_of_an_old_record_is_a_deviation_and_has_the_present_words() -> None:
    run = made("fresh", **SMALL)
    old = "the write cache is left as it is: the profile asks for it off, "
    old += "but a file or virtual drive has no switch for it"
    run.notes = [Note(t=0.0, text=text(old)), Note(t=0.0, text=text("a message of another program"))]
    lists = [block for block in method_section(run, {}, {}, EN).blocks if isinstance(block, Items)]
    present = EN.translated(Sentence("cache_left_off"))
    assert [one.items[-1].text for one in lists] == [present, "a message of another program"]
    assert present != old
    assert key_of(old) == "cache_left_off"


def test_a_sequential_write_falls_from_the_level_of_the_cache_and_not_from_a_peak() -> None:
    run = made("slc-cache", truth=Truth(), profile="review-desktop", interval_s=60.0)
    level = Finding(name="slc_cache", key="steps", test="slc-cache", values={"state": "fresh", "first": 1.5e9})
    falls = [{n.name: n.value or 0.0 for n in named(run, found)} for found in ([level], [])]
    assert falls[0]["cache_fall"] == pytest.approx(1.5e9 / falls[0]["stream_end"])
    assert falls[1]["cache_fall"] > falls[0]["cache_fall"], "without a level it falls from its peak"


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (("throughput",), "sequential writes over the filled range run at"),
        (("throughput", "fresh"), "towards its end a sequential write of the whole drive still averages"),
    ],
)
def test_the_end_of_a_write_of_the_whole_fresh_drive_is_not_said_of_the_filled_one(
    tests: tuple[str, ...], said: str
) -> None:
    run = made(*tests, truth=Truth(capacity_bytes=480 * 10**9), profile="review", interval_s=60.0, rounds=5)
    (use,) = (use for use in concluded(run, {}, ()).uses if use.use == "streaming")
    (ends,) = (reason for reason in use.reasons if reason.figure == "stream_end")
    assert reason_said(ends, EN).startswith(said)


@pytest.mark.parametrize(("minute_s", "stamped"), [(60.0, False), (2.0, True)])
def test_a_chapter_of_a_run_with_shorter_minutes_is_stamped(minute_s: float, *, stamped: bool) -> None:
    run = made("fresh", minute_s=minute_s, **SMALL)
    shown = charts.stamps(run, run.plan.tests[0], EN)
    assert ("SHORTENED: A MINUTE LASTED 2\u00a0s, NOT A MEASUREMENT BY THE SPECIFICATION" in shown) is stamped


def test_bursts_between_pauses_are_named_by_the_length_of_the_pause() -> None:
    run = made("idle-recovery", profile="review", truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    (table,) = workloads(run, run.plan.tests[0], EN)
    names = [row[0].replace("\u00a0", " ") for row in table.rows]
    assert any(name.startswith("pauses of 5 s: random write") for name in names)
    assert not any("1:" in name for name in names)


@pytest.mark.parametrize(
    ("test", "chapter", "told", "untold"),
    [
        ("latency", "wait", "at fixed queue depths", "growing queue depths"),
        ("throughput", "steady", "sequential access is measured", "mixes of reads and writes"),
        ("iops", "steady", "random access is measured", "and sequential access"),
    ],
)
def test_a_chapter_describes_only_the_tests_that_were_run(test: str, chapter: str, told: str, untold: str) -> None:
    run = made(test, truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    page = telling.story([(None, run, {})], (), "en", EN)
    blocks = next(section.blocks for section in page.sections if section.anchor == chapter)
    (about_test,) = (block.text for block in blocks if isinstance(block, Text) and block.role == "test")
    assert told in about_test
    assert untold not in about_test


@pytest.mark.parametrize(
    ("lang", "rows"),
    [("en", {"File name": "x.bin", "Interface": "file"}), ("ru", {"Имя файла": "x.bin", "Интерфейс": "файл"})],
)
def test_a_file_is_named_by_its_name(lang: str, rows: dict[str, str]) -> None:
    run, words = made("fresh", **SMALL), Language(lang)
    drive = replace(run.plan.device, kind="file", model="file", interface="file", serial="x.bin", virtual=False)
    run.started[0] = replace(run.started[0], plan=replace(run.plan, device=drive))
    page = telling.story([(None, run, {})], (), lang, words)
    assert page.title == "x.bin"
    shown = {row[0]: row[1] for row in next(about(run, {}, words)).rows}
    assert {name: shown.get(name) for name in rows} == rows
    assert words("header.model") not in shown


@pytest.mark.parametrize(("tests", "told"), [(("throughput", "iops"), True), (("throughput", "block-sweep"), False)])
def test_a_chapter_states_no_figure_of_a_test_of_another_chapter(tests: tuple[str, ...], *, told: bool) -> None:
    run = made(*tests, truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    page = telling.story([(None, run, {})], (), "en", EN)
    steady = next(section for section in page.sections if section.anchor == "steady")
    answer = next(block.text for block in steady.blocks if isinstance(block, Text) and block.role == "answer")
    assert ("Random reads of 4 KiB reach" in answer) is told
    assert ("A mix of two reads per write reaches" in answer) is told
    assert "sequential reads run at" in answer
