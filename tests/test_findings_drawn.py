"""What is told of drives of known truth, drawn by a seed: a slice of `python -m benchmarks.findings`."""

import pytest

from stend import findings
from stend.findings import Finding
from stend.findings.saturation import SETTLED
from stend.record import Run
from tests.drawn import HOURS, KINDS, Drawn, draw, ran, stepwise
from tests.judged import FALSE, RIGHT, statements

SEED, EACH = 6, 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_about_a_drawn_drive_is_false(kind: str) -> None:
    told = [one for number in range(EACH) for one in statements(kind, SEED, number)]
    assert told
    assert [one.text for one in told if one.verdict == FALSE] == []


@pytest.mark.slow
def test_findings_do_not_only_say_that_they_cannot_tell() -> None:
    for kind in ("SLC cache of 1 to 40 %", "knee", "zones", "cache: zones of a disk"):
        told = [one.text for number in range(EACH) for one in statements(kind, SEED, number) if one.verdict == RIGHT]
        assert [text for text in told if not text.startswith("thermal")], kind


def said(drawn: Drawn | Run, name: str, **claimed: float) -> Finding:
    """Of a drive, or of a run that it made."""
    run = ran(drawn) if isinstance(drawn, Drawn) else drawn
    return next(f for f in findings.find(run, {"claimed": claimed}) if f.name == name)


def level(capacity: int) -> Drawn:
    return Drawn("flat", lambda clock, written: 50_000.0, capacity=capacity, noise=0.01)


@pytest.mark.parametrize(("capacity", "key"), [(480 * 10**9 + 1, "flat"), (8000 * 10**9 + 1, "because")])
def test_a_level_is_kept_only_by_a_drive_that_was_written_over(capacity: int, key: str) -> None:
    found = said(level(capacity), "saturation")
    assert found.key == key
    if key == "because":
        assert found.values["because"].key == "fills"


def test_a_claim_of_steady_writes_is_not_judged_before_the_drive_was_written_over() -> None:
    assert said(level(480 * 10**9 + 1), "claims", rand_write_4k=50_000).key == "holds_beside"
    assert said(level(8000 * 10**9 + 1), "claims", rand_write_4k=50_000).confidence == "can't tell"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["throttle_s", "throttle_events", "warning_temperature_min", "throttled"])
def test_throttling_by_any_of_its_words_is_neither_a_knee_nor_the_drives_own_level(word: str) -> None:
    drawn = Drawn(
        "restless",
        lambda clock, written: 100_000.0 if clock < 9000 else 40_000.0,
        capacity=480 * 10**9 + 1,
        health=lambda clock: {"temperature_c": 66.0, word: int(max(clock - 9000, 0) / 60)},
    )
    run = ran(drawn)
    found = said(run, "saturation")
    assert (found.key, found.values["because"].key) == ("because", "throttled")
    assert said(run, "thermal").key == "throttled"
    assert said(run, "claims", rand_write_4k=100_000).confidence == "can't tell"


def test_a_claim_missed_by_a_little_is_missed_whatever_its_units() -> None:
    found = said(level(480 * 10**9 + 1), "claims", rand_write_4k=52_500)
    assert (found.key, found.side) == ("missed", "con")


def test_the_same_seed_draws_the_same_drive() -> None:
    first, again, other = (draw("knee", seed, 0) for seed in (1, 1, 2))
    assert (first.capacity, first.first) == (again.capacity, again.first) != (other.capacity, other.first)


@pytest.mark.parametrize("kind", ["GC stalls", "neighbour", "no knee, noise to 40 %", "knee"])
@pytest.mark.parametrize("seed", range(1, 10))
def test_the_level_that_a_drawn_drive_is_said_to_keep_is_its_mean(kind: str, seed: int) -> None:
    drawn = draw(kind, seed, 1)
    late = [drawn.rate(HOURS * 3600 + second, 10.0 * drawn.capacity) for second in range(0, 400_000, 7)]
    assert drawn.lasting == pytest.approx(sum(late) / len(late), rel=0.01)


def written(*stretches: tuple[float, float], noise: float = 0.02) -> Finding:
    """What is said of a drive that writes ((until this part of it, MB/s), ...)."""
    size = 512 * 10**9
    levels = tuple((until * size, rate * 1e6) for until, rate in stretches)
    return said(Drawn("restless", stepwise(*levels), "slc-cache", size, noise=noise), "slc_cache")


@pytest.mark.slow
@pytest.mark.parametrize(("last", "because"), [(((0.995, 45), (9, 100)), "rises_mbs"), (((9, 45),), "much")])
def test_a_stall_at_the_very_end_is_no_level(last: tuple[tuple[float, float], ...], because: str) -> None:
    found = written((0.97, 100), *last)
    assert (found.key, found.values["because"].key) == ("because", because)


@pytest.mark.parametrize(("share", "key"), [(0.5, "steps"), (0.6, "because")])
def test_no_cache_holds_more_than_one_bit_in_each_cell(share: float, key: str) -> None:
    assert written((share, 1000), (9, 400)).key == key


@pytest.mark.parametrize(("fast", "key"), [(1.6, "steps"), (1.35, "steps"), (1.15, "flat")])
def test_a_cache_is_told_where_it_is_a_quarter_faster(fast: float, key: str) -> None:
    assert written((0.2, 400 * fast), (9, 400)).key == key


def test_a_level_of_few_samples_is_not_told_where_they_scatter() -> None:
    found = written((0.2, 5000), (9, 2000), noise=0.4)
    assert (found.key, found.values["because"].key) == ("because", "noise")
    assert written((0.2, 500), (9, 200), noise=0.4).key == "about"


@pytest.mark.parametrize("seconds", [4000, 6000, 9000, 15_000])
def test_a_drive_that_declines_for_ever_reaches_no_end(seconds: int) -> None:
    """Rate 1/(1 + t): its last two tenths differ by less than a tenth, and no time is when it settled."""
    found = said(
        Drawn("falling", lambda clock, written: 100_000 / (1 + clock / seconds), capacity=120 * 10**9), "saturation"
    )
    assert found.key not in SETTLED
