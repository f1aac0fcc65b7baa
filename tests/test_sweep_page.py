"""The PDF of a sweep has two charts in a row, and no layout defect."""

from pathlib import Path

import pytest
from benchmarks.pages import pdf

from stend.report.parts import Stamps, swept
from stend.words import LANGUAGES
from tests.test_charts_many import DESIGN, swept_study


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_pdf_of_a_sweep_has_no_defect(tmp_path: Path, lang: str) -> None:
    (path,) = swept.write(swept_study(tmp_path / "design"), ["pdf"], lang, tmp_path)
    assert list(pdf.defects(path)) == []


def test_page_one_of_a_sweep_has_the_stamps_of_its_charts(tmp_path: Path) -> None:
    page = swept.swept(swept_study(tmp_path / "design"), "en")
    stamps = {" · ".join(block.texts) for block in page.lead.blocks if isinstance(block, Stamps)}
    drawn = {" · ".join(picture.spec["title"].get("subtitle", ())) for picture in page.pictures}
    assert stamps == drawn != {""}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("more", "options"),
    [
        ("", " --target"),
        ("quick = true\n", " --quick --target"),
        ('quick = true\nprofile = "review"\n', " --quick --profile review --target"),
    ],
)
def test_the_best_drive_can_be_run_by_the_command_below_it(more: str, options: str, tmp_path: Path, lang: str) -> None:
    page = swept.swept(swept_study(tmp_path / "design", more + DESIGN), lang, drawn=False)
    (best,) = (section for section in page.every if section.anchor == "best")
    assert f"stend run write-saturation{options} 'sim:small'" in (best.tables[0].note or "")


@pytest.mark.parametrize(("where", "counted"), [('where = ["p99.9[histogram] < 3 ms"]\n', True), ("", False)])
def test_drives_that_meet_conditions_are_counted_only_with_conditions(
    where: str, counted: bool, tmp_path: Path
) -> None:
    without = "".join(line for line in DESIGN.splitlines(keepends=True) if not line.startswith("where"))
    page = swept.swept(swept_study(tmp_path / "design", where + without), "en", drawn=False)
    (best,) = (section for section in page.every if section.anchor == "best")
    assert any("meet the conditions" in text for text in best.texts) == counted
