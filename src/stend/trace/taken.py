"""Convert traces of other tools to stend's format: read as a stream, and sort by time within a window."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from stend.base import extras, untrusted
from stend.base.errors import BadInput, Missing
from stend.base.programs import missing
from stend.trace import form, source, steps
from stend.trace.form import About, Batch, Trace
from stend.trace.lines import Lines
from stend.trace.readers import Reader, detect, formats, obstacle
from stend.words import Sentence

WINDOW = 1 << 19
"""IOs held back for sorting. An IO that comes later than that gets the time of the one before."""
OLDEST_S = 631_152_000
"""1990 as Unix time: no trace of these formats is older."""
VOLUMES = 5
"""Most volumes that a message names. Further ones are only counted."""


class Sorted:
    """Sorts IOs of one volume or of all by time. Times count from the first IO."""

    def __init__(self, volume: str) -> None:
        self.volume = volume
        self.names: dict[int, str] = {}
        self.late = self.left_out = 0
        self.begun_ns: int | None = None
        self._last_ns = 0
        self._held: list[Batch] = []
        self._many = 0

    def add(self, batch: Batch) -> Iterator[Batch]:
        """Add IOs in any order, and yield those whose place is final."""
        if not len(batch["t_ns"]):
            return
        chosen = self._chosen(batch)
        self._held.append(chosen)
        self._many += len(chosen["t_ns"])
        if self._many >= 2 * WINDOW:
            yield self._give(self._many - WINDOW)

    def rest(self) -> Iterator[Batch]:
        """Yield the IOs still held."""
        if self._many:
            yield self._give(self._many)

    def _chosen(self, batch: Batch) -> Batch:
        if not self.volume or "volume" not in batch:
            return batch
        keys = [key for key, name in self.names.items() if name == self.volume]
        chosen = np.isin(batch["volume"], keys)
        self.left_out += int((~chosen).sum())
        return {name: values[chosen] for name, values in batch.items()}

    def _give(self, many: int) -> Batch:
        names = list(self._held[0])
        every = {name: np.concatenate([batch[name] for batch in self._held]) for name in names}
        order = np.argsort(every["t_ns"], kind="stable")
        first, later = order[:many], order[many:]
        self._held = [{name: values[later] for name, values in every.items()}]
        self._many -= many
        given = {name: values[first] for name, values in every.items()}
        if self.begun_ns is None:
            self.begun_ns = int(given["t_ns"][0])
        t_ns = given["t_ns"] - self.begun_ns
        self.late += int((t_ns < self._last_ns).sum())
        given["t_ns"] = np.maximum(t_ns, self._last_ns)
        self._last_ns = int(given["t_ns"][-1])
        return given


@contextmanager
def reading(path: Path, reader: str = "", volume: str = "") -> Iterator[Trace | steps.Steps]:
    """Yield the trace or the file of steps at `path`. Other formats are converted into a temporary file.

    Raise BadInput if the file is neither.
    """
    extras.need("a trace", "pyarrow", "numba")
    head = _begin(path)
    if steps.claims(head):
        yield steps.opened(path)
    elif form.claims(head):
        yield form.opened(path)
    else:
        with TemporaryDirectory(prefix="stend-trace-") as folder:
            yield convert(path, Path(folder) / "trace.parquet", reader, volume)


def convert(path: Path, into: Path, reader: str = "", volume: str = "") -> Trace:
    """Convert a file of another tool into a trace at `into`. Without `reader` the content decides on the format.

    Raise BadInput if the format is unknown or the file holds no IO. Raise Missing if a file of blktrace needs blkparse
    and it is not installed.
    """
    if binary(path):
        return _of_blktrace(path, into, volume)
    if form.claims(_begin(path)):
        raise BadInput(f"{path} is a Parquet file already; only other formats are converted")
    head = source.head(path)
    name = reader or detect(head)
    if name not in formats():
        if not head:
            raise BadInput(f"{path} is empty")
        near = "" if name else obstacle(head)
        reason = f"there is no format {name!r}" if name else f"{path} is not in a known trace format"
        known = f"{', '.join(sorted(formats()))}, blktrace and stend's own Parquet"
        raise BadInput(f"{reason}{near and f' ({near})'}; known are {known}")
    with source.unpacked(path) as file:
        return _converted(file, formats()[name](head), into, str(path), volume)


def binary(path: Path) -> bool:
    """Return True if the file was written by blktrace. Raise BadInput if it cannot be read."""
    return _begin(path)[:4] in (b"\x07tae", b"eat\x07")


def _begin(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1 << 12)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {untrusted.why_not_read(path, error)}") from error


def _of_blktrace(path: Path, into: Path, volume: str) -> Trace:
    """Convert the files of all processors of one blktrace, through blkparse."""
    words = ["blkparse", "-D", str(path.parent), "-i", path.name.partition(".blktrace.")[0], "-q"]
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
            return _converted(cast(IO[bytes], run.stdout), formats()["blkparse"](b"  D  "), into, str(path), volume)
    except FileNotFoundError as error:
        raise Missing(f"{path} was written by blktrace; {missing('blkparse')}") from error


def _converted(file: IO[bytes], reader: Reader, into: Path, place: str, volume: str) -> Trace:
    malformed, skipped, lines, ordered = Counter[str](), Counter[str](), 0, Sorted(volume)
    first: tuple[int, str] = 0, ""
    with form.writing(into) as writer:
        for block in source.blocks(file):
            parsed = Lines(block, reader.separator, reader.most)
            batch = reader.parse(parsed)
            ordered.names |= parsed.names
            bad, other = parsed.counted()
            first = first if first[1] or not bad else (lines + parsed.worst()[0], parsed.worst()[1])
            malformed, skipped, lines = malformed + bad, skipped + other, lines + len(parsed)
            for sure in ordered.add(batch):
                writer.add(_columns(sure, reader, ordered))
        for batch in (*ordered.add(reader.rest()), *ordered.rest()):
            writer.add(_columns(batch, reader, ordered))
        if not writer.ios:
            raise BadInput(_nothing(place, reader, volume, ordered, first))
        if ordered.left_out:
            skipped[f"IOs of other volumes than {volume}"] = ordered.left_out
        writer.about = _about(reader, ordered, malformed, skipped, lines)
    return form.opened(into)


def _columns(batch: Batch, reader: Reader, ordered: Sorted) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a trace; with several volumes and no processes each volume counts as a process."""
    columns = {name: values for name, values in batch.items() if name in form.COLUMNS}
    if "process" not in columns and len(ordered.names) > 1 and not ordered.volume:
        columns["process"] = (batch["volume"] ^ batch["volume"] >> 31) & 0x7FFFFFFF
    return columns


def _nothing(place: str, reader: Reader, volume: str, ordered: Sorted, first: tuple[int, str]) -> str:
    if volume and volume not in ordered.names.values():
        return f"{place} has no volume {volume!r}; it has {_some(ordered)}"
    line, reason = first
    why = f": line {line} is malformed: {reason}" if reason else ""
    return f"{place} holds no IO in the format {reader.words}{why}"


def _some(ordered: Sorted) -> str:
    names = sorted(ordered.names.values())
    return ", ".join(names[:VOLUMES]) + (f" and {len(names) - VOLUMES} more" if len(names) > VOLUMES else "")


def _about(reader: Reader, ordered: Sorted, malformed: Counter[str], skipped: Counter[str], lines: int) -> About:
    notes = list(reader.notes)
    if len(ordered.names) > 1 and not ordered.volume:
        notes.append(Sentence("trace_volumes", n=len(ordered.names), names=_some(ordered)))
    begun_s = (ordered.begun_ns or 0) / 1e9 if reader.epoch else None
    if begun_s is not None and begun_s < OLDEST_S:
        notes.append(Sentence("trace_epoch", time=begun_s))
        begun_s = None
    if not reader.timed:
        notes.append(Sentence("trace_order"))
    return About(
        source=reader.words,
        device=ordered.volume or (_some(ordered) if len(ordered.names) == 1 else ""),
        begun_s=begun_s,
        lines=lines,
        late=ordered.late,
        malformed=dict(malformed),
        skipped=dict(skipped),
        timed=reader.timed,
        notes=tuple(notes),
    )
