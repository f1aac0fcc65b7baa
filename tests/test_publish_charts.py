"""Charts that the site keeps of each drive, for the browser to lay over those of another."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from stend.charts.beside import Side, picture
from stend.publish.figures import chart_data, first_chart
from stend.report.parts.summary import stamps
from stend.words import Language
from tests.functions import runs
from tests.synthetic import made

if TYPE_CHECKING:
    from stend.publish.samples import Sample

ENGLISH = Language("en")
KINDS = [
    ("fresh", "peaks"), ("hot-range", "hot"), ("latency-curve", "growing_waits"),
    ("power", "powers"), ("thread-queue-sweep", "crowd"), ("wake", "wakes"),
]  # fmt: skip


@pytest.mark.parametrize(("test", "kind"), KINDS)
def test_a_chart_of_several_drives_is_kept_of_each_drive_alone(test: str, kind: str) -> None:
    one, other = (Side(name, run) for name, run in zip(("One", "Other"), runs(test), strict=False))
    beside = [drawn.spec["datasets"] for drawn in picture(kind, [one, other], ENGLISH, ())]
    alone = [data["spec"]["datasets"] for data in chart_data(one, ENGLISH) if data["kind"] == kind]
    assert alone
    assert _rows(alone) == [row for row in _rows(beside) if row.get("drive") == "One"]
    assert not any("coincide" in data["says"] for data in chart_data(one, ENGLISH))


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_picture_of_a_shared_page_names_its_drive_and_has_the_stamps_of_its_run(lang: str) -> None:
    words = Language(lang)
    quick = made("iops", rounds=5, minute_s=1.0, quick=True)
    drawn = first_chart("Gamma 3000", cast("Sample", SimpleNamespace(run=quick)), words)
    assert drawn
    title = drawn.spec["title"]
    assert drawn.title.startswith("Gamma 3000: ")
    assert drawn.title in (title["text"], " ".join(title["text"]))
    stamped = " ".join(title["subtitle"])
    assert stamped.split(" · ") == [*stamps(quick, words)]


def _rows(every: list[dict[str, list[dict[str, object]]]]) -> list[dict[str, object]]:
    return [row for sets in every for rows in sets.values() for row in rows]
