"""`stend verify`: check that run folders are unchanged."""

from typing import Any

import typer

from stend.cli import _options, _runs


def command(runs: _runs.Runs = None, as_json: _options.Json = False) -> int:
    """Check that run folders are unchanged since they were written.

    The check covers events, manifest, host, fio outputs and reports. An unfinished run or an incomplete last
    line is not an error. The exit code is 8 if a part was changed, doubled or lost.

    Example: stend verify last
    """
    import json

    from stend.base.errors import UNSOUND_EXIT_CODE
    from stend.store import verify

    checked = []
    for folder in _runs.each(runs):
        found = verify.Folder(folder)
        parts, ended = list(found.checks()), found.run.ended
        outcome = ended.outcome if ended else "unfinished" if found.run.started else "never started"
        pieces = [{"piece": part.piece, "unchanged": part.sound, "text": part.words} for part in parts]
        sound = all(part.sound for part in parts)
        checked.append({"path": str(folder), "outcome": outcome, "unchanged": sound, "pieces": pieces})
        if not as_json:
            _print(checked[-1])
    if as_json:
        typer.echo(json.dumps(checked, indent=1, ensure_ascii=False))
    return 0 if all(row["unchanged"] for row in checked) else UNSOUND_EXIT_CODE


def _print(row: dict[str, Any]) -> None:
    state = "unchanged" if row["unchanged"] else "CHANGED since its run wrote it"
    typer.echo(f"{row['path']}: {row['outcome']}, {state}")
    for piece in row["pieces"]:
        typer.echo(f"  {'' if piece['unchanged'] else '! '}{piece['piece']}: {piece['text']}")
