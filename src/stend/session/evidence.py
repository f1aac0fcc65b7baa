"""Keep evidence beside an event: logs of the drive and of the kernel, in `evidence/NUMBER/` of the run folder.

It is collected when a run fails, when an error counter of the drive grows, and when verified content is lost. It never
fails the run: what could not be read is stated in the note instead.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from stend import devices, store
from stend.base import regular
from stend.base.errors import StendError
from stend.base.units import binary
from stend.devices import Device
from stend.devices.telling.evidence import Piece
from stend.model.events import Event, Note, Result, Telemetry
from stend.model.verified import LOST
from stend.runner import telemetry as watch

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
    began, before, lost, count = time.monotonic(), Telemetry(t=0.0, values={}), set[str](), 0
    with closing(events):
        for event in events:
            yield event
            if count < MOST and _needs(event, before, lost):
                text = _collect(device, folder, began)
                if text:
                    yield Note(t=getattr(event, "t", 0.0), text=text, kind="evidence")
                    count += 1
            if isinstance(event, Telemetry):
                before = event


def _needs(event: Event, before: Telemetry, lost: set[str]) -> bool:
    """Return True for a failure, a grown error counter, and the first lost content of a test."""
    match event:
        case Note(kind="failure"):
            return True
        case Telemetry():
            keys = {incident.key for incident in watch.incidents(before.values, event.values)}
            return bool(keys & {*watch.COUNTERS, "critical_warning"})
        case Result(verified=verified, where=where) if verified and verified.count(*LOST) and where.test not in lost:
            lost.add(where.test)
            return True
    return False


def _collect(device: Device, folder: Path, began: float) -> str:
    """Store the evidence in a new folder; return the note on it, or an empty string if the drive has none."""
    number, held, gone, total = store.number(folder), list[str](), list[str](), 0
    place = folder / FOLDER / str(number)
    until = time.monotonic() + LIMIT_S
    try:
        for piece in _pieces(device, began):
            data = piece.data if total + len(piece.data) <= MOST_BYTES else b""
            total += len(data)
            if data:
                regular.create(regular.folder(place) / piece.name, data)
                held.append(f"{piece.name} ({binary(len(data))})")
            if why := piece.why or ("" if data else f"more than {binary(MOST_BYTES)} in total"):
                gone.append(f"{piece.name} ({why})")
            if time.monotonic() > until:
                gone.append(f"further logs (more than {LIMIT_S:g} s)")
                break
    except OSError as error:
        gone.append(f"{FOLDER} ({error.strerror})")
    if not held and not gone:
        return ""
    kept_words = f"kept in {FOLDER}/{number}: {', '.join(held)}" if held else "no evidence was kept"
    return kept_words + (f"; not available: {', '.join(gone)}" if gone else "")


def _pieces(device: Device, began: float) -> Iterator[Piece]:
    try:
        yield from devices.evidence(device, began)
    except (StendError, OSError, ValueError) as error:
        yield Piece("other logs", b"", str(error) or type(error).__name__)
