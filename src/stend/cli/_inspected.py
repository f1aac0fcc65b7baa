"""Several inspections at once, and the table of their drives."""

from collections.abc import Sequence
from pathlib import Path

import typer

from stend import session, store
from stend.base.errors import GATE_FAILED_EXIT_CODE
from stend.cli import _table
from stend.findings.look.inspected import SEND_BACK
from stend.many import incoming


def many(
    template: session.Request, targets: Sequence[str], into: Path | None, lang: str, *, as_json: bool, apart: bool
) -> int:
    """Inspect the targets at the same time, each as a separate run. Print the table, write its page and return the
    worst exit code."""
    from stend.cli import _together

    wanted = _together.requests(template, list(dict.fromkeys(targets)), ())
    folder = _together.folder_of(into, len(wanted))
    code = _together.begin(wanted, folder, barrier=False, trial_s=None, apart=apart)
    if not apart and folder.exists():
        code = max(code, printed(store.find(folder), lang, folder, as_json=as_json))
    return code


def printed(folders: Sequence[Path], lang: str, into: Path | None = None, *, as_json: bool = True) -> int:
    """Print the table of these inspections, as JSON or as text. Write their page `into` a folder.

    Return the exit code: of a failed rule if a drive is to be sent back.
    """
    from stend.report.parts import incoming as pages
    from stend.words import Language

    runs = [(str(folder), store.load(folder)) for folder in folders]
    rows = incoming.lot([(folder, run) for folder, run in runs if run.started])
    if as_json:
        typer.echo(_table.data(incoming.plain(rows)))
    else:
        table = pages.table(rows, Language(lang))
        for line in _table.of_rows(table.head, table.rows):
            typer.echo(line)
    for path in pages.write(rows, ["html"], lang, into) if into and rows else ():
        typer.echo(f"Lot: {path}", err=as_json)
    return GATE_FAILED_EXIT_CODE if any(row.verdict == SEND_BACK for row in rows) else 0
