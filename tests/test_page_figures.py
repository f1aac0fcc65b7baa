"""Every rate and response time that page one or an answer states is in a table or a chart of its page."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from stend import suite
from stend.base.units import GiB
from stend.charts import Picture
from stend.report.parts import Block, Items, Keys, Pair, Table, Text, Uses
from stend.report.story import telling
from stend.report.story.tables import load_tables
from stend.words import Language
from tests.synthetic import Truth, made

SMALL: dict[str, Any] = {"interval_s": 20.0, "shorten": 60, "rounds": 5}
SCALES = {"IOPS": 1.0, "MB/s": 1e6, "ms": 1e-3, "µs": 1e-6}
STATED = re.compile(r"(?<![\w.,/])(\d[\d,]*(?:\.\d+)?)\s(IOPS|MB/s|ms|µs)\b(?!/)")
CELL = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?:\s(IOPS|MB/s|ms|µs|s)\b)?")
POINTS = 60
"""Of a chart with more marks than this no reader can tell a single one."""
SPOKEN = ("cache", "hot", "wake", "heat")
"""Chapters whose answers state levels and doubts of a course, which its chart shows as a line."""


class Stated(NamedTuple):
    number: str
    unit: str
    sentence: str

    def rounds(self, value: float) -> bool:
        """Return whether this is `value` (in base units), rounded to its last digit."""
        digits = self.number.replace(",", "")
        places = len(digits.partition(".")[2])
        zeros = len(digits) - len(digits.rstrip("0")) if not places else 0
        step = 10.0 ** (min(zeros, max(0, len(digits) - 2)) - places)
        return abs(value / SCALES[self.unit] - float(digits)) <= 0.51 * step


def texts(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield block.text
        case Items():
            yield from (item.text for item in block.items)
        case Pair():
            yield from (text for one in block.lists for text in texts(one))
        case Uses():
            yield from (use.why for use in block.uses)
        case Keys():
            yield from (key.value for key in block.keys)


def stated(sections: tuple[Any, ...]) -> Iterator[Stated]:
    for section in sections:
        for text in (section.title, *(text for block in section.blocks for text in texts(block))):
            shown = text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{WORD JOINER}", "")
            yield from (Stated(number, unit, shown) for number, unit in STATED.findall(shown))


def shown(blocks: list[Block]) -> Iterator[float]:
    """Yield the values of tables and of charts with few marks, in every unit that they can be in."""
    for block in blocks:
        if isinstance(block, Table):
            for number, unit in CELL.findall(" | ".join(cell for row in block.rows for cell in row)):
                value = float(number.replace(",", ""))
                yield from [value * {"s": 1.0, **SCALES}[unit]] if unit else (value, value * 1e6)
        elif isinstance(block, Picture):
            for rows in (rows for rows in block.spec["datasets"].values() if len(rows) <= POINTS):
                numbers = [v for row in rows for v in row.values() if isinstance(v, int | float)]
                yield from (value * scale for value in numbers for scale in (1.0, 1e6, 1e-3))


@pytest.mark.parametrize("name", [name for name in suite.suites() if name.startswith("review")])
def test_the_figures_of_sentences_are_in_a_table_or_a_chart(name: str) -> None:
    run = made(*suite.expand((name,)), truth=Truth(capacity_bytes=8 * GiB), **SMALL)
    page = telling.story([(None, run, {})], (), "en")
    every = [block for section in page.sections for block in section.blocks]
    known = list(shown(every))
    sections = (page.lead, *(section for section in page.sections if section.anchor not in SPOKEN))
    missing = [one for one in stated(sections) if not any(map(one.rounds, known))]
    assert missing == []


def test_a_load_is_named_with_its_part_of_the_test() -> None:
    run = made("write-saturation", truth=Truth(capacity_bytes=64 * GiB), shorten=60, interval_s=1.0)
    review = telling.reviewed(run, {}, Language("en"))
    (table,) = load_tables({"": review}, ["write-saturation"], review.words)
    parts = [row[0].split("; ")[1] for row in table.rows]
    assert (parts[0].split(",")[0], parts[-1].split(",")[0]) == ("start", "end")
    longest = review.words.show(review.figures["longest"], "lat")
    assert longest in {row[table.head.index("Maximum")] for row in table.rows}
