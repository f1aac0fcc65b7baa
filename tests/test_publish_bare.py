"""Key figures in the tables of a site: rounding, units, ranges of samples; and settings and reasons as its data."""

from typing import Any

import pytest

from stend.publish import figures
from stend.report.story.page_one import SHAPES
from stend.words import Language

EN, RU = Language("en"), Language("ru")
GIB = 2**30


@pytest.mark.parametrize(
    ("name", "value", "words", "unit"),
    [
        ("read_wait", 148.4e-6, "148", "µs"), ("read_wait", 87.4e-6, "87", "µs"), ("read_wait", 456e-6, "460", "µs"),
        ("read_wait", 1.28e-3, "1,300", "µs"), ("write_wait", 9.96e-6, "10", "µs"),
        ("write_wait", 1.24e-6, "1.2", "µs"),
        ("write_tail", 148.4e-6, "0.148", "ms"), ("write_tail", 7.17e-3, "7.2", "ms"),
        ("write_tail", 1.26, "1,300", "ms"),
        ("write_tail", 36.4e-3, "36", "ms"), ("write_tail", 0.2034, "203", "ms"),
        ("cache_bytes", 9.94 * GIB, "9.9", "GiB"), ("cache_bytes", 9.96 * GIB, "10", "GiB"),
        ("cache_bytes", 10 * GIB, "10", "GiB"), ("cache_bytes", 123.4 * GIB, "123", "GiB"),
        ("cache_bytes", 0.456 * GIB, "0.46", "GiB"),
        ("writes", 725_000.0, "730,000", "IOPS"), ("writes", 124_400.0, "124,000", "IOPS"),
        ("writes", 98.6, "99", "IOPS"),
        ("seq_read", 554.8e6, "555", "MB/s"), ("seq_read", 98.6e6, "99", "MB/s"),
        ("seq_read", 3_456e6, "3,460", "MB/s"),
        ("idle_watts", 0.0512, "0.051", "W"), ("load_watts", 12.6, "13", "W"), ("load_watts", 5.26, "5.3", "W"),
    ],
)  # fmt: skip
def test_a_figure_of_a_table_is_rounded_like_running_text_in_one_unit(
    name: str, value: float, words: str, unit: str
) -> None:
    """Running text has two significant digits, three from 100 to 300 and of rates in bytes from 100 MB/s on."""
    assert (figures.bare(name, value, EN), figures.unit_of(name, EN)) == (words, unit)
    shown = figures.bare(name, value, RU).replace("\u00a0", "").replace("\u202f", "")
    assert float(shown.replace(",", ".")) == float(words.replace(",", ""))


def test_units_of_tables_are_in_the_language_of_the_page() -> None:
    names = ("read_wait", "write_tail", "cache_bytes", "seq_read", "idle_watts")
    assert [figures.unit_of(name, RU) for name in names] == ["мкс", "мс", "ГиБ", "МБ/с", "Вт"]


def test_labels_say_what_is_better_in_order_of_importance() -> None:
    names = ["seq_read", "read_wait", "writes"]
    labels = figures.labels(EN, names)
    assert [*labels] == [name for name in SHAPES if name in names]
    assert {name: label["better"] for name, label in labels.items()} == {
        "seq_read": "more", "read_wait": "less", "writes": "more",
    }  # fmt: skip
    assert labels["read_wait"] == {"name": EN("figure_name.read_wait"), "unit": "µs", "better": "less"}


@pytest.mark.parametrize(
    ("figure", "value", "words"),
    [
        ("key|read_wait", 148.4e-6, "148 µs"), ("key|writes", 124_400.0, "124,000"),
        ("iops|rounds|window|100|0|4K|1|32|1|both|iops", 124_432.0, "124,432"),
        ("iops|rounds|window|100|0|4K|1|32|1|both|mean", 148.4e-6, "148 µs"),
    ],
)  # fmt: skip
def test_a_figure_of_the_ledger_is_shown_in_its_shape(figure: str, value: float, words: str) -> None:
    assert figures.text_of(figure, value, EN).replace("\u00a0", " ").startswith(words)


def sample(value: float, *, usable: bool = True) -> dict[str, Any]:
    return {"writes": {"value": value, "bare": f"{value:g}", "usable": usable}}


@pytest.mark.parametrize(
    ("own", "others", "span"),
    [
        (sample(2), [], None),
        (sample(2), [{}], None),
        (sample(2), [sample(10)], ("2", "10", 2)),
        (sample(10), [sample(9), sample(100)], ("9", "100", 3)),  # by their numbers, not their texts
        (sample(2), [sample(10, usable=False)], None),
        (sample(2, usable=False), [sample(10), sample(1, usable=False)], ("1", "10", 3)),
    ],
)
def test_the_range_of_samples_has_those_that_meet_the_conditions_of_the_drives_own(
    own: dict[str, Any], others: list[dict[str, Any]], span: tuple[str, str, int] | None
) -> None:
    more = dict(zip(("low", "high", "samples"), span, strict=True)) if span else {}
    assert figures.with_span(own, others) == {"writes": own["writes"] | more}


def test_a_change_is_written_by_the_browser_as_by_the_program() -> None:
    """Above `factor` a change is a factor, below it a percentage; the texts around it are those of the catalogue."""
    for words in (EN, RU):
        data = figures.change_data(words)
        assert words.texts["overlay.part"].startswith(data["part_before"])
        assert words.texts["overlay.factor"].startswith(data["before"])
        assert "{" not in data["part_before"] + data["before"]
        form = words.format_of
        assert (data["decimal"], data["group"], data["group_from"]) == (form.decimal, form.group, form.group_from)
        assert (data["percent"], data["plural"], data["after"]) == (form.percent, form.plural, [*form.ratio])
