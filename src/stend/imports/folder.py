"""Write an imported result as a run folder that appears complete or not at all."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Generator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from stend import store
from stend.base.errors import BadInput, StepFailed, unwritable
from stend.base.text import plain, plain_all
from stend.base.version import __version__
from stend.imports.given import Given
from stend.imports.taken import Load, Taken
from stend.model.definition import Hold, Identity, Phase, Plan, PlannedTest, Profile, Seconds
from stend.model.events import Ended, Event, Note, Position, Result, Source, Started
from stend.store import journal
from stend.words import Sentence, known, rewritten, text

STAGE = ".import-"
MOST_PHASES = 500
SEED_DIGITS = 13
"""Hexadecimal digits of the original's hash that make the run's seed: the same original always gets the same seed."""
NAMED = re.compile(r"[^A-Za-z0-9._+-]+")


def write(handed: Given, form: str, taken: Taken, top: Path, label: str = "") -> Path:
    """Write the run folder below `top` and return it.

    Raise BadInput if this original was imported there already, and StepFailed if `top` cannot be written.
    """
    place = top / name(handed, taken)
    if journal.is_run(place):
        raise BadInput(f"{place} exists already; delete it to import {handed.name} again")
    try:
        top.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=STAGE, dir=top))
    except OSError as error:
        raise unwritable(top, error) from error
    try:
        made = stage / place.name  # two levels down, where no list of runs looks
        _fill(made, handed, form, taken, label)
        made.rename(place)
    except StepFailed as error:  # it names the folder on the way
        raise StepFailed(str(error).replace(str(made), str(place))) from error
    except OSError as error:
        raise unwritable(place, error) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return place


def name(handed: Given, taken: Taken) -> str:
    """Return the folder's name from time, tool, file and content: `20201120-120000-fio-randread-3f2a91`."""
    when = datetime.fromtimestamp(_at(handed, taken)).strftime("%Y%m%d-%H%M%S")
    stem = NAMED.sub("-", handed.name.rsplit(".", 1)[0]).strip("-.")[:60] or "result"
    return f"{when}-{taken.tool.lower()}-{stem}-{seed(handed):013x}"[:120]


def seed(handed: Given) -> int:
    """Return a number that depends only on the content of the original."""
    joined = "".join(digest for _, digest in sorted(handed.digests, key=lambda pair: pair[1]))
    return int(hashlib.sha256(joined.encode()).hexdigest()[:SEED_DIGITS], 16)


def _at(handed: Given, taken: Taken) -> float:
    return taken.at or max(min(handed.changed_s, 1e10), 0.0)


def _fill(folder: Path, handed: Given, form: str, taken: Taken, label: str) -> None:
    manifest: dict[str, Any] = {"imported": handed.name, "format": form, "tool": taken.tool}
    store.create(folder, plain_all(manifest | ({"label": label} if label else {})), plain_all(taken.host))
    files = []
    for number, ((path, data), (_, digest)) in enumerate(zip(handed.files, handed.digests, strict=True)):
        kept = folder / "raw" / kept_name(path, number if handed.folder else None)
        with kept.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        files.append((kept.name, digest))
    source = Source(tool=taken.tool, version=taken.version, format=form, files=tuple(files), unknown=taken.unknown)
    for _ in store.append(folder, events(handed, taken, source)):
        pass


def kept_name(path: str, number: int | None) -> str:
    """Return the name of an original below raw/. `number` is its place in a folder of results."""
    bare = NAMED.sub("_", path).strip("_.")[-120:] or "original"
    return f"original-{bare}" if number is None else f"original-{number:05}-{bare}"


def events(handed: Given, taken: Taken, source: Source) -> Generator[Event, None, None]:
    """Yield the events of the run: one step per load, and a note for each gap in the result."""
    test = taken.tool.lower()
    plan = _plan(test, taken, source)
    yield Started(at=_at(handed, taken), version=__version__, plan=plan, seed=seed(handed), source=source)
    clock, places = 0.0, dict[str, int]()
    for load in taken.loads:
        clock += load.counts.seconds
        index = places[load.phase] = places.get(load.phase, -1) + 1
        where = Position(test=test, phase=load.phase, round=1)
        yield Result(where=where, index=index, step=_step(load), t=clock, counts=load.counts, told=load.reported)
    for note in _notes(taken):
        yield Note(t=clock, text=rewritten(note, plain))
    yield Ended(t=clock, outcome="imported", reason=text(plain(handed.name)))


def _notes(taken: Taken) -> Iterator[Sentence]:
    yield from taken.notes
    if not taken.at:
        yield Sentence("imported.undated")
    if taken.unknown:
        yield Sentence("imported.untold", what=[_named(what) for what in taken.unknown])
    unknown = [load.reported.unknown for load in taken.loads]
    for what in dict.fromkeys(what for names in unknown for what in names if what != "seconds"):
        lacking = sum(what in names for names in unknown)
        yield Sentence("imported.of_loads", what=_named(what), n=lacking, all=len(unknown))


def _named(setting: str) -> Sentence | str:
    """Return the name of a setting that a result does not state, by its key in the catalogue where it has one."""
    key = "imported.lacks_" + setting.replace(" ", "_")
    return Sentence(key) if known(key) else setting


def _step(load: Load) -> Hold:
    return Hold(workload=load.workload, amount=Seconds(seconds=load.counts.seconds))


def _plan(test: str, taken: Taken, source: Source) -> Plan:
    phases: dict[str, list[Hold]] = {}
    for load in taken.loads:
        phases.setdefault(load.phase, []).append(_step(load))
    if len(phases) > MOST_PHASES:
        raise BadInput(f"it has more than {MOST_PHASES} phases")
    seconds, title = sum(load.counts.seconds for load in taken.loads), f"Imported from {source.name}"
    profile = Profile(name="imported", title=title, specification="none", device_class="client", write_cache="unknown")
    facts: dict[str, Any] = {"target": "-", "capacity_bytes": 0} | taken.drive
    drive = Identity(kind="imported", path=str(facts["target"]), **facts)
    made = tuple(Phase(name=name, round=tuple(steps)) for name, steps in phases.items())
    return Plan(
        tests=(PlannedTest(name=test, title=title, clause="", phases=made, profile=profile),),
        profile=profile,
        device=drive,
        range_bytes=max((load.workload.range_bytes for load in taken.loads), default=0),
        write_bytes=sum(load.counts.write.bytes for load in taken.loads),
        longest_s=seconds,
        expected_s=seconds,
    )
