"""A percentile is one entry of `PERCENTS`: its names, columns and comparisons follow from it."""

import pytest
from docs.made import columns

from stend.model.tally import PERCENTS
from stend.words import LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", ["figure", "quantity", "column", "matrix"])
def test_a_percentile_that_no_phrase_names_has_its_name(section: str, language: str) -> None:
    words = Language(language)
    assert f"99{words.format_of.decimal}5" in words(f"{section}.p99.5")


def test_every_percentile_has_the_meaning_of_its_columns() -> None:
    assert {columns.meaning("records", f"read_{column}") for column in ("p99_9_s", "p99_99_s")} == {
        "99.9th percentile of the response time",
        "99.99th percentile of the response time",
    }
    assert {columns.unit(name.replace(".", "")) for name in PERCENTS} == {"s"}
