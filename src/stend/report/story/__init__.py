"""A review as a story, before any format: one page of judgement, a chapter a question, a conclusion."""

from typing import Any, NamedTuple

from stend.charts import Picture
from stend.report.parts import Photo, Table


class Marked(NamedTuple):
    """A use, its mark ("yes", "doubt", "no", "unknown"), the mark in words, and why."""

    title: str
    mark: str
    shown: str
    why: str


class Band(NamedTuple):
    """Where the known drives of a class lie: places from 0 to 1 on a logarithmic scale, this drive's own, names."""

    known: tuple[float, ...]
    own: float
    names: str


class Key(NamedTuple):
    """A figure of page one."""

    name: str
    value: str
    band: Band | None


class Chapter(NamedTuple):
    """A question, its answer, what the test is and why, charts, at most one table, the author's own words."""

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
    """(heading, sentences) of the conclusion; headings without evidence are left out."""

    title: str
    lists: tuple[tuple[str, str, tuple[str, ...]], ...]


class Story(NamedTuple):
    """A review of one drive, with others beside it."""

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
