"""The trace format of stend: a Parquet file of IOs, with facts about the whole trace under one key of its metadata.

A batch is a mapping of columns to arrays of one length. A value that the source does not record is null in the file
and UNKNOWN in arrays. If a batch lacks a column, its values are unknown. Missing flags are 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from stend.base import atomic, extras, limits, untrusted
from stend.base.errors import BadInput
from stend.base.text import plain, plain_all
from stend.trace.sound import Sound
from stend.words import Sentence, decoded, encoded, rewritten

READ, WRITE, FLUSH, DISCARD = range(4)
OPS = ("read", "write", "flush", "discard")
FUA, SYNC, METADATA, READAHEAD = 1, 2, 4, 8
UNKNOWN = -1
VERSION = 1
KEY = "stend.trace"
ROWS = 1 << 20
"""IOs in a row group: a few megabytes of each column, which is what reading a trace keeps in memory."""

Batch = Mapping[str, npt.NDArray[Any]]
COLUMNS: dict[str, npt.DTypeLike] = {
    "t_ns": np.int64,
    "op": np.uint8,
    "flags": np.uint8,
    "offset": np.int64,
    "length": np.int64,
    "latency_ns": np.int64,
    "depth": np.int32,
    "process": np.int32,
}
"""t_ns: time of issue since the start of the trace, ascending; offset and length: bytes (a bare flush has length 0);
latency_ns: done - issued; depth: IOs of the drive in flight at issue, this one included; process: pid or stream."""
MAY = ("latency_ns", "depth", "process")
"""Columns that may be null, because some sources do not record them."""


class About(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about a trace as a whole.

    `lost`: IOs that happened but are missing; `lost_words`: the source's wording for that. `lines`: lines read, 0 if
    the source is not text; `malformed`: lines that could not be parsed, and `skipped`: valid lines without an IO, both
    counted by reason. `timed`: False if only the order is recorded (every t_ns is 0 then). `late`: IOs that came too
    late to be sorted in and got the time of the IO before. `begun_s`: Unix time of t_ns 0. `seconds`: length of the
    capture, which can end after its last IO. `shifted`: offsets were moved by a secret amount, so that they do not
    reveal the layout.
    """

    version: int = VERSION
    source: str
    device: str = ""
    capacity_bytes: limits.Count | None = None
    block_bytes: limits.Sector = 512
    begun_s: limits.Seconds | None = None
    seconds: limits.Seconds = 0
    lost: limits.Count = 0
    lost_words: Sentence | None = None
    late: limits.Count = 0
    lines: limits.Count = 0
    malformed: dict[str, limits.Count] = {}
    skipped: dict[str, limits.Count] = {}
    timed: bool = True
    shifted: bool = False
    notes: tuple[Sentence, ...] = ()

    def __post_init__(self) -> None:
        """Escape all texts, because they come from outside and are shown on terminals and pages."""
        for name in ("source", "device", "malformed", "skipped"):
            msgspec.structs.force_setattr(self, name, plain_all(getattr(self, name)))
        if self.lost_words:
            msgspec.structs.force_setattr(self, "lost_words", rewritten(self.lost_words, plain))
        msgspec.structs.force_setattr(self, "notes", tuple(rewritten(note, plain) for note in self.notes))


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace on disk. `ios` is its number of IOs, `end_ns` the time when the last one was issued."""

    path: Path
    about: About
    ios: int
    end_ns: int

    def batches(self, columns: Sequence[str] = tuple(COLUMNS), rows: int = ROWS) -> Iterator[dict[str, Any]]:
        """Yield these columns in the order of the trace, at most `rows` IOs at a time.

        Raise BadInput if the file is broken, or holds a number that a trace cannot have.
        """
        yield from Sound(str(self.path)).checked(self._unchecked(columns, rows))

    def _unchecked(self, columns: Sequence[str], rows: int) -> Iterator[dict[str, Any]]:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(self.path) as file:
                for groups in _together(file.metadata, rows):  # iter_batches keeps what it gave: 10 MB a million IOs
                    part = file.read_row_groups(groups, columns=list(columns))
                    atomic = {name: _array(part.column(name).combine_chunks()) for name in columns}
                    for at in range(0, part.num_rows, rows):
                        yield {name: values[at : at + rows] for name, values in atomic.items()}
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{self.path} cannot be read as a trace: {untrusted.sentence(error)}") from error


class Writer:
    """A writer of batches in their order. `about` must be set before `writing` ends."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._last_ns = 0
        self.ios = 0
        self.about: About | None = None

    def add(self, batch: Batch) -> None:
        """Append these IOs. Raise ValueError if they are out of order or have other columns."""
        import pyarrow as pa

        t_ns = np.asarray(batch["t_ns"], np.int64)
        if not len(t_ns):
            return
        if t_ns[0] < self._last_ns or (np.diff(t_ns) < 0).any() or not set(batch) <= set(COLUMNS):
            raise ValueError(f"IOs of a trace are written in their order, with columns of {', '.join(COLUMNS)}")
        columns = [_column(batch, name, len(t_ns)) for name in COLUMNS]
        self._file.write_table(pa.Table.from_arrays(columns, schema=_schema()), row_group_size=ROWS)
        self._last_ns, self.ios = int(t_ns[-1]), self.ios + len(t_ns)


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Yield a Writer for a trace that appears at `path`, complete, when the block ends without an error.

    Raise OSError if it cannot be written.
    """
    extras.need("a trace", "pyarrow")
    from pyarrow import parquet

    with atomic.replaced(path) as part, parquet.ParquetWriter(part, _schema(), **_PACKED) as file:
        yield (writer := Writer(file))
        if writer.about is None:
            raise ValueError("set `about` before the end: a trace needs a description")
        file.add_key_value_metadata({KEY: msgspec.json.encode(writer.about, enc_hook=encoded).decode()})


def write(path: Path, batches: Iterable[Batch], about: About) -> Trace:
    """Write a trace of these IOs and return it."""
    with writing(path) as writer:
        writer.about = about
        for batch in batches:
            writer.add(batch)
    return opened(path)


def opened(path: Path) -> Trace:
    """Open a trace in this format. Raise BadInput if the file is not one."""
    extras.need("a trace", "pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            about = msgspec.json.decode((file.metadata.metadata or {})[KEY.encode()], type=About, dec_hook=decoded)
            if about.version > VERSION:
                raise BadInput(f"{path} is a trace of version {about.version}; this stend reads up to {VERSION}")
            if not file.schema_arrow.equals(_schema()):
                raise BadInput(f"{path} does not have the columns of a trace: {', '.join(COLUMNS)}")
            if max(_rows_of_groups(file), default=0) > ROWS:
                raise BadInput(f"{path} cannot be read as a trace: it has more than {ROWS:,} IOs in a row group")
            return Trace(path, about, sum(_rows_of_groups(file)), _end_ns(file, path))
    except KeyError:
        raise BadInput(
            f"{path} is a Parquet file, but not a trace of stend; `stend trace convert` makes one of its source"
        ) from None
    except (pa.ArrowException, OSError, *untrusted.BROKEN) as error:
        raise BadInput(f"{path} cannot be read as a trace: {untrusted.sentence(error)}") from error


def claims(head: bytes) -> bool:
    """Return True if the first bytes of a file are those of Parquet."""
    return head[:4] == b"PAR1"


_PACKED = {
    "compression": "zstd",
    "use_dictionary": ["op", "flags", "length", "depth", "process"],
    "column_encoding": {"t_ns": "DELTA_BINARY_PACKED", "offset": "PLAIN", "latency_ns": "PLAIN"},
}
"""Options of pyarrow. Measured against its defaults they take two thirds of the bytes and half of the time."""


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, pa.from_numpy_dtype(np.dtype(kind)), nullable=name in MAY) for name, kind in COLUMNS.items()]
    )


def _column(batch: Batch, name: str, rows: int) -> Any:
    import pyarrow as pa

    kind = COLUMNS[name]
    if name not in batch and name in MAY:
        return pa.nulls(rows, pa.from_numpy_dtype(np.dtype(kind)))
    values = np.asarray(batch[name] if name in batch or name != "flags" else np.zeros(rows), kind)
    return pa.array(values, mask=values == UNKNOWN) if name in MAY else pa.array(values)


def _array(column: Any) -> npt.NDArray[Any]:
    filled = column.fill_null(UNKNOWN) if column.null_count else column
    array: npt.NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return array


def _together(metadata: Any, rows: int) -> Iterator[list[int]]:
    """Yield lists of row groups to read at once: small neighbours are joined, up to this many rows."""
    groups: list[int] = []
    many = 0
    for number in range(metadata.num_row_groups):
        group_rows = metadata.row_group(number).num_rows
        if groups and many + group_rows > rows:
            yield groups
            groups, many = [], 0
        groups, many = [*groups, number], many + group_rows
    if groups:
        yield groups


def _rows_of_groups(file: Any) -> list[int]:
    return [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]


def _end_ns(file: Any, path: Path) -> int:
    """Return when the last IO was issued, from the column itself: statistics may be missing or wrong."""
    last = next((n for n, rows in reversed([*enumerate(_rows_of_groups(file))]) if rows), None)
    if last is None:
        return 0
    times = file.read_row_group(last, columns=["t_ns"]).column(0)
    if not len(times):
        raise BadInput(f"{path} cannot be read as a trace: it holds fewer rows than its metadata states")
    return int(times[-1].as_py())
