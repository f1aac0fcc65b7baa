"""Run folders on disk: append, follow, read and find runs. This package defines the format of the folder.

events.jsonl   the format's version and the run's number in the first line, then one typed event per line, each with
               its number and a hash chain (`chain`); fsync at Started, Result, Judged, Ended
manifest.toml  the request
host.json      the machine of the run
writer.json    the process that writes the folder (`writer`)
raw/           output of fio, one zstd file per step
"""

import errno
import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import zstandard

from stend.base import limits, regular, untrusted
from stend.base.errors import BadInput, Refused, StepFailed, unwritable
from stend.base.text import typed
from stend.model.events import Ended, Event, Judged, Result, Started
from stend.model.record import Run
from stend.store.chain import Chain
from stend.store.journal import HEAD, Record, events_of, is_run
from stend.words import Sentence, encoded

SHEETS = ("drive.toml", "sheet.toml")
"""Allowed names of a drive sheet in the folder."""

BESIDE = {"manifest": "manifest.toml", "host": "host.json"}
"""Files whose hashes are in the first line of the record, by their names there."""

MOST_NUMBER = (1 << 62) - 1
NUMBERED = re.compile(r'"n":(\d+),"chain":"[0-9a-f]+"}$')
DURABLE = (Started, Result, Judged, Ended)


_encode = msgspec.json.Encoder(enc_hook=encoded).encode


def create(folder: Path, manifest: dict[str, Any], host: dict[str, Any]) -> None:
    """Create a run folder with the request and the host's facts.

    Raise BadInput if the folder is not empty. Raise StepFailed and leave it empty if it cannot be written.
    """
    request = msgspec.toml.encode(manifest)
    machine = json.dumps(host, indent=1, ensure_ascii=False).encode()
    head = HEAD | {"run": secrets.token_hex(8), "manifest": digest(request), "host": digest(machine)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; name a new folder with --into, or `stend resume {typed(folder)}`")
        (folder / "raw").mkdir()
        try:
            (folder / "manifest.toml").write_bytes(request)
            (folder / "host.json").write_bytes(machine)
            with events_of(folder).open("xb") as file:
                file.write(_encode(head) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:  # such as a full disk: the same command works once that is fixed
            for path in (folder / "manifest.toml", folder / "host.json", events_of(folder)):
                path.unlink(missing_ok=True)
            (folder / "raw").rmdir()
            raise
    except OSError as error:
        kind = BadInput if error.errno in NO_PLACE else StepFailed
        raise kind(f"{folder} cannot be written: {error.strerror}; name another with --into") from error


NO_PLACE = (errno.ENOENT, errno.ENOTDIR)
"""Errors of the host for a folder that cannot exist where it was named."""


def digest(data: bytes) -> str:
    """Return the hash by which the first line of events.jsonl identifies another file of the folder."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_of(path: Path) -> str:
    """Return the same hash for a file. Raise OSError if it cannot be read."""
    return regular.digest(path, lambda: hashlib.blake2b(digest_size=16))


def raw_name(result: Result) -> str:
    """Return the name of the file below raw/ with fio's output for a step."""
    place = result.where
    name = f"{place.test}-{place.phase}-{place.round:04}-{result.index:04}.json.zst"
    return name.replace("/", "-").replace("\0", "-")  # a plan from a stranger must not write outside raw/


class Raw:
    """Writer of the engine's raw output: receives bytes and writes one zstd file per result.

    `failure` is the error that ended the writing. Bytes that a load prints after it are dropped.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "raw"
        self.open_file: BinaryIO | None = None
        self.failure: OSError | None = None

    def __call__(self, data: bytes) -> None:
        """Append bytes of the current step. Raise OSError if they cannot be written."""
        if self.failure:
            return
        try:
            self._write(data)
        except OSError as error:
            self.fail(error)
            raise

    def _write(self, data: bytes) -> None:
        if self.open_file is None:
            path = regular.folder(self.folder) / f"unfinished-{time.time_ns()}.zst"
            regular.create(path)
            self.open_file = zstandard.open(path, "wb", cctx=zstandard.ZstdCompressor(write_checksum=True))
            self.path = path
        self.open_file.write(data)

    def name(self, result: Result) -> None:
        """Close the file of a finished step and give it the step's name."""
        if self.open_file is None:
            return
        self.open_file.close()
        self.open_file = None
        self.path.rename(self.folder / raw_name(result))

    def fail(self, error: OSError) -> None:
        """Close the file and write nothing more, because the folder cannot be written."""
        self.failure, file, self.open_file = error, self.open_file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def close(self) -> None:
        """Close the file of a step that was cut off. It keeps its temporary name."""
        if self.open_file is not None:
            self.open_file.close()
            self.open_file = None


def append(folder: Path, events: Generator[Event, None, None], raw: Raw | None = None) -> Generator[Event, None, None]:
    """Write events as they are yielded. Closing this generator closes them. A torn last line is cut off first.

    The caller holds the folder (`writer.sole`). Raise Refused if the record is not what the run wrote.
    """
    chain = _repair(folder)
    ends = closing(raw) if raw else nullcontext()
    with _appender(folder) as file, ends, closing(events):
        for event in _printed(folder, events, raw):
            try:
                if raw and isinstance(event, Result):
                    raw.name(event)
                elif raw and isinstance(event, Started):
                    raw.close()  # output of a load that died does not belong to the repeated step
                line = _encode(event)
                _write(file, (chain.sealed(line) if chain else line) + b"\n")
                if isinstance(event, DURABLE):
                    os.fsync(file.fileno())
            except OSError as error:
                if raw:
                    raw.fail(error)
                raise _unwritable(folder, error) from error
            yield event


def _printed(folder: Path, events: Iterator[Event], raw: Raw | None) -> Iterator[Event]:
    """Yield the events. Raise StepFailed if the output of a load cannot be written."""
    try:
        yield from events
    except OSError as error:
        if raw is None or error is not raw.failure:
            raise
        raise _unwritable(folder, error) from error


def read(folder: Path) -> Iterator[Event]:
    """Yield the events of a run so far. A torn last line is dropped. Raise BadInput for any other broken line."""
    yield from Record(folder)


def load(folder: Path) -> Run:
    """Load a whole run. Raise BadInput if the folder has no run, or if the run never started."""
    record = Record(folder)
    run = Run()
    record.into(run)
    if not run.started:
        raise BadInput(f"{folder} holds a run that never started; delete it")
    run.wrong, run.seal, run.edited = tuple(record.wrong), record.seal, tuple(_edited(folder, record.head))
    return run


def _edited(folder: Path, head: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the files beside the record whose hash is not that of its first line."""
    for name, file in BESIDE.items():
        with suppress(OSError):
            if head.get(name, written := digest(regular.read(folder / file))) != written:
                yield file


def follow(folder: Path, *, poll_s: float = 0.2) -> Iterator[Event]:
    """Yield events as they are written, until the run ends."""
    record = Record(folder)
    while True:
        for event in record:
            yield event
            if isinstance(event, Ended):
                return
        time.sleep(poll_s)


def host(folder: Path) -> dict[str, Any]:
    """Return the facts of the run's host that can be read, or {} if they were not recorded."""
    try:
        facts = msgspec.json.decode(regular.read(folder / "host.json"), type=dict[str, Any])
    except (OSError, *untrusted.BROKEN):
        return {}
    return untrusted.fitting(facts, limits.HOST_FACTS)


def manifest(folder: Path) -> dict[str, Any]:
    """Return the request as written at the start."""
    path = folder / "manifest.toml"
    return untrusted.toml(untrusted.kept(path, "the manifest"), dict[str, Any], str(path))


def run_number(folder: Path) -> int | None:
    """Return the number that no other run has, as 62 bits, or None in a folder of format 1."""
    named = Record(folder).head.get("run")
    try:
        return int(named, 16) & MOST_NUMBER if isinstance(named, str) else None
    except ValueError:
        return None


def number(folder: Path) -> int:
    """Return the number of the last event of a run, or 0 if it has none or is of format 1."""
    found = NUMBERED.search(regular.last_line(events_of(folder)))
    return int(found[1]) if found else 0


def find(top: Path) -> list[Path]:
    """Return every run folder directly below `top`, oldest first."""
    folders = [folder for folder in top.iterdir() if folder.is_dir() and is_run(folder)] if top.is_dir() else []
    return sorted(folders, key=lambda folder: (_changed_at(folder), folder))


def _changed_at(folder: Path) -> float:
    try:
        return events_of(folder).stat().st_mtime
    except OSError:
        return 0


def _repair(folder: Path) -> Chain | None:
    """Cut off a torn last line, and return the hash chain so far, or None in a folder of format 1."""
    record = Record(folder)
    for _ in record.lines():
        pass
    if record.wrong:
        raise unsound(folder, record.wrong)
    if record.torn_bytes:
        try:
            with closing(_appender(folder)) as file:
                os.ftruncate(file.fileno(), record.whole_bytes)
        except OSError as error:
            raise _unwritable(folder, error) from error
    return record.chain


def unsound(folder: Path, wrong: Sequence[Sentence]) -> Refused:
    """Return the error for a record that is not as its run wrote it, to which nothing may be added."""
    return Refused(
        f"{folder} is not as the run wrote it: {wrong[0]}; "
        f"`stend verify {typed(folder)}` lists all damage; start a new run"
    )


def _appender(folder: Path) -> RawIOBase:
    try:
        return cast(RawIOBase, regular.appender(events_of(folder), buffering=0))
    except OSError as error:
        raise _unwritable(folder, error) from error


def _write(file: RawIOBase, line: bytes) -> None:
    """Write the whole line unbuffered, so that a failed write is not repeated when the file is closed."""
    while line:
        line = line[file.write(line) or 0 :]


def _unwritable(folder: Path, error: OSError) -> StepFailed:
    return unwritable(folder, error, f"fix that, then `stend resume {typed(folder)}`")
