"""Sequential rates of a disk that a run measured on a part of it only: nothing is said of the rest of the disk."""

from dataclasses import dataclass
from typing import Any

import pytest

from stend import findings
from stend.base.units import GiB
from stend.model.definition import Hold, Workload
from stend.model.events import Result
from stend.model.record import Run
from stend.planning import plan as planning
from stend.report.story import telling
from stend.report.story.closing import closing
from stend.report.story.page_one import Review, extremes, keys
from stend.runner.loop import run as loop
from stend.sentences import reason_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Synthetic, SyntheticDevice, Truth, events, identity, made

MB = 10**6
LARGE = 2 * 10**12 // 131_072 * 131_072
DISK = Truth(LARGE, outer_bps=220 * MB, inner_bps=100 * MB)


def reviewed(truth: Truth, lang: str = "en", *tests: str) -> Review:
    return telling.reviewed(made(*(tests or ("throughput",)), truth=truth, interval_s=5.0), {}, Language(lang))


def test_the_share_is_what_the_reads_of_the_window_moved_of_the_disk() -> None:
    review = reviewed(DISK)
    five_minutes = 5 * 60
    assert review.figures["seq_outer"] == pytest.approx(five_minutes * review.figures["seq_read"] / LARGE, rel=0.05)


@dataclass
class Uneven(Synthetic):
    """A disk with streams of one direction at half the rate, and its first rounds of the other at two thirds."""

    slow: int = 0
    unsettled: int = 0
    begun: int = 0

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Any:
        self.begun += limit_bytes is None and workload.read_pct != self.slow
        return super().start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

    def rate(self, workload: Workload, at_bytes: float) -> float:
        if workload.read_pct == self.slow:
            return super().rate(workload, at_bytes) / 2
        return super().rate(workload, at_bytes) * (2 / 3 if self.begun <= self.unsettled else 1)


def measured(drive: Uneven) -> Run:
    drawn = planning.draw(["throughput"], planning.load_profile("enterprise-2.0.2"), identity(drive.truth))
    drive.fresh()
    return Run(list(loop(drawn, SyntheticDevice(drive, drawn.device), drive, seed=1, at=0.0)))


def moved(run: Run, reads: int) -> int:
    """The bytes of all 128 KiB rounds of one direction."""
    results = run.of("throughput", "rounds-128k-t1q32")
    loads = [(r.step.workload, r.counts) for r in results if isinstance(r.step, Hold)]
    return sum(counts.both.bytes for load, counts in loads if load.read_pct == reads)


@pytest.mark.parametrize(("slow", "further"), [(0, 100), (100, 0)], ids=["writes slower", "reads slower"])
def test_the_share_is_that_of_the_direction_that_came_further(slow: int, further: int) -> None:
    run = measured(Uneven(DISK, slow=slow))
    review = telling.reviewed(run, {}, Language("en"))
    assert review.figures["seq_outer"] == pytest.approx(moved(run, further) / LARGE, rel=1e-4)


def test_a_stream_came_through_the_rounds_before_the_window_too() -> None:
    run = measured(Uneven(DISK, unsettled=9))
    assert run.verdict_rounds("throughput", "rounds-128k-t1q32")[0] > 1
    review = telling.reviewed(run, {}, Language("en"))
    assert review.figures["seq_outer"] == pytest.approx(moved(run, 100) / LARGE, rel=1e-4)


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


def test_a_block_sweep_of_one_thread_measured_the_outer_tracks_too() -> None:
    run = made("block-sweep", truth=DISK, interval_s=5.0, tests={"block-sweep": {"point": [1, 32]}})
    review = telling.reviewed(run, {}, Language("en"))
    assert {why.key for name, why in review.verdict.known.bounds.items() if name.startswith("seq_")} == {"outer"}


def profiled(phase: str, places: int) -> Run:
    """A profile that was stopped after so many places of a phase."""
    every = events(["lba-profile"], truth=DISK, interval_s=5.0)
    results = [n for n, event in enumerate(every) if isinstance(event, Result) and event.where.phase == phase]
    return Run(every[: results[places]])


@pytest.mark.parametrize(("places", "reached"), [(76, 220 - 120 * 74.5 / 128), (10, 220 - 120 * 9.5 / 128)])
def test_a_profile_that_was_stopped_has_no_end_of_the_range(places: int, reached: float) -> None:
    run = profiled("read", places)
    (zones,) = (finding for finding in findings.find(run) if finding.name == "zones")
    assert (zones.key, zones.confidence) == ("partly", "can't tell")
    assert zones.values["share"] == places / 128
    assert zones.values["reached"] == pytest.approx(reached * MB, rel=0.02)
    figures = telling.reviewed(run, {}, Language("en")).figures
    assert not figures.keys() & {"outer", "inner", "seq_read", "seq_along"}


def test_writes_of_a_part_of_a_profile_are_no_mean_over_the_range() -> None:
    figures = telling.reviewed(profiled("write", 64), {}, Language("en")).figures
    assert "seq_write" not in figures
    assert figures["seq_read"] == pytest.approx(160 * MB, rel=0.02)
    assert {"outer", "inner"} <= figures.keys()
