"""Sequential writes over the whole drive against bytes written: the end of an SLC cache (method of the reviews)."""

from collections.abc import Iterator

from stend.base.units import GiB
from stend.charts.parts import Drawing
from stend.charts.slc_time import drawing
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart with one line per state of the drive."""
    yield drawing(run, test, words, "gib", GiB, words("axis.gib_written"), "chart.slc_bytes")
