"""What a report says, before any format: plain data in the reader's language."""

import base64
from pathlib import Path
from typing import Any, NamedTuple

from stend.base import atomic
from stend.charts import Picture


class Table(NamedTuple):
    """A titled table of finished cells; `numeric` columns are set to the right; `marks` are rows worth a look."""

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


class Said(NamedTuple):
    """A finding in words, how sure it is, and whether it speaks for or against the drive ("pro", "con" or "")."""

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
    """Of the drive, as its sheet names it: "png" or "jpeg", and the file."""

    kind: str
    data: bytes

    @property
    def uri(self) -> str:
        """The whole picture as an address."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.data).decode()}"

    def saved(self, file: Path) -> str:
        """Written beside other files; its name there, which has its kind at the end."""
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
    said: tuple[Said, ...]
    verification: tuple[Table, ...]
    results: tuple[Table, ...]


class Part(NamedTuple):
    """One run: a drive and what was measured of it."""

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
    overall: tuple[Said, ...]
    conclusion: dict[str, tuple[str, ...]]
    audit: tuple[Table, ...]
    appendix: tuple[Table, ...]
    manifest: str


class Section(NamedTuple):
    """A heading with sentences, tables and pictures under it, in this order."""

    anchor: str
    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


class Document(NamedTuple):
    """A report: its language, style, and one part for each run; pictures and tables that compare them come first.

    `kind` names what it is (`page.<kind>`); `sections` come before all parts.
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
