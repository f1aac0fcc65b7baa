"""Runs of a lab: find their drives, load them without private facts, and state which may be ranked."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stend import store
from stend.base import regular
from stend.base.errors import BadInput
from stend.base.text import capital, plain
from stend.findings import Sheet
from stend.findings.look import inspected
from stend.many.settings import BLOCKING
from stend.many.sides import Outcome, outcome
from stend.model.events import Started
from stend.model.record import Run
from stend.publish import private
from stend.publish.lab import Lab
from stend.report.parts.sheet import sheet
from stend.report.story.page_one import Review
from stend.report.story.rivals import Rival
from stend.report.story.telling import reviewed
from stend.sentences import because_said
from stend.store import journal, writer
from stend.words import Language

BESIDE = ("host.json", "manifest.toml", "writer.json", *store.SHEETS, "notes.md")
"""Files of a run folder, next to its events, that its page depends on."""
SHOWN = 40
"""Characters of a model in the id of a drive."""


class Found(NamedTuple):
    """A run folder: its drive (id, model, capacity), and the digest of everything that its page depends on.

    `ended` is false while the run lasts, or if it was killed and not continued.
    """

    folder: Path
    drive: str
    model: str
    capacity_bytes: int
    virtual: bool
    digest: str
    ended: bool = True


class Sample(NamedTuple):
    """A run without its private facts: its hash, host, sheet and reduced figures. `secrets` must not be published.

    `public` holds private facts that the lab publishes.
    """

    folder: Path
    hash: str
    run: Run
    host: dict[str, Any]
    sheet: Sheet
    outcome: Outcome
    secrets: tuple[str, ...]
    public: tuple[str, ...]

    def review(self, words: Language, rivals: tuple[Rival, ...] = ()) -> Review:
        """Return the findings, key figures and verdict of the run."""
        return reviewed(self.run, self.sheet, words, rivals)


class Chosen(NamedTuple):
    """A drive's samples: the review, those with the same settings, all of them, and the withdrawn runs' reasons."""

    review: Sample
    alike: tuple[Sample, ...]
    every: tuple[Sample, ...]
    reasons: dict[str, str]


def find(folder: Path) -> Found:
    """Return the drive of a run folder. Raise BadInput if it holds no run that can be read."""
    started = next((event for event in store.read(folder) if isinstance(event, Started)), None)
    if started is None:
        raise BadInput(f"{folder} holds a run that never started; leave it out")
    drive = started.plan.device
    model = drive.model or drive.kind
    place = drive_id(model, drive.capacity_bytes)
    return Found(folder, place, model, drive.capacity_bytes, drive.virtual, _digest(folder), _ended(folder))


def drive_id(model: str, capacity_bytes: int) -> str:
    """Return the id of a model of one capacity, which is its address on the site and never changes.

    A hash separates models whose letters do not: long names, other scripts, and `970 EVO+`.
    """
    size = f"{capacity_bytes / 1e9:.0f}gb" if capacity_bytes >= 1e9 else f"{capacity_bytes / 1e6:.0f}mb"
    slug = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")
    if not slug or len(slug) > SHOWN or not model.isascii() or "+" in model:
        number = hashlib.blake2b(model.encode(errors="replace"), digest_size=4).hexdigest()
        slug = f"{slug[:SHOWN].strip('-') or 'drive'}-{number}"
    return f"{slug}-{size}"


def _ended(folder: Path) -> bool:
    """Return whether the last line of a record is the end of its run."""
    return regular.last_line(journal.events_of(folder)).startswith('{"type":"ended"')


def _digest(folder: Path) -> str:
    """Return the hash of the files of a run folder that its page depends on."""
    whole = hashlib.blake2b(store.digest_of(journal.events_of(folder)).encode(), digest_size=16)
    whole.update(folder.name.encode(errors="replace"))
    names = [p.name for p in sorted(folder.iterdir()) if p.suffix.lower() in (".jpg", ".jpeg", ".png", ".md")]
    for name in sorted({*BESIDE, *names}):
        if regular.is_file(folder / name):
            whole.update(f"\0{name}\0{store.digest_of(folder / name)}".encode(errors="replace"))
    return whole.hexdigest()


def load(folder: Path, lab: Lab) -> Sample:
    """Load a run without its private facts. Raise BadInput if it cannot be read or has no results."""
    run, host, public = store.load(folder), store.host(folder), lab.public
    if run.source:
        raise BadInput(f"{folder} was imported and has no review to publish; leave it out")
    if not run.results:
        raise BadInput(f"{folder} has no results to publish; leave it out")
    manifest = store.manifest(folder) if regular.is_file(folder / "manifest.toml") else {}
    facts = sheet(folder)
    owner = writer.last(folder)
    identity = {"name": owner.host.name, "machine": owner.host.machine, "node": owner.host.board, "place": owner.place}
    secrets = tuple(private.secrets(run, host | identity, manifest, folder, public))
    hash_of = run.seal or store.digest_of(journal.events_of(folder))[:16]
    private.scrub(run, secrets, public)
    described = private.public_host(host)
    label = str(manifest.get("label", "")) if "label" in public else ""
    reduced = outcome(hash_of, run, described, label)
    known = {"serial": run.plan.device.serial, "host": owner.host.name, "paths": str(folder), "label": label}
    named = tuple(text for name, text in known.items() if name in public and text)
    return Sample(folder, hash_of, run, described, private.public_sheet(facts, lab.sheet), reduced, secrets, named)


def unranked(sample: Sample, review: Review, lab: Lab, words: Language) -> Iterator[str]:
    """Yield the reasons why a run has no place in the rankings, as sentences."""
    run, wanted = sample.run, lab.ranking.profile
    if run.plan.profile.quick:
        yield words("publish.why.quick")
    elif review.verdict.standing:
        yield capital(because_said(review.verdict.standing, words))
    if wanted and run.plan.profile.name != wanted:
        yield words("publish.why.profile", name=run.plan.profile.name, wanted=wanted)
    if wanted and run.plan.deviations:
        yield words("publish.why.deviations", n=len(run.plan.deviations))


def chosen(samples: Sequence[Sample], lab: Lab, names: Collection[str]) -> Sample:
    """Return the run that is the review of its drive.

    It is the one that the lab names, else one with the author's text, else a complete one of the required profile, with
    the most figures, and of equals the newest.
    """
    wanted = [lab.reviews[name] for name in names if name in lab.reviews]
    for sample in samples:
        if sample.hash in wanted or sample.folder.name in wanted:
            return sample
    if wanted:
        raise BadInput(
            f"no run of {next(iter(names))} is named {plain(wanted[0])!r}, which the lab's settings name as its review"
        )

    def worth(sample: Sample) -> tuple[Any, ...]:
        run, profile = sample.run, sample.run.plan.profile
        texts = regular.is_file(sample.folder / "review.md")
        wanted = not lab.ranking.profile or profile.name == lab.ranking.profile
        measured = not all(test.name in inspected.TESTS for test in run.plan.tests)
        whole = run.outcome not in ("unfinished", "failed", "stopped") and not run.wrong
        return texts, whole, not profile.quick, wanted, measured, len(sample.outcome.rows), run.started[0].at

    return max(samples, key=worth)


def unlike(sample: Sample, first: Sample) -> list[str]:
    """Return the settings in which a run differs from the review of its drive and which make figures incomparable."""
    pairs = (
        (name, sample.outcome.settings.get(name), first.outcome.settings.get(name)) for name in (*BLOCKING, "firmware")
    )
    return [name for name, a, b in pairs if a != b and a not in (None, "") and b not in (None, "")]
