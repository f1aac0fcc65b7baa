"""Sequential writing over the whole drive against bytes written: where an SLC cache ends (the reviews')."""

from collections.abc import Iterator

from stend.base.units import GiB
from stend.charts.parts import Drawing
from stend.charts.slc_time import drawing
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """One chart, a line for each state of the drive."""
    yield drawing(run, test, words, "gib", GiB, words("axis.gib_written"), "chart.slc_bytes")
