"""bench-fio's tree: fio's JSON files, each named after mode, queue depth and jobs (`randread-16-8.json`)."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from stend.base.errors import BadInput
from stend.base.text import plain
from stend.imports import fio
from stend.imports.given import Given
from stend.imports.taken import Load, Taken
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
        if not NAMED.fullmatch(PurePosixPath(name).name):
            notes[Sentence("imported.misnamed", name=name)] = None
            continue
        try:
            document, file_notes = fio.documents(data)
            loads += _placed(name, document)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from error
        first, at = first or document, min(at or document.timestamp, document.timestamp)
        notes |= dict.fromkeys((*file_notes, *fio.lacks(document)))
    if len({(load.phase, load.workload) for load in loads}) < len(loads):
        raise BadInput("it holds several results of one load; import the folder of each target by itself")
    if given.left:
        notes[Sentence("imported.logs", n=given.left)] = None
    common = first.common if first else {}
    return Taken(
        tool=TOOL,
        version=f"(fio {plain(first.version.removeprefix('fio-'))[:60]})" if first else "",
        loads=tuple(loads),
        notes=tuple(notes)[: fio.MOST_NOTES],
        at=at,
        drive={"target": plain(str(common["filename"]))[:200]} if common.get("filename") else {},
    )


def _placed(name: str, document: fio.Document) -> Iterator[Load]:
    """Yield the loads of a file; mode, queue depth and jobs come from its name."""
    match = NAMED.fullmatch(PurePosixPath(name).name)
    if match is None:
        return
    mode, _, depth, threads = match.groups()
    for load in fio.of(document):
        workload = msgspec.structs.replace(
            load.workload,
            random_pct=100 if mode.startswith("rand") else 0,
            depth=min(max(int(depth), 1), 65536),
            threads=min(max(int(threads), 1), 1024),
        )
        unknown = tuple(what for what in load.reported.unknown if what == "block size")
        reported = msgspec.structs.replace(load.reported, unknown=unknown)
        yield load._replace(workload=workload, reported=reported, phase=mode)
