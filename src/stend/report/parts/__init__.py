"""Contents of a report before any format: plain data in the reader's language."""

import base64
from pathlib import Path
from typing import Any, NamedTuple

from stend.base import atomic
from stend.charts import Picture


class Table(NamedTuple):
    """A titled table of formatted cells; `numeric` columns are right-aligned; `marks` are rows to highlight."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    note: str = ""
    marks: tuple[int, ...] = ()


class Block(NamedTuple):
    """One coloured column of the PTS header: a title over (name, value) rows."""

    title: str
    rows: tuple[tuple[str, str], ...]


class Statement(NamedTuple):
    """A finding in words, its confidence, and whether it speaks for or against the drive ("pro", "con" or "")."""

    name: str
    text: str
    confidence: str
    side: str = ""


class Number(NamedTuple):
    """One of the five numbers at a glance."""

    value: str
    label: str
    test: str


class Photo(NamedTuple):
    """A photo of the drive from its sheet: "png" or "jpeg", and the content of the file."""

    kind: str
    data: bytes

    @property
    def uri(self) -> str:
        """Return the whole picture as a data: URI."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.data).decode()}"

    def saved(self, file: Path) -> str:
        """Write the photo next to other files and return its file name, with the suffix of its kind."""
        named = file.with_suffix(f".{self.kind}")
        atomic.page(named, self.data)
        return named.name


class Chapter(NamedTuple):
    """One test of a run."""

    name: str
    title: str
    clause: str
    anchor: str
    stamps: tuple[str, ...]
    ended: str
    header: tuple[Block, ...]
    pictures: tuple[Picture, ...]
    statements: tuple[Statement, ...]
    verification: tuple[Table, ...]
    results: tuple[Table, ...]


class Part(NamedTuple):
    """One run: a drive and its measurements."""

    title: str
    verdict: str
    steady: bool
    stamps: tuple[str, ...]
    numbers: tuple[Number, ...]
    photo: Photo | None
    about: tuple[Table, ...]
    deviations: tuple[str, ...]
    notes: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    overall: tuple[Statement, ...]
    conclusion: dict[str, tuple[str, ...]]
    audit: tuple[Table, ...]
    appendix: tuple[Table, ...]
    manifest: str


class Section(NamedTuple):
    """A heading followed by sentences, tables and pictures, in this order."""

    anchor: str
    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


class Document(NamedTuple):
    """A report: its language, style, and one part per run; pictures and tables that compare runs come first.

    `kind` names the type of document (`page.<kind>`); `sections` come before all parts.
    """

    title: str
    lang: str
    style: str
    made: str
    parts: tuple[Part, ...]
    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...]
    words: Any
    kind: str = "report"
    sections: tuple[Section, ...] = ()
