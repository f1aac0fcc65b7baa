"""One drive of the site: its runs, page, data, download and preview, made in a separate process."""

import datetime
import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend.base import atomic
from stend.base.errors import BadInput, StendError
from stend.base.version import __version__
from stend.model import publications
from stend.publish import data, figures, ledger, page, private, samples
from stend.publish.lab import Read
from stend.publish.ledger import Entry, Shown
from stend.publish.samples import Chosen, Found, Sample
from stend.report.parts.drawing import preview
from stend.report.story.rivals import in_words, published_rival, reference
from stend.words import Language

CONTENT = ("figures", "runs", "errata", "withdrawn")
"""Fields of an entry whose change is an update of its page. A new look is not."""


class Order(NamedTuple):
    """A drive to be made: its runs, the settings, the site, its last entry, its key, and the day.

    With `doubt` some run folder cannot be read, so that a published run may be missing by accident.
    """

    id: str
    runs: tuple[Found, ...]
    read: Read
    site: Path
    before: Entry | None
    key: str
    today: datetime.date
    write: bool = True
    doubt: bool = False


class Broken(NamedTuple):
    """A run folder, or a drive by its id, that was left out, and the reason."""

    folder: str
    why: str


class Made(NamedTuple):
    """The new entry of a drive (None if it could not be made), what was left out, and folders of damaged records."""

    id: str
    entry: Entry | None
    broken: tuple[Broken, ...] = ()
    damaged: tuple[Path, ...] = ()


def make(order: Order) -> Made:
    """Make the files of a drive and return its entry. A drive that fails does not stop the others."""
    try:
        return _made(order)
    except (StendError, OSError) as error:
        return Made(order.id, None, (Broken(order.id, str(error)),))


def _made(order: Order) -> Made:
    lab = order.read.lab
    loaded, broken = _loaded(order)
    reasons = {s.hash: why for s in loaded for name, why in lab.withdrawn.items() if name in (s.hash, s.folder.name)}
    shown = tuple(sample for sample in loaded if sample.hash not in reasons)
    lost = set(order.before.runs if order.before else ()) - {sample.hash for sample in loaded}
    reasons |= {run: lab.withdrawn[run] for run in lost if run in lab.withdrawn}
    if lost - reasons.keys() and (broken or order.doubt):
        return Made(order.id, None, broken)  # the page stays as it was published
    if not shown:
        if order.before is None:
            return Made(order.id, None, broken)
        return Made(order.id, _emptied(order, order.before, reasons), broken)
    names = (order.id, order.runs[0].model)
    review = samples.chosen(shown, lab, names)
    alike = tuple(sample for sample in shown if not samples.unlike(sample, review))
    entry, files = _drive(order, Chosen(review, alike, shown, reasons))
    if order.write:
        _prove(files, [secret for sample in shown for secret in sample.secrets])
        for path, content in files.items():
            atomic.page(ledger.place(order.site, path), content)
    return Made(order.id, entry, broken, tuple(sample.folder for sample in shown if sample.run.wrong))


def _loaded(order: Order) -> tuple[list[Sample], tuple[Broken, ...]]:
    loaded, broken = dict[str, Sample](), list[Broken]()
    for found in order.runs:
        try:
            sample = samples.load(found.folder, order.read.lab)
        except (StendError, OSError) as error:
            broken.append(Broken(found.folder.name, str(error)))
            continue
        if sample.hash in loaded:
            broken.append(
                Broken(found.folder.name, f"{found.folder} is a copy of {loaded[sample.hash].folder}; leave one out")
            )
        loaded.setdefault(sample.hash, sample)
    return sorted(loaded.values(), key=lambda sample: sample.run.started[0].at), tuple(broken)


def _emptied(order: Order, before: Entry, reasons: dict[str, str]) -> Entry:
    """Return the entry of a drive whose runs were all withdrawn, and write a page that states this."""
    lab = order.read.lab
    gone = ledger.withdrawn(before, {}, reasons, order.today)
    entry = msgspec.structs.replace(
        before, key=order.key, updated=order.today, withdrawn=gone, figures={}, index={}, files={}
    )
    files = {
        f"{lang}/drives/{order.id}.html": page.withdrawn(order.id, entry, lab, Language(lang)).encode()
        for lang in lab.languages
    }
    if order.write:
        for path in before.files:
            ledger.place(order.site, path).unlink(missing_ok=True)
        for path, content in files.items():
            atomic.page(ledger.place(order.site, path), content)
    return msgspec.structs.replace(entry, files=data.digests(files))


def _drive(order: Order, chosen: Chosen) -> tuple[Entry, dict[str, bytes]]:
    """Return the entry and the files of a drive."""
    lab, sample = order.read.lab, chosen.review
    known = publications.known([order.read.file(name) for name in lab.published])
    rivals, first = reference([sample.run], known), Language(lab.languages[0])
    beside = tuple(map(published_rival, in_words(rivals, first)))
    reviews = {s.hash: s.review(first, beside) for s in chosen.every}
    rows = list(figures.rows(sample))
    spoken = {lang: data.Spoken(chosen, reviews, rows, lab, Language(lang)) for lang in lab.languages}
    entry = _entry(order, chosen, spoken)
    if not order.write:
        return entry, {}
    files = dict[str, bytes]()
    with tempfile.TemporaryDirectory(prefix="stend-publish-") as stage:
        page.stage(sample, Path(stage), lab)
        for lang, language in spoken.items():
            files |= page.pages(order.id, Path(stage), language, entry, rivals)
            files[f"{lang}/data/drives/{order.id}.js"] = data.script("stendDrive", language.details(entry.index[lang]))
    plain = data.plain(order.id, entry, chosen, rows, spoken)
    files[f"data/drives/{order.id}.json"] = plain
    files[f"downloads/{order.id}.zip"] = _zip(plain, rows, chosen.alike)
    if picture := figures.first_chart(spoken[first.name].name, sample, spoken[first.name].words):
        files[f"previews/{order.id}.png"] = preview(picture)
    return msgspec.structs.replace(entry, files=data.digests(files)), files


def _entry(order: Order, chosen: Chosen, spoken: Mapping[str, data.Spoken]) -> Entry:
    """Return the entry of a drive without its files: the figures, and what changed since they were published."""
    first, before, sample = next(iter(spoken.values())), order.before, chosen.review
    keys = {f"{figures.KEY}|{name}": key["value"] for name, key in first.keys.items()}
    values = keys | {row.id: row.value for row in first.rows}
    shown = {figure: Shown(value, sample.hash) for figure, value in values.items()}
    runs = {s.hash: datetime.datetime.fromtimestamp(s.run.started[0].at, datetime.UTC).date() for s in chosen.every}

    def names(figure: str) -> dict[str, str]:
        return {lang: language.figure_name(figure) for lang, language in spoken.items()}

    entry = Entry(
        key=order.key,
        name=first.name,
        first=before.first if before else order.today,
        updated=order.today,
        stend=__version__,
        runs=runs,
        figures=shown,
        errata=ledger.errata(before, shown, names, first.words, order.today, sample.hash),
        withdrawn=ledger.withdrawn(before, dict.fromkeys(runs, ""), chosen.reasons, order.today),
        tests=tuple(dict.fromkeys(test.name for s in chosen.every for test in s.run.plan.tests)),
    )
    if before and all(getattr(before, name) == getattr(entry, name) for name in CONTENT):
        entry = msgspec.structs.replace(entry, updated=before.updated)
    return msgspec.structs.replace(
        entry, index={lang: language.index(order.id, entry) for lang, language in spoken.items()}
    )


def _zip(plain: bytes, rows: Sequence[figures.Row], alike: Sequence[Sample]) -> bytes:
    """Return the download of a drive: its data, figures and records, without time stamps."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {"drive.json": plain, **data.tables(rows, alike)}.items():
            packed.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _prove(files: Mapping[str, bytes], secrets: Sequence[str]) -> None:
    """Raise BadInput if a private text occurs in a file, also inside a download."""
    for path, content in files.items():
        for name, text in _texts(path, content):
            if leak := next(private.leaks(text, secrets), None):
                raise BadInput(f"{name} would hold the private text {leak!r}; name its kind in `public` of lab.toml")


def _texts(path: str, content: bytes) -> Iterator[tuple[str, str]]:
    if not path.endswith(".zip"):
        yield path, content.decode(errors="replace")
        return
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        yield from ((f"{path}: {name}", packed.read(name).decode(errors="replace")) for name in packed.namelist())
