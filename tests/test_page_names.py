"""Names in the heads of narrow columns of a PDF: where they break."""

from pathlib import Path

import pypdfium2
import pytest
import typst

from stend.report.parts.markup import template_text


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("flash.cleaning", ["flash.", "cleaning"]),
        ("Seagate-Exos-X16", ["Seagate-", "Exos-X16"]),
        ("HUSPR3216AHP301", ["HUSPR3", "216AHP301"]),
        ("overprovision", ["overprovision"]),
    ],
)
def test_a_name_breaks_after_its_separators_and_only_a_part_number_inside(
    tmp_path: Path, name: str, lines: list[str]
) -> None:
    parts = ("#let digit", "#let pieces", "#let long-10", "#let chunked", "#let breakable")
    rules = [line for line in template_text("page.typ").splitlines() if line.startswith(parts)]
    font = '#set text(font: "DejaVu Sans Mono", size: 10pt)'
    text = "\n".join((*rules, font, f'#block(width: 55pt, breakable("{name}"))'))
    (tmp_path / "page.typ").write_text(text)
    document = pypdfium2.PdfDocument(typst.compile(tmp_path / "page.typ"))
    shown = document[0].get_textpage().get_text_range().replace("\u200b", "").splitlines()
    assert [line.strip() for line in shown if line.strip()] == lines
