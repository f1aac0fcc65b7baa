"""The PDF of a sweep has two charts in a row, and no layout defect."""

from pathlib import Path

import pytest
from benchmarks.pages import pdf

from stend.report.parts import Stamps, swept
from stend.words import LANGUAGES
from tests.test_charts_many import swept_study


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_pdf_of_a_sweep_has_no_defect(tmp_path: Path, lang: str) -> None:
    (path,) = swept.write(swept_study(tmp_path / "design"), ["pdf"], lang, tmp_path)
    assert list(pdf.defects(path)) == []


def test_page_one_of_a_sweep_has_the_stamps_of_its_charts(tmp_path: Path) -> None:
    page = swept.swept(swept_study(tmp_path / "design"), "en")
    stamps = {" · ".join(block.texts) for block in page.lead.blocks if isinstance(block, Stamps)}
    drawn = {" · ".join(picture.spec["title"].get("subtitle", ())) for picture in page.pictures}
    assert stamps == drawn != {""}
