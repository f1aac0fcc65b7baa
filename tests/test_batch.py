"""Batches: drawn drives of one model, of which the odd ones are named and no others, and the verdict on their lot."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

from stend import cli, session
from stend.base.errors import BadInput
from stend.charts.batched import strips
from stend.charts.parts.figures import figure_name
from stend.cli.lot import judged as judge
from stend.many.batch import odd
from stend.many.batch.acceptance import Written
from stend.many.batch.acceptance import plan as accepting
from stend.many.batch.lot import Drive, Lot, lot
from stend.many.batch.odd import LEAST_DRIVES, spreads
from stend.many.batch.verdict import judged
from stend.many.compare.differences import Figure
from stend.many.sides import Key, Outcome, outcome, side
from stend.planning import plan
from stend.report.parts import Text, batched, schemas_many
from stend.session import unrecorded
from stend.words import LANGUAGES, Language
from tests.test_charts_many import drawn_batch

pytestmark = pytest.mark.together
ODD = {7: "&flash.dies=6", 19: "&flash.spare_pct=13"}
KEY = Key("iops", "rounds", "window", 100, 0, "4K", 4, 32, 1, "both")


@cache
def run(unit: int, more: str = "", number: int = 1, minute_s: float = 0.1) -> Outcome:
    """A drawn drive's short run, in memory."""
    names, profile, told = plan.gather(["iops", "write-saturation"], None, {"minute_s": minute_s}, quick=True)
    target = f"sim:small?unit={unit}&run={number}&spread=1{more}"
    done = unrecorded.folded(target, names, profile, told, seed=100 * unit + number)
    return outcome(f"run-{unit}-{number}", done, {})._replace(began_s=100.0 * unit + number)


def of(units: range) -> Lot:
    return lot(side("", [run(unit, ODD[unit]) if unit in ODD else run(unit) for unit in units]))


@pytest.mark.slow
def test_of_24_drawn_drives_the_two_odd_ones_are_named_and_no_other() -> None:
    whole = judged(of(range(1, 25)), None)
    assert {whole.lot.drives[i].name for i in whole.odd} == {"SIM-small-7", "SIM-small-19"}
    assert all(one.p < 0.05 and abs(one.ratio - 1) > 0.02 for found in whole.odd.values() for one in found)


@pytest.mark.slow
def test_of_the_same_drives_without_anything_changed_none_is_named() -> None:
    whole = judged(lot(side("", [run(unit) for unit in range(1, 25)])), None)
    assert whole.odd == {}


def made(values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", quantity: str = "iops") -> Lot:
    """A lot of (drives, figures) logarithms."""
    figures = [Figure(KEY._replace(block=f"{k}K"), quantity) for k in range(values.shape[1])]
    drives = tuple(
        Drive(f"d{i}", (), {f: float(np.exp(v)) for f, v in zip(figures, row, strict=True)})
        for i, row in enumerate(values)
    )
    return Lot(drives, tuple(figures), ())


@pytest.mark.slow
def test_good_drives_are_named_in_at_most_a_twentieth_of_batches() -> None:
    dice = np.random.default_rng(5)
    alarms = [bool(odd.named(odd.distances(made(dice.normal(9, 0.03, (24, 20)))))) for _ in range(150)]
    assert np.mean(alarms) <= 0.05


def test_several_odd_drives_do_not_hide_each_other() -> None:
    values = np.random.default_rng(2).normal(9, 0.02, (24, 10))
    values[3:9] -= 0.4
    assert set(odd.named(odd.distances(made(values)))) == set(range(3, 9))


def test_a_difference_that_does_not_matter_names_nobody_however_sure_it_is() -> None:
    values = np.random.default_rng(2).normal(9, 0.001, (24, 3))
    values[5] -= 0.025
    assert odd.named(odd.distances(made(values))) == {}
    values[5] -= 0.025
    assert set(odd.named(odd.distances(made(values)))) == {5}


def test_the_spread_of_a_figure_is_about_its_median() -> None:
    values = np.log(np.array([[1000.0], [1010.0], [1020.0], [1030.0], [1100.0]]))
    (own,) = spreads(made(values)).values()
    assert own.drives == 5
    assert own.median == pytest.approx(1020)
    assert own.deviation == pytest.approx(1.4826 * np.log(1020 / 1010))


def test_percentiles_a_bin_apart_are_no_spread_to_stand_out_of() -> None:
    values = np.full((24, 2), -7.0)
    values[3] += 1 / 64
    assert odd.named(odd.distances(made(values, "p99.9"))) == {}
    values[3] += 0.1
    assert set(odd.named(odd.distances(made(values, "p99.9")))) == {3}


def test_fewer_than_six_drives_name_nobody() -> None:
    values = np.random.default_rng(2).normal(9, 0.01, (5, 3))
    values[0] -= 1
    assert odd.distances(made(values)) == []


@pytest.mark.slow
def test_a_drive_with_more_runs_counts_once() -> None:
    own = lot(side("", [*(run(unit) for unit in range(1, 7)), run(2, number=2)]))
    assert len(own.drives) == 6
    assert [len(drive.runs) for drive in own.drives] == [1, 2, 1, 1, 1, 1]
    figure = own.figures[0]
    both = [one.rows[figure.key].value("iops") or 0 for one in own.drives[1].runs]
    assert own.drives[1].values[figure] == pytest.approx((both[0] * both[1]) ** 0.5)
    assert any(note.key == "counts" for note in own.notes)


@pytest.mark.slow
def test_runs_that_were_not_made_alike_are_no_batch_unless_asked() -> None:
    unlike = [*(run(unit) for unit in range(1, 4)), run(4, minute_s=0.2)]
    with pytest.raises(BadInput, match="minute"):
        lot(side("", unlike))
    assert any(note.values.get("name") == "minute" for note in lot(side("", unlike), anyway=True).notes)
    with pytest.raises(BadInput, match="two drives"):
        lot(side("", [run(1), run(1, number=2)]))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("limit", "accept", "verdict"), [("iops > 10k", 0, "rejected"), ("iops > 10k", 1, "accepted"), (None, 0, None)]
)
def test_of_two_drives_the_one_without_figures_is_bad_and_has_a_page(
    lang: str, limit: str | None, accept: int, verdict: str | None
) -> None:
    good, figure = made(np.full((1, 1), 10.0)).drives[0], Figure(KEY._replace(block="0K"), "iops")
    two = Lot((good, Drive("dead", (), {})), (), ())
    batch = judged(two, accepting(Written((limit,), sample=2, accept=accept)) if limit else None)
    acceptance = batch.acceptance
    assert (acceptance and acceptance.verdict) == verdict
    assert not acceptance or {i: [(b.figure, b.value) for b in broken] for i, broken in acceptance.bad.items()} == {
        1: [(figure, None)]
    }
    assert "1 величина" in (counts := next(batched._summary(batch, Language(lang)))) or "1 figure." in counts
    expected = ["summary", "acceptance", "drives", "charts"] if limit else ["summary", "drives"]
    assert [section.anchor for section in batched._sections(batch, Language(lang), drawn=True)] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "sample", "accept", "code"),
    [("> 1k", 1, 0, 0), ("> 1k", 2, 0, 7), ("> 1G", 2, 0, 6), ("> 1G", 2, 1, 7), ("> 1G", 3, 2, 7)],
)
def test_a_plan_judges_the_first_drive_of_a_lot(limit: str, sample: int, accept: int, code: int) -> None:
    plan = accepting(Written((f"iops[histogram] {limit.replace('1G', '1000000k')}",), sample=sample, accept=accept))
    assert judge(side("", [run(1)]), plan, [], "en", None) == code


@pytest.mark.slow
def test_the_lot_is_judged_by_the_sample_alone() -> None:
    own = of(range(1, 25))
    limit = "iops[write-saturation,histogram] > 20k"
    told = {
        (sample, accept): judged(own, accepting(Written((limit,), sample=sample, accept=accept))).acceptance
        for sample, accept in ((24, 1), (24, 2), (18, 1), (18, 0), (30, 1), (30, 7), (30, 8))
    }
    said = {key: one and one.verdict for key, one in told.items()}
    assert said == {
        (24, 1): "rejected",
        (24, 2): "accepted",
        (18, 1): "accepted",
        (18, 0): "rejected",
        (30, 1): "rejected",
        (30, 7): "undecided",
        (30, 8): "accepted",
    }
    small = told[18, 1]
    assert small is not None
    assert (small.more, [own.drives[i].name for i in small.bad]) == (6, ["SIM-small-7", "SIM-small-19"])
    counted = judged(own, accepting(Written(sample=24, accept=1, odd="nonconforming"))).acceptance
    assert counted is not None
    assert counted.verdict == "rejected"
    with pytest.raises(BadInput, match="matches no figure"):
        judged(own, accepting(Written(("iops[latency] > 1",), sample=2, accept=0)))


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_verb_names_the_odd_drive_in_every_format_and_its_code_is_the_verdict(
    tmp_path: Path, lang: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for unit in range(1, 9):
        more = "&flash.dies=4" if unit == 3 else ""
        target = f"sim:small?unit={unit}&spread=1{more}"
        request = session.Request(
            ["write-saturation"], target, quick=True, seed=unit, into=str(tmp_path / f"runs/{unit}")
        )
        with session.start(request) as running:
            assert len(list(running)) > 3
    (tmp_path / "plan.toml").write_text('sample = 8\naccept = 0\nodd = "nonconforming"\n')
    forms = [word for form in ("html", "pdf", "markdown", "json") for word in ("--format", form)]
    words = ["lot", str(tmp_path / "runs"), "--lang", lang, "--into", str(tmp_path), *forms]
    assert cli.main([*words, "--acceptance", str(tmp_path / "plan.toml")]) == 6
    shown = capfd.readouterr().out
    assert "SIM-small-3" in shown
    assert f"  ! {Language(lang)('stamp.virtual')}" in shown.splitlines()
    tail = "" if lang == "en" else ".ru"
    for ending in ("html", "md"):
        text = (tmp_path / f"lot{tail}.{ending}").read_text()
        assert "SIM-small-3" in text.replace("\\", "")
    assert (tmp_path / f"lot{tail}.pdf").read_bytes().startswith(b"%PDF")
    told = json.loads((tmp_path / "lot.json").read_text())
    check = Draft202012Validator(schemas_many.lot())
    check.validate(told)
    for spoiled in (
        told | {"odd": {"SIM-small-3": [{}]}},
        told | {"acceptance": told["acceptance"] | {"verdict": "?"}},
    ):
        with pytest.raises(ValidationError):
            check.validate(spoiled)
    assert list(told["odd"]) == ["SIM-small-3"]
    assert told["acceptance"]["verdict"] == "rejected"
    assert cli.main(words) == 0


@pytest.mark.parametrize("drives", [LEAST_DRIVES - 1, LEAST_DRIVES])
def test_a_lot_too_small_for_outliers_does_not_state_that_it_has_none(drives: int) -> None:
    lot = drawn_batch().lot
    batch = judged(Lot(lot.drives[8 : 8 + drives], lot.figures, ()), None)
    texts = [block.text for section in batched._sections(batch, Language("en"), drawn=False) for block in section.blocks
             if isinstance(block, Text)]  # fmt: skip
    words, few = Language("en"), drives < LEAST_DRIVES
    title = batched._conclusion(batch, words)
    assert title == (words("batched.few", n=drives, least=LEAST_DRIVES) if few else words("batched.none_odd"))
    farthest = [text for text in texts if text.startswith("The farthest from the others is ")]
    assert len(farthest) == (not few)
    first = batch.distances[0] if batch.distances else None
    assert all(lot.drives[8 + first.drive].name in text for text in farthest if first)
    assert not any("outlier" in text for text in farthest)


def test_the_farthest_drive_is_named_with_the_number_of_figures_in_which_none_is_as_far() -> None:
    lot = drawn_batch().lot
    batch = judged(Lot(lot.drives[8:14], lot.figures, ()), None)
    assert not batch.odd
    texts = list(batched._summary(batch, Language("en")))
    (text,) = (t for t in texts if t.startswith("The farthest"))
    far = {odd.figure: max((o for o in batch.distances if o.figure == odd.figure), key=lambda o: abs(o.distance)).drive
           for odd in batch.distances}  # fmt: skip
    times = sum(drive == batch.distances[0].drive for drive in far.values())
    assert batch.lot.drives[batch.distances[0].drive].name in text
    assert text.endswith(f"It is the farthest in {times} of 4 figures.")
    assert "p allows for all 4 figures compared: for this one alone it would be 0.025. With 6 drives" in text
    need = odd.needed(6, "rate", 4)
    assert odd.chance(6, need, "rate") == pytest.approx(odd.LEVEL / 4, rel=0.02)
    assert f" is named from {Language('en').show(need, 'n')} spreads on. " in text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("slower", "figures", "key"),
    [(0.0, 20, "none_odd"), (0.03, 20, "none_odd_apart"), (0.03, 9, "none_odd"), (0.5, 1, "odd_named")],
)
def test_a_drive_apart_is_suspected_before_it_is_named(slower: float, figures: int, key: str, lang: str) -> None:
    """Seven drives are within 1 %. The eighth is slower in some of 40 figures, and thrice as much in one of them."""
    dice, words = np.random.default_rng(11), Language(lang)
    values = np.log(1000) + dice.uniform(-0.01, 0.01, (8, 40))
    values[7, :figures] -= slower
    values[7, 1] -= 2 * slower
    batch = judged(made(values), None)
    again = words("batched.measure_again", drive="d7")
    assert (again in list(batched._summary(batch, words))) == (key == "none_odd_apart")
    named = {"drive": "d7", "p": batched._p(batch.distances[0].p, words), "n": 1, "names": ["d7"]}
    assert batched._conclusion(batch, words) == words(f"batched.{key}", **named)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_conditions_are_those_of_all_runs(lang: str) -> None:
    words, runs = Language(lang), [drive.runs[0] for drive in of(range(1, 4)).drives]

    def rows_of(runs: list[Outcome]) -> dict[str, str]:
        return {row[0]: row[1] for row in batched._settings(runs, words).rows}

    table = rows_of(runs)
    assert table[words("setting.model")] == "stend small"
    assert words("setting.serial") not in table, "each drive has its own"
    assert words("setting.label") not in table, "no run has one"
    other = runs[0]._replace(settings=runs[0].settings | {"firmware": "2"}, began_s=runs[-1].began_s + 86_400)
    changed = rows_of([*runs, other])
    assert set(table) - set(changed) == {words("setting.firmware")}
    begun = [words.date(at) for at in (runs[0].began_s, other.began_s)]
    assert changed[words("column.began")] == " – ".join(begun)
    assert rows_of(runs[:1])[words("column.began")] == begun[0]


def test_a_figure_that_a_drive_lacks_says_how_many_have_it() -> None:
    lot, words = made(np.log(1000) + np.random.default_rng(12).normal(0, 0.01, (8, 3))), Language("en")
    first = lot.figures[1]
    del lot.drives[2].values[first]
    batch = judged(lot, None)
    assert words("batched.fewer_says", n=8) in batched._figures(batch, words).note
    (drawn,) = strips.draw(batch, words)
    fewer = {row["figure"] for row in drawn.rows["rows"] if "of 8" in row["figure"]}
    assert fewer == {f"{figure_name(first, words)} (7 of 8 drives)"}


@pytest.mark.parametrize("drives", [LEAST_DRIVES - 1, LEAST_DRIVES])
def test_a_lot_too_small_for_distances_has_no_columns_of_them(drives: int) -> None:
    lot = drawn_batch().lot
    table = batched._drives(judged(Lot(lot.drives[8 : 8 + drives], lot.figures, ()), None), Language("en"))
    assert len(table.head) == (2 if drives < LEAST_DRIVES else 5), "without verdicts if none is an outlier or bad"
    assert {len(row) for row in table.rows} == {len(table.head)}


def test_the_number_of_drives_is_no_column_if_all_figures_have_it() -> None:
    lot, words = of(range(1, 9)), Language("en")
    table = batched._figures(judged(lot, None), words)
    assert words("batched.count") not in table.head
    assert table.note == f"{words('batched.count')}: 8. {words('batched.spread_says', **batched.LEAST)}"
    del lot.drives[0].values[lot.figures[0]]
    assert words("batched.count") in batched._figures(judged(lot, None), words).head


@pytest.mark.parametrize(("quantity", "least"), [("iops", 0.001), ("mean", 0.001), ("p99", 1 / 64 / 12**0.5)])
def test_a_spread_below_the_resolution_of_a_figure_counts_as_that(quantity: str, least: float) -> None:
    """The largest distance of good drives is drawn 100,000 times: a farther one has the smallest chance there is."""
    values = np.zeros((8, 1))
    values[7] = np.log(2)
    first, *others = odd.distances(made(values, quantity))
    assert (first.drive, first.ratio, first.distance) == pytest.approx((7, 2.0, np.log(2) / least))
    assert (first.named, others[0].named, others[0].distance) == (True, False, 0)
    assert odd.chance(8, 1e9, "rate") == 1 / 100_001
    assert first.p <= odd.chance(8, first.distance, "tail" if quantity == "p99" else "rate") < 0.05
