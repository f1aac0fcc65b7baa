"""Keep evidence beside an event: logs of the drive and of the kernel, in `evidence/NUMBER/` of the run folder.

It is collected when a run fails, when an error counter of the drive grows, and when verified content is lost. It never
fails the run: what could not be read is stated in the note instead.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from stend import devices, store
from stend.base import regular
from stend.base.errors import StendError
from stend.devices import Device
from stend.devices.telling.evidence import Piece
from stend.model.events import Event, Note, Result, Telemetry
from stend.model.verified import LOST
from stend.runner import telemetry as watch
from stend.words import NO_WORDS, Sentence, text
from stend.words.system import errno_text

FOLDER = "evidence"
MOST = 8
"""Most events of a run with evidence. A drive that fails all the time fails in the same way."""
MOST_BYTES = 64 << 20
"""Bytes that are kept of one event."""
LIMIT_S = 180.0
"""Seconds after which the logs of an event that are left are not read."""


def kept(events: Generator[Event, None, None], device: Device, folder: Path) -> Generator[Event, None, None]:
    """Yield the events, and after each failure or error a note on the evidence that was kept for it.

    The caller writes an event to the record before it requests the next one, so that the event has its number.
    """
    began, before, lost, count = time.monotonic(), dict[str, Any](), set[str](), 0
    with closing(events):
        for event in events:
            yield event
            if count < MOST and _needs(event, before, lost):
                note = _collect(device, folder, began)
                if note:
                    yield Note(t=getattr(event, "t", 0.0), text=note, kind="evidence")
                    count += 1
            if isinstance(event, Telemetry):
                before = event.values


def _needs(event: Event, before: dict[str, Any], lost: set[str]) -> bool:
    """Return True for a failure, a grown error counter, and the first lost content of a test."""
    match event:
        case Note(kind="failure"):
            return True
        case Telemetry():
            keys = {incident.key for incident in watch.incidents(before, event.values)}
            return bool(keys & {*watch.COUNTERS, "critical_warning"})
        case Result(verified=verified, where=where) if verified and verified.count(*LOST) and where.test not in lost:
            lost.add(where.test)
            return True
    return False


def _collect(device: Device, folder: Path, began: float) -> Sentence | None:
    """Store the evidence in a new folder. Return the note on it, or None if the drive has none."""
    number, held, missing, total = store.number(folder), list[Sentence](), list[Sentence](), 0
    place = folder / FOLDER / str(number)
    until = time.monotonic() + LIMIT_S
    try:
        for piece in _pieces(device, began):
            data = piece.data if total + len(piece.data) <= MOST_BYTES else b""
            total += len(data)
            if data:
                regular.create(regular.folder(place) / piece.name, data)
                held.append(Sentence("evidence_file", name=piece.name, size=len(data)))
            if why := piece.why or (NO_WORDS if data else Sentence("evidence_total", size=MOST_BYTES)):
                missing.append(
                    Sentence("evidence_missing" if piece.name else "evidence_other", name=piece.name, reason=why)
                )
            if time.monotonic() > until:
                missing.append(Sentence("evidence_further", reason=Sentence("evidence_longer", time=LIMIT_S)))
                break
    except OSError as error:
        missing.append(Sentence("evidence_folder", reason=errno_text(error)))
    kept_in = {"folder": f"{FOLDER}/{number}", "files": held}
    if held and missing:
        return Sentence("evidence_some", **kept_in, reasons=missing)
    if held:
        return Sentence("evidence_all", **kept_in)
    return Sentence("evidence_none", reasons=missing) if missing else None


def _pieces(device: Device, began: float) -> Iterator[Piece]:
    try:
        yield from devices.evidence(device, began)
    except (StendError, OSError, ValueError) as error:
        yield Piece("", b"", text(str(error) or type(error).__name__))
