"""Read the events of a run folder: the first line, the numbered lines, and what is wrong with them."""

import json
import os
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from stend.base import limits, regular, untrusted
from stend.base.errors import BadInput, NotReadable
from stend.base.text import typed
from stend.model.events import Event, Judged, Reading, Result, Sample, Started
from stend.model.record import Run
from stend.model.samples import SampleRow
from stend.store.chain import Chain
from stend.words import Sentence, decoded

FORMAT = 3
READABLE = (1, 2, FORMAT)
"""Version 1 had no numbers, chain or digests. Versions 1 and 2 had sentences as English text. A run of an older version
is read, and continues in that version, but with the sentences of today."""

HEAD = {"format": "stend-events", "version": FORMAT}
HEAD_BYTES = 65_536
LINE_BYTES = 268_435_456

SAMPLE = b'{"type":"sample",'
"""Start of a line that holds a sample."""
AT_ONCE = 512
"""Number of lines read together. More would use more memory without being faster."""

_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event, dec_hook=decoded)
_rows = msgspec.json.Decoder(list[SampleRow]).decode


def events_of(folder: Path) -> Path:
    """Return the path of a run's events."""
    return folder / "events.jsonl"


def is_run(folder: Path) -> bool:
    """Return True if a folder has the events of a run, or if this user may not look into it, except lost+found."""
    try:
        os.stat(events_of(folder))
    except PermissionError:
        return folder.name != "lost+found"  # ext4 has it at the top of every volume
    except (OSError, ValueError):
        return False
    return True


class Record:
    """The events of a run, read in order in constant memory. A second iteration continues with newer events.

    `wrong` lists lines that are not as they were written. `torn_bytes` is the length of an incomplete last line after a
    crash.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.wrong = folder, list[Sentence]()
        self.lines_read, self.whole_bytes, self.torn_bytes = 0, 0, 0
        self.head = _head(folder)
        self.chain: Chain | None = None
        self.places = Places()

    def __iter__(self) -> Iterator[Event]:
        return map(self._event, self.lines())

    def lines(self) -> Iterator[bytes]:
        """Yield the events as JSON, without their numbers."""
        return (line for (line,) in self._batches(1))

    def into(self, run: Run) -> None:
        """Add the events to a run. Samples, which are nearly all events, are added without making event objects."""
        for batch in self._batches(AT_ONCE):
            rows = _sample_rows(batch) if self.places.known else []
            begin = end = 0
            for number, line in enumerate(batch, self.lines_read - len(batch) + 1):
                if rows and line.startswith(SAMPLE):
                    end += 1
                else:
                    run.samples.take(rows[begin:end])
                    begin = end
                    run.add(self._event(line, number))
            run.samples.take(rows[begin:end])

    def _event(self, line: bytes, number: int = 0) -> Event:
        """Return the event in a line, by default the line that was read last."""
        try:
            return self.places.holding(_decoder.decode(line))
        except untrusted.BROKEN as error:
            number = number or self.lines_read
            raise BadInput(
                f"{events_of(self.folder)}, line {number}, is not an event: {untrusted.sentence(error)}; "
                f"`stend verify {typed(self.folder)}` checks the folder"
            ) from error

    def _batches(self, at_once: int) -> Iterator[list[bytes]]:
        """Yield the events as JSON, without their numbers, at most `at_once` in a list."""
        with regular.reader(events_of(self.folder)) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(self.whole_bytes)
            # A file that is shorter than the longest line can be read by the faster iteration of the file itself.
            rest = iter(file) if size < LINE_BYTES else iter(partial(file.readline, LINE_BYTES), b"")
            if not self.lines_read and (head := self._whole(rest, 1)) and self.head["version"] != 1:
                self.chain = Chain(head[0][:-1])
            while lines := self._whole(rest, at_once):
                first = self.lines_read - len(lines) + 1
                yield self.chain.opened(lines, first, self.wrong) if self.chain else [line[:-1] for line in lines]
                if self.torn_bytes:
                    return

    def _whole(self, rest: Iterator[bytes], at_once: int) -> list[bytes]:
        """Return the next lines of the rest of a file that end with a line feed, at most `at_once`."""
        lines: list[bytes] = []
        self.torn_bytes = 0
        for line in islice(rest, at_once):
            if not line.endswith(b"\n"):
                if len(line) == LINE_BYTES:
                    where = f"{events_of(self.folder)}, line {self.lines_read + len(lines) + 1}"
                    raise BadInput(f"{where}, is longer than any event")
                self.torn_bytes = len(line)
                break
            lines.append(line)
        self.lines_read += len(lines)
        self.whole_bytes += sum(map(len, lines))
        return lines

    @property
    def seal(self) -> str:
        """Return number and hash of the last line read, by which a report identifies its record."""
        return f"{self.chain.number}-{self.chain.hash.hex()}" if self.chain else ""


def _sample_rows(lines: list[bytes]) -> list[SampleRow]:
    """Return the samples among lines, or none if one of them is not as stend writes samples."""
    samples = [line for line in lines if line.startswith(SAMPLE)]
    try:
        rows = _rows(b"[%b]" % b",".join(samples))
    except untrusted.BROKEN:
        return []
    return rows if len(rows) == len(samples) else []


class Places:
    """Phases of a run's plan. No event may come before a plan or from any other phase."""

    def __init__(self) -> None:
        self.known: set[tuple[str, str]] = set()

    def holding(self, event: Event) -> Event:
        """Return the event if it fits the plan. Raise ValueError otherwise."""
        if type(event) in (Sample, Reading) and self.known:
            return event
        where = None
        match event:
            case Started():
                self.known = self.known or {(t.name, p.name) for t in event.plan.tests for p in t.phases}
                for test in event.plan.tests:
                    untrusted.fit(test.profile.options, limits.OPTIONS)
                where = event.continues
            case Result() | Judged():
                where = event.where
        if not self.known or (where and (where.test, where.phase) not in self.known):
            raise ValueError("its phase is not in the plan")
        return event


def _head(folder: Path) -> dict[str, Any]:
    try:
        with regular.reader(events_of(folder)) as file:
            line = file.readline(HEAD_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadInput(f"{folder} is not a run folder: it has no events.jsonl; `stend list` shows runs") from error
    except PermissionError as error:
        raise NotReadable(f"{events_of(folder)} cannot be read: {error.strerror}") from error
    except OSError as error:
        raise BadInput(f"{events_of(folder)} cannot be read: {error.strerror}") from error
    if not line:
        raise BadInput(
            f"{events_of(folder)} is empty, as a power cut can leave it: nothing was recorded; delete {folder}"
        )
    try:
        head = json.loads(line) if line.endswith(b"\n") else {}
    except untrusted.BROKEN:
        head = {}
    if not isinstance(head, dict) or head.get("format") != HEAD["format"]:
        raise BadInput(f"{events_of(folder)} is not a stend event file")
    version = head.get("version")
    if version not in READABLE:
        kind = NotReadable if isinstance(version, int) and version > FORMAT else BadInput
        raise kind(f"{folder} has format {version!r}; this stend reads up to {FORMAT}: use a newer stend")
    return head
