"""Traces of others and our own, by every reader, as far as what a screen and JSON tell of them."""

import hashlib
import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import zstandard
from pyarrow import parquet

from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.engines import mapped
from stend.model.workload import Workload
from stend.report.parts import traced, traced_plain
from stend.suite import _played as _played_
from stend.suite import _streams
from stend.trace import described, folding, form, playable, steps, taken
from tests.fuzz.files import FOLDER
from tests.fuzz.target import Target, senseless, unprintable
from tests.test_trace_readers import SAMPLES

LINES = 200
"""Of a long sample: enough to have every kind of line, few enough to be read often."""
ROWS, RANGE = 60, 64 * MiB
OWN = Path(str(resources.files("stend.trace") / "example.parquet"))


def _shown(path: Path, reader: str = "") -> Any:
    with taken.reading(path, reader) as trace:
        known = described.described(trace)
    page = traced.traced(known, "en", drawn=False)
    tables = [cell for part in page.sections for table in part.tables for row in table.rows for cell in row]
    texts = [*(text for part in page.sections for text in part.texts), *map(str, tables)]
    return json.loads(json.dumps(traced_plain.plain(known), default=str)), texts


def _read(reader: str) -> Callable[[bytes], Any]:
    def reading(data: bytes) -> Any:
        path = FOLDER / "trace"
        path.write_bytes(data)
        return _shown(path, reader)

    return reading


def _of_columns(data: bytes) -> Any:
    """Read a Parquet file that is sound, whatever its numbers are, and lay it into a drive as a replay does."""
    try:
        told = json.loads(data)
        arrays = [_array(told[field.name], field.type) for field in form._schema()]
        table = pa.Table.from_arrays(arrays, schema=form._schema())
        about, path = json.dumps(told["about"]), _path(data)
        with parquet.ParquetWriter(path, table.schema, write_statistics=bool(len(data) % 3)) as file:
            file.write_table(table, row_group_size=1 + len(data) % ROWS)
            file.add_key_value_metadata({form.KEY: about})
    except (LookupError, TypeError, ValueError, pa.ArrowException, OverflowError, RecursionError):
        raise BadInput("these are no columns") from None
    try:
        return *_shown(path), _played(path), _streams.cumulative(path)
    finally:
        path.unlink(missing_ok=True)


def _path(data: bytes) -> Path:
    """Where a document is written: what is played is remembered by its name."""
    return FOLDER / f"trace-{hashlib.sha1(data).hexdigest()[:12]}.parquet"


def _array(values: Any, kind: Any) -> Any:
    wide = np.array([None if value is None else int(value) for value in values], object)
    return pa.array(wide, kind)


def _played(path: Path) -> Any:
    """Lay the trace into a range of 64 MiB, as the plan of a replay has it once it is written down and read again."""
    told = playable.summarise(str(path))
    for speed in (_played_.CLOSED, 1.0):
        fit, span = _played_.laid(told, RANGE, "auto")
        plan = msgspec.json.encode(_played_.played(told, speed, fit, span))
        for part in mapped.requests(form.opened(path), msgspec.json.decode(plan, type=Workload), RANGE, 512):
            assert ((part.offset >= 0) & (part.offset + part.length <= RANGE)).all(), "beyond the range"
            assert (part.length >= 0).all(), "of less than nothing"
    return told


def _of_steps(data: bytes) -> Any:
    path = FOLDER / "trace.steps"
    head, end, rest = data.partition(b"\n")
    path.write_bytes(zstandard.compress(head + end) + zstandard.compress(rest))  # by its first frame it is known
    return _shown(path)


def _wrong(taken: Any) -> str:
    told, shown, *played = taken
    return senseless(told) or unprintable("\n".join(shown)) or senseless(played)


def _columns() -> bytes:
    trace = form.opened(OWN)
    rows = next(trace.batches(rows=ROWS))
    told = {name: [None if name in form.MAY and v == form.UNKNOWN else v for v in values.tolist()]
            for name, values in rows.items()}  # fmt: skip
    about = {"source": "made", "capacity_bytes": 1 << 30, "begun_s": 1e9, "malformed": {"no number": 2}, "notes": ["n"]}
    return json.dumps(told | {"about": about}).encode()


def _lines() -> bytes:
    own = [*folding.steps(form.opened(OWN).batches())]
    about = form.About(source="made", device="sda", capacity_bytes=1 << 30)
    return b"".join(zstandard.decompress(part) for part in (steps.header(steps.SECOND_NS, about), steps.packed(own)))


def targets() -> list[Target]:
    """One a format; stend's own too: bytes changed, numbers changed, and its steps."""
    found = []
    for name, sample in SAMPLES.items():
        few = b"".join(sample.splitlines(keepends=True)[:LINES])
        found.append(Target(f"trace {name}", "text", [few], _read(name.partition(" ")[0]), _wrong))
    own = [
        Target("trace parquet", "text", [OWN.read_bytes()], _read(""), _wrong),
        Target("trace columns", "json", [_columns()], _of_columns, _wrong, 3),
        Target("trace steps", "jsonl", [_lines()], _of_steps, _wrong, 2),
    ]
    for target in (*found, *own):  # kernels are compiled now: no input is to be blamed for these seconds
        target.read(target.seeds[0])
    return [*found, *own]
