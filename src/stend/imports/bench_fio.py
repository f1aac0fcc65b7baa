"""bench-fio's tree: fio's JSON files, each named after mode, queue depth and jobs (`randread-16-8.json`)."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from stend.base.errors import BadInput
from stend.imports import fio
from stend.imports.given import Given
from stend.imports.taken import Load, Taken, drive, within
from stend.words import Sentence

TOOL = "bench-fio"
NAMED = re.compile(r"([a-z]+?)(\d*)-(\d{1,5})-(\d{1,4})\.json")
"""Mode, share of reads (for a mix), queue depth, jobs."""


def claims(given: Given) -> bool:
    """Return True for a folder in which most files have such a name."""
    named = sum(bool(NAMED.fullmatch(PurePosixPath(name).name)) for name, _ in given.files)
    return given.folder and named > len(given.files) / 2


def read(given: Given) -> Taken:
    """Return one load per file. Raise BadInput with the name of a file that cannot be read."""
    loads, first, at = list[Load](), None, 0.0
    notes = dict[Sentence, None]()
    for name, data in given.files:
        match = NAMED.fullmatch(PurePosixPath(name).name)
        if match is None:
            notes[Sentence("imported.misnamed", name=name)] = None
            continue
        try:
            document, file_notes = fio.documents(data)
            loads += _placed(match, document)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from error
        first, at = first or document, min(at or document.timestamp, document.timestamp)
        notes |= dict.fromkeys((*file_notes, *fio.lacks(document)))
    if first is None:
        raise BadInput("it has no file with the name of a load, such as randread-16-8.json")
    if len({(load.phase, load.workload) for load in loads}) < len(loads):
        raise BadInput("it holds several results of one load; import the folder of each target by itself")
    if given.left:
        notes[Sentence("imported.logs", n=given.left)] = None
    return Taken(
        tool=TOOL,
        version=f"(fio {fio.version(first)})",
        loads=tuple(loads),
        notes=tuple(notes)[: fio.MOST_NOTES],
        at=at,
        drive=drive(first.common.get("filename")),
    )


def _placed(name: re.Match[str], document: fio.Document) -> Iterator[Load]:
    """Yield the loads of a file; mode, queue depth and jobs come from its name."""
    mode, _, depth, threads = name.groups()
    figures = within(random_pct=100 if mode.startswith("rand") else 0, depth=int(depth), threads=int(threads))
    for load in fio.of(document):
        workload = msgspec.structs.replace(load.workload, **figures)
        unknown = tuple(what for what in load.reported.unknown if what == "block size")
        reported = msgspec.structs.replace(load.reported, unknown=unknown)
        yield load._replace(workload=workload, reported=reported, phase=mode)
