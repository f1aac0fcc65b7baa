"""docs/method/data holds the tables of the validation pages, and docs/method/validation.md quotes them correctly."""

import re
import statistics
from pathlib import Path

import pytest
from benchmarks import data

NAMES = sorted(path.stem for path in data.DATA.glob("*.csv"))
PAGE = Path(__file__).parents[1] / "docs/method/validation.md"
PRINTED = """its cells are simulated
| drive | cell | published | simulated | error | |
|---|---|--:|--:|--:|---|
| a | 4K no|doubt | 1 | 2 | +100.0% | kept aside |
| b | 8K | 1 | 1 | +0.0% |  |

| drive | cells |
|---|--:|
| a | 1 |
"""


def column(name: str, head: str) -> list[str]:
    """Return one column of a data file without its head."""
    heads, *rows = data.read(name)
    return [row[heads.index(head)] for row in rows]


def flat() -> str:
    """Return the page with its lines joined."""
    return " ".join(PAGE.read_text().split())


def percent(name: str, head: str) -> list[float]:
    """Return a column of percentages without their signs."""
    return [abs(float(cell.rstrip("%"))) for cell in column(name, head) if cell != "-"]


@pytest.mark.parametrize("name", NAMES)
def test_a_data_file_has_named_columns_and_rows_of_equal_length(name: str) -> None:
    heads, *rows = data.read(name)
    assert rows
    assert all(heads)
    assert {len(row) for row in rows} == {len(heads)}


def test_printed_tables_become_data() -> None:
    tables = data.tables(PRINTED, ["cells", "drives"])
    assert tables["cells"][0] == ["drive", "cell", "published", "simulated", "error", "note"]
    assert tables["cells"][1:] == [
        ["a", "4K no|doubt", "1", "2", "+100.0%", "kept aside"],
        ["b", "8K", "1", "1", "+0.0%", ""],
    ]
    assert tables["drives"] == [["drive", "cells"], ["a", "1"]]
    with pytest.raises(ValueError, match="longer"):
        data.tables(PRINTED, ["cells"])


def test_every_data_file_is_linked_and_every_link_has_its_file() -> None:
    pages = "".join(page.read_text() for page in data.DATA.parent.glob("*.md"))
    assert sorted(set(re.findall(r"\(data/([\w-]+)\.csv\)", pages))) == NAMES


def test_the_page_quotes_the_errors_of_virtual_drives() -> None:
    page, medians = flat(), percent("drives", "median error")
    assert f"error per drive {min(medians)} to {max(medians)} % over {len(column('cells', 'cell'))} published" in page
    assert f"largest {max(percent('cells', 'error'))} %" in page
    errors = zip(percent("cells", "error"), column("cells", "note"), strict=True)
    aside = [error for error, note in errors if note]
    assert f"({len(aside)} cells, median error {statistics.median(aside):.1f} %)" in page
    medians = percent("reviews", "median error")
    assert f"per review is {min(medians)} to {max(medians)} %" in page
    assert max(percent("reviews", "worst of those not explained")) < 33
    (every,) = [row for row in data.read("percentile-kinds") if row[0] == "all"]
    assert f"median error of {every[4].rstrip('%')} % and a largest factor of {every[5]}" in page


def test_the_page_quotes_the_verdicts_on_findings_and_uses() -> None:
    page, heads, every = flat(), data.read("findings")[0], data.read("findings")[-1]
    number = dict(zip(heads, every, strict=True))
    wrong = sum(int(number[head]) for head in ("can't tell, wrong", "likely, wrong", "false and sure"))
    assert f"{wrong} false statements among {int(number['statements']):,} about {number['drives']} drives" in page
    for head, row in (("right", "right"), ("partly right", "partly right"), ("can't tell", "`can't tell`")):
        assert f"| {row} | {number[head]} |" in page
    agrees = column("judged", "agrees")
    assert f"{agrees.count('yes')} of {len(agrees)} lines agree, {agrees.count('in part')} in part" in page
    assert f"found {len(column('hardened', 'case'))} situations" in page
    found = column("zoo-media", "media test") + column("zoo-inspect", "inspection")
    assert "MISSED" not in found
    assert f"All {len(found)} are found" in page
    assert {*column("zoo-healthy", "false alarms")} == {"0"}
    assert f"[{sum(map(int, column('zoo-healthy', 'number')))} healthy drives]" in page
    quick = column("zoo-media", "`--quick`")
    assert f"finds {len(quick) - quick.count('missed')} of {len(quick)} with" in page
    *_, drawn = data.read("inspections")
    assert f"{drawn[2]} of {drawn[1]} are found" in page
    within = column("sooner", "within")
    assert f"[{within.count('yes')} of {len(within)}](data/sooner.csv)" in page


def test_the_page_quotes_the_repeats_of_service_maps_and_the_flushes() -> None:
    page, within = flat(), percent("service-map-repeats", "repeated contour within the shaded area")
    every = data.read("service-map-repeats")[-1]
    assert f"{within[-1]:.0f} % of {every[1]} places were within it, {min(within):.0f} to {max(within):.0f} %" in page
    for sort, words in (("second grid", "two grids differ by up to"), ("search", "of the search is off by")):
        worst = [cell.split(", ")[1] for cell in column("service-map", f"{sort}, median and worst contour") if cell]
        assert f"{words} {100 * max(map(float, worst)):.1f} %" in page
    errors = percent("flushes", "to the nearer loop")
    assert f"differs from the nearer loop by {min(errors):.0f} to {max(errors):.1f} %" in page
