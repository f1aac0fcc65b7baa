"""`stend verify`: check that run folders are unchanged."""

from typing import TYPE_CHECKING, Any

import typer

from stend.cli import _options, _runs

if TYPE_CHECKING:
    from pathlib import Path


def command(runs: _runs.Runs = None, as_json: _options.Json = False) -> int:
    """Check that run folders are unchanged since they were written.

    The check covers events, manifest, host, fio outputs and reports. An unfinished run or an incomplete last
    line is not an error. The exit code is 8 if a part was changed, doubled or lost, and 2 if a folder
    cannot be checked here.

    Example: stend verify last
    """
    import json

    from stend.base.errors import UNSOUND_EXIT_CODE, BadInput

    checked = []
    for folder in _runs.each(runs):
        checked.append({"path": str(folder), **_checked(folder)})
        if not as_json:
            _print(checked[-1])
    if as_json:
        typer.echo(json.dumps(checked, indent=1, ensure_ascii=False))
    states = {row["unchanged"] for row in checked}
    return UNSOUND_EXIT_CODE if False in states else BadInput.exit_code if None in states else 0


def _checked(folder: "Path") -> dict[str, Any]:
    """Return the outcome of a run and the checks of its pieces.

    A record that cannot be read is a changed one, unless this stend or this user may not read it: `unchanged` is None.
    """
    from stend.base.errors import BadInput, NotReadable
    from stend.store import verify

    try:
        found = verify.Folder(folder)
    except BadInput as error:
        unchanged = None if isinstance(error, NotReadable) else False
        lost = {"piece": "events", "unchanged": unchanged, "text": str(error)}
        return {"outcome": "unreadable", "unchanged": unchanged, "pieces": [lost]}
    parts, ended = list(found.checks()), found.run.ended
    outcome = ended.outcome if ended else "unfinished" if found.run.started else "never started"
    pieces = [{"piece": part.piece, "unchanged": part.sound, "text": part.words} for part in parts]
    return {"outcome": outcome, "unchanged": all(part.sound for part in parts), "pieces": pieces}


def _print(row: dict[str, Any]) -> None:
    states = {True: "unchanged", False: "CHANGED since its run wrote it", None: "not checked"}
    state = states[row["unchanged"]]
    typer.echo(f"{row['path']}: {row['outcome']}, {state}")
    for piece in row["pieces"]:
        typer.echo(f"  {'' if piece['unchanged'] else '! '}{piece['piece']}: {piece['text']}")
