"""The chart of a surface: parts with too few reads for their slowest hundredth, and surveys that were stopped."""

import msgspec
import pytest

from stend.base.units import GiB
from stend.charts import surface_map
from stend.charts.parts import Drawing
from stend.model.events import Result
from stend.model.record import Run
from stend.model.surveyed import Cell
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events

TRUTH = Truth(capacity_bytes=64 * GiB)


def drawn(run: Run, lang: str = "en") -> Drawing:
    (drawing,) = surface_map.draw(run, run.plan.tests[0], Language(lang))
    return drawing


def sampled(reads: int) -> Run:
    """A sample with so many reads of each part."""
    every = events(["inspect"], TRUTH, interval_s=5.0, tests={"inspect": {"survey_minutes": 0.5}})
    cells = (Cell({40: reads - 1, 48: 1}, {}, reads // 4),) * 512
    first = next(n for n, e in enumerate(every) if isinstance(e, Result) and e.where.phase == "surface")
    result = every[first]
    assert isinstance(result, Result)
    assert result.places
    only = msgspec.structs.replace(result, places=msgspec.structs.replace(result.places, cells=cells))
    return Run([*every[:first], only])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("reads", "name"), [(200, "longest"), (2000, "slowest")])
def test_a_hundredth_is_drawn_only_of_parts_whose_ten_reads_are_beyond_it(reads: int, name: str, lang: str) -> None:
    words = Language(lang)
    ways = {row["way"] for row in drawn(sampled(reads), lang).rows["rows"]}
    assert ways == {words("surface.median"), words(f"surface.{name}")}


def test_the_axis_of_a_stopped_survey_reaches_the_end_of_the_range() -> None:
    every = events(["inspect"], TRUTH, interval_s=5.0, tests={"inspect": {"survey_minutes": 0}})
    parts = [n for n, e in enumerate(every) if isinstance(e, Result) and e.where.phase == "surface"]
    chart = drawn(Run(every[: parts[len(parts) // 4]])).chart.to_dict()
    assert chart["encoding"]["x"]["scale"]["domain"][1] == pytest.approx(TRUTH.capacity_bytes / 1e9)
