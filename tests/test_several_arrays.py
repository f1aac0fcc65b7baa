"""Pages of several runs: layouts of one controller as names, what each drive loses by, one section on the method."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.base.units import GiB
from stend.charts.beside import Side, picture
from stend.findings.judgement import Judged, Reason, Verdict
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.model.record import Run
from stend.report.parts import Item, Items, Section, Table
from stend.report.parts.compare import labels, titled
from stend.report.story import alike, closing, methods, page_one, tables, telling, together
from stend.sentences import because_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made
from tests.test_story import seen

EN = Language("en")


def array_run(facts: dict[str, Any], model: str = "Controller R") -> Run:
    run = made("fresh", shorten=60)
    device = msgspec.structs.replace(run.plan.device, model=model, facts=facts)
    run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))
    return run


def layout(level: str, members: int = 8, chunk_bytes: int = 65536) -> dict[str, Any]:
    return {"level": level, "raid_disks": members, "chunk_bytes": chunk_bytes}


@pytest.mark.parametrize(
    ("facts", "names"),
    [
        ([layout("raid5"), layout("raid10")], ["RAID 5", "RAID 10"]),
        ([layout("raid5"), layout("raid5", 6)], ["RAID 5 × 8, 64 KiB", "RAID 5 × 6, 64 KiB"]),
        ([layout("raid5"), layout("raid6", 8, 131072)], ["RAID 5 × 8, 64 KiB", "RAID 6 × 8, 128 KiB"]),
    ],
)
def test_layouts_of_one_controller_are_names_and_the_title_has_its_model(
    facts: list[dict[str, Any]], names: list[str]
) -> None:
    runs = [array_run(of) for of in facts]
    assert labels(runs) == names
    assert titled(runs, names, EN) == f"Controller R: {' · '.join(names)}"


def test_equal_layouts_single_drives_and_given_names_keep_the_model() -> None:
    alike_runs = [array_run(layout("raid5")) for _ in range(2)]
    assert labels(alike_runs) == ["Controller R (1)", "Controller R (2)"]
    mixed = [array_run(layout("raid5")), array_run({})]
    assert labels(mixed) == ["Controller R (RAID 5 × 8, 64 KiB)", "Controller R"]
    other = [array_run(layout("raid5"), "S"), array_run(layout("raid10"), "T")]
    assert labels(other) == ["S", "T"]
    assert titled(other, ["S", "T"], EN) == "S · T"
    levels = [array_run(layout("raid5")), array_run(layout("raid10"))]
    assert labels(levels, ["Old"]) == ["Old", "RAID 10"]
    assert titled(levels, ["Old", "New"], EN) == "Old · New"
    assert labels([levels[0]]) == ["Controller R"]


def test_a_title_of_many_runs_is_short() -> None:
    runs = [array_run(layout(f"raid{n}")) for n in range(5)]
    assert titled(runs, labels(runs), EN) == "Controller R: 5 drives"
    other = [array_run({}, model) for model in "ABCDE"]
    assert titled(other, labels(other), EN) == "A · B · C and 2 more"
    assert titled(other[:4], labels(other[:4]), EN) == "A · B · C · D"


def page_of(name: str, value: str, *items: str, tables: tuple[Table, ...] = ()) -> Section:
    pair = (EN("table.item"), EN("table.value"))
    rows = (("Model", "R"), ("Array", value), *((("Repeats", "2"),) if name == "B" else ()))
    facts = Table("Device", pair, rows)
    host = Table("Platform", pair, (("Model", "Host"),))  # an item of one name in another table is another fact
    return Section("method", "Method", (facts, host, *tables, Items("Notes", tuple(map(Item, items)))))


def test_methods_are_one_section_with_common_and_differing_facts_and_nothing_is_lost() -> None:
    shared = Table("Requirements", ("a", "b", "c"), (("1", "2", "3"), ("Range", "2", "500 GB")))
    larger = shared._replace(rows=(("1", "2", "3"), ("Range", "2", "4 TB")))
    own = Table("Claims", ("a", "b"), (("1", "2"),))
    sections = {
        "A": page_of("A", "RAID 5", "x", "y", tables=(shared, own)),
        "B": page_of("B", "RAID 10", "x", "z", tables=(larger,)),
    }
    one = methods.joined(sections, EN)
    common, apart, once, alone = one.tables
    assert (one.anchor, one.title) == ("method", "Method")
    assert common.rows == (("Model", "R"), ("Model", "Host"))
    assert apart.head == (EN("table.item"), "A", "B")
    assert apart.rows == (("Array", "RAID 5", "RAID 10"), ("Repeats", "–", "2"))
    assert once.rows == (("1", "2", "3"), ("A: range", "2", "500 GB"), ("B: range", "2", "4 TB"))
    assert alone == own._replace(rows=(("A: 1", "2"),))
    (notes,) = (block for block in one.blocks if isinstance(block, Items))
    assert [item.text for item in notes.items] == ["x", "A: y", "B: z"]


def reviews_of(**figures: dict[str, float]) -> dict[str, Any]:
    return {
        name: seen({"read": "yes"})._replace(figures=own, verdict=Verdict("read", (), Known(own)))
        for name, own in figures.items()
    }


def test_the_conclusion_has_what_each_drive_loses_by_the_largest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("reads", "seq_read", "seq_write", "read_wait", "server")
    monkeypatch.setattr(together, "_figures", lambda reviews: list(names))
    monkeypatch.setattr(together, "_unlike", lambda figure, reviews: [])
    a = dict(zip(names, (100e3, 1e9, 2e9, 100e-6, 1000.0), strict=True))
    b = dict(zip(names, (95e3, 3e9, 1e9, 100e-6, 5000.0), strict=True))
    reviews = reviews_of(A=a, B=b)
    (won_a, lost_a, told), (won_b, lost_b, _) = (closing._beside(name, reviews, ()) for name in reviews)
    assert [text.split(":")[0] for text in lost_a] == ["File server profile", "Sequential reads"]
    assert "B is 5\u00a0times better" in lost_a[0]
    assert "B is 3\u00a0times better" in lost_a[1]
    assert [text.split(":")[0] for text in won_b] == ["File server profile", "Sequential reads"]
    assert "5\u00a0times better than A" in won_b[0]
    assert len(lost_b) == len(won_a) == 1, "5% behind is not a reason, nor is an equal figure"
    assert "A is 2\u00a0times better" in lost_b[0]
    assert {"server", "server_wait", "seq_read", "seq_write"} <= told
    assert not {"reads", "read_wait", "fall"} & told
    written = reviews_of(A={"writes": 1.0, "sat_s": 1.0}, B={"writes": 9.0, "sat_s": 1.0})
    monkeypatch.setattr(together, "_figures", lambda reviews: ["writes"])
    assert "fall" in closing._beside("A", written, ())[2]
    monkeypatch.setattr(together, "_figures", lambda reviews: list(names))
    assert closing._beside("B", reviews, {"seq_write"})[1] == []
    every = reviews_of(A=dict.fromkeys(names, 1.0), B=dict.fromkeys(names, 9.0))
    assert [len(one) for one in closing._beside("A", every, ())[:2]] == [1, closing.MOST_BESIDE]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_drives_that_are_close_to_the_best_are_named(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Language(lang)
    monkeypatch.setattr(together, "_figures", lambda reviews: ["reads", "seq_read", "seq_write", "server"])
    a = {"reads": 100e3, "seq_read": 1e9, "seq_write": 1e9, "server": 1000.0}
    reviews = reviews_of(
        A=a, B=a | {"seq_read": 0.95e9, "server": 2000.0}, C=a | {"seq_read": 0.98e9, "seq_write": 0.5e9}
    )
    said = [together._best(lead, reviews, words) for lead in together.leads(reviews)]
    assert said[:2] == [words("together.equal_of_all"), words("together.close_of_all")]
    assert said[2] == words("together.equal", names=["A", "B"])
    assert said[3] == words("together.best", name="B", gain=2.0)


@pytest.mark.parametrize(
    ("figure", "own", "other", "beaten"),
    [
        ("mix", 6_600.0, 20_900.0, True),
        ("mix", 20_900.0, 6_600.0, False),
        ("mix", 20_000.0, 21_000.0, False),
        ("server_wait", 3.4e-3, 1.4e-3, True),
        ("server_wait", 1.4e-3, 3.4e-3, False),
        ("uneven", 1.02, 1.0, False),
        ("mix", 6_600.0, 0.0, False),
        ("capacity", 10e12, 16e12, False),
    ],
)
def test_what_another_drive_does_better_is_no_argument_for_a_drive(
    figure: str, own: float, other: float, *, beaten: bool
) -> None:
    assert closing._beaten(Reason(figure, "pass", 1.0, {figure: own}), {figure: other}) is beaten
    assert not closing._beaten(Reason(figure, "pass", 1.0, {figure: own}), {})


def test_the_size_of_a_cache_is_not_ranked_between_drives_of_other_capacities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_figures", lambda reviews: ["cache_bytes"])
    reviews = reviews_of(A={"cache_bytes": 70e9}, B={"cache_bytes": 1400e9})
    assert [lead.first for lead in together.leads(reviews)] == ["B"]
    run = made("fresh", truth=Truth(capacity_bytes=32 * GiB), shorten=60)
    assert not list(together.leads(reviews | {"A": reviews["A"]._replace(run=run)}))


def test_rates_come_before_rare_response_times_however_much_these_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_figures", lambda reviews: ["write_p99", "reads", "seq_read"])
    fast = {"write_p99": 1e-6, "reads": 200e3, "seq_read": 3e9}
    reviews = reviews_of(A=fast, B={"write_p99": 1e-4, "reads": 100e3, "seq_read": 1e9})
    titles = [page_one.title(name, reviews["A"]) for name in ("seq_read", "reads", "write_p99")]
    texts = closing._beside("A", reviews, ())[0]
    assert [text.startswith(title) for text, title in zip(texts, titles, strict=True)] == [True] * 3
    said = together.headline(reviews, EN)
    assert "3\u00a0times" in said
    assert "2\u00a0times" in said
    assert "100\u00a0times" not in said


def test_of_neighbouring_tables_with_one_note_the_last_has_it() -> None:
    every = [Table("A", ("a",), (), note=note) for note in ("x", "x", "y", "", "y", "y")]
    every = [table._replace(title=f"{n}") for n, table in enumerate(every)]
    assert [table.note for table in tables.once(iter(every), ())] == ["", "x", "y", "", "", "y"]
    assert not list(tables.once(iter(()), ()))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_title_names_the_run_that_did_not_end_and_no_other_reason(lang: str) -> None:
    words = Language(lang)
    reviews = reviews_of(A={"reads": 1.0}, B={"reads": 2.0})
    ended = reviews["B"].verdict._replace(standing=Because("unfinished"))
    text = together._unranked(reviews | {"B": reviews["B"]._replace(verdict=ended)}, words)
    assert text == words("together.standing", listed=f"B: {because_said(Because('unfinished'), words)}")
    both = {name: one._replace(verdict=ended) for name, one in reviews.items()}
    assert f"{words('together.of_both_runs')}: " in together._unranked(both, words)  # both are of one drive
    assert together._unranked(reviews, words) == words("together.unusable")


def test_reasons_have_the_figures_of_the_common_depth_unless_a_mark_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    at = {"server": 5000.0, "server_wait": 0.0016, "server_depth": 8.0}
    reasons = (Reason("server_wait", "pass", 2.0, at),)
    own = seen({})._replace(figures=at, verdict=Verdict("mixed", (Judged("mixed", "yes", reasons),), Known(at)))
    row: Any = SimpleNamespace(iops=5100.0, number=lambda name: 0.0031, workload=SimpleNamespace(outstanding=16))
    deeper = (Reason("server_wait", "pass", 2.0, at | {"server_depth": 16.0}),)
    for mark, kept in (("yes", deeper), ("doubt", reasons)):
        monkeypatch.setattr(alike, "judge", lambda known, kind, mark=mark: (Judged("mixed", mark, deeper),))
        told = alike._at(own, "server", row)
        assert told.figures["server_depth"] == 16.0
        assert told.verdict.uses[0].reasons == kept
        assert told.verdict.uses[0].mark == "yes"


def test_profiles_of_one_load_are_drawn_once_and_captions_have_the_highest_rates() -> None:
    truth = Truth(capacity_bytes=8 * GiB)
    runs = [made("profiles", truth=truth, profile="review", interval_s=20.0, shorten=60, rounds=5) for _ in range(2)]
    drawn = list(picture("servers", [Side(name, run) for name, run in zip("AB", runs, strict=True)], EN, []))
    titles = [one.title.rpartition(": ")[2] for one in drawn]
    assert titles == ["file server", "database", "Iometer file server"]
    for one in drawn:
        rows = one.spec["datasets"]["rows"]
        for name in "AB":
            most = max(row["value"] for row in rows if row["drive"] == name)
            assert f"{EN.show(most, 'said:rate')} ({name})" in one.says


def test_sequential_rates_after_the_fill_are_those_of_its_own_test() -> None:
    """A sweep of blocks at a deeper queue may be a little faster: the table of the chapter lost its read load."""
    run = made("throughput", "block-sweep", truth=Truth(noise=0.02), profile="review", shorten=60)
    review = telling.reviewed(run, {}, EN)
    table = next(iter(tables.load_tables({"": review}, ["throughput"], EN)))
    assert {row.test for name, row in review.verdict.known.rows.items() if name.startswith("seq_")} == {"throughput"}
    assert len(table.rows) == 2
