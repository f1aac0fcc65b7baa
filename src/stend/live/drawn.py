"""Charts and findings of finished phases, made in a separate process: `python -m stend.live.drawn INTO LANG FOLDER`.

It writes the charts of the report as SVG files and the findings as sentences. A long run needs much memory, and a
separate process keeps the server small.
"""

import json
import sys
from pathlib import Path

from stend import charts, findings, store
from stend.base import render_process
from stend.base.errors import StendError
from stend.sentences import finding_said
from stend.words import Language


def drawn(folder: Path, into: Path, lang: str) -> None:
    """Write 0.svg, 1.svg, ... into `into`, then index.json by an atomic rename."""
    run, words = store.load(folder), Language(lang)
    sentences = [{"text": finding_said(one, words), "sure": one.confidence} for one in findings.find(run, {})]
    pictures = [picture for test in run.plan.tests for picture in charts.of(run, test, lang)]
    for number, picture in enumerate(pictures):
        (into / f"{number}.svg").write_text(render_process.svg(json.dumps(picture.spec)), encoding="utf-8")
    index = {
        "findings": sentences,
        "pictures": [{"title": picture.title, "says": picture.says} for picture in pictures],
    }
    part = into / "index.part"
    part.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
    part.rename(into / "index.json")


def main() -> int:
    """Draw by the command line; return 0, or print the reason and return 1."""
    into, lang, folder = sys.argv[1:]
    try:
        drawn(Path(folder), Path(into), lang)
    except (StendError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
