"""Charts and findings of finished phases, made in a separate process: `python -m stend.live.drawn INTO LANG FOLDER`.

It writes the charts of the report as SVG files and the findings as sentences. A long run needs much memory, and a
separate process keeps the server small.
"""

import json
import sys
from pathlib import Path
from typing import Any

from stend import charts, findings, store
from stend.base import render_process
from stend.live.making import run_program
from stend.sentences import finding_said
from stend.words import Language


def drawn(into: Path, lang: str, folders: list[Path]) -> dict[str, Any]:
    """Write 0.svg, 1.svg, ... of a run into `into`, and return the findings and the titles of the charts."""
    run, words = store.load(folders[0]), Language(lang)
    sentences = [{"text": finding_said(one, words), "sure": one.confidence} for one in findings.find(run, {})]
    pictures = [picture for test in run.plan.tests for picture in charts.of(run, test, lang)]
    for number, picture in enumerate(pictures):
        (into / f"{number}.svg").write_text(render_process.svg(json.dumps(picture.spec)), encoding="utf-8")
    titles = [{"title": picture.title, "says": picture.says} for picture in pictures]
    return {"findings": sentences, "pictures": titles}


if __name__ == "__main__":
    sys.exit(run_program(drawn))
