"""The page of a drive: the review of its run as blocks, the author's text, samples, errata, downloads."""

import datetime
from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby
from pathlib import Path
from typing import NamedTuple

import tomli_w
from markupsafe import Markup

from stend.base import atomic, regular
from stend.charts.beside import Side
from stend.model.quantities import shape
from stend.publish import html, photos, prose
from stend.publish.data import Spoken
from stend.publish.figures import Row as FigureRow
from stend.publish.figures import first_chart, key_figures, text_of
from stend.publish.lab import Lab
from stend.publish.ledger import Entry, Erratum, Withdrawn
from stend.publish.samples import Sample, unlike
from stend.report.parts import Block, Page, Photo, Section
from stend.report.parts.made import page as report_page
from stend.report.parts.sheet import PHOTO, photo, read_photo
from stend.report.parts.summary import stamps
from stend.report.story.notes import NAME as NOTES
from stend.report.story.page_one import SHAPES
from stend.store import SHEETS
from stend.words import Language

MOST_TITLE, MOST_ABOUT = 70, 200
SUFFIX = {"jpeg": "jpg", "png": "png"}


class Prose(NamedTuple):
    """Text of the author, as HTML made from Markdown. Markup in it is escaped."""

    html: Markup


class Shot(NamedTuple):
    """A photograph as a separate file: its address from the page, and its description."""

    address: str
    alt: str


Part = Block | Prose | Shot


class Chapter(NamedTuple):
    """A heading of the page and its blocks."""

    anchor: str
    title: str
    blocks: tuple[Part, ...]


class Row(NamedTuple):
    """A sample in the table of runs: its hash, cells, warnings, and how it differs from the review."""

    hash: str
    cells: tuple[str, ...]
    warnings: str
    differs: str
    review: bool


def stage(sample: Sample, folder: Path, lab: Lab) -> None:
    """Write the public files that a review needs into a folder."""
    facts = dict(sample.sheet)
    shot = photo(sample.folder, sample.sheet)
    if shot:
        facts[PHOTO] = f"drive-photo.{SUFFIX[shot.kind]}"
        atomic.page(folder / facts[PHOTO], photos.bare(shot.kind, shot.data))
    if facts:
        atomic.page(folder / SHEETS[0], tomli_w.dumps(facts))
    if "notes" in lab.public and (sample.folder / NOTES).exists():
        atomic.page(folder / NOTES, regular.read(sample.folder / NOTES))


class Photos:
    """The photographs of a page by their path below the site, without the data of cameras."""

    def __init__(self, drive: str) -> None:
        self.drive, self.files, self.numbers = drive, dict[str, bytes](), count(1)

    @property
    def prefix(self) -> str:
        """Return the beginning of the address of a photograph from the page of the drive."""
        return f"../../photos/{self.drive}-"

    def add(self, picture: Photo, alt: str, name: str = "") -> Shot:
        """Add a photograph and return it as a block."""
        name = name or f"{next(self.numbers)}.{SUFFIX[picture.kind]}"
        self.files[f"photos/{self.drive}-{name}"] = photos.bare(picture.kind, picture.data)
        return Shot(self.prefix + name, alt)


def pages(drive: str, folder: Path, spoken: Spoken, entry: Entry, rivals: Sequence[Side]) -> dict[str, bytes]:
    """Return the page of a drive in one language, and its photographs. `folder` has its public files."""
    sample, words, lab, shots = spoken.sample, spoken.words, spoken.lab, Photos(drive)
    review = report_page([(folder, sample.run, sample.host)], words.name, "review", rivals)
    resolve = prose.resolver(spoken.rows, spoken.keys, _shown_by(words), f"#run-{sample.hash}")
    text = prose.read(sample, words.name, resolve, shots.prefix)
    for path in text.photographs if text else ():
        shots.add(read_photo(path), spoken.name, path.name)
    lead, chapters = _parts(review, shots)
    if text:
        front = tuple(Shot(shots.prefix + name, spoken.name) for name in text.head.photographs)
        lead, chapters = _with_text(lead, chapters, text, front)
    made = html.render(
        *("drive.html.j2", lab, words, f"drives/{drive}.html", _head(drive, review, spoken, entry, text)),
        review=review,
        lead=lead,
        chapters=chapters,
        author=text.head if text else None,
        drive=entry.index[words.name],
        entry=entry,
        errata=list(changes(entry, words)),
        withdrawn=[_withdrawn(withdrawal, words) for withdrawal in entry.withdrawn],
        samples=list(_rows(spoken)),
        columns=_columns(spoken),
        updated=day(entry.updated, words),
    )
    return shots.files | {f"{words.name}/drives/{drive}.html": made.encode()}


def _head(drive: str, review: Page, spoken: Spoken, entry: Entry, text: prose.Written | None) -> html.Head:
    index = entry.index[spoken.words.name]
    titled = spoken.words("publish.drive_title", name=spoken.name, capacity=index["capacity"]["shown"])
    title = _short((text.head.title if text else "") or titled, MOST_TITLE)
    picture = f"previews/{drive}.png" if first_chart(spoken.name, spoken.sample, spoken.words) else ""
    return html.Head(title, _short(review.lead.title, MOST_ABOUT), day(entry.updated, spoken.words), picture, "article")


def _shown_by(words: Language) -> Callable[[FigureRow], str]:
    """Return how a figure in the author's text is written."""
    return lambda row: words.show(row.value, shape(row.quantity)) + ("\u00a0IOPS" if row.quantity == "iops" else "")


def withdrawn(drive: str, entry: Entry, lab: Lab, words: Language) -> str:
    """Return the page of a drive all of whose runs were withdrawn."""
    return html.render(
        "withdrawn.html.j2",
        lab,
        words,
        f"drives/{drive}.html",
        html.Head(entry.name, words("publish.all_withdrawn", name=entry.name), day(entry.updated, words)),
        entry=entry,
        withdrawn=[_withdrawn(withdrawal, words) for withdrawal in entry.withdrawn],
    )


def _parts(review: Page, shots: Photos) -> tuple[tuple[Part, ...], list[Chapter]]:
    """Return the first screen and the chapters of a review, with photos as files."""

    def parts(section: Section) -> tuple[Part, ...]:
        blocks = section.blocks
        return tuple(shots.add(b, b.alt or section.title) if isinstance(b, Photo) else b for b in blocks)

    return parts(review.lead), [Chapter(s.anchor, s.title, parts(s)) for s in review.sections]


def _with_text(
    lead: tuple[Part, ...], chapters: list[Chapter], text: prose.Written, shots: Sequence[Shot]
) -> tuple[tuple[Part, ...], list[Chapter]]:
    """Set the author's text between the measured chapters."""
    placed = list(chapters)
    at = 0
    for number, (heading, made) in enumerate(text.chapters, 1):
        block = Prose(Markup(made))  # noqa: S704 Markdown without HTML: its renderer escapes every text
        if not heading:
            lead = (*lead, *shots, block)
            shots = ()
            continue
        found = next((n for n, c in enumerate(placed) if heading.lower() in (c.anchor, c.title.lower())), None)
        if found is not None:
            chapter = placed[found]
            placed[found] = chapter._replace(blocks=(block, *chapter.blocks))
            at = found + 1
        else:
            placed.insert(at, Chapter(f"text-{number}", heading, (block,)))
            at += 1
    return (*lead, *shots), placed


def _columns(spoken: Spoken) -> list[str]:
    """Return the names of the key figures that the table of samples shows."""
    words = spoken.words
    named = ("public",) if _named(spoken) else ()
    heads = [words(f"publish.sample.{name}") for name in ("began", "profile", "firmware", *named, "host")]
    return [*heads, *(words(f"figure_name.{name}") for name in _names(spoken))]


def _named(spoken: Spoken) -> bool:
    return any(sample.public for sample in spoken.chosen.every)


def _names(spoken: Spoken) -> list[str]:
    return [name for name in SHAPES if name in spoken.keys]


def _rows(spoken: Spoken) -> Iterator[Row]:
    words = spoken.words
    for sample in spoken.chosen.every:
        plan, own = sample.run.plan, key_figures(spoken.reviews[sample.hash])
        cells = (
            words.date(sample.run.started[0].at).partition(",")[0],
            plan.profile.name,
            plan.device.firmware or "–",
            *([", ".join(sample.public) or "–"] if _named(spoken) else []),
            ", ".join(str(sample.host[k]) for k in ("cpu", "kernel") if sample.host.get(k)) or "–",
            *(own[name]["shown"] if name in own else "–" for name in _names(spoken)),
        )
        unequal = [words(f"setting.{name}") for name in unlike(sample, spoken.sample)]
        differs = words("publish.sample.unlike", settings=", ".join(unequal)) if unequal else ""
        yield Row(sample.hash, cells, "; ".join(stamps(sample.run, words)), differs, sample is spoken.sample)


class Change(NamedTuple):
    """Errata of one day and one cause: a sentence, and (figure, old, new) as texts."""

    sentence: str
    rows: tuple[tuple[str, str, str], ...]


def changes(entry: Entry, words: Language) -> Iterator[Change]:
    """Yield the errata of a drive by day and cause, the newest first."""
    for (date, why, before, run), errata in groupby(entry.errata[::-1], lambda e: (e.date, e.why, e.run_before, e.run)):
        ordered = list(errata)[::-1]  # the key figures come first
        rows = tuple((erratum.names.get(words.name, erratum.figure), *texts(erratum, words)) for erratum in ordered)
        sentence = words(f"publish.erratum.{why}", date=day(date, words), n=len(rows), before=before, run=run)
        yield Change(sentence, rows)


def texts(erratum: Erratum, words: Language) -> tuple[str, str]:
    """Return the old and the new figure of an erratum, a dash for one that the page has no more."""
    new = "–" if erratum.new is None else text_of(erratum.figure, erratum.new, words)
    return text_of(erratum.figure, erratum.old, words), new


def day(date: datetime.date, words: Language) -> str:
    """Return a date without the time."""
    at = datetime.datetime(date.year, date.month, date.day, tzinfo=datetime.UTC)
    return words.date(at.timestamp()).partition(",")[0]


def _withdrawn(withdrawal: Withdrawn, words: Language) -> str:
    key = "withdrawn_why" if withdrawal.reason else "withdrawn"
    return words(
        f"publish.{key}", run=withdrawal.run, date=day(withdrawal.date, words), reason=withdrawal.reason.rstrip(".")
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
