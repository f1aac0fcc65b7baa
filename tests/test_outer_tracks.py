"""Sequential rates of a disk that a run measured at its start only: nothing is said of the rest of the disk."""

import pytest

from stend.base.units import GiB
from stend.report.story import telling
from stend.report.story.closing import closing
from stend.report.story.page_one import Review, extremes, keys
from stend.sentences import reason_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made

MB = 10**6
LARGE = 2 * 10**12 // 131_072 * 131_072
DISK = Truth(LARGE, outer_bps=220 * MB, inner_bps=100 * MB)


def reviewed(truth: Truth, lang: str = "en", *tests: str) -> Review:
    return telling.reviewed(made(*(tests or ("throughput",)), truth=truth, interval_s=5.0), {}, Language(lang))


def test_the_share_is_what_the_reads_of_the_window_moved_of_the_disk() -> None:
    review = reviewed(DISK)
    five_minutes = 5 * 60
    assert review.figures["seq_outer"] == pytest.approx(five_minutes * review.figures["seq_read"] / LARGE, rel=0.05)


@pytest.mark.parametrize(
    ("truth", "tests"),
    [
        (Truth(16 * GiB, outer_bps=220 * MB, inner_bps=100 * MB), ("throughput",)),
        (Truth(LARGE), ("throughput",)),
        (DISK, ("throughput", "lba-profile")),
    ],
    ids=["passed whole", "flash", "with its profile"],
)
def test_a_rate_of_the_whole_drive_has_no_such_share(truth: Truth, tests: tuple[str, ...]) -> None:
    review = reviewed(truth, "en", *tests)
    assert "seq_outer" not in review.figures
    assert not review.verdict.known.bounds.keys() & {"seq_read", "seq_write"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_disk_is_not_praised_or_blamed_for_its_outer_tracks(lang: str) -> None:
    review, start = reviewed(DISK, lang), {"en": "start of the drive", "ru": "начало накопителя"}[lang]
    assert [key.name.endswith(start) for key in keys(review) if "MB/s" in key.value or "МБ/с" in key.value] == [
        True
    ] * 2
    (files,) = [use for use in review.verdict.uses if use.use == "streaming"]
    assert files.key == "doubt", "220 MB/s would do, but the inner tracks are unknown"
    said = [reason_said(reason, review.words) for reason in files.reasons]
    assert all({"en": "a disk is slower further in", "ru": "а дальше диск медленнее"}[lang] in one for one in said)
    assert not any(only in one for one in said for only in (" only ", " лишь "))
    assert extremes(review)[1] == ""
    assert not list(closing({"": review})), "what is unknown is not against it"


def test_a_disk_that_is_slow_even_at_its_start_is_slow() -> None:
    slow = reviewed(Truth(LARGE, outer_bps=40 * MB, inner_bps=20 * MB))
    (files,) = [use for use in slow.verdict.uses if use.use == "streaming"]
    assert files.key == "no"
    assert {reason.key for reason in files.reasons} == {"fail_outer"}
