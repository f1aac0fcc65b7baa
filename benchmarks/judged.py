"""`python -m benchmarks.judged FOLDER`: the conclusions of the five reviews beside what the reviews of their twins say.

FOLDER has a run folder for each twin, named after it (`stend run review-nvme --target sim:sn150 --into FOLDER/sn150`).
"""

import sys
from pathlib import Path

from tests.judged_lines import LINES, SUITES

from stend import findings, store
from stend.findings.judgement import Told
from stend.findings.judgement.evidence import evidence
from stend.findings.judgement.uses import shape
from stend.findings.language import Language
from stend.findings.suitability import concluded
from stend.published import published
from stend.record import Run


def said(run: Run, drive: str) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Evidence, marks of uses and answers to claims."""
    sheet = published()[drive].get("sheet", {})
    found = list(findings.find(run, sheet))
    marks: dict[str, str] = {one.use: one.mark for one in concluded(run, sheet, found).uses}
    claims = {one.values["claim"]: one.key for one in found if one.name == "claims"}
    return evidence(run, sheet, found), marks, claims


def main() -> None:
    """Print the table."""
    words = Language("en")
    print("| drive | its review concludes | the review of the twin says | agrees | why not |\n|---|---|---|---|---|")
    for drive in SUITES:
        told, marks, claims = said(store.load(Path(sys.argv[1]) / drive), drive)
        for line in (line for line in LINES if line.drive == drive):
            shown = [f"{name} {words.format_field(Told(told[name], shape(name)), 'said')}" for name in line.figures]
            shown = shown or [f"{use}: {mark}" for use, mark in marks.items()]
            answer = "NO" if not line.agrees(told, marks, claims) else "in part" if line.why else "yes"
            print(f"| {drive} | {line.fact} | {', '.join(shown)} | {answer} | {line.why} |", flush=True)


if __name__ == "__main__":
    main()
