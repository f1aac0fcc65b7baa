"""The page of a drive: the review of its run as blocks, the author's text, samples, errata, downloads."""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w
from markupsafe import Markup

from stend.base import atomic
from stend.charts import Picture
from stend.charts.beside import Side
from stend.publish import html, photos, prose
from stend.publish.data import Spoken
from stend.publish.lab import Lab
from stend.publish.ledger import Entry
from stend.publish.samples import Sample, unlike
from stend.report.parts import Block, Page, Photo, Section
from stend.report.parts.made import page as report_page
from stend.report.parts.sheet import PHOTO, photo, read_photo
from stend.report.parts.summary import stamps
from stend.report.story.notes import NAME as NOTES
from stend.report.story.page_one import FIGURES
from stend.store import SHEETS
from stend.words import Language

MOST_TITLE, MOST_ABOUT = 70, 200
SUFFIX = {"jpeg": "jpg", "png": "png"}


class Prose(NamedTuple):
    """Text of the author, as HTML made from Markdown without markup of its own."""

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
    """A sample in the table of runs: its hash, cells, and how it differs from the review."""

    hash: str
    cells: tuple[str, ...]
    differs: str
    review: bool


def staged(sample: Sample, folder: Path, lab: Lab) -> tuple[Sample, Path]:
    """Write the public files that a review needs into a folder, and return the sample with it."""
    facts = dict(sample.sheet)
    shot = photo(sample.folder, sample.sheet)
    facts.pop(PHOTO, None)
    if shot:
        facts[PHOTO] = f"drive-photo.{SUFFIX[shot.kind]}"
        atomic.page(folder / facts[PHOTO], photos.bare(shot.kind, shot.data))
    if facts:
        atomic.page(folder / SHEETS[0], tomli_w.dumps(facts))
    if "notes" in lab.public and (sample.folder / NOTES).exists():
        from stend.base import regular

        atomic.page(folder / NOTES, regular.read(sample.folder / NOTES))
    return sample, folder


def pages(
    drive: str, stage: tuple[Sample, Path], spoken: Spoken, entry: Entry, rivals: Sequence[Side]
) -> dict[str, bytes]:
    """Return the page of a drive in one language, and its photographs."""
    sample, folder = stage
    words, lab = spoken.words, spoken.lab
    files, numbers = dict[str, bytes](), count(1)
    run = f"#run-{sample.hash}"

    def shot(picture: Photo, alt: str) -> Shot:
        name = f"photos/{drive}-{next(numbers)}.{SUFFIX[picture.kind]}"
        files[name] = photos.bare(picture.kind, picture.data)
        return Shot(f"../../{name}", alt)

    def shown(row: Any) -> str:
        return words.quantity(row.value, row.quantity) + ("\u00a0IOPS" if row.quantity == "iops" else "")

    review = report_page([(folder, sample.run, sample.host)], words.name, "review", rivals)
    resolve = prose.resolver(spoken.rows, spoken.keys, shown, run)
    prefix = f"../../photos/{drive}-"
    text = prose.read(sample, words.name, resolve, prefix)
    for path in text.photographs if text else ():
        taken = read_photo(path)
        files[f"photos/{drive}-{path.name}"] = photos.bare(taken.kind, taken.data)
    lead, chapters = _parts(review, shot)
    if text:
        shots = tuple(Shot(prefix + name, spoken.name) for name in text.head.photographs)
        lead, chapters = _with_text(lead, chapters, text, shots)
    index = spoken.index(drive, entry)
    titles = {"name": spoken.name, "capacity": index["capacity"]["shown"]}
    updated = words.date(_seconds(entry.updated)).partition(",")[0]
    made = html.render(
        "drive.html.j2",
        lab,
        words,
        f"drives/{drive}.html",
        html.Head(
            _short((text and text.head.title) or words("publish.drive_title", **titles), MOST_TITLE),
            _short(review.lead.title, MOST_ABOUT),
            updated,
            f"previews/{drive}.png" if preview_picture(spoken, sample) else "",
            "article",
        ),
        review=review,
        lead=lead,
        chapters=chapters,
        author=text.head if text else None,
        drive=index,
        entry=entry,
        errata=[_erratum(one, words) for one in entry.errata],
        withdrawn=[_withdrawn(one, words) for one in entry.withdrawn],
        samples=list(_rows(spoken)),
        columns=_columns(spoken),
        updated=updated,
    )
    return files | {f"{words.name}/drives/{drive}.html": made.encode()}


def withdrawn(drive: str, entry: Entry, lab: Lab, words: Language) -> str:
    """Return the page of a drive all of whose runs were withdrawn."""
    return html.render(
        "withdrawn.html.j2",
        lab,
        words,
        f"drives/{drive}.html",
        html.Head(
            entry.name,
            words("publish.all_withdrawn", name=entry.name),
            words.date(_seconds(entry.updated)).partition(",")[0],
        ),
        entry=entry,
        withdrawn=[_withdrawn(one, words) for one in entry.withdrawn],
    )


def preview_picture(spoken: Spoken, sample: Sample) -> Picture | None:
    """Return the picture that stands for a drive when its page is shared, or None."""
    from stend.publish.figures import first_chart

    return first_chart(spoken.name, sample, spoken.words)


def _parts(review: Page, shot: Any) -> tuple[tuple[Part, ...], list[Chapter]]:
    """Return the first screen and the chapters of a review, with photos as files."""

    def parts(section: Section) -> tuple[Part, ...]:
        blocks = section.blocks
        return tuple(shot(b, b.alt or section.title) if isinstance(b, Photo) else b for b in blocks)

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
    heads = [words(f"publish.sample.{name}") for name in ("began", "profile", "firmware", "host", "stamps")]
    return [*heads, *(words(f"figure_name.{name}") for name in _names(spoken))]


def _names(spoken: Spoken) -> list[str]:
    return [name for name in FIGURES if name in spoken.keys]


def _rows(spoken: Spoken) -> Iterator[Row]:
    from stend.publish.figures import key_figures

    words = spoken.words
    for sample in spoken.chosen.every:
        plan, own = sample.run.plan, key_figures(spoken.reviews[sample.hash])
        cells = (
            words.date(sample.run.started[0].at).partition(",")[0],
            plan.profile.name,
            plan.device.firmware or "–",
            ", ".join(str(sample.host[k]) for k in ("cpu", "kernel") if sample.host.get(k)) or "–",
            "; ".join(stamps(sample.run, words)) or "–",
            *(own[name]["shown"] if name in own else "–" for name in _names(spoken)),
        )
        unequal = [words(f"setting.{name}") for name in unlike(sample, spoken.sample)]
        differs = words("publish.sample.unlike", settings=", ".join(unequal)) if unequal else ""
        yield Row(sample.hash, cells, differs, sample is spoken.sample)


def _erratum(one: Any, words: Language) -> str:
    name = one.names.get(words.name) or next(iter(one.names.values()), one.figure)
    values = {"date": words.date(_seconds(one.date)).partition(",")[0], "name": name, "old": one.old, "new": one.new}
    return words(f"publish.erratum.{one.why}", **values, before=one.run_before, run=one.run)


def _withdrawn(one: Any, words: Language) -> str:
    key = "withdrawn_why" if one.reason else "withdrawn"
    date = words.date(_seconds(one.date)).partition(",")[0]
    return words(f"publish.{key}", run=one.run, date=date, reason=one.reason)


def _seconds(date: Any) -> float:
    import datetime

    return datetime.datetime(date.year, date.month, date.day, tzinfo=datetime.UTC).timestamp()


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
