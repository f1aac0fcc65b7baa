"""Findings on drives whose truth is known: what a run can tell is within 5 %, what it cannot tell is said so."""

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from stend import findings
from stend.base.units import MB, GiB, KiB
from stend.findings import Finding, hot_range, look
from stend.findings.look.figures import lasting
from stend.model.record import Run
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language, phrases
from tests.synthetic import Truth, made

pytestmark = pytest.mark.together
DRAWN = range(32)
DRAWS = [number if number < 4 else pytest.param(number, marks=pytest.mark.slow) for number in DRAWN]
"""The first few of a kind are enough while a change is being made."""
WITHIN = 0.05
POLICIES = {"around": (False, False), "through": (True, False), "back": (True, True), "none": (False, False)}


FOUND: dict[tuple[int, str], tuple[Run, list[Finding]]] = {}
"""Everything that was found in a run, with the run, whose number is nobody else's as long as it is kept."""


def found(run: Run, name: str, **sheet: Any) -> list[Finding]:
    key = id(run), repr(sheet)
    if key not in FOUND:
        FOUND[key] = run, list(findings.find(run, sheet))
    return [finding for finding in FOUND[key][1] if finding.name == name]


def close(value: float, truth: float) -> bool:
    return abs(value - truth) <= WITHIN * truth


def pool(truth: Truth) -> float:
    """Bytes that a fresh drive takes at full speed."""
    return truth.pool_fills * truth.capacity_bytes


@cache
def flash(number: int) -> Truth:
    """A drive with an SLC cache, a knee and a recovery, none of them on an edge."""
    dice = random.Random(f"flash {number}")
    capacity = dice.randrange(240, 720) * GiB
    fast = dice.uniform(1200, 2400) * MB
    middle, slow = fast * dice.uniform(0.4, 0.7), fast * dice.uniform(0.1, 0.28)
    first = dice.uniform(0.08, 0.35) * capacity
    fresh = dice.uniform(60_000, 180_000)
    needed = dice.choice([5, 10, 15, 25, 50])
    return Truth(
        capacity_bytes=capacity,
        write_bps=1500 * MB,
        fresh_iops=fresh,
        steady_iops=fresh * dice.uniform(0.08, 0.5),
        pool_fills=dice.uniform(1.02, 2.0),
        fall_fills=dice.uniform(0.005, 0.02),
        slc=((first, fast), (dice.uniform(0.5, 0.8) * capacity, middle), (math.inf, slow)),
        recovery_bps=fresh * 5 * 4 * KiB / needed * 0.97,
        noise=dice.uniform(0.002, 0.02),
    )


@cache
def saturated(number: int) -> Run:
    return made("write-saturation", truth=flash(number), profile="review", interval_s=30.0)


@cache
def rested(number: int) -> Run:
    """A twentieth of the size, so that every wait state comes to its own balance."""
    truth = replace(flash(number), capacity_bytes=flash(number).capacity_bytes // 20)
    return made(
        "idle-recovery",
        truth=truth,
        profile="review",
        tests={"idle-recovery": {"saturation_minutes": 30, "repeats": 120}},
    )


@cache
def written(number: int) -> Run:
    interval_s = flash(number).capacity_bytes / (500 * MB) / 150
    return made("slc-cache", truth=flash(number), profile="review-desktop", interval_s=interval_s)


@cache
def hybrid(number: int) -> Truth:
    """A disk with a flash cache of some policy, or without one."""
    dice = random.Random(f"hybrid {number}")
    policy = list(POLICIES)[number % len(POLICIES)]
    keeps, back = POLICIES[policy]
    return Truth(
        capacity_bytes=600 * GiB,
        read_iops=dice.uniform(300, 900),
        half_depth=4,
        fresh_iops=300,
        steady_iops=250,
        outer_bps=250 * MB,
        inner_bps=180 * MB,
        cache_bytes=0 if policy == "none" else dice.uniform(6, 19) * GiB,
        cache_speedup=dice.uniform(15, 30),
        cache_fill_s=dice.uniform(1200, 4000),
        keeps_writes=keeps,
        write_back=back,
        noise=0.01,
    )


@pytest.mark.parametrize("number", DRAWS)
def test_the_size_of_an_slc_cache_and_its_levels_are_found(number: int) -> None:
    truth = flash(number)
    (fresh,) = [f for f in found(written(number), "slc_cache") if f.values["state"] == "fresh"]
    assert fresh.key == "steps"
    (first, fast), (second, middle), (_, slow) = truth.slc
    assert fresh.values["steps"] == 3
    assert close(fresh.values["size"], first)
    assert close(fresh.values["ends"][1], second)
    served = 32 / 33  # the drive is not quite busy with 32 outstanding
    assert all(close(got, rate * served) for got, rate in zip(fresh.values["rates"], (fast, middle, slow), strict=True))
    assert close(fresh.values["share"], first / truth.capacity_bytes)


def settled_s(truth: Truth, served: float, below: float) -> float:
    """When the closed form falls below a level: bytes by hand, time by summing them up."""
    fall = truth.fall_fills * truth.capacity_bytes
    over = -fall * math.log((below - truth.steady_iops) / (truth.fresh_iops - truth.steady_iops))
    steps = 2000
    rates = (
        truth.steady_iops + (truth.fresh_iops - truth.steady_iops) * math.exp(-(i + 0.5) * over / steps / fall)
        for i in range(steps)
    )
    return (pool(truth) / truth.fresh_iops + sum(over / steps / rate for rate in rates)) / (4 * KiB * served)


@pytest.mark.parametrize("number", DRAWS)
def test_the_knee_of_a_saturation_is_found_with_its_levels_bytes_and_times(number: int) -> None:
    truth, served = flash(number), 256 / 257
    (knee,) = found(saturated(number), "saturation")
    assert knee.key == "knee"
    assert close(knee.values["start"], truth.fresh_iops * served)
    assert close(knee.values["end"], truth.steady_iops * served)
    assert close(knee.values["knee_bytes"], pool(truth))
    assert close(knee.values["knee_s"], pool(truth) / (truth.fresh_iops * 4 * KiB * served))
    assert close(knee.values["settled_s"], settled_s(truth, served, 1.1 * truth.steady_iops))
    assert close(knee.values["ratio"], truth.fresh_iops / truth.steady_iops)


def test_a_knee_between_long_samples_lies_at_one_place_by_time_and_by_bytes() -> None:
    truth = Truth(noise=0.0)
    (knee,) = found(made("write-saturation", truth=truth, profile="review", interval_s=60.0), "saturation")
    assert knee.values["knee_bytes"] == pytest.approx(pool(truth), rel=0.03)
    assert knee.values["knee_s"] * knee.values["start"] * 4 * KiB == pytest.approx(knee.values["knee_bytes"], rel=0.01)


@pytest.mark.parametrize("number", DRAWS)
def test_the_pause_that_brings_a_drive_back_is_found(number: int) -> None:
    truth = flash(number)
    burst = 5 * 4 * KiB * truth.fresh_iops
    needed = [rest for rest in (5, 10, 15, 25, 50) if rest * truth.recovery_bps >= 0.9 * burst]
    (said,) = found(rested(number), "idle_recovery")
    assert said.key == "recovers"
    assert said.values["needed"] == needed[0]
    assert close(said.values["before"], truth.steady_iops * 256 / 257)
    for rest, level in said.values["levels"].items():
        assert close(level, truth.fresh_iops * 256 / 257) == (float(rest) >= needed[0])
    near = {float(rest) for rest, level in said.values["levels"].items() if level >= 0.98 * said.values["best"]}
    assert said.values["best_rest"] == min(near)  # a longer rest gains nothing


def warm_s(truth: Truth, share: float, read_pct: int) -> float:
    """When nine tenths of the gain in IOPS are there, for a cache that warms evenly."""
    reads = truth.read_iops * 64 / (64 + truth.half_depth)
    writes = truth.fresh_iops * 64 / 65

    def iops(hits: float) -> float:
        part = 1 / reads * ((1 - hits) + hits / truth.cache_speedup)
        return 1 / (read_pct / 100 * part + (1 - read_pct / 100) / writes)

    wanted = iops(0) + 0.9 * (iops(share) - iops(0))
    steps = 20_000
    return next(i / steps for i in range(steps + 1) if iops(share * i / steps) >= wanted) * truth.cache_fill_s


@pytest.mark.parametrize("number", [draw for draw, n in zip(DRAWS, DRAWN, strict=True) if n % 4 != 3])
def test_the_size_of_a_read_cache_and_its_warm_up_are_found(number: int) -> None:
    truth = hybrid(number)
    run = made("hot-range", truth=truth, profile="review", interval_s=60.0)
    reads = found(run, "hot_range")[0]
    assert reads.values["mix"] == "100/0"
    assert reads.key == "part"
    assert close(reads.values["size"], truth.cache_bytes)
    expected = warm_s(truth, truth.cache_bytes / (20 * GiB), 100)
    assert abs(reads.values["warm_s"] - expected) <= max(WITHIN * expected, 60)  # a record lasts a minute


@pytest.mark.parametrize(("end", "share", "key"), [(1003, 0.4, "none"), (1200, 0.4, "faster"), (1200, 0.0, "none")])
def test_hits_that_gain_no_rate_are_not_a_gain(
    end: float, share: float, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_range, "_warm", lambda run, records: hot_range.Warm(1000.0, end, share))
    monkeypatch.setattr(hot_range, "_told", lambda run, test: False)
    run = made("hot-range", truth=hybrid(0), profile="review", interval_s=60.0)
    assert next(f for f in found(run, "hot_range") if f.values["mix"] == "100/0").key == key


@pytest.mark.parametrize("number", DRAWS)
def test_the_policy_of_a_cache_is_found(number: int) -> None:
    run = made("cold-warm", truth=hybrid(number), profile="review", interval_s=60.0)
    (said,) = found(run, "cache_policy")
    assert said.key == list(POLICIES)[number % 4]


def test_a_beat_of_long_waits_is_found() -> None:
    for period in (20.0, 45.0, 70.0):
        truth = Truth(capacity_bytes=32 * GiB, tail_every_s=period)
        run = made("write-saturation", truth=truth, profile="review", interval_s=1.0, tests=sat(20))
        beats = [f for f in found(run, "tail") if f.key == "beat"]
        assert len(beats) == 1
        assert close(beats[0].values["period"], period)


def sat(minutes: int) -> dict[str, Any]:
    return {"write-saturation": {"minutes": minutes}}


def test_where_the_signal_is_absent_nothing_is_made_up() -> None:
    even = Truth(capacity_bytes=32 * GiB, slc=((math.inf, 900 * MB),), steady_iops=100_000, fresh_iops=100_000)
    run = made("slc-cache", truth=even, profile="review-desktop", interval_s=0.5)
    assert {f.key for f in found(run, "slc_cache")} == {"flat"}
    run = made("write-saturation", truth=even, profile="review", interval_s=20.0, tests=sat(60))
    assert [f.key for f in found(run, "saturation")] == ["flat"]
    assert not [f for f in found(run, "tail") if f.key == "beat"]


def test_a_drive_never_seen_fresh_has_no_rest_that_is_enough() -> None:
    truth = replace(flash(2), capacity_bytes=16 * GiB)
    run = made("idle-recovery", truth=truth, profile="review", tests={"idle-recovery": {"after": "fill"}})
    (said,) = found(run, "idle_recovery")
    assert (said.key, said.confidence) == ("from_below", "can't tell")


def test_too_little_is_called_too_little() -> None:
    run = made("slc-cache", "write-saturation", profile="review-desktop", interval_s=900.0, tests=sat(5))
    unsure = {(f.name, f.key) for f in findings.find(run) if f.confidence == "can't tell"}
    assert {("slc_cache", "short"), ("saturation", "short")} <= unsure
    assert ("suitability", "unknown") in {(f.name, f.key) for f in findings.find(run)}


def stories() -> Iterator[Run]:
    yield saturated(0)
    yield rested(0)
    yield written(0)
    yield made("hot-range", "cold-warm", truth=hybrid(0), profile="review", interval_s=60.0)


def test_every_phrase_is_told_in_both_languages() -> None:
    assert {k for k, text in phrases("en").items() if text} == {k for k, text in phrases("ru").items() if text}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_has_a_sentence_in_both_languages(lang: str) -> None:
    words = Language(lang)
    for run in stories():
        for finding in findings.find(run, {"claimed": {"rand_write_4k": 1000.0}}):
            text = finding_said(finding, words)
            assert text
            assert "{" not in text
            assert any("а" <= char <= "я" for char in text.lower()) == (lang == "ru")


def test_the_fast_beginning_of_a_saturation_is_in_no_lasting_figure() -> None:
    run = made("write-saturation", truth=flash(0), profile="review", interval_s=20.0, tests=sat(120))
    (row,) = lasting(run)
    assert close(row.iops, flash(0).steady_iops * 256 / 257)
    assert row.iops < 0.8 * look.cells(run, look.tests(run)[0])[0].counts.iops


def test_what_rests_give_back_is_in_no_lasting_figure() -> None:
    run = rested(0)
    (row,) = lasting(run)
    assert (row.test, row.phase) == ("idle-recovery", "saturate")
    assert close(row.iops, flash(0).steady_iops)


def test_peers_are_those_that_the_sheet_names() -> None:
    run = made("write-saturation", "latency", truth=flash(1), profile="review", interval_s=20.0, tests=sat(120))
    assert found(run, "peers") == []
    told = {f.key: f for f in found(run, "peers", peers=["saber1000"])}
    assert told.keys() == {"read", "saturated", "read_s", "write_s", "mix_s"}
    assert told["saturated"].values["theirs"] == 14_000
    assert close(told["saturated"].values["own"], flash(1).steady_iops * 256 / 257)
    assert told["saturated"].side == ("pro" if flash(1).steady_iops > 15_400 else "con")
    assert told["read_s"].side == ("pro" if told["read_s"].values["own"] < 170e-6 else "con")
    (unknown,) = found(run, "peers", peers=["nobody"])
    assert (unknown.key, unknown.confidence) == ("unknown", "can't tell")
    assert "kc2000" in finding_said(unknown, Language("ru"))
