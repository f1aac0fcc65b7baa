"""Several inspections at once, and the table of their drives."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import typer

from stend import session, store
from stend.base.units import decimal, latency
from stend.cli import _table
from stend.many import incoming

MOST_REASONS = 3


def many(
    template: session.Request, targets: Sequence[str], into: Path | None, lang: str, *, as_json: bool, apart: bool
) -> int:
    """Inspect the targets at the same time, each as a separate run; print the table and return the worst exit code."""
    from stend.cli import _together

    folder = into or Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{len(targets)}-drives"
    wanted = [msgspec.structs.replace(template, target=target, into=None) for target in dict.fromkeys(targets)]
    code = _together.begin(wanted, folder, barrier=False, trial_s=None, apart=apart)
    if not apart and folder.exists():
        printed(store.find(folder), lang, as_json=as_json)
    return code


def printed(folders: Sequence[Path], lang: str, *, as_json: bool = True) -> int:
    """Print the table of these inspections, as JSON or as text; return 0."""
    runs = [(str(folder), store.load(folder)) for folder in folders]
    rows = incoming.lot([(folder, run) for folder, run in runs if run.started])
    for line in [_table.data(incoming.plain(rows))] if as_json else lines(rows, lang):
        typer.echo(line)
    return 0


def lines(rows: Sequence[incoming.Row], lang: str) -> list[str]:
    """Return the table: one line per drive, the worst first."""
    from stend.words import Language
    from stend.words.sentences import because_said

    words = Language(lang)

    def reasons(row: incoming.Row) -> str:
        said = [because_said(why, words) for why in row.reasons[:MOST_REASONS]]
        return "; ".join([*said, *(["..."] if len(row.reasons) > MOST_REASONS else [])])

    columns = {
        "target": [row.target for row in rows],
        "verdict": [words(f"incoming.{row.verdict}") for row in rows],
        "model": [row.model for row in rows],
        "serial": [row.serial for row in rows],
        "capacity": [decimal(row.capacity_bytes) for row in rows],
        "hours": ["" if row.hours is None else str(row.hours) for row in rows],
        "wear": ["" if row.wear_pct is None else f"{row.wear_pct} %" for row in rows],
        "median": ["" if row.median_s is None else latency(row.median_s) for row in rows],
        "reasons": list(map(reasons, rows)),
    }
    return _table.lines([(words(f"incoming.{name}"), cells) for name, cells in columns.items()], whole=())
