"""`python -m benchmarks.judged FOLDER [--keep]`: what stend concludes of the reviewed and of unseen drives.

FOLDER has a run folder for each drive, named after it: `stend run SUITE --target sim:NAME --into FOLDER/NAME` for the
drives of `tests.judged_lines`, `--target sim:tests/unseen/NAME.toml` for those of tests/unseen/expected.toml, and alike
for those of tests/outside. `--keep` writes what the runs measured to evidence.json of these two folders, which the
quick tests judge again.
"""

import argparse
import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.judged_lines import LINES, SUITES

from stend import findings, store
from stend.findings.judgement import judge, kind
from stend.findings.judgement.evidence import Known, evidence
from stend.findings.judgement.standing import standing
from stend.findings.look.grounds import Because
from stend.model.published import published
from stend.words import Language, texts

UNSEEN = Path(__file__).parents[1] / "tests" / "unseen"
KEPT = UNSEEN / "evidence.json"
OUTSIDE = UNSEEN.parent / "outside"
WAITS = ("write_wait", "mix_tail", "write_tail", "server_wait", "longest", "read_wait")
FACTS = {"endurance_dwpd": "dwpd", "power_loss_protection": "plp"}


def expected() -> dict[str, dict[str, Any]]:
    """Return what an engineer expects of each unseen drive."""
    return tomllib.loads((UNSEEN / "expected.toml").read_text())


def measured(folder: Path, sheet: dict[str, Any]) -> dict[str, Any]:
    """Return kind, figures without a sheet, their caveats, and the answers to the claims of a sheet, as JSON."""
    run = store.load(folder)
    found = list(findings.find(run, {}))
    known = evidence(run, {}, found)
    why = standing(run)
    claims = {one.values["claim"]: one.key for one in findings.find(run, sheet) if one.name == "claims"}
    reasons = {
        name: {k: (b.key, _plain(b.values)) for k, b in getattr(known, name).items()} for name in ("bounds", "unusable")
    }
    return {
        "kind": kind(run),
        "standing": why.key if why else "",
        "figures": known.figures,
        "claims": claims,
        **reasons,
    }


def _plain(values: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


def known(kept: dict[str, Any], sheet: dict[str, Any]) -> Known:
    """Return kept evidence with the facts of a sheet."""
    facts = {FACTS[key]: float(value) for key, value in sheet.items() if key in FACTS}
    bounds, unusable = ({k: Because(*b) for k, b in kept[name].items()} for name in ("bounds", "unusable"))
    return Known(kept["figures"] | facts, bounds, unusable)


def marks(kept: dict[str, Any], sheet: dict[str, Any]) -> dict[str, str]:
    """Return the mark of each use."""
    return {one.use: one.mark for one in judge(known(kept, sheet), kept["kind"])}


def answers(wanted: dict[str, str], told: dict[str, str], *, sheeted: bool) -> dict[str, tuple[str, str]]:
    """Return {use: (expected, judged)} where they differ; by performance alone counts as "yes" without a sheet."""
    said = {use: told.get(use, "none") for use in wanted}
    said = {use: "yes" if mark == "performance" and not sheeted else mark for use, mark in said.items()}
    return {use: (wanted[use], mark) for use, mark in said.items() if mark not in wanted[use].split("|")}


def _shape(name: str, shapes: dict[str, str]) -> str:
    return shapes.get(name, "said:lat" if name in WAITS else "n")


def reviewed(kept: dict[str, dict[str, Any]]) -> None:
    """Print the table of the five reviews."""
    words = Language("en")
    spelt = (found for text in texts("en").values() for found in re.finditer(r"{(\w+):(said:\w+)}", text))
    shapes = {found[1]: found[2] for found in spelt}
    print("| drive | its review, in its own words | the review of the virtual drive states | agrees | why not |")
    print("|---|---|---|---|---|")
    for line in (line for line in LINES if line.drive in kept):
        told, own = kept[line.drive], marks(kept[line.drive], published()[line.drive].get("sheet", {}))
        shown = [f"{name} {words.show(told['figures'][name], _shape(name, shapes))}" for name in line.figures]
        shown = shown or [f"{use}: {mark}" for use, mark in own.items()]
        answer = "NO" if not line.agrees(told["figures"], own, told["claims"]) else "in part" if line.why else "yes"
        print(f"| {line.drive} | {line.words} | {', '.join(shown)} | {answer} | {line.why} |", flush=True)


def unseen(kept: dict[str, dict[str, Any]]) -> None:
    """Print the table of the drives that the rules were not chosen by."""
    print("\n| drive | an engineer expects | by performance | with its sheet | differs |\n|---|---|---|---|---|")
    for name, wanted in expected().items():
        if name in kept:
            alone, sheeted = marks(kept[name], {}), marks(kept[name], wanted.get("sheet", {}))
            off = answers(wanted["performance"], alone, sheeted=False)
            off |= answers(wanted.get("sheeted", {}), sheeted, sheeted=True)
            shown = [", ".join(f"{use} {mark}" for use, mark in told.items()) for told in (alone, sheeted)]
            with_sheet = shown[1] if "sheet" in wanted else ""
            differs = "; ".join(f"{use}: expected {theirs}, judged {ours}" for use, (theirs, ours) in off.items())
            differs += f" ({better['why']})" if (better := wanted.get("better")) else ""
            print(f"| {name} | {wanted['expert']} | {shown[0]} | {with_sheet} | {differs} |", flush=True)


def _kept(path: Path, names: Iterable[str], folder: Path) -> dict[str, dict[str, Any]]:
    """Return kept evidence, renewed for these drives where `folder` has their runs."""
    kept: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    runs = (name for name in names if (folder / name).is_dir())
    return kept | {name: measured(folder / name, published().get(name, {}).get("sheet", {})) for name in runs}


def main() -> None:
    """Print both tables; keep the evidence if told to."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.judged")
    asked.add_argument("folder", type=Path)
    asked.add_argument("--keep", action="store_true")
    options = asked.parse_args()
    kept = _kept(KEPT, (*SUITES, *expected()), options.folder)
    outside = tomllib.loads((OUTSIDE / "expected.toml").read_text())
    others = _kept(OUTSIDE / KEPT.name, [name for name in outside if "suite" in outside[name]], options.folder)
    if options.keep:
        for path, evidence_of in ((KEPT, kept), (OUTSIDE / KEPT.name, others)):
            path.write_text(json.dumps(evidence_of, indent=1, sort_keys=True) + "\n")
    reviewed(kept)
    unseen(kept)


if __name__ == "__main__":
    main()
