"""PDFs of unusual drives have no layout defect: one point per line, 12 drives, long names, low rates, 1 GB, 30 TB.

Written before any of these pages was drawn. What each of them must show is the text of its case.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from benchmarks.pages import browser as chromium
from benchmarks.pages import pdf

from stend import report
from stend.base.units import GB, MB, TB, MiB
from stend.model.record import Run
from stend.words import LANGUAGES
from tests.synthetic import Truth, made

HOST = {"cpu": "A processor", "fio": "fio-3.33"}
SHORT: dict[str, Any] = {"interval_s": 20.0, "shorten": 60, "rounds": 5}


class Case(NamedTuple):
    """Tests of drives, and what their page must show."""

    tests: tuple[str, ...]
    truths: tuple[Truth, ...]
    shows: str
    changes: Mapping[str, Any] = MappingProxyType({})


LONG = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCD", "Seagate-ST30000NM004K-3RM133-SN02-R3900X")


def disk(capacity_bytes: int, model: str) -> Truth:
    whole = capacity_bytes // 131_072 * 131_072
    return Truth(whole, outer_bps=250 * MB, inner_bps=120 * MB, cache_bytes=whole / 50, model=model)


CASES = {
    "one point": Case(
        ("block-sweep", "iops"),
        (Truth(64 * MiB),),
        "A line of one block size is a dot on an axis whose one label is that size; no map of one column is drawn.",
        {"tests": {"block-sweep": {"blocks_kib": [4]}, "iops": {"blocks_kib": [4]}}},
    ),
    "twelve drives": Case(
        ("fresh", "iops", "latency"),
        tuple(Truth(model=f"Drive {n}", serial=f"S{n}", read_iops=1e5 * n) for n in range(1, 13)),
        "Each of 12 drives has another colour, dash or shape; tables of 12 columns are readable; the title is short.",
    ),
    "long names": Case(
        ("fresh", "iops", "lba-profile"),
        tuple(disk(480 * GB, name) for name in LONG),
        "Names of 40 letters without a space (the most that NVMe and ATA have) are whole in the title, the head of "
        "each page, legends and heads of tables.",
    ),
    "zeros": Case(
        ("fresh", "iops", "write-saturation"),
        (Truth(64 * MiB, read_iops=0.4, fresh_iops=0.4, steady_iops=0.2),),
        "Rates below one IO per second have their digits; a logarithmic axis begins above 0; nothing is “0 times”.",
    ),
    "1 GB": Case(
        ("lba-profile", "slc-cache", "write-saturation"),
        (disk(GB, "A card"),),
        "Positions from 0 to 1 GB have at least three labels; sizes are in MB.",
    ),
    "30 TB": Case(
        ("lba-profile", "slc-cache", "write-saturation"),
        (disk(30 * TB, "A disk"),),
        "Positions to 30,000 GB have labels that do not overlap; times are in hours.",
    ),
}  # fmt: skip


@cache
def runs(name: str) -> list[Run]:
    case = CASES[name]
    profile = "review" if "lba-profile" in case.tests else "enterprise-2.0.2"
    return [made(*case.tests, truth=one, profile=profile, **SHORT, **case.changes) for one in case.truths]


def written(name: str, form: str, lang: str, into: Path) -> Path:
    (path,) = report.write([(into, run, HOST) for run in runs(name)], form, lang, "review", into=into)
    return path


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", CASES)
def test_the_pdf_of_an_unusual_drive_has_no_defect(name: str, lang: str, tmp_path: Path) -> None:
    assert list(pdf.defects(written(name, "pdf", lang, tmp_path))) == []


@pytest.mark.browser
@pytest.mark.parametrize(("name", "width"), [("long names", 390), ("30 TB", 768)])
def test_the_html_of_an_unusual_drive_has_no_defect(browser: Any, name: str, width: int, tmp_path: Path) -> None:
    page = written(name, "html", "en", tmp_path)
    assert list(chromium.Browser(browser).html(page, chromium.View(width, "light"))) == []
