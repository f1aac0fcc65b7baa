"""Publish a lab: a static site of all drives, made from run folders, that works without a server."""

import datetime
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stend import catalogue
from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput, StendError
from stend.base.version import __version__
from stend.catalogue.scan import scan
from stend.model import publications
from stend.publish import html, ledger, pool, samples, schemas, site
from stend.publish.drive import Broken, Made, Order
from stend.publish.lab import Read
from stend.publish.ledger import Entry, Erratum, Ledger, Withdrawn
from stend.publish.samples import Found
from stend.report.parts import vega
from stend.store import journal
from stend.words import Language

Progress = Callable[[int, int], None]
"""Called with the number of drives made so far, and the number to make."""


class Built(NamedTuple):
    """The result of a build: new, remade and unchanged drives, errata and withdrawals of today, what was left out.

    `altered` are files of the last build that are not as stend wrote them. `hidden` maps drives to the date until which
    they are under embargo. `virtual` is the number of virtual drives that the lab does not show, `unfinished` are
    run folders whose run has not ended. `damaged` are run folders that are not as their run wrote them.
    """

    new: tuple[str, ...]
    remade: tuple[str, ...]
    unchanged: tuple[str, ...]
    errata: dict[str, tuple[Erratum, ...]]
    withdrawn: dict[str, tuple[Withdrawn, ...]]
    broken: tuple[Broken, ...]
    altered: tuple[str, ...]
    hidden: dict[str, datetime.date]
    virtual: int
    unfinished: tuple[str, ...]
    damaged: tuple[Path, ...]

    @property
    def changed(self) -> bool:
        """Return whether a published page would change in a way that readers must learn of."""
        return bool(self.errata or self.withdrawn or self.altered)


def run_folders(paths: Sequence[Path]) -> list[Path]:
    """Return the run folders that these paths or names mean (`catalogue.meant`), of a folder all below it.

    Raise BadInput for a path without any run.
    """
    return list(dict.fromkeys(run for path in paths for run in _runs_of(path)))


def _runs_of(path: Path) -> list[Path]:
    below = scan(path) if path.is_dir() and not journal.is_run(path) else {}
    return [Path(place.path) for _, place in sorted(below.items())] or [catalogue.meant(path)]


def build(
    folders: Sequence[Path], into: Path, read: Read, today: datetime.date, *, check: bool = False,
    progress: Progress | None = None, workers: int | None = None,
) -> Built:  # fmt: skip
    """Build a site from run folders, or with `check` only return what would change.

    Raise BadInput for settings, texts or a site that cannot be used. A run that cannot be read is left out.
    """
    with nullcontext() if check else ledger.alone(into):
        last = ledger.read(into)
        _check_files(read)
        if not check:
            ledger.begin(into)
        # 1. Find the drives, and leave out what may not be shown.
        every, broken = _found(folders)
        found = [sample for sample in every if sample.ended]
        drives: dict[str, list[Found]] = {}
        for sample in found:
            drives.setdefault(sample.drive, []).append(sample)
        virtual = [name for name, runs in drives.items() if runs[0].virtual and not read.lab.ranking.virtual]
        hidden = _hidden(drives, read, last, today)
        shown = {name: runs for name, runs in sorted(drives.items()) if name not in virtual and name not in hidden}
        shown |= {name: [] for name in last.drives if name not in shown}
        # 2. Make the drives that changed.
        made_of = _fingerprint(read)
        common: dict[str, Any] = {"read": read, "site": into, "today": today, "write": not check, "doubt": bool(broken)}
        orders = [
            Order(id=name, runs=tuple(runs), before=last.drives.get(name), key=_key(made_of, runs), **common)
            for name, runs in shown.items()
        ]
        published = [file for entry in last.drives.values() for file in entry.files.items()]
        altered = [path for path, digest in published if _digest(into / path) != digest]
        stale = [
            o for o in orders if o.before is None or o.before.key != o.key or any(f in altered for f in o.before.files)
        ]
        made = {result.id: result for result in _made(stale, progress, workers)}
        # Other drives stay as they were published
        new = {name: result.entry for name, result in made.items() if result.entry}
        entries = {name: entry for name in shown if (entry := new.get(name) or last.drives.get(name))}
        broken += [broken_run for result in made.values() for broken_run in result.broken]
        unfinished = tuple(sample.folder.name for sample in every if not sample.ended)
        built = _built(entries, made, last, broken, altered, hidden, len(virtual), unfinished)
        if not check:
            _write(into, entries, last, read)
        return built


def _check_files(read: Read) -> None:
    """Raise BadInput if a file that the settings name cannot be used, before any page is written."""
    publications.known([read.file(name) for name in read.lab.published])
    if read.lab.logo:
        untrusted.read(read.file(read.lab.logo), "the logo")


def _found(folders: Sequence[Path]) -> tuple[list[Found], list[Broken]]:
    found, broken = [], []
    for folder in folders:
        if folder.is_symlink():
            broken.append(Broken(folder.name, f"{folder} is a link, and not a run folder; copy the run to it"))
            continue
        try:
            found.append(samples.find(folder))
        except (StendError, OSError) as error:
            broken.append(Broken(folder.name, str(error)))
    return found, broken


def _hidden(drives: dict[str, list[Found]], read: Read, last: Ledger, today: datetime.date) -> dict[str, datetime.date]:
    """Return the drives under embargo. Raise BadInput for one that is already published."""
    hidden = {}
    for name, runs in drives.items():
        if until := read.lab.embargoed((name, runs[0].model), today):
            if name in last.drives:
                raise BadInput(
                    f"{name} was published on {last.drives[name].first}, and an embargo until {until} cannot hide it; "
                    "name its runs in [withdrawn] of lab.toml instead"
                )
            hidden[name] = until
    return hidden


def _fingerprint(read: Read) -> bytes:
    """Return what every page depends on: the version, the settings with their files, templates and scripts."""
    whole = hashlib.blake2b(f"{__version__}\0".encode() + read.text)
    for name in read.lab.published:
        whole.update(read.file(name).read_bytes() if read.file(name).is_file() else b"")
    for folder in ("templates", "static"):
        for file in sorted((resources.files(__package__) / folder).iterdir(), key=lambda f: f.name):
            whole.update(file.read_bytes())
    return whole.digest()


def _key(made_of: bytes, runs: Sequence[Found]) -> str:
    """Return what the page of a drive depends on as one hash."""
    whole = hashlib.blake2b(made_of, digest_size=12)
    for digest in sorted(run.digest for run in runs):
        whole.update(digest.encode())
    return whole.hexdigest()


def _digest(path: Path) -> str:
    try:
        return regular.digest(path, lambda: hashlib.blake2b(digest_size=8))
    except OSError:
        return ""


def _made(orders: Sequence[Order], progress: Progress | None, workers: int | None) -> Iterator[Made]:
    for number, made in enumerate(pool.run(orders, workers or os.cpu_count() or 1), 1):
        if progress:
            progress(number, len(orders))
        yield made


def _built(
    entries: dict[str, Entry], made: dict[str, Made], last: Ledger, broken: Iterable[Broken], altered: Sequence[str],
    hidden: dict[str, datetime.date], virtual: int,
    unfinished: tuple[str, ...],
) -> Built:  # fmt: skip
    fresh = [name for name in entries if name in made and made[name].entry]
    before = {name: last.drives[name] for name in fresh if name in last.drives}
    errata = {name: entries[name].errata[len(old.errata) :] for name, old in before.items()}
    known = {name: {withdrawal.run for withdrawal in old.withdrawn} for name, old in before.items()}
    gone = {name: tuple(w for w in entries[name].withdrawn if w.run not in known[name]) for name in before}
    return Built(
        new=tuple(name for name in fresh if name not in before),
        remade=tuple(before),
        unchanged=tuple(name for name in entries if name not in fresh),
        errata={name: some for name, some in errata.items() if some},
        withdrawn={name: some for name, some in gone.items() if some},
        broken=tuple(broken),
        altered=tuple(altered),
        hidden=hidden,
        virtual=virtual,
        unfinished=unfinished,
        damaged=tuple(folder for name in sorted(made) for folder in made[name].damaged),
    )


def _write(into: Path, entries: dict[str, Entry], last: Ledger, read: Read) -> None:
    """Write the files about all drives and the ledger. Remove files of the last build that no page has any more."""
    written = []
    for path, content in _common(entries, read, last.files):
        _put(ledger.place(into, path), content)
        written.append(path)
    kept = {*written, *(path for entry in entries.values() for path in entry.files)}
    for name, text in site.for_search(read.lab, sorted(kept)).items():
        _put(ledger.place(into, name), text.encode())
    for path in {*last.files, *(path for entry in last.drives.values() for path in entry.files)} - kept:
        ledger.place(into, path).unlink(missing_ok=True)
    ledger.write(into, Ledger(drives=entries, files=tuple(written)))


def _common(entries: dict[str, Entry], read: Read, before: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of every file about all drives, and of the assets.

    A page of the last build stays at its address, even if no drive has its figure, use or test any more.
    """
    lab = read.lab
    known = publications.known([read.file(name) for name in lab.published])
    for lang in lab.languages:
        yield from site.Lang(lab, entries, known, Language(lang), before).files()
    yield "data/index.json", site.plain_index(lab, entries, __version__)
    for name, schema in schemas.every().items():
        yield f"data/schema/{name}.schema.json", msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
    yield from ((f"assets/{name}", content) for name, content in html.static_files().items())
    yield "assets/vega.js", vega.script().encode()
    if lab.logo:
        yield f"assets/{html.logo_name(lab)}", untrusted.read(read.file(lab.logo), "the logo")
    yield "index.html", html.first_page(lab).encode()


def _put(path: Path, content: bytes) -> None:
    if not (path.is_file() and not path.is_symlink() and path.read_bytes() == content):
        atomic.page(path, content)
