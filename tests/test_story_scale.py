"""Page one says of what scale a verdict is: that of arrays, and how far a virtual drive is from its real one."""

import pytest
from msgspec.structs import replace

from stend.base.units import GiB
from stend.findings import judgement
from stend.findings.judgement.evidence import Known, evidence
from stend.model.published import published
from stend.report.story import certainty, page_one, telling
from stend.report.story.page_one import Review, title
from stend.report.story.verdict import verdict
from stend.words import Language
from tests.synthetic import Truth, made
from tests.test_findings_truth import ran, rates

EN, RU = Language("en"), Language("ru")
MODEL = "HGST SN150"
PUBLISHED = published()["sn150"]["saturation"]["end"]  # a range


def of(model: str, *, virtual: bool = True) -> Review:
    run = made("iops", truth=Truth(capacity_bytes=8 * GiB, model=model), rounds=2, shorten=600, interval_s=10.0)
    drive = replace(run.plan.device, virtual=virtual)
    run.started[0] = replace(run.started[0], plan=replace(run.plan, device=drive, deviations=()))
    return telling.reviewed(run, {}, EN)


@pytest.mark.parametrize(("model", "virtual", "told"), [(MODEL, True, 1), (MODEL, False, 0), ("Nobody's 1", True, 0)])
def test_page_one_tells_of_models_alone_how_far_they_are_from_their_drive(model: str, virtual: bool, told: int) -> None:
    review = of(model, virtual=virtual)
    judged = review.verdict._replace(standing=None)
    texts = list(certainty.certainty(review._replace(verdict=judged)))
    said = [text for text in texts if text.startswith("The key figures of the model differ")]
    assert len(said) == told
    shortened = list(certainty.certainty(review))
    assert not [text for text in shortened if text.startswith("The key figures of the model differ")], (
        "a shortened run shows no level"
    )
    beside = [key.name for key in page_one.keys(review._replace(verdict=judged)) if "real drive" in key.note]
    assert bool(beside) == bool(told), "the figures that differ state both"
    assert not [key for key in page_one.keys(review) if key.note]


@pytest.mark.parametrize("words", [EN, RU])
@pytest.mark.parametrize("kind", ["flash", "array", "disk"])
def test_only_the_verdict_on_an_array_names_the_scale_of_arrays(kind: str, words: Language) -> None:
    figures = {"capacity": 4e12, "seq_read": 1e9, "seq_write": 1e9, "stream_end": 1e9, "start": 9e3, "reads": 5e3}
    judged = judgement.verdict(Known(figures), kind)
    review = Review(of(MODEL).run, figures, judged, (), kind, words)
    plain = words("story.by_array", verdict="")
    assert verdict(review).startswith(plain) == (kind == "array")
    assert verdict(review, brief=True).startswith(plain) == (kind == "array")
    other = "controller" if words is EN else "контроллер"
    assert (other in title("start", review)) == (kind == "array")
    assert other not in title("fresh_writes", review)


@pytest.mark.parametrize(("profile", "threads"), [("review-desktop", 8), ("client-2.0.2", 1)])
def test_several_streams_are_no_sequential_rate_of_a_disk(profile: str, threads: int) -> None:
    """Eight streams make the heads seek: a disk of 200 MB/s reads 60 MB/s then, and is no worse for large files."""
    for rotational in (True, False):
        run = ran(rates(60e6, 60e6), "throughput", profile=profile, rotational=rotational)
        known = evidence(run, {}, ()).figures
        crowded = rotational and threads > 1
        assert ("seq_read" in known, "streams_read" in known) == (not crowded, crowded)
        assert known.get("streams_at", 1.0) == (threads if crowded else 1)


@pytest.mark.parametrize(
    ("interface", "level", "english", "russian"),
    [
        (
            "SAS RAID",
            "raid5",
            "An array is judged by what arrays of eight hard disks do",
            "Массив оценивается по меркам",
        ),
        ("SAS 12 Gbit/s", "", "connected by SAS are not judged: ", "накопители не подключают по SAS: "),
        ("NVMe", "", "", ""),
    ],
)
def test_page_one_says_by_which_scale_a_drive_is_judged(interface: str, level: str, english: str, russian: str) -> None:
    facts = {"level": level} if level else {}
    run = ran(rates(1e9, 1e9), "iops", interface=interface, facts=facts)
    for words, said in ((EN, english), (RU, russian)):
        review = telling.reviewed(run, {}, words)
        texts = list(certainty.certainty(review._replace(verdict=review.verdict._replace(standing=None))))
        assert any(said in text for text in texts)
        if not said:
            assert not any("are not judged" in text or "An array is" in text for text in texts)
