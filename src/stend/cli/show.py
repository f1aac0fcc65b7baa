"""`stend show`: print a run on one screen."""

import typer

from stend.cli import _options, _runs


def command(run: _runs.Run = _runs.LAST, as_json: _options.Json = False) -> None:
    """Show the drive, outcome, verdicts and main figures of a run.

    Example: stend show last
    """
    from stend import store
    from stend.cli import _result, _summary, _table

    where = _runs.folder(run)
    loaded = store.load(where)
    if as_json:
        import json

        typer.echo(json.dumps(_summary.figures(loaded), indent=1, ensure_ascii=False))
        return
    verdict = [text.plain for text in _result.headline(where, loaded)]
    _result.page(_table.folded([*_summary.head(loaded), *verdict, *_summary.body(loaded)]))
