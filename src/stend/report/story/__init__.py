"""A review before any format: a page of judgement, one chapter per question, a conclusion."""

from typing import Any, NamedTuple

from stend.charts import Picture
from stend.report.parts import Photo, Table


class Marked(NamedTuple):
    """A use, its mark ("yes", "performance", "doubt", "no", "unknown"), the mark in words, and why."""

    title: str
    mark: str
    shown: str
    why: str


class Band(NamedTuple):
    """Positions of known drives of a class and of this drive, on a logarithmic scale; names of the known drives.

    The scale is 0 to 1.
    """

    known: tuple[float, ...]
    place: float
    names: str


class Key(NamedTuple):
    """A figure of page one."""

    name: str
    value: str
    band: Band | None


class Chapter(NamedTuple):
    """A question, its answer, the test and its purpose, charts, tables, and the author's text and photos."""

    anchor: str
    title: str
    answer: tuple[str, ...]
    what: str
    why: str
    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...]
    stamps: tuple[str, ...]
    notes: tuple[str, ...]
    photos: tuple[Photo, ...]


class Closing(NamedTuple):
    """The conclusion: (heading, "pro", "con" or "", sentences); headings without evidence are left out."""

    title: str
    lists: tuple[tuple[str, str, tuple[str, ...]], ...]


class Story(NamedTuple):
    """A review of one drive, with other drives for comparison."""

    title: str
    lang: str
    made: str
    what: tuple[str, ...]
    verdict: str
    uses: tuple[Marked, ...]
    figures: tuple[Key, ...]
    best: str
    worst: str
    claims: tuple[tuple[str, str, str], ...]
    sure: tuple[str, ...]
    beside: tuple[str, ...]
    stamps: tuple[str, ...]
    photo: Photo | None
    chapters: tuple[Chapter, ...]
    closing: Closing
    words: Any
    notes: tuple[str, ...] = ()
