"""Boundaries of claims, endurance, tails and slow stretches, with values that follow on paper."""

import pytest

from stend.base.units import KiB
from stend.findings import claims, tail, zones
from stend.findings.claims import Figure
from stend.findings.look.claimed import Claim, meaning
from stend.findings.look.endurance import Endurance, endurance
from stend.model.workload import Workload


@pytest.mark.parametrize(
    ("key", "claim", "unit"),
    [
        ("rand_read_4k", Claim(100, 100, 4 * KiB, "iops"), 1.0),
        ("rand_write", Claim(100, 0, 4 * KiB, "iops"), 1.0),
        ("seq_write_MB", Claim(0, 0, 128 * KiB, "throughput"), 1e6),
        ("seq_read_1024k_MB", Claim(0, 100, 1024 * KiB, "throughput"), 1e6),
        ("rand_7030_8k", Claim(100, 70, 8 * KiB, "iops"), 1.0),
        ("rand_read_4k_us", Claim(100, 100, 4 * KiB, "latency"), 1e-6),
        ("rand_trim_4k", None, 1.0),
        ("read_4k", None, 1.0),
    ],
)
def test_a_claim_is_read_from_its_key(key: str, claim: Claim | None, unit: float) -> None:
    found = meaning(key)
    assert found == claim
    assert found is None or found.unit == unit


def test_the_best_figure_of_the_first_test_that_has_the_state_answers_a_claim() -> None:
    load = Workload(100, 0, 4 * KiB)
    named = (("other", "fresh", 9.0), ("iops", "window", 5.0), ("fresh", "fresh", 3.0), ("fresh", "fresh", 4.0))
    every = [Figure(test, state, value, load) for test, state, value in named]
    best = claims._best(every, ("fresh",), lambda figure: figure.value)
    assert best == every[3]
    assert claims._best(every, ("fresh",), lambda figure: -figure.value) == every[2]
    assert claims._best(every, ("saturated",), lambda figure: figure.value) is None
    assert [claims._order(test) for test in ("fresh", "iops", "latency-curve", "other")] == [0, 1, 5, 6]
    assert claims._reached(8.0, every[3], lambda figure: figure.value) == 0.5
    assert claims._reached(8.0, every[3], lambda figure: -figure.value) == 2.0
    assert [claims._grade(one) for one in (None, every[0], every[0]._replace(sure=False))] == ["high", "high", "medium"]


@pytest.mark.parametrize(
    ("sheet", "told"),
    [
        ({}, None),
        ({"endurance_dwpd": 1}, Endurance(1.0, 365 * 5e12, 5.0)),
        ({"endurance_tbw": 3650}, Endurance(2.0, 3650e12, 5.0)),
        ({"endurance_dwpd": 2, "warranty_years": 3}, Endurance(2.0, 2 * 3 * 365e12, 3.0)),
        ({"endurance_dwpd": 1, "endurance_tbw": 7}, Endurance(1.0, 7e12, 5.0)),
    ],
)
def test_of_drive_writes_a_day_and_bytes_written_one_follows_from_the_other(
    sheet: dict[str, float], told: Endurance | None
) -> None:
    """A drive of 1 TB; warranties are five years of 365 days unless the sheet states another one."""
    assert endurance(sheet, 10**12) == told


@pytest.mark.parametrize(
    ("tail_s", "longest_s", "use"),
    [(0.0009, 0.019, "transactions"), (0.001, 0.019, "database"), (0.0009, 0.02, "database"),
     (0.0049, 0.099, "database"), (0.005, 0.05, "server"), (0.0009, 0.1, "server"), (0.019, 0.49, "server"),
     (0.02, 0.3, "desktop"), (0.001, 1.99, "desktop"), (0.1, 0.3, "bulk"), (0.001, 2.0, "bulk")],
)  # fmt: skip
def test_a_tail_suits_the_most_demanding_use_that_tolerates_it_and_the_longest(
    tail_s: float, longest_s: float, use: str
) -> None:
    assert tail.suits(tail_s, longest_s) == use


def test_a_slow_stretch_of_a_disk_is_found_by_its_surroundings() -> None:
    rates = [100.0] * 16
    rates[6:8] = [80.0, 75.0]
    assert zones._slower(rates, 1.2) == [6, 7]
    assert zones._slower(rates, 1.25) == [7]
    assert zones._spot(rates, [6, 7]) == {"low": 75.0, "low_from": 6 / 16, "low_to": 0.5}
    assert [zones._contiguous(spot) for spot in ([], [6], [6, 7], [6, 8])] == [False, True, True, False]
    assert zones._falls([100.0] * 4 + [90.0] * 4 + [80.0] * 4 + [70.0] * 4, 1.1)
    assert zones._falls([100.0] * 4 + [102.0] * 4 + [80.0] * 4 + [70.0] * 4, 1.1), "a quarter of a tenth is noise"
    assert not zones._falls([100.0] * 4 + [103.0] * 4 + [80.0] * 4 + [70.0] * 4, 1.1)
    assert not zones._falls([100.0] * 12 + [103.0] * 4, 1.1)
