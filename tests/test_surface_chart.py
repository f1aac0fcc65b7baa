"""The chart and the findings of a surface: few reads of a part, stopped surveys, and more places than are listed."""

import msgspec
import pytest

from stend import findings
from stend.base.units import GiB, MiB
from stend.charts import surface_map
from stend.charts.parts import Drawing
from stend.model.events import Result
from stend.model.record import Run
from stend.model.surveyed import MOST_UNREAD, Cell, Unread
from stend.sentences import finding_said
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


@pytest.mark.parametrize(("places", "shown"), [(3, "Unreadable places: 3."), (MOST_UNREAD, "at least 1,000.")])
def test_a_full_list_of_unreadable_places_is_a_least_number(places: int, shown: str) -> None:
    (result,) = sampled(200).of("inspect", "surface")
    assert result.places
    unread = tuple(Unread(n * MiB, 4096, 5) for n in range(places))
    taken = msgspec.structs.replace(result.places, unread=unread, failed=2 * places)
    run = Run([*sampled(200).started, msgspec.structs.replace(result, places=taken)])
    (found,) = (one for one in findings.find(run) if (one.name, one.key) == ("surface", "unreadable"))
    assert shown in finding_said(found, Language("en"))
