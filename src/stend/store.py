"""A run on disk: append, follow, read, find. Owns the format of the run folder.

events.jsonl   the format's version in its first line, then one typed event a line; fsync at Result, Judged, Ended
manifest.toml  what was asked
host.json      the machine it ran on
raw/           fio's own words, one zstd file a step
"""

import json
import os
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import zstandard

from stend import outside, ranges
from stend.errors import BadInput, StepFailed
from stend.record import Ended, Event, Judged, Result, Run, Started

FORMAT = 1
HEAD = {"format": "stend-events", "version": FORMAT}
DURABLE = (Started, Result, Judged, Ended)

HOST_FACTS: dict[str, Any] = {
    "cpus": ranges.Count,
    "memory_bytes": ranges.Count,
    "adapters": list[dict[str, str]],
    "measured": ranges.Measured,
}
"""What reports reckon with; a fact that is not of this kind counts as not recorded. All others are words."""

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def create(folder: Path, manifest: dict[str, Any], host: dict[str, Any]) -> None:
    """A new run folder, empty but for what was asked and where. BadInput if there is a run in it already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; name a new folder with --into, or `stend resume {folder}`")
        (folder / "raw").mkdir()
        (folder / "manifest.toml").write_bytes(msgspec.toml.encode(manifest))
        (folder / "host.json").write_text(json.dumps(host, indent=1, ensure_ascii=False))
        with _events(folder).open("xb") as file:
            file.write(_encode(HEAD) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(folder, error) from error


class Raw:
    """The engine's own words: takes bytes as they come, one zstd file for each result."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "raw"
        self.open_file: BinaryIO | None = None

    def __call__(self, data: bytes) -> None:
        """Keep some more bytes of the present step."""
        if self.open_file is None:
            path = self.folder / f"unfinished-{time.time_ns()}.zst"
            self.open_file = zstandard.open(path, "wb")
            self.path = path
        self.open_file.write(data)

    def name(self, result: Result) -> None:
        """The step is done: its words get its name."""
        if self.open_file is None:
            return
        self.open_file.close()
        self.open_file = None
        place = result.where
        self.path.rename(self.folder / f"{place.test}-{place.phase}-{place.round:04}-{result.index:04}.json.zst")


def append(folder: Path, events: Generator[Event, None, None], raw: Raw | None = None) -> Generator[Event, None, None]:
    """Write events as they pass; closing this closes them. A torn last line is cut off first."""
    _mend(folder)
    with _events(folder).open("ab", buffering=0) as file, closing(events):
        for event in events:
            try:
                _write(file, _encode(event) + b"\n")
                if isinstance(event, DURABLE):
                    os.fsync(file.fileno())
                if raw and isinstance(event, Result):
                    raw.name(event)
            except OSError as error:
                raise _unwritable(folder, error) from error
            yield event


def read(folder: Path) -> Iterator[Event]:
    """The events of a run so far; a torn last line is dropped, any other broken line is BadInput."""
    lines, places = _lines(folder), Places()
    for number, line in enumerate(lines[1:], start=2):
        try:
            yield places.holding(_decoder.decode(line))
        except outside.BROKEN as error:
            raise BadInput(f"{_events(folder)}, line {number}, is not an event: {outside.sentence(error)}") from error


class Places:
    """The phases that a run's plan has: nothing can have happened in any other, nor before a plan was there."""

    def __init__(self) -> None:
        self.known: set[tuple[str, str]] = set()

    def holding(self, event: Event) -> Event:
        """The event, if it can have happened; ValueError otherwise."""
        where = None
        match event:
            case Started():
                self.known = self.known or {(t.name, p.name) for t in event.plan.tests for p in t.phases}
                where = event.continues
            case Result() | Judged():
                where = event.where
        if not self.known or (where and (where.test, where.phase) not in self.known):
            raise ValueError("what it tells of is not in the plan")
        return event


def load(folder: Path) -> Run:
    """The whole run. BadInput when there is none, or nothing of it was written."""
    run = Run(read(folder))
    if not run.started:
        raise BadInput(f"{folder} holds a run that never started; delete it")
    return run


def follow(folder: Path, *, poll_s: float = 0.2) -> Iterator[Event]:
    """Events as they are written, until the run ends."""
    seen = 0
    while True:
        for event in list(read(folder))[seen:]:
            seen += 1
            yield event
            if isinstance(event, Ended):
                return
        time.sleep(poll_s)


def host(folder: Path) -> dict[str, Any]:
    """The machine the run was made on, as far as it can be read; {} when not recorded."""
    try:
        told = msgspec.json.decode((folder / "host.json").read_bytes(), type=dict[str, Any])
    except (OSError, *outside.BROKEN):
        return {}
    return {key: value for key, value in told.items() if _fits(value, HOST_FACTS.get(key, Any))}


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except outside.BROKEN:
        return False
    return True


def manifest(folder: Path) -> dict[str, Any]:
    """What was asked, as written at the start."""
    path = folder / "manifest.toml"
    return outside.toml(outside.read(path, "the manifest"), dict[str, Any], str(path))


def find(top: Path) -> list[Path]:
    """Every run folder directly below `top`, oldest first."""
    folders = [f.parent for f in top.glob("*/events.jsonl")] if top.is_dir() else []
    return sorted(folders, key=lambda folder: (_changed_at(folder), folder))


def _changed_at(folder: Path) -> float:
    try:
        return _events(folder).stat().st_mtime
    except OSError:
        return 0


def _events(folder: Path) -> Path:
    return folder / "events.jsonl"


def _lines(folder: Path) -> list[bytes]:
    try:
        data = _events(folder).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadInput(f"{folder} is not a run folder: it has no events.jsonl; `stend list` shows runs") from error
    except OSError as error:
        raise BadInput(f"{_events(folder)} cannot be read: {error.strerror}") from error
    lines = data.split(b"\n")[:-1]  # what follows the last line end is torn
    try:
        head = json.loads(lines[0]) if lines else {}
    except outside.BROKEN:
        head = {}
    if not isinstance(head, dict) or head.get("format") != HEAD["format"]:
        raise BadInput(f"{_events(folder)} is not a stend event file")
    if head.get("version") != FORMAT:
        raise BadInput(
            f"{folder} is of format {head.get('version')}; this stend reads {FORMAT}: use the stend it names"
        )
    return lines


def _mend(folder: Path) -> None:
    whole = sum(len(line) + 1 for line in _lines(folder))
    path = _events(folder)
    if path.stat().st_size != whole:
        os.truncate(path, whole)


def _write(file: RawIOBase, line: bytes) -> None:
    """All of it, unbuffered: what could not be written must not be tried again when the file is closed."""
    while line:
        line = line[file.write(line) or 0 :]


def _unwritable(folder: Path, error: OSError) -> StepFailed:
    return StepFailed(f"{folder} cannot be written: {error.strerror}; mend that, then `stend resume {folder}`")
