"""What finished phases show, as a process of its own: `python -m stend.live.drawn FOLDER INTO LANG`.

The report's own charts as SVG files and its findings as sentences; a long run is large, and a server stays small.
"""

import json
import os
import sys
from pathlib import Path

from stend import charts, findings, store
from stend.base import render_process
from stend.base.errors import StendError
from stend.words import Language
from stend.words.sentences import finding_said


def drawn(folder: Path, into: Path, lang: str) -> None:
    """INTO gets 0.svg, 1.svg, ... and index.json, which comes last and whole."""
    run, words = store.load(folder), Language(lang)
    told = [{"text": finding_said(found, words), "sure": found.confidence} for found in findings.find(run, {})]
    pictures = [picture for test in run.plan.tests for picture in charts.of(run, test, lang)]
    for number, picture in enumerate(pictures):
        (into / f"{number}.svg").write_text(render_process.svg(json.dumps(picture.spec)), encoding="utf-8")
    index = {"findings": told, "pictures": [{"title": picture.title, "says": picture.says} for picture in pictures]}
    part = into / "index.part"
    part.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
    part.rename(into / "index.json")


def main() -> int:
    """0, or 1 with a sentence where nothing can be drawn yet."""
    folder, into, lang = sys.argv[1:]
    os.nice(10)
    try:
        drawn(Path(folder), Path(into), lang)
    except (StendError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
