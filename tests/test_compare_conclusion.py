"""The title of a comparison: how many figures of the second side are better and worse; then the largest changes."""

import math

import pytest

from stend.base.units import GiB
from stend.charts.overlay import pictures
from stend.many.compare import Comparison, compared, side
from stend.many.compare.groups import classes
from stend.many.sides import Side
from stend.many.sides import outcome as reduced
from stend.report.parts import ranked
from stend.report.parts.versus import versus
from stend.words import Language
from tests.sides import load, outcome, row
from tests.synthetic import Truth, made
from tests.test_compare_ranked import several

EN, RU = Language("en"), Language("ru")


def plain(whole: Comparison) -> str:
    """The English conclusion and the largest changes, without the spaces that do not break."""
    return " ".join((ranked.conclusion(whole, EN), *ranked.largest(whole, EN))).replace("\xa0", " ")


GAIN, LOSS = "Largest gain: IOPS, random write", "Largest loss: IOPS, random write"


@pytest.mark.parametrize(
    ("ratios", "counted", "told"),
    [
        ((5.0,), "1 figure: ahead in 1 (not proven)", [f"{GAIN} 4 KiB, T4 Q32: IOPS 1,000 → 5,000 (5×)."]),
        (
            (1.0, 5.0, 1.0),
            "3 figures: ahead in 1 (not proven)",
            [f"{GAIN} 8 KiB, T4 Q32: IOPS 1,000 → 5,000 (5×); 1 of 3 figures of this kind passes the threshold."],
        ),
        (
            (0.5, 4.0, 0.2),
            "3 figures: ahead in 1 (not proven), behind in 2 (not proven)",
            [
                f"{GAIN} 8 KiB, T4 Q32: IOPS 1,000 → 4,000 (4×); 1 of 3 figures of this kind passes the threshold.",
                f"{LOSS} 12 KiB, T4 Q32: IOPS 1,000 → 200 (−80%); 2 of 3 figures of this kind pass the threshold.",
            ],
        ),
    ],
)
def test_it_counts_and_names_the_largest_change_each_way(
    ratios: tuple[float, ...], counted: str, told: list[str]
) -> None:
    assert plain(several(*ratios)) == " ".join([f"b compared with a in {counted}.", *told])


def test_it_is_called_better_only_with_an_interval() -> None:
    assert ranked.conclusion(several(5.0, 1.0, runs=4), EN).startswith("b compared with a in 2 figures: better in 1.")
    assert ranked.conclusion(several(5.0, 1.0, runs=4), RU).startswith("b против a по 2 величинам: лучше — 1.")


def test_equal_sides_are_the_same_only_where_that_is_shown() -> None:
    assert ranked.conclusion(several(1.0, 1.0, runs=4), EN) == "The two sides are the same in 2 figures."
    assert ranked.conclusion(several(1.0, 1.0), EN) == "No relevant difference is shown in 2 figures."


def test_without_comparable_figures_the_title_stays() -> None:
    whole = several(5.0, settings={"specification": "2.0.1"})
    blocked = whole._replace(differences=tuple(d._replace(verdict="not comparable") for d in whole.differences))
    assert ranked.conclusion(blocked, EN) == ""
    assert versus(blocked, None, "en", drawn=False).lead.title == "At a glance"
    lead = versus(whole, None, "en", drawn=False).lead
    assert lead.title == ranked.conclusion(whole, EN)
    assert [text for text in ranked.largest(whole, EN) if text not in lead.texts] == []


def of_latency(scale: float, worst: float) -> Comparison:
    """Two sides of one load: the second has `scale` times the response times, and `worst` times the tails."""
    whole = compared(
        side("a", [outcome("a", [row(load(), 1000, test="latency")], 0)]),
        side("b", [outcome("b", [row(load(), 1000 / scale, test="latency")], 50)]),
    )
    tails = [d._replace(ratio=worst, verdict="behind") if d.quantity.startswith("p") else d for d in whole.differences]
    return whole._replace(differences=tuple(tails))


def test_a_tail_has_a_sentence_of_its_own_after_the_rates_and_means() -> None:
    told = plain(of_latency(1.5, 9.0))
    rate, tail = told.index("Largest loss: "), told.index("Largest loss of a percentile or maximum: ")
    assert rate < tail
    assert "%" not in told[rate:tail].replace("(−33%)", "").replace("(+50%)", "")
    assert "9×" in told[tail:]
    assert "rate or mean" not in plain(of_latency(1.0, 9.0))


def test_exchanged_sides_exchange_gains_and_losses() -> None:
    whole, back = several(0.5, 4.0, 1.0), several(2.0, 0.25, 1.0)
    told, other = plain(whole), plain(back)
    assert "in 3 figures: ahead in 1 (not proven), behind in 1 (not proven)" in told
    assert "in 3 figures: ahead in 1 (not proven), behind in 1 (not proven)" in other
    assert f"{GAIN} 8 KiB" in told
    assert f"{LOSS} 8 KiB" in other


def test_of_a_kind_that_mostly_stays_the_figures_that_moved_come_first() -> None:
    """A drop that moves by one depth is one figure of nine: the middle of their changes is 1."""
    still, moved = several(1.15, 1.15, 1.15), several(1.0, 1.0, 1.0, 5.0, 1.0)
    renamed = tuple(d._replace(key=d.key._replace(test="fresh")) for d in still.differences)
    found = classes((*renamed, *moved.differences))
    tests = {sort: [group.test for group in alike] for sort, alike in found.items() if alike}
    assert tests == {"some": ["iops"], "level": ["fresh"]}
    assert list(tests) == ["some", "level"]


@pytest.mark.parametrize(("way", "ratio"), [("write", 0.5), ("write", 2.0), ("read", 0.2)])
def test_each_figure_of_the_largest_changes_has_a_row_in_the_tables_above_all_others(way: str, ratio: float) -> None:
    """Writes that are slower inside a mix whose rate holds: the sentence names them, so a table must."""
    whole = several(1.0, 1.0, 1.0)
    first = whole.differences[0]
    part = first._replace(key=first.key._replace(direction=way, read_pct=67), quantity="mean", ratio=1 / ratio)
    part = part._replace(verdict="behind" if ratio < 1 else "ahead")
    whole = whole._replace(differences=(*whole.differences, part))
    (told,) = ranked.largest(whole, EN)
    assert f", {way}: mean response" in told
    rows = [cells for table in ranked.tables(whole, EN) for cells in table.rows]
    assert [cells[0] for cells in rows if way in cells[0].split(", ")] == [f"IOPS, random mix, {way}, mean response"]
    still = whole._replace(differences=(*whole.differences[:-1], part._replace(verdict="close")))
    assert not [cells for table in ranked.tables(still, EN) for cells in table.rows if way in cells[0].split(", ")]


def test_the_change_of_a_part_states_that_of_the_whole_load() -> None:
    whole = several(1.5)
    (row,) = (d for d in whole.differences if d.quantity == "iops")
    part = row._replace(key=row.key._replace(direction="write"), quantity="mean", ratio=1.3, verdict="behind")
    (_, loss) = ranked.largest(whole._replace(differences=(row, part)), EN)
    assert "(+30%; IOPS of the load as a whole: +50%)" in loss.replace("\xa0", " ")
    assert "as a whole" not in next(ranked.largest(whole, EN))


def test_a_drop_that_moved_by_one_load_is_not_the_largest_gain() -> None:
    """One figure of five is 5 times as high: that is where a drop begins. Two of three others are 1.5 times as high."""
    moved, wide = several(1.0, 1.0, 5.0, 1.0, 1.0), several(1.5, 1.5, 1.0)
    renamed = tuple(d._replace(key=d.key._replace(test="fresh")) for d in wide.differences)
    both = moved._replace(differences=(*moved.differences, *renamed))
    assert (
        plain(both).index("(+50%)") < plain(both).index("larger, but at one load alone: ") < plain(both).index("(5×)")
    )
    assert "(5×)" in plain(moved), "alone it is told"


@pytest.mark.parametrize(
    ("ratios", "told"),
    [
        ((1.15, 1.1, 1.05), "IOPS, random write (≈ +5.0% … +15.0%)"),
        ((0.9, 0.95, 0.99), "IOPS, random write (≈ −10.0% … −1.0%)"),
        ((1.15, 1.1, 0.99), ""),
        ((1.02, 1.02, 1.02), ""),
        ((1.15, 1.1), ""),
        ((1.5, 1.5, 1.5), ""),
    ],
)
def test_small_changes_in_one_direction_at_every_load_are_told(ratios: tuple[float, ...], told: str) -> None:
    whole = several(*ratios)
    lead = EN("versus.consistent", listed=told)
    unsure = tuple(d._replace(verdict="undecided") for d in whole.differences)
    assert not list(ranked.consistent(whole._replace(differences=unsure), EN)), "they may be beyond the threshold"
    assert list(ranked.consistent(whole, EN)) == ([lead] if told else [])
    assert (lead in versus(whole, None, "en", drawn=False).lead.texts) == bool(told)


def test_a_class_counts_what_it_is_named_for() -> None:
    tables = {table.title: table for table in ranked.tables(several(5.0, 0.2, 1.0), EN)}
    (table,) = tables.values()
    assert table.title == EN("versus.class_some", b="b")
    assert (table.head[-2:], table.rows[0][-2:]) == (("Better at", "Worse at"), ("1 / 3", "1 / 3"))
    (table,) = ranked.tables(several(0.2, 0.3, 1.0), EN)
    assert (table.head[-1], table.rows[0][-1]) == ("Worse at", "2 / 3")
    (table,) = ranked.tables(several(1.0, 1.0, 1.0), EN)
    assert not {"Better at", "Worse at"} & set(table.head)


def test_kinds_of_load_that_moved_in_most_figures_are_named_before_single_ones() -> None:
    told = plain(several(1.5, 1.4, 1.0))
    assert "Ahead at: IOPS, random write (2 of 3 loads, ≈" in told
    assert told.index("Ahead at") < told.index("Largest gain")
    assert "Better at: IOPS, random write (2 of 3 loads, " in plain(several(1.5, 1.4, 1.0, runs=4))
    assert " loads, " not in plain(several(1.5, 1.0, 1.0))
    assert " loads, " not in plain(several(1.5)), "a single figure is no kind"


def test_of_single_runs_no_caption_speaks_of_means_of_runs_or_of_intervals() -> None:
    for whole, means in ((several(1.5, 1.4, 1.3), False), (several(1.5, 1.4, 1.3, runs=4), True)):
        says = " ".join(drawn.says for drawn in pictures(whole, EN, lambda _: []))
        assert ("Geometric means of all runs" in says) == means
        assert ("95% interval" in says) == means


def test_a_cache_that_another_firmware_halves_is_the_largest_loss() -> None:
    """The average over a whole drive of 64 GiB hardly shows a cache that is 4 GiB smaller."""
    both = list[Side]()
    for name, size in (("old", 8 * GiB), ("new", 4 * GiB)):
        truth = Truth(capacity_bytes=64 * GiB, slc=((size, 1e9), (math.inf, 5e8)))
        run = made("slc-cache", truth=truth, shorten=1, interval_s=1.0)
        both.append(side(name, [reduced(name, run, {})._replace(began_s=float(size))]))
    whole = compared(both[0], both[1])
    sizes = {d.key.phase: (d.a, d.b) for d in whole.differences if d.quantity == "cache_bytes"}
    assert sizes["fresh"] == pytest.approx((8 * GiB, 4 * GiB), rel=0.05)
    told = " ".join(ranked.largest(whole, EN)).replace("\xa0", " ")
    assert told.startswith("Largest loss: SLC Cache, ")
    assert "fast cache" in told.partition(": ")[2]
