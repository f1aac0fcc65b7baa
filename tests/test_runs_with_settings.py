"""Pages of runs whose settings, cooling or outcome differ: names of what differs, reasons by drive, wins and doubts."""

from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.units import GB
from stend.findings import Finding, cause
from stend.findings.judgement import Judged, Reason, Verdict, Why
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.model.record import Run
from stend.report.parts import Pair
from stend.report.parts.header import device
from stend.report.parts.summary import stamps
from stend.report.story import closing, page_one, rivals, telling, together, uses_together, verdict
from stend.report.story.because import because
from stend.report.story.page_one import Review
from stend.sentences import because_said, of_run, reason_said, why_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events, made
from tests.test_story import EN, reason, seen

HEAT = Because("throttled", {"seconds": 600.0})


def of(writes: float, *reasons: Reason, mark: Any = "doubt", unusable: dict[str, Because] | None = None) -> Review:
    """A drive with saturated writes, twice as many reads and reasons about heavy writing."""
    known = Known({"writes": writes, "reads": 2 * writes, "sat_s": 36e3}, unusable=unusable or {})
    own = seen({})._replace(verdict=Verdict("", (Judged("write", mark, reasons),), known))
    return own._replace(figures=own.verdict.figures)


def texts(reviews: dict[str, Review], name: str) -> dict[str, tuple[str, ...]]:
    (section,) = closing.closing(reviews)
    lists = [items for pair in section.blocks if isinstance(pair, Pair) for items in pair.lists]
    return {items.items[0].mark: tuple(i.text for i in items.items) for items in lists if items.title.startswith(name)}


@pytest.mark.parametrize(("answer", "against"), [("doubt", False), ("fail", True)])
def test_a_figure_in_which_a_drive_is_best_is_for_it_and_against_it_only_if_it_fails(
    answer: str, against: bool
) -> None:
    own = Reason("writes", answer, 3.0, {"writes": 38e3, "sat_s": 36e3})
    reviews = {"A": of(18e3), "B": of(38e3, own, mark="no" if against else "doubt")}
    lists = texts(reviews, "B")
    assert [
        text for text in lists["pro"] if text.startswith("Random writes") and "2.1\u00a0times better than A" in text
    ]
    assert lists.get("con", ()) == ((page_one.sentence(reason_said(own, EN)),) if against else ())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_title_names_the_drive_that_heat_slowed_if_that_is_the_only_reason(lang: str) -> None:
    words = Language(lang)
    reviews = {"A": of(18e3), "B": of(38e3, unusable={"writes": HEAT})}
    heat = words("together.standing", listed=f"B: {because_said(of_run(HEAT), words)}")
    assert together._unranked(reviews, words) == heat
    two = Because("few", {"samples": 3})
    assert together._unranked(reviews | {"A": of(18e3, unusable={"writes": two})}, words) == words("together.unusable")


def test_of_shortened_runs_the_title_has_one_reason_and_the_table_none() -> None:
    reviews = {"A": of(18e3), "B": of(38e3, unusable={"writes": HEAT, "reads": HEAT})}
    for seconds, (name, one) in enumerate(reviews.items(), 60):
        cut = one.verdict._replace(standing=Because("shortened", {"seconds": float(seconds)}))
        reviews[name] = one._replace(verdict=cut)
    assert together._unranked(reviews, EN).endswith(": the run was shortened.")
    assert {row[-1] for row in together._figure_table(reviews, EN).rows} == {"–"}


BOTH = {"writes": HEAT, "reads": HEAT}


@pytest.mark.parametrize("both", [False, True])
def test_figures_that_are_not_ranked_for_one_reason_have_it_below_with_the_drive(both: bool) -> None:
    reviews = {"A": of(18e3, unusable=BOTH if both else None), "B": of(38e3, unusable=BOTH)}
    table = together._figure_table(reviews, EN)
    why = because_said(of_run(HEAT), EN)
    assert table.note == page_one.sentence(EN("together.unsure", because=why if both else f"B: {why}"))
    assert table.head[1:] == ("A", "B")
    assert [len(row) for row in table.rows] == [3, 3]


def test_a_figure_that_is_not_ranked_names_the_drive_that_it_is_due_to() -> None:
    rows = together._figure_table({"A": of(18e3), "B": of(38e3, unusable={"reads": HEAT})}, EN).rows
    assert EN("together.unsure", because=f"B: {because_said(of_run(HEAT), EN)}") in [row[-1] for row in rows]
    assert [row[-1].startswith("B, ") for row in rows].count(True) == 1


@pytest.mark.parametrize("hot", [18e3, 36e3, 90e3])
def test_a_drive_is_best_only_if_no_figure_that_cannot_be_used_is_as_good(hot: float) -> None:
    reviews = {"A": of(18e3), "B": of(38e3), "C": of(hot, unusable=BOTH)}
    leads = {lead.figure: lead.first for lead in together.leads(reviews)}
    rows = together._figure_table(reviews, EN).rows
    if hot > 18e3:
        assert not leads
        assert {row[-1] for row in rows if len(row) > 4} <= {
            EN("together.unsure", because=f"C: {because_said(of_run(HEAT), EN)}")
        }
        return
    assert leads == {"reads": "B", "writes": "B"}
    assert [row[3] for row in rows] == [f"({row[1]})" for row in rows]
    assert together._figure_table(reviews, EN).note.endswith(EN("together.note_brackets"))
    assert not any("(" in cell for row in rows for cell in row[1:3])


def test_a_run_without_a_verdict_is_in_brackets_and_does_not_keep_others_from_being_ranked() -> None:
    quick = of(90e3)
    quick = quick._replace(verdict=quick.verdict._replace(standing=Because("shortened", {"seconds": 2.0})))
    reviews = {"A": of(18e3), "B": of(38e3), "C": quick}
    assert {lead.first for lead in together.leads(reviews)} == {"B"}
    assert all(row[3].startswith("(") for row in together._figure_table(reviews, EN).rows)


@pytest.mark.parametrize("count", [2, 5, 6])
def test_the_best_of_many_drives_is_in_the_second_column(count: int) -> None:
    reviews = {"B": of(38e3), **{f"A{n}": of(18e3) for n in range(1, count)}}
    table = together._figure_table(reviews, EN)
    place = 1 if count > 5 else count + 1
    assert table.head[place] == EN("together.best_column")
    assert all("B" in row[place] for row in table.rows)
    assert [table.head[n] for n in table.numeric] == [*reviews]


def test_uses_of_many_drives_have_one_reason_each() -> None:
    hot, few = Because("hot", {"top": 71.0, "limit": 70.0}), Because("few", {"samples": 3})
    own = of(18e3)
    uses = (
        Judged("write", "can't tell", (), missing=("iops",), because=(few, hot)),
        Judged("mixed", "no", (reason("writes", "fail"), reason("fall", "fail"))),
        Judged("read", "can't tell", (), missing=("iops",)),
    )
    own = own._replace(verdict=own.verdict._replace(uses=uses))
    for count in (2, uses_together.MOST_DRAWN + 1):
        rows = [row[1] for row in uses_together.rows_of_uses({str(n): own for n in range(count)}, EN)]
        assert (because_said(of_run(hot), EN) in rows[0]) == (count == 2)
        assert because_said(of_run(few), EN) in rows[0]
        assert EN("story.no") in rows[1]
        assert len(rows[2]) > len(EN("story.unknown"))


def test_uses_whose_only_reason_is_the_same_are_named_together() -> None:
    lacks = (Because("unruled"),)
    uses = tuple(Judged(use, "doubt", (), facts=("dwpd",), because=lacks) for use in ("mixed", "database", "write"))
    own = seen({})._replace(
        verdict=Verdict("", (Judged("array", "yes", (reason("longest", "pass"),)), *uses), Known({}))
    )
    told = verdict.verdict(own)
    assert told.count(because_said(lacks[0], EN)) == 1
    assert "mixed workloads, databases and heavy writing" in told


def test_doubts_that_only_lack_measurements_are_no_verdict() -> None:
    uses = (Judged("desktop", "doubt", (), missing=("fresh",)), Judged("read", "can't tell", ()))
    own = seen({})._replace(verdict=Verdict("", uses, Known({})))
    assert verdict.verdict(own) == EN("story.verdict_none")
    run = made("iops", shorten=600, interval_s=10.0, rounds=2)
    one = own._replace(run=run, figures={"single_reads": 1e4, "single_writes": 5e4})
    assert telling.headline(one).startswith("One at a time, random reads of 4 KiB run at 10,000 IOPS ")


def test_throttling_makes_a_high_temperature_no_second_reason() -> None:
    hot = Because("hot", {"top": 79.6, "limit": 70.0})
    told = why_said(Why(reasons=(), because=(HEAT, hot), tests=(), facts=()), EN)
    assert told == EN("because.throttled_run")
    assert why_said(Why(reasons=(), because=(hot,), tests=(), facts=()), EN) == because_said(hot, EN)


def test_unmet_steady_states_with_one_limit_are_one_stamp() -> None:
    run = Run(events(["iops", "throughput"], Truth(), shorten=600, interval_s=10.0, rounds=2))
    assert len(run.unmet) > 1
    (told,) = (text for text in stamps(run, EN) if "steady state not reached" in text)
    assert told.startswith("IOPS, Throughput: ")


def test_the_device_table_has_the_label_and_the_changed_parameters_of_a_virtual_drive() -> None:
    run = made("fresh", shorten=60)
    target = "sim:small?thermal.limit_c=80&seed=3"
    plan = replace(run.plan, device=replace(run.plan.device, target=target, virtual=True))
    run.started[0] = replace(run.started[0], plan=plan, label="no fan")
    rows = dict(device(run, None, EN))
    assert (rows["options"], rows["label"]) == ("thermal.limit_c=80", "no fan")
    plain = dict(device(made("fresh", shorten=60), None, EN))
    assert (plain["options"], plain["label"]) == ("", "")


def test_a_chapter_has_the_longest_throttling_of_its_tests_with_the_name_of_the_test() -> None:
    every = [
        Finding(name="cause", key="throttled", test=name, values={"test": name, "seconds": seconds})
        for name, seconds in (("throughput", 480.0), ("iops", 9e3))
    ]
    told = because(every, ("throughput", "iops"), EN)
    assert told.endswith("2\u00a0h 30\u00a0min of the test IOPS.")


def test_the_tail_of_writes_that_are_not_saturated_is_not_called_so() -> None:
    own = of(1.0)._replace(figures={"write_tail": 46e-6, "ended": 48e3})
    assert "saturated" not in page_one.title("write_tail", own)
    assert "saturated" in page_one.title("write_tail", own._replace(figures={"write_tail": 46e-6, "writes": 48e3}))


@pytest.mark.parametrize("part", [100, 70])
def test_a_part_of_a_drive_leaves_spare_area_and_has_no_published_rivals(part: int) -> None:
    """The desktop profile has 75 % of the drive in some tests as its specification asks, which is no part."""
    truth = Truth(capacity_bytes=120 * GB, fresh_iops=100_000)
    changes: dict[str, Any] = {"tests": {"write-saturation": {"minutes": 120, "active_range_pct": part}}}
    run = Run(events(["write-saturation"], truth, profile="review", interval_s=10.0, **changes))
    sure = Finding(
        name="saturation", key="knee", test="write-saturation", values={"knee_bytes": 1.2 * 120 * GB, "ratio": 5.0}
    )
    found = [f.values for f in cause.find(run, {}, [sure]) if f.key == "spare"]
    assert found == ([{"part": 0.7}] if part < 100 else [])
    assert rivals._whole(run) is (part == 100)
    assert rivals._whole(made("iops", profile="review-desktop", shorten=600, interval_s=10.0, rounds=2))


def run_of(serial: str, reads: float) -> Review:
    """A run of a drive with this serial number, and its random reads."""
    own = of(1.0)._replace(verdict=Verdict("", (), Known({"reads": reads})), figures={"reads": reads})
    plan = replace(own.run.plan, device=replace(own.run.plan.device, serial=serial))
    own.run.started[0] = replace(own.run.started[0], plan=plan)
    return own


def test_a_drive_is_the_best_by_the_weakest_of_its_runs_and_no_run_is_better_than_its_repeat() -> None:
    reviews = {"A1": run_of("A", 200e3), "A2": run_of("A", 150e3), "B1": run_of("B", 100e3), "B2": run_of("B", 60e3)}
    (lead,) = together.leads(reviews)
    assert (lead.first, lead.second, lead.runs) == ("A2", "B1", ("A1", "A2"))
    assert lead.gain == pytest.approx(1.5)
    told = together.headline(reviews, EN)
    assert told.startswith("A1 (2 runs) is best in 1 of 1 figure. ")
    assert "1.5\u00a0times better than B1" in told
    assert [mark for name in reviews for mark in texts(reviews, name)] == ["pro", "pro", "con", "con"]


def test_runs_of_two_drives_that_overlap_have_no_order() -> None:
    reviews = {"A1": run_of("A", 200e3), "A2": run_of("A", 110e3), "B": run_of("B", 130e3)}
    rows = together._figure_table(reviews, EN).rows
    assert [row[-1] for row in rows] == [EN("together.overlap")]
    assert not any(section.blocks for section in closing.closing(reviews))
