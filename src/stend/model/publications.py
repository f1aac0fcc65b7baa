"""Files of published figures that the user adds to those of the package: read, checked, merged by name."""

import datetime
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import BadInput, LeftOut
from stend.base.home import home
from stend.model.published import published
from stend.model.tally import PERCENTS

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Cell = limits.Positive | Annotated[tuple[limits.Positive, ...], msgspec.Meta(min_length=2, max_length=2)]
Cells = dict[str, Cell]
NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
RATES = r"\d+K \d{1,2}|\d+K 100"
CELLS = {
    "iops": RATES,
    "fresh": RATES,
    "throughput_mb": RATES,
    "latency": rf"(avg|{'|'.join(map(re.escape, PERCENTS))}) ({RATES})( Q\d+)?",
    "warm": RATES,
    "saturation": "start|end|knee_min",
    "steps": "first|second|third|first_end_s|second_end_s|cache_gib",
    "sequential": "outer_mb|inner_mb",
    "servers": "file raid5|file raid10",
    "recovery": "pause_5s|pause_50s",
    "conditions": "[a-z_]+",
}
"""Names of the cells of each table."""
STEPS = {"first", "second", "third", "first_end_s", "second_end_s"}


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which drive the figures are of, who published them, and when."""

    title: Text
    kind: Literal["nvme-server", "nvme-desktop", "sata", "sas", "hybrid", "array"] = msgspec.field(name="class")
    source: Text
    date: datetime.date
    model: str = ""
    capacity_gb: limits.Amount = 0


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Published figures of one drive: the tables of published.toml."""

    about: About
    iops: Cells = {}
    fresh: Cells = {}
    throughput_mb: Cells = {}
    latency: Cells = {}
    warm: Cells = {}
    saturation: Cells = {}
    steps: Cells = {}
    sequential: Cells = {}
    servers: Cells = {}
    recovery: Cells = {}
    conditions: Cells = {}


def known(files: Sequence[Path] = ()) -> dict[str, dict[str, Any]]:
    """Return all published figures by drive: of the package, of the user's folder, of these files.

    Warn of a folder, or a file of it, that this process may not read. Raise BadInput for a file that cannot be used, or
    a name that occurs twice.
    """
    drives = dict(published())
    for file in (*_of_user(), *files):
        for name, facts in _read(file):
            if name in drives:
                raise BadInput(f"{file}: the name {name!r} is taken by another published drive; choose another name")
            drives[name] = facts
    return drives


def folder() -> Path:
    """Return the user's folder of published figures."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or home() / ".config") / "stend" / "published"


def _of_user() -> list[Path]:
    """Return the files of the user's folder. Leave out those that this user may not read, with a warning."""
    try:
        files = sorted(file for file in folder().iterdir() if file.suffix == ".toml")
        blocked = [file for file in files if not os.access(file, os.R_OK)]
    except FileNotFoundError:
        return []
    except OSError:  # HOME is that of another user
        files = blocked = [folder()]
    for path in blocked:
        warnings.warn(LeftOut(f"left out: the published figures {path} cannot be read by this user"), stacklevel=3)
    return [file for file in files if file not in blocked]


def _read(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and figures of each drive of a file."""
    what = f"the published figures {file}"
    drives = untrusted.toml(untrusted.read(file, "the published figures"), dict[str, Published], what)
    if not drives:
        raise BadInput(f"{what} name no drive; write a table like [p5510.about]")
    for name, drive in drives.items():
        if not NAME.fullmatch(name):
            raise BadInput(f"{file}: {name!r} is not a name; use small letters, digits, dots and dashes")
        facts = msgspec.to_builtins(drive)
        for table, cells in facts.items():
            for cell in cells if table in CELLS else ():
                if not re.fullmatch(CELLS[table], cell):
                    raise BadInput(
                        f"{file}: {name}.{table} has no cell {cell!r}; docs/how-to/imports-and-sheets.md lists them"
                    )
        if STEPS & drive.steps.keys() and not drive.steps.keys() >= STEPS:
            raise BadInput(f"{file}: {name}.steps needs {', '.join(sorted(STEPS))} together, or cache_gib alone")
        facts["about"]["source"] = f"{drive.about.source}, {drive.about.date:%-d %B %Y}"
        yield name, facts
