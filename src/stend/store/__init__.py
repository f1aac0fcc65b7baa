"""A run on disk: append, follow, read, find. Owns the format of the run folder.

events.jsonl   the format's version and the run's own number in its first line, then one typed event a line, each with
               its number and a hash chain (`chain`); fsync at Result, Judged, Ended
manifest.toml  what was asked
host.json      the machine it ran on
writer.json    who writes it (`writer`)
raw/           fio's own words, one zstd file a step
"""

import hashlib
import json
import os
import secrets
import time
from collections.abc import Generator, Iterator
from contextlib import closing, nullcontext
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import zstandard

from stend.base import limits, regular, untrusted
from stend.base.errors import BadInput, Refused, StepFailed
from stend.model.events import Ended, Event, Judged, Result, Started
from stend.model.record import Run
from stend.store.chain import Chain
from stend.store.journal import HEAD, Record, events_of

SHEETS = ("drive.toml", "sheet.toml")
"""How a drive sheet in the folder may be called."""

DURABLE = (Started, Result, Judged, Ended)

HOST_FACTS: dict[str, Any] = {
    "cpus": limits.Count,
    "memory_bytes": limits.Count,
    "adapters": list[dict[str, str]],
    "measured": limits.Measured,
}
"""What reports reckon with; a fact that is not of this kind counts as not recorded. All others are words."""

_encode = msgspec.json.Encoder().encode


def create(folder: Path, manifest: dict[str, Any], host: dict[str, Any]) -> None:
    """A new run folder, empty but for what was asked and where. BadInput if there is a run in it already."""
    asked = msgspec.toml.encode(manifest)
    stand = json.dumps(host, indent=1, ensure_ascii=False).encode()
    head = HEAD | {"run": secrets.token_hex(8), "manifest": digest(asked), "host": digest(stand)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; name a new folder with --into, or `stend resume {folder}`")
        (folder / "raw").mkdir()
        (folder / "manifest.toml").write_bytes(asked)
        (folder / "host.json").write_bytes(stand)
        with events_of(folder).open("xb") as file:
            file.write(_encode(head) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StepFailed(f"{folder} cannot be written: {error.strerror}; name another with --into") from error


def digest(data: bytes) -> str:
    """The hash by which the first line knows the files beside it."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_of(path: Path) -> str:
    """Return the same hash of a file. Raise OSError where it cannot be read."""
    return regular.digest(path, lambda: hashlib.blake2b(digest_size=16))


def raw_name(result: Result) -> str:
    """The file below raw/ that holds fio's words of a step."""
    place = result.where
    name = f"{place.test}-{place.phase}-{place.round:04}-{result.index:04}.json.zst"
    return name.replace("/", "-").replace("\0", "-")  # a stranger's plan must not lead out of raw/


class Raw:
    """The engine's own words: takes bytes as they come, one zstd file for each result."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "raw"
        self.open_file: BinaryIO | None = None

    def __call__(self, data: bytes) -> None:
        """Keep some more bytes of the present step."""
        if self.open_file is None:
            path = regular.folder(self.folder) / f"unfinished-{time.time_ns()}.zst"
            regular.create(path)
            self.open_file = zstandard.open(path, "wb", cctx=zstandard.ZstdCompressor(write_checksum=True))
            self.path = path
        self.open_file.write(data)

    def name(self, result: Result) -> None:
        """The step is done: its words get its name."""
        if self.open_file is None:
            return
        self.open_file.close()
        self.open_file = None
        self.path.rename(self.folder / raw_name(result))

    def close(self) -> None:
        """What a step that was cut off has said stays, without a step's name."""
        if self.open_file is not None:
            self.open_file.close()
            self.open_file = None


def append(folder: Path, events: Generator[Event, None, None], raw: Raw | None = None) -> Generator[Event, None, None]:
    """Write events as they pass; closing this closes them. A torn last line is cut off first.

    The caller holds the folder (`writer.sole`). Refused when what is there is not what the run wrote.
    """
    chain = _mend(folder)
    ends = closing(raw) if raw else nullcontext()
    with _appender(folder) as file, ends, closing(events):
        for event in events:
            try:
                if raw and isinstance(event, Result):
                    raw.name(event)
                elif raw and isinstance(event, Started):
                    raw.close()  # what a load that died has said is not that of the step which is repeated
                line = _encode(event)
                _write(file, (chain.sealed(line) if chain else line) + b"\n")
                if isinstance(event, DURABLE):
                    os.fsync(file.fileno())
            except OSError as error:
                raise _unwritable(folder, error) from error
            yield event


def read(folder: Path) -> Iterator[Event]:
    """The events of a run so far; a torn last line is dropped, any other broken line is BadInput."""
    yield from Record(folder)


def load(folder: Path) -> Run:
    """The whole run. BadInput when there is none, or nothing of it was written."""
    record = Record(folder)
    run = Run()
    record.into(run)
    if not run.started:
        raise BadInput(f"{folder} holds a run that never started; delete it")
    run.wrong, run.seal = tuple(record.wrong), record.seal
    return run


def follow(folder: Path, *, poll_s: float = 0.2) -> Iterator[Event]:
    """Events as they are written, until the run ends."""
    record = Record(folder)
    while True:
        for event in record:
            yield event
            if isinstance(event, Ended):
                return
        time.sleep(poll_s)


def host(folder: Path) -> dict[str, Any]:
    """The machine the run was made on, as far as it can be read; {} when not recorded."""
    try:
        told = msgspec.json.decode(regular.read(folder / "host.json"), type=dict[str, Any])
    except (OSError, *untrusted.BROKEN):
        return {}
    return {key: value for key, value in told.items() if _fits(value, HOST_FACTS.get(key, Any))}


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except untrusted.BROKEN:
        return False
    return True


def manifest(folder: Path) -> dict[str, Any]:
    """What was asked, as written at the start."""
    path = folder / "manifest.toml"
    return untrusted.toml(untrusted.kept(path, "the manifest"), dict[str, Any], str(path))


def find(top: Path) -> list[Path]:
    """Every run folder directly below `top`, oldest first."""
    folders = [f.parent for f in top.glob("*/events.jsonl")] if top.is_dir() else []
    return sorted(folders, key=lambda folder: (_changed_at(folder), folder))


def _changed_at(folder: Path) -> float:
    try:
        return events_of(folder).stat().st_mtime
    except OSError:
        return 0


def _mend(folder: Path) -> Chain | None:
    """Cut a torn end off; the chain as far as it goes, None in a folder of before there was one."""
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


def unsound(folder: Path, wrong: list[str] | tuple[str, ...]) -> Refused:
    """Why nothing is added to a record that is not as its run wrote it."""
    return Refused(
        f"{folder} is not as the run wrote it: {wrong[0]}; `stend verify {folder}` tells all, a new run is the way on"
    )


def _appender(folder: Path) -> RawIOBase:
    try:
        return cast(RawIOBase, regular.appender(events_of(folder), buffering=0))
    except OSError as error:
        raise _unwritable(folder, error) from error


def _write(file: RawIOBase, line: bytes) -> None:
    """All of it, unbuffered: what could not be written must not be tried again when the file is closed."""
    while line:
        line = line[file.write(line) or 0 :]


def _unwritable(folder: Path, error: OSError) -> StepFailed:
    return StepFailed(f"{folder} cannot be written: {error.strerror}; mend that, then `stend resume {folder}`")
