"""Columns and types of the catalogue's tables. Values are in base units, null where unknown.

`entry` is the number under which a run was added. It links rows to the present state of the run.
"""

from typing import Any

import msgspec

from stend.model.quantities import OTHERS
from stend.model.tally import PERCENTS
from stend.words import Sentence

Text = str | None


class About(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Facts of a run, as `stend list` shows them and the table `runs` holds them.

    `run` is the path of its folder below the catalogue's, `folder` the name of the folder that contains it. `started_s`
    is Unix time. `kind` is real, virtual or imported. Sizes are in bytes. The key figures, from `read_iops` on, are of
    lasting states: random 4 KiB at more than QD1, sequential 128 KiB, and the 99.9th percentile of random 4 KiB writes.
    They are null if no test measured them.
    """

    run: str
    folder: str
    started_s: float
    seconds: float | None
    stend: str
    format: int
    kind: str
    source_tool: Text
    source_sha256: Text
    model: Text
    serial: Text
    wwn: Text
    firmware: Text
    interface: Text
    capacity_bytes: int
    native_bytes: int | None
    logical_bytes: int
    link: Text
    profile: str
    spec: str
    quick: bool
    tests: tuple[str, ...]
    outcome: str
    stamps: tuple[Sentence, ...]
    deviations: tuple[Sentence, ...]
    host_id: Text
    cpu: Text
    kernel: Text
    fio: Text
    seed: int
    label: Text
    price: float | None
    currency: Text
    read_iops: float | None = None
    write_iops: float | None = None
    read_bytes_per_s: float | None = None
    write_bytes_per_s: float | None = None
    write_p999_s: float | None = None


_KINDS: dict[Any, str] = {
    str: "VARCHAR", Text: "VARCHAR", float: "DOUBLE", float | None: "DOUBLE", int: "BIGINT", int | None: "BIGINT",
    bool: "BOOLEAN", tuple[str, ...]: "VARCHAR[]", tuple[Sentence, ...]: "VARCHAR[]",
}  # fmt: skip
_SMALL = {"format": "INTEGER", "logical_bytes": "INTEGER"}
TYPES = {name: _KINDS[kind] for name, kind in About.__annotations__.items()} | _SMALL
LOAD = {
    "random_pct": "INTEGER", "read_pct": "INTEGER", "block_bytes": "BIGINT", "mix_id": "VARCHAR",
    "threads": "INTEGER", "depth": "INTEGER", "range_bytes": "BIGINT", "entropy_pct": "INTEGER",
}  # fmt: skip
WAITS = {name.replace(".", ""): name for name in PERCENTS}
MEASURED = {
    "direction": "VARCHAR", "seconds": "DOUBLE", "ios": "BIGINT", "bytes": "BIGINT", "iops": "DOUBLE",
    "bytes_per_s": "DOUBLE", "mean_s": "DOUBLE", "sd_s": "DOUBLE", "max_s": "DOUBLE",
    **dict.fromkeys(WAITS, "DOUBLE"),
}  # fmt: skip
COLUMNS: dict[str, dict[str, str]] = {
    "runs": TYPES,
    "figures": {
        "run": "VARCHAR", "figure": "INTEGER", "test": "VARCHAR", "phase": "VARCHAR", "state": "VARCHAR",
        "place": "INTEGER", **LOAD, "rounds_used": "INTEGER", "steady": "BOOLEAN", **MEASURED,
        **dict.fromkeys(OTHERS, "DOUBLE"),
    },
    "rounds": {
        "run": "VARCHAR", "test": "VARCHAR", "phase": "VARCHAR", "round": "INTEGER", "step": "INTEGER", **LOAD,
        "ended_s": "DOUBLE", "gap_s": "DOUBLE", **MEASURED,
    },
    "bins": {"run": "VARCHAR", "figure": "INTEGER", "direction": "VARCHAR", "bin": "INTEGER[]", "count": "BIGINT[]"},
    "findings": {
        "run": "VARCHAR", "name": "VARCHAR", "key": "VARCHAR", "test": "VARCHAR", "values": "VARCHAR",
        "confidence": "VARCHAR", "side": "VARCHAR",
    },
    "notes": {"run": "VARCHAR", "t_s": "DOUBLE", "kind": "VARCHAR", "text": "VARCHAR"},
}  # fmt: skip
"""Table -> column -> DuckDB's type. Every table also has `entry`."""
ENTRY = {"entry": "BIGINT"}
