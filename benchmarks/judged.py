"""`python -m benchmarks.judged FOLDER`: the conclusions of the five reviews beside what the reviews of their twins say.

FOLDER has a run folder for each twin, named after it (`stend run review-nvme --target sim:sn150 --into FOLDER/sn150`).
"""

import re
import sys
from pathlib import Path

from tests.judged_lines import LINES, SUITES

from stend import findings, store
from stend.findings.judgement import concluded
from stend.published import published
from stend.record import Run
from stend.words import Language, catalogue

WAITS = ("write_wait", "mix_tail", "write_tail", "server_wait")


def said(run: Run, drive: str) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Evidence, marks of uses and answers to claims."""
    sheet = published()[drive].get("sheet", {})
    found = list(findings.find(run, sheet))
    judged = concluded(run, sheet, found)
    marks: dict[str, str] = {one.use: one.mark for one in judged.uses}
    claims = {one.values["claim"]: one.key for one in found if one.name == "claims"}
    return judged.told, marks, claims


def _shape(name: str, shapes: dict[str, str]) -> str:
    """How a figure is said; in what sentence, if in any."""
    return shapes.get(name, "said:lat" if name in WAITS else "n")


def main() -> None:
    """Print the table."""
    words = Language("en")
    spelt = (found for pair in catalogue().values() for found in re.finditer(r"{(\w+):(said:\w+)}", pair[0]))
    shapes = {found[1]: found[2] for found in spelt}
    print("| drive | its review concludes | the review of the twin says | agrees | why not |\n|---|---|---|---|---|")
    for drive in SUITES:
        told, marks, claims = said(store.load(Path(sys.argv[1]) / drive), drive)
        for line in (line for line in LINES if line.drive == drive):
            shown = [f"{name} {words.show(told[name], _shape(name, shapes))}" for name in line.figures]
            shown = shown or [f"{use}: {mark}" for use, mark in marks.items()]
            answer = "NO" if not line.agrees(told, marks, claims) else "in part" if line.why else "yes"
            print(f"| {drive} | {line.fact} | {', '.join(shown)} | {answer} | {line.why} |", flush=True)


if __name__ == "__main__":
    main()
