"""Virtual drives that the rules were not chosen by (tests/outside): files, kept evidence and marks."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from benchmarks.judged import answers, marks

from stend.findings.judgement import verdict
from stend.findings.judgement.evidence import Known
from stend.report.story.page_one import Review
from stend.report.story.verdict import verdict as headline
from stend.sim.named import load
from stend.words import Language
from tests.test_standing import whole

FOLDER = Path(__file__).parent / "outside"
WANTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text())
KNOWN: dict[str, dict[str, Any]] = json.loads((FOLDER / "evidence.json").read_text())
DRIVES = [name for name in WANTED if name != "situations"]


def test_every_drive_has_expectations_and_was_run_or_says_that_it_was_not() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} - {"expected"} == set(DRIVES)
    assert {name for name in DRIVES if "not_run" not in WANTED[name]} == set(KNOWN)


@pytest.mark.parametrize("name", DRIVES)
def test_every_file_is_a_virtual_drive(name: str) -> None:
    assert load(str(FOLDER / f"{name}.toml")).capacity_bytes


@pytest.mark.parametrize("name", KNOWN)
def test_a_drive_is_judged_as_was_expected_before_the_run(name: str) -> None:
    """But the uses that `differs` explains."""
    wanted = WANTED[name]
    off = answers(wanted["performance"], marks(KNOWN[name], {}), sheeted=False)
    assert not KNOWN[name]["standing"]
    assert set(off) == set(wanted.get("differs", {}).get("uses", ()))


TITLES = {
    "outside/gen5-desktop": [
        "Fit for large files, a desktop and a read-mostly server: random reads reach 1,370,000 IOPS. "
    ],
    "unseen/xpoint": [
        "Fit for use in an array and any server use: random writes hold 530,000 IOPS ",
        "; for a desktop: a ",
    ],
    "unseen/mixed-nvme": [
        "Fit for large files, a desktop, use in an array and any server use: continuous random writes "
    ],
    "outside/media-cache": ["Fit for large files: the capacity is 1 TB. "],
}


@pytest.mark.parametrize("drive", TITLES)
def test_uses_with_unlike_reasons_have_one_each_in_the_title(drive: str) -> None:
    """If that takes more than two parts, all have the reason of the heaviest use; the table below has the others."""
    folder, _, name = drive.partition("/")
    known = json.loads((FOLDER.parent / folder / "evidence.json").read_text())[name]["figures"]
    kind = "disk" if name == "media-cache" else "flash"
    judged = verdict(Known(known | {"dwpd": 3.0, "plp": 1.0, "fallen_s": 36000.0, "write_tail_at": 128.0}), kind)
    said = headline(Review(whole(), judged.figures, judged, (), kind, Language("en")), brief=True)
    first, *others = TITLES[drive]
    said = f"{said} ".replace("\xa0", " ")
    assert said.startswith(first)
    assert [text for text in others if text not in said] == []
