"""Charts of Markdown pages, which another host shows in its fonts."""

import re
from typing import Any

import pytest
from benchmarks.pages.browser import Browser

from stend.charts import Picture
from stend.charts.parts import Drawing, axis
from stend.charts.parts.theme import FRAME, WIDER_FONT, finished, framed
from stend.charts.parts.vega import Chart
from stend.report.parts.drawing import svg
from stend.words import Language

LONG = "Насыщение записью, гистограмма: случайная запись 4 КиБ, отклик 99,9 % (в насыщении), по plan.active_range_pct"


def chart() -> Picture:
    names = {"field": "k", "type": "nominal", "title": None}
    bars = Chart().mark("bar").encode(y=names, x=axis("n", "IOPS"))
    rows = [{"k": name, "n": 200} for name in ("последовательное чтение 128 КиБ", "plan.active_range_pct")]
    return finished("x", Drawing(LONG, bars, {"rows": rows}), Language("ru"), ["Накопители виртуальные. " * 5])


def test_a_chart_in_a_separate_file_has_room_for_wider_letters() -> None:
    page, file = chart(), framed(chart())
    most = max(map(len, page.spec["title"]["text"]))
    assert " ".join(file.spec["title"]["text"]) == " ".join(page.spec["title"]["text"]) == LONG
    assert max(map(len, file.spec["title"]["text"])) <= most / WIDER_FONT + 5
    assert file.spec["padding"] == FRAME
    widths = [float(re.search(r'width="([\d.]+)"', svg(one))[1]) for one in (page, file)]  # type: ignore[index]
    assert widths[1] - widths[0] == pytest.approx(FRAME["left"] + FRAME["right"] - 10, abs=1)


@pytest.mark.browser
def test_no_text_of_a_chart_in_a_separate_file_is_cut(browser: Any) -> None:
    assert [one for one in Browser(browser).svg(svg(framed(chart()))) if one.kind == "cut"] == []
