"""Two to five runs next to each other, in a separate process: `python -m stend.live.compared INTO LANG FOLDER...`.

The figures are those of `stend compare` of the first run and each other run.
"""

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stend.charts.overlay.ratio_map import change, verdict_named
from stend.charts.parts.figures import load_named
from stend.live.making import run_program
from stend.many import read
from stend.many.compare import Comparison, Difference, compared
from stend.model.quantities import QUANTITIES, shape
from stend.sentences.settings import difference_reason, setting_value
from stend.words import Language

LEAST, MOST = 2, 5
"""Numbers of runs that a page compares."""


def plain(folders: Sequence[Path], lang: str) -> dict[str, Any]:
    """Return runs, settings that differ, and figures by test, as texts and numbers."""
    words = Language(lang)
    first, *others = [read.named([folder], folder.name) for folder in folders]
    wholes = [compared(first, other) for other in others]
    rows: dict[tuple[Any, str], list[Difference | None]] = {}
    for number, whole in enumerate(wholes):
        for difference in whole.differences:
            every = rows.setdefault((difference.key, difference.quantity), [None] * len(wholes))
            every[number] = difference
    tests: dict[str, list[dict[str, Any]]] = {}
    for (key, _), differences in rows.items():
        tests.setdefault(key.test, []).append(_row(differences, words))
    reasons = [reason for differences in rows.values() for each in differences if each for reason in each.why]
    outcomes = [side.runs[0] for side in (first, *others)]
    return {
        "runs": [
            {
                "model": run.settings["model"],
                "label": run.settings["label"],
                "stamps": [words.translated(text) for text in run.stamps],
            }
            for run in outcomes
        ],
        "command": _command(folders),
        "reasons": list(dict.fromkeys(difference_reason(reason, words) for reason in reasons)),
        "settings": list(_settings(wholes, words)),
        "tests": [{"title": words.title(test, test), "rows": shown} for test, shown in tests.items()],
    }


def _command(folders: Sequence[Path]) -> str:
    """Return the command that compares these runs: two as sides, more as a report."""
    first, *others = map(str, folders)
    return shlex.join(
        ["stend", "compare", first, "--", *others] if len(others) == 1 else ["stend", "report", first, *others]
    )


def _row(differences: Sequence[Difference | None], words: Language) -> dict[str, Any]:
    given = next(each for each in differences if each)
    cells = [{"text": words.show(given.a, shape(given.quantity)), "value": given.a}]
    for each in differences:
        cells.append(_cell(each, words) if each else {"text": "–"})
    return {
        "figure": load_named(given.key, given.quantity, words),
        "state": words(f"kept_state.{given.key.state}"),
        "more_is_better": QUANTITIES[given.quantity].more_is_better,
        "cells": cells,
    }


def _cell(each: Difference, words: Language) -> dict[str, Any]:
    verdict = {"verdict": each.verdict.replace(" ", "_"), "said": verdict_named(each.verdict, words)}
    shown = {"text": words.show(each.b, shape(each.quantity)), "value": each.b}
    return shown | verdict | {"change": change(each.ratio, words)}


def _settings(wholes: Sequence[Comparison], words: Language) -> Iterator[dict[str, Any]]:
    runs = [wholes[0].a.runs[0], *(whole.b.runs[0] for whole in wholes)]
    differing = {setting.name: setting.blocks for whole in wholes for setting in whole.settings}
    for setting, blocks in differing.items():
        values = [setting_value(setting, run.settings.get(setting), words) for run in runs]
        yield {"name": words(f"setting.{setting}"), "values": values, "blocks": bool(blocks)}


if __name__ == "__main__":
    sys.exit(run_program(lambda into, lang, folders: plain(folders, lang)))
