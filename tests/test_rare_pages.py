"""Parts of pages that usual runs never show: galleries, sweeps with gaps, blocks of Markdown, places of many drives."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stend import charts, store
from stend.base.units import GiB
from stend.charts.parts import thin
from stend.charts.swept import choice, course
from stend.many.compare import compared
from stend.many.sweep.study import Study, studied
from stend.report import gallery, markdown
from stend.report.parts import Code, Marked, Page, Photo, Section, Table, Text, Uses, swept
from stend.report.parts.versus import versus
from stend.report.story.rivals import MOST_NAMED, Place
from stend.words import Language
from tests import labs
from tests.sides import of_rates
from tests.synthetic import Truth, made
from tests.test_charts_many import DESIGN, swept_study


@pytest.mark.parametrize("many", [1, 2])
def test_a_gallery_has_each_chart_once_and_names_the_others_and_the_run(tmp_path: Path, many: int) -> None:
    runs: list[tuple[Path, Any, dict[str, Any]]] = []
    for name in ("first", "second")[:many]:
        folder = labs.run(tmp_path / name, Truth(capacity_bytes=8 * GiB), names=("iops",), shorten=60)
        runs.append((folder, store.load(folder), {}))
    (path,) = gallery.write(runs, "en", "snia", tmp_path)
    assert path.name == "gallery.html"
    assert gallery.write(runs, "ru", "snia", tmp_path)[0].name == "gallery.ru.html", "as the page of the docs links it"
    page = re.sub(r"(?s)<(script|style).*?</\1>", "", path.read_text())
    drawn = {chart.name for chart in charts.of(runs[0][1], runs[0][1].plan.tests[0], "en", {})}
    assert {"iops_matrix", "convergence"} <= drawn
    assert {name for name in charts.names() if f'id="chart-{name}"' in page} == drawn
    assert set(re.findall(r"<li>(\w+)</li>", page)) == set(charts.names()) - drawn
    assert [f"{name}: Mean of the measurement window" in page for name in ("first", "second")] == [many > 1] * 2


@pytest.mark.parametrize(("rounds", "says"), [(5, "Mean of the measurement window"), (1, "Mean of all records")])
def test_a_map_of_a_run_without_a_measurement_window_claims_none(rounds: int, says: str) -> None:
    run = made("iops", truth=Truth(capacity_bytes=8 * GiB), interval_s=10.0, shorten=60, rounds=rounds)
    drawn = [chart for chart in charts.of(run, run.plan.tests[0], "en", {}) if chart.name == "iops_matrix"]
    assert drawn
    assert all(chart.says.startswith(says) for chart in drawn)


def test_a_place_among_many_drives_is_a_number_and_shared_if_another_drive_is_as_near() -> None:
    english, russian = Language("en"), Language("ru")
    for joint, rest, more in ((False, "", ""), (True, ", level with another drive", ", наравне с ещё одним")):
        far = Place(7, MOST_NAMED + 1, joint=joint)
        assert far.text(english) == f"number 7 of {MOST_NAMED + 1}{rest}"
        assert far.text(russian) == f"7-е место из {MOST_NAMED + 1}{more}"
        assert Place(3, MOST_NAMED, joint=joint).text(english).endswith(rest or "of ten")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return swept_study(tmp_path_factory.mktemp("sweep") / "design")


def texts(page: Page) -> str:
    return " ".join(str(block) for section in (page.lead, *page.sections) for block in section.blocks)


def gaps(study: Study, key: str) -> Study:
    """The sweep with something that went wrong, or with nothing left."""
    results, (figure, effects) = study.results, next(iter(study.effects.items()))
    failed = tuple({"drive": n, "reason": reason} for n, reason in ((61, "no space"), (62, "no space"), (63, "broken")))
    made: dict[str, Callable[[], Study]] = {
        "few": lambda: study._replace(effects={figure: effects._replace(why="few", drives=3)}),
        "flat": lambda: study._replace(effects={figure: effects._replace(why="flat", deviation=0.001)}),
        "more": lambda: study._replace(more=1),
        "none_allowed": lambda: study._replace(allowed=()),
        "failed": lambda: study._replace(results=results._replace(failed=failed)),
        "": lambda: study,
    }
    return made[key]()


@pytest.mark.parametrize(
    ("key", "english", "russian"),
    [
        ("few", "IOPS: 3 drives are too few for a conclusion.", "IOPS: 3 накопителей слишком мало, чтобы судить."),
        ("flat", "IOPS: hardly changes (deviation 0.1%).", "IOPS: почти не меняется (отклонение 0,1 %)."),
        ("more", "1 more figure is not on this page.", "Ещё 1 величина не вошла в отчёт"),
        ("none_allowed", "No drive of 60 meets the conditions", "Ни один накопитель из 60 условиям не отвечает"),
        ("failed", "3 drives failed and do not count.", "Не удалось испытать и не учтены 3 накопителя"),
    ],
)
def test_a_sweep_says_what_is_missing(whole: Study, key: str, english: str, russian: str) -> None:
    for lang, words in (("en", english), ("ru", russian)):
        pages = [swept.swept(gaps(whole, one), lang) for one in (key, "")]
        assert [words in texts(page).replace("\u00a0", " ").replace("\\xa0", " ") for page in pages] == [True, False]
    tables = [block for one in pages[0].sections for block in one.blocks if isinstance(block, Table)]
    assert [table.rows for table in tables if ("no space", "2") in table.rows] == (
        [(("no space", "2"), ("broken", "1"))] if key == "failed" else []
    )


def test_markdown_has_uses_code_and_photos(tmp_path: Path) -> None:
    """Text of others never becomes markup, code is as it is, and a photo is a file beside the page."""
    words = Language("en")
    uses = Uses("Is it fit?", (Marked("Backup *server*", "pass", "fits", "200 MB/s are enough"),))
    blocks = Photo("png", b"image", "The drive [1]"), uses, Code("a_b = [1]"), Text("The end")
    lead = Section("lead", "", ())
    page = Page("A drive", "en", "1 May 2026", words, lead, (Section("drive", "The drive", blocks),))
    files = markdown.write_page(page, tmp_path / "report")
    assert [path.name for path in files] == ["report.md", "drive-1.png"]
    assert files[1].read_bytes() == b"image"
    lines = [line for line in files[0].read_text().splitlines() if line]
    assert lines[1:-1] == [
        "## The drive",
        r"![The drive \[1\]](report.files/drive-1.png)",
        "### Is it fit?",
        r"- Backup \*server\*: **fits**. 200 MB/s are enough",
        "```",
        "a_b = [1]",
        "```",
        "The end",
    ]


def test_a_long_series_keeps_the_ends_of_each_stretch() -> None:
    """Of 1,000 points one is high and one low; about 100 are drawn, in their order."""
    rows: list[dict[str, Any]] = [{"x": n, "y": 500 + n % 2} for n in range(1000)]
    rows[321]["y"], rows[654]["y"] = 9000, 1
    kept = thin(rows, "x", "y", 100)
    assert {321, 654} <= {row["x"] for row in kept}
    assert 50 <= len(kept) <= 100
    assert [row["x"] for row in kept] == sorted(row["x"] for row in kept)
    assert thin(rows[:100], "x", "y", 100) == rows[:100]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_second_parameter_of_many_numbers_groups_the_drives_into_three_of_twenty(tmp_path: Path, lang: str) -> None:
    """Sixty drives have as many spares, so that each group has the spares between two of them."""
    words = Language(lang)
    study = swept_study(tmp_path / "design", DESIGN.replace('"flash.cleaning" = ["greedy", "fifo"]', ""))
    drawing = next(course.draw(study, words))
    spares = sorted(row["flash.spare_pct"] for row in study.results.values)
    assert Counter(row["group"] for row in drawing.rows["rows"]) == {
        f"{words.show(spares[first], 'n')}–{words.show(spares[last], 'n')}": 20
        for first, last in ((0, 20), (20, 40), (40, 59))
    }


@pytest.mark.parametrize(
    ("best", "bounds", "title"),
    [
        ("iops[histogram]", (), "IOPS over flash.dies"),
        ("least flash.dies", ("iops[histogram] > 9k",), "flash.dies over IOPS"),
        ("least flash.dies", (), ""),
    ],
)
def test_a_wish_is_drawn_over_its_bound_or_over_what_drives_it_most(
    tmp_path: Path, best: str, bounds: tuple[str, ...], title: str
) -> None:
    swept_study(tmp_path / "design")
    drawings = list(choice.draw(studied(tmp_path / "design", (), best, bounds), Language("en")))
    assert [one.title for one in drawings] == [title] * bool(title)
    for one in drawings:
        rows = {row["drive"]: row for row in one.rows["rows"]}
        assert (rows[1]["x"], rows[1]["y"]) == pytest.approx((10675.248, 4) if "least" in best else (4, 10675.248))


@pytest.mark.parametrize(
    ("firmware", "model", "title"),
    [("1", "", "Firmware 1 against 2"), ("1", "X1", "X1: firmware 1 against 2"), ("7", "X1", "X1: 1 against 2")],
)
def test_a_comparison_of_firmwares_is_called_that(firmware: str, model: str, title: str) -> None:
    one, two = (of_rates(name, 1000, 1010, settings={"firmware": firmware, "model": model}) for name in ("1", "2"))
    assert versus(compared(one, two), None, "en", drawn=False).title == title
