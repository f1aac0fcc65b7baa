"""What the layout of an array, its controller's cache and spare flash explain, against arithmetic done by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from stend.base.units import GB
from stend.findings import cause
from stend.findings.look import arrays
from stend.findings.look.arrays import absorbed, penalty, raised
from stend.findings.look.because import Because
from stend.findings.look.figures import Figures, figures
from stend.findings.look.link import link
from stend.model.counts import Counts
from stend.model.tally import Tally
from tests.synthetic import Truth, made
from tests.test_cause import causes, other
from tests.test_findings_truth import ran

MiB = 1 << 20


def minutes(rates: Sequence[float], seconds: float = 60.0) -> list[Counts]:
    return [_minute(rate, seconds) for rate in rates]


def _minute(rate: float, seconds: float) -> Counts:
    ios = round(rate * seconds)
    return Counts(seconds=seconds, write=Tally(ios=ios, bytes=ios * 4096))


@pytest.mark.parametrize(
    ("level", "reads", "writes", "cause"),
    [
        ("raid5", 27_800, 6_950, "raid5"),
        ("raid5", 27_800, 2_580, "penalty"),
        ("raid6", 60_000, 10_000, "raid6"),
        ("raid10", 27_800, 13_900, "raid10"),
        ("raid10", 27_800, 27_800, None),
        ("raid0", 27_800, 27_800, None),
        ("raid5", 27_800, 0, None),
        ("", 27_800, 2_580, None),
    ],
)
def test_a_random_write_costs_what_the_level_says(level: str, reads: float, writes: float, cause: str | None) -> None:
    found = penalty(level, reads, writes)
    assert (found and found[0]) == cause
    if found:
        assert found[1]["share"] == pytest.approx(writes / reads)
        assert found[1]["left"] == {"raid5": 0.25, "raid6": 1 / 6, "raid10": 0.5}[level]


def test_a_penalty_has_the_number_of_ios() -> None:
    found = penalty("raid5", 27_800, 2_580)
    assert found
    assert found[1]["ios"] == 4


def test_a_cache_of_256_mib_is_what_the_first_minute_has_above_the_level() -> None:
    above = 256 * MiB / 4096 / 60
    found = absorbed(minutes([2_604 + above, *[2_604.0] * 599]))
    assert found
    assert found["bytes"] == pytest.approx(256 * MiB, rel=1e-3)
    assert found["s"] == 60


@pytest.mark.parametrize(
    "course",
    [
        [2_600.0] * 600,
        [5_000.0] * 600,
        [5_000.0] * 10 + [2_600.0] * 590,
        [5_000.0] * 2 + [2_600.0] * 300 + [1_900.0] * 298,
        [5_000.0, 2_600.0, 4_000.0] + [2_600.0] * 597,
        [2_670.0] + [2_600.0] * 599,
        [5_000.0] + [2_600.0] * 8,
        [5_000.0] * 4 + [2_600.0] * 596,
        [5_000.0],
        [],
    ],
)
def test_a_later_or_slow_fall_and_a_level_that_moves_are_no_cache(course: list[float]) -> None:
    assert absorbed(minutes(course)) is None


def test_a_cache_is_recognised_by_time_however_short_the_records_are() -> None:
    found = absorbed(minutes([117_000.0] * 6 + [2_600.0] * 4, seconds=0.2))
    assert found
    assert found["bytes"] == pytest.approx((117_000 - 2_600) * 1.2 * 4096)
    assert found["s"] == pytest.approx(1.2)
    assert absorbed(minutes([117_000.0] * 7 + [2_600.0] * 3, seconds=0.2)) is None


def load_of(rate: float, seconds: float, rounds: tuple[int, ...] = ()) -> Figures:
    ios = round(rate * seconds * max(len(rounds), 1))
    row = figures(made("block-sweep", profile="review", shorten=60))[0]
    tally = Tally(ios=ios, bytes=ios * 4096)
    return row._replace(seconds=seconds * max(len(rounds), 1), tally=tally, rounds=rounds)


@pytest.mark.parametrize(
    ("rate", "seconds", "rounds", "is_raised"),
    [
        (9_800.0, 5.0, (), True),
        (9_800.0, 5.0, (1, 2, 3, 4), True),
        (2_650.0, 5.0, (), False),
        (4_800.0, 60.0, (), True),
        (9_800.0, 600.0, (), False),
    ],
)
def test_a_mean_of_few_writes_is_that_of_the_cache(
    rate: float, seconds: float, rounds: tuple[int, ...], is_raised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "caches", lambda _: {"write-saturation": ({"bytes": 512 * MiB, "s": 5.0}, 2_600.0)})
    found = raised(made("iops", shorten=60), load_of(rate, seconds, rounds))
    assert bool(found) is is_raised
    if found:
        assert found["written"] == pytest.approx(rate * seconds * 4096, rel=1e-3)
        assert (found["mean"], found["lasts"]) == (pytest.approx(rate, rel=1e-3), 2_600.0)


@pytest.mark.parametrize(("facts", "key"), [({}, "rested"), ({"level": "raid5"}, "emptied")])
def test_pauses_empty_the_cache_of_a_controller_and_clean_a_drive(facts: dict[str, str], key: str) -> None:
    levels = {"5": 1_000.0, "10": 2_000.0, "50": 4_000.0}
    rests = other("idle_recovery", "partly", "idle-recovery", levels=levels, gain=4.0)
    run = ran(lambda _: 1_000.0, "write-saturation", facts=facts)
    assert {"rested", "emptied"} & causes(run, [rests]).keys() == {key}


def test_an_end_of_writes_with_spare_flash_left_is_not_compared_with_a_filled_drive() -> None:
    """A drive without a map in its memory, written 1.04 times: 109,000 IOPS, and 21,500 in the rounds after a fill."""
    truth = Truth(capacity_bytes=60 * GB, fresh_iops=90_000, steady_iops=20_000)
    changes: dict[str, Any] = {"tests": {"write-saturation": {"minutes": 120}}, "rounds": 5}
    run = made("iops", "write-saturation", truth=truth, profile="review", interval_s=20.0, **changes)
    rows = [row._replace(seconds=row.seconds / 10) if row.state == "saturated" else row for row in figures(run)]
    for why, given in (("noise", True), ("fills", False)):
        unsure = other("saturation", "because", "write-saturation", because=Because(why))
        evidence = cause.Evidence(run, rows, [unsure], link(run.plan.device, {}))
        assert bool([*cause._mixed_rounds(evidence), *cause._order(evidence)]) is given
