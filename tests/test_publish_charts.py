"""Charts that the site keeps of each drive, for the browser to lay over those of another."""

import pytest

from stend.charts.beside import Side, picture
from stend.publish.figures import chart_data
from stend.words import Language
from tests.functions import runs

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


def _rows(every: list[dict[str, list[dict[str, object]]]]) -> list[dict[str, object]]:
    return [row for sets in every for rows in sets.values() for row in rows]
