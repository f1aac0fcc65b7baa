"""Claimed response times: shorter is better, and one IO at a time is meant."""

from functools import cache

import pytest

from stend import findings
from stend.base.units import GiB, KiB
from stend.findings import claims
from stend.findings.judgement import Verdict
from stend.findings.judgement.evidence import Known
from stend.findings.look.claimed import meaning
from stend.findings.look.figures import figures
from stend.model.record import Run
from stend.report.story import page_one
from stend.report.story.page_one import Review
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made


@cache
def run() -> Run:
    return made("latency", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)


def single_read_s() -> float:
    own = [r for r in figures(run()) if (r.workload.read_pct, r.workload.block_bytes) == (100, 4 * KiB)]
    return next(r.number("mean") for r in own if r.workload.outstanding == 1 and r.direction == "both")


@pytest.mark.parametrize(
    ("slower", "key"), [(1.1, "holds"), (0.98, "near"), (0.91, "near"), (0.85, "missed"), (0.1, "missed")]
)
def test_a_claimed_response_time_holds_where_the_drive_is_no_slower(slower: float, key: str) -> None:
    (found,) = claims.find(
        run(), {"class": "enterprise", "claimed": {"rand_read_4k_us": single_read_s() * 1e6 * slower}}
    )
    assert found.key == key
    assert found.values["value"] == (pytest.approx(single_read_s()), "lat")


def test_it_is_judged_in_service_whatever_the_class_of_the_drive() -> None:
    (found,) = claims.find(run(), {"class": "client", "claimed": {"rand_read_4k_us": 1e6}})
    assert found.values["state"] == "window"


def test_it_is_told_in_microseconds() -> None:
    (found,) = findings.named("claims", run(), {"class": "enterprise", "claimed": {"rand_read_4k_us": 124}})
    assert "claimed 124\u00a0µs" in finding_said(found, Language("en"))
    assert meaning("rand_read_4k_us").unit == 1e-6  # type: ignore[union-attr]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_page_one_tells_what_was_promised_to_the_digit(lang: str) -> None:
    words = Language(lang)
    promised = {"rand_read_4k_us": 47, "rand_read_4k": 743000, "seq_read_128k_MB": 3000}
    found = tuple(findings.named("claims", run(), {"class": "enterprise", "claimed": promised}))
    seen = Review(run(), {}, Verdict(None, (), Known({})), found, "flash", words)
    told = " ".join(text for _, _, text in page_one.claims(seen)).replace("\u00a0", " ")
    numbers = {"en": ("47 µs", "743,000 IOPS", "3,000 MB/s"), "ru": ("47 мкс", "743 000 IOPS", "3000 МБ/с")}
    assert all(f" {number}," in told for number in numbers[lang])


KEYS = [
    f"{access}_{way}{block}{unit}"
    for access in ("seq", "rand")
    for way in ("read", "write", "7030", "6535", "9505")
    for block in ("", "_4k", "_64k", "_128k")
    for unit in ("", "_MB", "_us")
]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_key_that_the_documentation_allows_has_a_title_on_page_one_and_in_sentences(lang: str) -> None:
    """docs/how-to/imports-and-sheets.md: `seq` or `rand`, then `read`, `write` or a mix, then the block size."""
    words = Language(lang)
    found = tuple(findings.named("claims", run(), {"class": "enterprise", "claimed": dict.fromkeys(KEYS, 1000)}))
    assert [finding.values["claim"] for finding in found] == KEYS
    seen = Review(run(), {}, Verdict(None, (), Known({})), found, "flash", words)
    titles = [title for title, _, _ in page_one.claims(seen)]
    assert not [title for title in titles if "_" in title]
    for title, finding in zip(titles, found, strict=True):
        assert title in finding_said(finding, words)
    sizes = {"en": "64\u00a0KiB", "ru": "64\u00a0КиБ"}
    assert sum(sizes[lang] in title for title in titles) == sum("_64k" in key for key in KEYS)


def test_a_claim_is_named_by_its_load() -> None:
    names = {
        "rand_7030_4k": "Random mix 70/30, 4 KiB",
        "seq_write_64k_MB": "Sequential write 64 KiB",
        "seq_read": "Seq",
    }
    for key, name in names.items():
        assert Language("en").claim(key).replace("\u00a0", " ").startswith(name)
    assert Language("en").claim("rand_read_16k_us").endswith(", T1 Q1")
    assert Language("en").claim("endurance_tbw") == "endurance_tbw"
