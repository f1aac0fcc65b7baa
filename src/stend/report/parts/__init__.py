"""A page before any format: sections of blocks, in the reader's language.

Reviews, protocols and pages about several runs are Pages. `html`, `pdf` and `markdown` render every block by its type.
"""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stend.base import atomic
from stend.charts import Picture


class Text(NamedTuple):
    """A paragraph. `role` is its part in the page: "what", "answer", "finding", "cause", "test", "author", "note",
    "good", "bad" or ""."""

    text: str
    role: str = ""


class Item(NamedTuple):
    """An entry of a list: its text, its mark ("pro", "con", "kept", "broken" ... or ""), a bold lead and a tag."""

    text: str
    mark: str = ""
    lead: str = ""
    tag: str = ""


class Items(NamedTuple):
    """A list under a separate heading ("" without one)."""

    title: str
    items: tuple[Item, ...]


class Pair(NamedTuple):
    """Lists that stand next to each other where the page is wide enough."""

    lists: tuple[Items, ...]


class Stamps(NamedTuple):
    """Warnings that readers must not miss: not steady, quick, virtual."""

    texts: tuple[str, ...]


class Marked(NamedTuple):
    """A use, its mark ("yes", "performance", "doubt", "no", "unknown"), the mark in words, and why."""

    title: str
    mark: str
    shown: str
    why: str


class Uses(NamedTuple):
    """The uses of a drive under a heading."""

    title: str
    uses: tuple[Marked, ...]


class Band(NamedTuple):
    """Positions of known drives of a class and of this drive, on a logarithmic scale; names of the known drives.

    The scale is 0 to 1.
    """

    known: tuple[float, ...]
    place: float
    names: str


class Key(NamedTuple):
    """A key figure, its place among known drives if there are any, and a note in small print."""

    name: str
    value: str
    band: Band | None = None
    note: str = ""


class Keys(NamedTuple):
    """Key figures under a heading; `note` explains their scales."""

    title: str
    keys: tuple[Key, ...]
    note: str = ""


class Column(NamedTuple):
    """One coloured column of the PTS header: a title over (name, value) rows."""

    title: str
    rows: tuple[tuple[str, str], ...]


class Facts(NamedTuple):
    """The header of a PTS report page: columns next to each other."""

    columns: tuple[Column, ...]


class Running(NamedTuple):
    """The running head of a report sheet, which starts a new page in print: left, middle and right text."""

    left: str
    middle: str
    right: str


LONG_LETTERS = 60
"""Letters of a cell that a column of a phone beside another one shows in many short lines."""


class Table(NamedTuple):
    """A titled table of formatted cells. `numeric` columns are right-aligned, `marks` are rows to highlight."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    note: str = ""
    marks: tuple[int, ...] = ()

    @property
    def wordy(self) -> bool:
        """Return whether columns after the first have texts, or the only one long texts: rows are lists on a phone."""
        longest = max((len(row[-1]) for row in self.rows), default=0)
        return len(self.head) > len(self.numeric) + 1 and (len(self.head) > 2 or longest > LONG_LETTERS)

    @property
    def first_letters(self) -> int:
        """Return the number of letters of the longest cell of the first column."""
        return max((len(row[0]) for row in self.rows), default=0)

    def without_equal(self, titles: Sequence[str]) -> "Table":
        """Return the table without those of the named columns whose cells are all equal. The note states them."""
        cells = list(zip(*self.rows, strict=True))
        equal = [n for n, title in enumerate(self.head) if title in titles and len(set(cells[n])) == 1]
        if len(self.rows) < 2 or not equal:
            return self
        note = " ".join((*(f"{self.head[n]}: {cells[n][0]}." for n in equal), *filter(None, [self.note])))
        return self.without([self.head[n] for n in equal])._replace(note=note)

    def without(self, titles: Sequence[str]) -> "Table":
        """Return the table without the named columns."""
        kept = [n for n, title in enumerate(self.head) if title not in titles]
        return self._replace(
            head=tuple(self.head[n] for n in kept),
            rows=tuple(tuple(row[n] for n in kept) for row in self.rows),
            numeric=tuple(place for place, n in enumerate(kept) if n in self.numeric),
        )


class Photo(NamedTuple):
    """A photo: "png" or "jpeg", the content of the file, and its description."""

    kind: str
    data: bytes
    alt: str = ""

    @property
    def uri(self) -> str:
        """Return the whole picture as a data: URI."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.data).decode()}"

    def saved(self, file: Path) -> str:
        """Write the photo next to other files and return its file name, with the suffix of its kind."""
        named = file.with_suffix(f".{self.kind}")
        atomic.page(named, self.data)
        return named.name


class Code(NamedTuple):
    """Text to be copied as it is, for example a manifest."""

    text: str


Block = Text | Items | Pair | Stamps | Uses | Keys | Facts | Running | Table | Photo | Code | Picture


class Section(NamedTuple):
    """A heading and its blocks. `level` 2 is below the section of level 1 before it."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    level: int = 1

    @classmethod
    def of(
        cls, anchor: str, title: str, texts: Sequence[str] = (), tables: Sequence[Table] = (),
        pictures: Sequence[Picture] = (),
    ) -> "Section":  # fmt: skip
        """Return a section of paragraphs, tables and pictures, in this order."""
        return cls(anchor, title, (*map(Text, texts), *tables, *pictures))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return the charts of the section."""
        return tuple(block for block in self.blocks if isinstance(block, Picture))

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables of the section."""
        return tuple(block for block in self.blocks if isinstance(block, Table))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the paragraphs of the section."""
        return tuple(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def stamps(self) -> tuple[str, ...]:
        """Return the warnings of the section, each as a line for a terminal."""
        return tuple(f"  ! {text}" for block in self.blocks if isinstance(block, Stamps) for text in block.texts)

    def of_role(self, role: str) -> tuple[str, ...]:
        """Return the paragraphs of one role."""
        return tuple(block.text for block in self.blocks if isinstance(block, Text) and block.role == role)


class Page(NamedTuple):
    """A page: its first screen (`lead`), whose title is the headline, then sections.

    `kind` names the type of page (`page.<kind>`). `caption` is the word for a chart in its caption (`page.<caption>`).
    `small` charts are drawn two to a row in a PDF. `foot` is a last sentence.
    """

    title: str
    lang: str
    made: str
    words: Any
    lead: Section
    sections: tuple[Section, ...]
    kind: str = "report"
    caption: str = "figure"
    small: bool = False
    foot: str = ""

    @property
    def every(self) -> tuple[Section, ...]:
        """Return the lead and all sections, in order."""
        return (self.lead, *self.sections)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return all charts in order."""
        return tuple(picture for section in self.every for picture in section.pictures)

    def section(self, anchor: str) -> Section:
        """Return the section with this anchor. Raise KeyError if it does not exist."""
        return {section.anchor: section for section in self.every}[anchor]


def stem(name: str, lang: str, style: str = "review") -> str:
    """Return the name of the file of a page without its suffix: `report.ru.pts`."""
    return ".".join((name, *([lang] if lang != "en" else []), *([style] if style != "review" else [])))
