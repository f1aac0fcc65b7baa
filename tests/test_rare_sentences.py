"""Sentences and charts of findings that usual drives never reach: what is true there, and not beside its limit."""

import math
from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import charts, findings
from stend.base.units import GiB
from stend.findings import Finding, look
from stend.findings import headroom as headroom_findings
from stend.findings.judgement.evidence import evidence
from stend.model import headroom
from stend.model.definition import Workload
from stend.model.events import Result, Started
from stend.model.headroom import Pass, Why
from stend.model.pace import Pace
from stend.model.record import Run
from stend.sentences import finding_said
from stend.words import Language
from tests.pictures import run_of
from tests.synthetic import Truth, events, made
from tests.test_findings_truth import ran
from tests.test_headroom import asked
from tests.test_service_findings import changed, tally

Change = Callable[[Result, Workload], Result]
new = msgspec.structs.replace


def of(run: Run, name: str) -> dict[str, Finding]:
    """The findings of a name by their keys."""
    return {finding.key: finding for finding in findings.find(run) if finding.name == name}


def said(finding: Finding, lang: str = "en") -> str:
    return finding_said(finding, Language(lang)).replace("\u00a0", " ")


def longer(result: Result, times: float) -> Result:
    """The same work in so many times the time."""
    return new(result, counts=new(result.counts, seconds=result.counts.seconds * times))


@pytest.mark.parametrize(("times", "key"), [(1.0, "recovered"), (1.2, "not_yet")])
def test_streams_that_are_not_back_say_how_long_they_were_written(times: float, key: str) -> None:
    """The synthetic drive's steps of 700 and 500 MB/s; a run that was cut off has only a part of the third group."""
    last = "sequential-again"
    whole = changed(run_of("cross-stimulus"), lambda r, _: longer(r, times) if r.where.phase == last else r)
    found = of(whole, "stimulus_change")
    assert found.keys() == {key}
    if key == "not_yet":
        again = whole.of("cross-stimulus", last)
        seconds = sum(r.counts.seconds for r in again)
        assert found[key].values["seconds"] == pytest.approx(seconds)
        assert f"after {Language('en').show(seconds, 'time')} of the third".replace("\u00a0", " ") in said(found[key])
        cut = of(Run([*whole.started, *(r for r in whole.results if r not in again[2:])]), "stimulus_change")
        assert cut["not_yet"].values["seconds"] < seconds / 2


@pytest.mark.parametrize(("times", "slow"), [(1.05, False), (3.0, True)])
def test_a_slow_stretch_of_a_zoned_disk_is_named_by_its_place(times: float, slow: bool) -> None:
    """Of 16 places the fourth and the fifth: 3/16 to 5/16 of the range. The drive falls from 250 to 180 MB/s."""
    run = run_of("lba-profile")
    places = run.of("lba-profile", "read")
    assert len(places) == 16
    found = of(changed(run, lambda r, _: longer(r, times) if r in places[3:5] else r), "zones")
    assert found.keys() == ({"zoned", "slower"} if slow else {"zoned"})
    if slow:
        values = found["slower"].values
        assert (values["low_from"], values["low_to"]) == (3 / 16, 5 / 16)
        assert values["low"] == pytest.approx((250 - 70 * 4.5 / 16) / 3 * 1e6, rel=0.06)


def minutes_alone(first_ms: float, last_ms: float) -> Change:
    """Of the IOs alone 2 % take so long in the first measured minute and in the last; the mean of both is 0.3 ms."""
    done: list[float] = []

    def change(result: Result, load: Workload) -> Result:
        if load.beside or result.where.phase != "beside-reads":
            return result
        done.append(result.t)
        ms = last_ms if len(done) > 2 else first_ms
        usual_ns = (0.3 - 0.02 * ms) / 0.98 * 1e6
        return new(result, counts=new(result.counts, read=tally((9800, usual_ns), (200, ms * 1e6))))

    return change


@pytest.mark.parametrize(("last_ms", "key"), [(2.8, ""), (3.4, "scatters")])
def test_two_minutes_of_one_mean_may_differ_in_their_p99_by_half(last_ms: float, key: str) -> None:
    found = of(changed(run_of("neighbours"), minutes_alone(2.0, last_ms)), "neighbours")
    assert found.keys() & {"scatters", "changed"} == ({key} if key else set())
    if key:
        assert found[key].values["least"] == pytest.approx(2e-3, rel=0.02)
        assert found[key].values["most"] == pytest.approx(3.4e-3, rel=0.02)


@pytest.mark.parametrize(("alone_ms", "key"), [(0.7, "worst"), (3.0, "alike")])
def test_a_neighbour_that_lengthens_nothing_is_not_the_worst(alone_ms: float, key: str) -> None:
    """Beside reads at QD32 the p99 is 0.83 ms; a drive that falls asleep alone may be slower without a neighbour."""
    found = of(changed(run_of("neighbours"), minutes_alone(alone_ms, alone_ms)), "neighbours")
    assert found.keys() & {"worst", "alike"} == {key}
    if key == "alike":
        assert found[key].side == "pro"
        assert "longer than the 3.00 ms alone. The longest is 831 µs, beside" in said(found[key])
        assert "(3,00 мс без соседа)" in said(found[key], "ru")


@pytest.mark.parametrize(("queries", "words"), [(0, ""), (1, "1 time in"), (3, "3 times in")])
def test_a_meter_inside_the_drive_states_its_queries(queries: int, words: str) -> None:
    run = run_of("wake")
    assert run.ended is not None
    ended = new(run.ended, queries=queries, queries_s=0.004 * queries)
    found = of(Run([*run.started, *run.results, ended]), "wake")
    assert ("queried" in found) == bool(queries)
    if queries:
        assert f"{words} this run, in {4 * queries} ms in total" in said(found["queried"])


@pytest.fixture(scope="module")
def powered() -> list[object]:
    return list(events(["power"], rounds=5, minute_s=30.0, second_s=1.0, interval_s=1.0))


@pytest.mark.parametrize(
    ("meter", "idle", "key", "words"),
    [
        ({"estimated": True, "error_pct": 5.0}, True, "estimated", "The drive estimates these values"),
        ({"error_pct": None}, True, "meter_unknown", "It states no error."),
        ({"scope": "machine", "error_pct": None}, False, "machine_unknown", "the drive's share is unknown"),
        ({"scope": "machine", "error_pct": None}, True, "machine_still", "adds 5.95 W to its"),
    ],
)
def test_a_meter_says_what_it_cannot_show(
    powered: list[object], meter: dict[str, object], idle: bool, key: str, words: str
) -> None:
    kept = [
        new(event, meters=tuple(new(one, **meter) for one in event.meters)) if isinstance(event, Started) else event
        for event in powered
        if idle or not (isinstance(event, Result) and event.where.phase == "idle")
    ]
    run = Run(kept)  # type: ignore[arg-type]
    found = of(run, "power")
    assert found.keys() & {"estimated", "meter_unknown", "machine_unknown", "machine_still", "meter"} >= {key}
    assert words in said(found[key])
    drawn = [picture.says for picture in charts.of(run, run.plan.tests[0], "en", {})]
    assert drawn
    assert all(says.endswith("It states no error.") == (meter["error_pct"] is None) for says in drawn)


@pytest.mark.parametrize(
    ("claimed", "key", "words"),
    [
        (190_000, "only_fresh", ""),
        (211_000, "near_fresh", "within 5.6% of the claim, and only when fresh"),
        (250_000, "missed", "not reached"),
        (20_000, "near", ""),
    ],
)
def test_a_claim_that_only_a_fresh_drive_nearly_reaches(short: Run, claimed: int, key: str, words: str) -> None:
    """199,195 IOPS in the first minute and 19,855 in the end, of a claim for servers."""
    sheet = {"claimed": {"rand_write_4k": claimed}, "class": "enterprise"}
    (found,) = [one for one in findings.find(short, sheet) if one.name == "claims"]
    assert (found.key, found.side) == (key, "" if key == "near" else "con")
    assert found.values["value"][0] == pytest.approx(19_855, abs=1)
    assert words in said(found)


@pytest.fixture(scope="module")
def short() -> Run:
    return made("write-saturation", "iops", truth=Truth(capacity_bytes=48 * GiB), interval_s=10.0, shorten=60)


def quicker(result: Result, times: float) -> Result:
    """So many times the writes in the same time."""
    write = result.counts.write
    write = new(write, ios=round(write.ios * times), bytes=round(write.bytes * times))
    return new(result, counts=new(result.counts, write=write))


@pytest.mark.parametrize(("first", "times", "level", "absorbs"), [
    (2, 4.0, "raid5", True), (2, 1.02, "raid5", False), (4, 4.0, "raid5", False), (2, 4.0, "", False),
])  # fmt: skip
def test_the_cache_of_a_controller_is_the_cause_of_fast_first_minutes_only(
    first: int, times: float, level: str, absorbs: bool
) -> None:
    """Two minutes of 60,000 IOPS more than the later 20,000, of 4 KiB: 29.5 GB, 27 GiB."""
    run = ran(lambda _: 20_000.0, "write-saturation", interface="SAS RAID", facts={"level": level} if level else {})
    early = run.of("write-saturation")[1 : 1 + first]
    assert all(result.counts.write.ios for result in early)
    found = of(changed(run, lambda r, _: quicker(r, times) if r in early else r), "cause")
    assert ("absorbed" in found) == absorbs
    if absorbs:
        assert found["absorbed"].values == {"bytes": pytest.approx(60_000 * 120 * 4096, rel=1e-3), "s": 120.0}
        assert "At the start (2 min) the array takes 27 GiB more than later" in said(found["absorbed"])


@pytest.mark.parametrize(("mean", "level", "names_it"), [
    (30_000.0, "raid5", True), (20_000.0, "raid5", False), (30_000.0, "", False),
])  # fmt: skip
def test_a_mean_that_is_partly_of_the_controllers_cache_is_named_and_no_penalty_comes_from_it(
    mean: float, level: str, names_it: bool
) -> None:
    """The cache takes 27 GiB, and the sweep at QD32 writes about 7 GiB of them above the 20,000 IOPS."""
    facts = {"level": level} if level else {}
    rate = {32: mean, 16: 20_000.0}
    run = ran(
        lambda load: 80_000.0 if load.read_pct else rate[load.depth],
        "block-sweep", "write-saturation", profile="review", interface="SAS RAID", facts=facts,
    )  # fmt: skip
    early = run.of("write-saturation", "saturate")[:2]
    run = changed(run, lambda r, _: quicker(r, 4.0) if r in early else r)
    found, figures = of(run, "cause"), evidence(run, {}, list(findings.find(run))).figures
    assert ("cached" in found, "raid5" in found) == (names_it, level == "raid5" and not names_it)
    assert ("writes_cached" in figures) is names_it
    if names_it:
        assert (found["cached"].test, found["cached"].values["lasts"]) == (
            "block-sweep",
            pytest.approx(20_000, rel=1e-3),
        )


@pytest.mark.parametrize(
    ("sector", "part", "told"), [(4096, 14_000.0, True), (4096, 16_000.0, False), (512, 14_000.0, False)]
)
def test_writes_of_part_of_a_sector_are_named_if_they_are_half_as_many(sector: int, part: float, told: bool) -> None:
    def iops(load: Workload) -> float:
        return part if load.read_pct == 0 and load.block_bytes < 4096 else 30_000.0 * 4096 / max(load.block_bytes, 4096)

    found = of(ran(iops, "block-sweep", physical_bytes=sector), "cause")
    assert ("part_sector" in found) == told
    if told:
        assert said(found["part_sector"]).startswith(
            "Sequential writes of 2 KiB reach 14,000 IOPS, those of 4 KiB 30,000."
        )


@pytest.mark.parametrize(
    ("answer", "keys", "english", "russian"),
    [
        (
            lambda speed: "slow" if speed > 0.6 else "",
            {"slower"},
            "within the limit at 0.59× that speed",
            "При 0,595 этой скорости",
        ),
        (lambda speed: "few", {"few"}, "headroom is unknown", "запас неизвестен"),
        (
            lambda speed: "slow" if 3 < speed < 5 else "",
            {"found", "uneven"},
            "kept again at 8× the trace's speed, although not at 3.1×",
            "При 8-кратной скорости трассы предел снова выдержан, хотя при 3,08-кратной нет",
        ),
        (lambda speed: "host" if speed > 6 else "", {"host"}, "Up to 5.9× its own speed", "До 5,91-кратной скорости"),
    ],
)
def test_a_search_for_headroom_names_the_speeds_at_its_ends(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[float], Why], keys: set[str], english: str, russian: str
) -> None:
    done = [new_pass(one) for one in asked(lambda speed, _: answer(speed))]
    options = {"percentile": 99.0, "limit_ms": 20.0}
    planned = SimpleNamespace(name="headroom", profile=SimpleNamespace(options=options))
    monkeypatch.setattr(look, "tests", lambda *_: [planned])
    monkeypatch.setattr(headroom, "passes", lambda *_: done)
    run: Any = None
    found = {one.key: msgspec.structs.replace(one, name="headroom") for one in headroom_findings.find(run, {})}
    assert found.keys() == keys
    last = found[sorted(keys)[-1]]
    assert english in said(last)
    assert russian in said(last, "ru")


def new_pass(one: Pass) -> Pass:
    """Held passes take 10 ms, others 30 ms; of few IOs that is unknown."""
    return one._replace(waited_s=None if one.why == "few" else 0.03 if one.why == "slow" else 0.01)


@pytest.fixture(scope="module")
def hours() -> Run:
    return made("write-saturation", truth=Truth(noise=0.0), profile="review", interval_s=60.0)


def of_minutes(run: Run, course: Callable[[int], float]) -> Run:
    """A saturation of ten hours with so many IOPS in each minute."""
    minutes = [result for result in run.of("write-saturation") if result.counts.seconds]
    assert len(minutes) == 600

    def change(result: Result, load: Workload) -> Result:
        if result not in minutes:
            return result
        return quicker(result, course(minutes.index(result)) * result.counts.seconds / result.counts.write.ios)

    return changed(run, change)


@pytest.mark.parametrize(
    ("course", "key", "values", "words"),
    [
        (
            lambda n: 60_000 if n < 30 else 20_000 * math.exp(-n / 1200),
            "falling",
            {"start": 60_000, "last": 12_191},
            ", it was still dropping.",
        ),
        (lambda n: 60_000 if n < 30 else 20_000 * math.exp(-n / 6000), "knee", {"start": 60_000}, ""),
        (
            lambda n: 600 if 300 <= n < 308 else 30_000,
            "paused",
            {"pause_s": 480, "pause_at": 18_000},
            "one pause of 8 min after 5 h.",
        ),
        (lambda n: 30_000, "flat", {}, ""),
    ],
)
def test_the_end_of_ten_hours_of_writes(
    hours: Run, course: Callable[[int], float], key: str, values: dict[str, float], words: str
) -> None:
    """Minutes of so many IOPS. By 5 % per hour the drive still falls, by 1 % it has settled."""
    found = of(of_minutes(hours, course), "saturation")
    assert found.keys() == {key}
    assert {name: found[key].values[name] for name in values} == pytest.approx(values, rel=0.01)
    assert found[key].side == ("con" if key in ("falling", "knee") else "")
    assert said(found[key]).endswith(words)


@pytest.mark.parametrize(("later", "rising"), [(lambda n: 8_000 + 20 * n, True), (lambda n: 20_000, False)])
def test_a_rate_that_still_rises_at_the_end_is_stated(hours: Run, later: Callable[[int], float], rising: bool) -> None:
    known = evidence(of_minutes(hours, lambda n: 60_000 if n < 30 else later(n)), {}, ()).figures
    assert ("still_rising" in known) is rising
    assert known["writes"] == pytest.approx(19_000 if rising else 20_000, rel=0.02)


@pytest.mark.parametrize(("noise", "key"), [(0.08, "steps"), (0.13, "about")])
def test_levels_of_a_scattered_course_are_about(noise: float, key: str) -> None:
    slc = (200 * GiB, 2000e6), (inf, 500e6)
    run = made("slc-cache", truth=Truth(noise=noise, slc=slc), profile="review-desktop", interval_s=5.0)
    (found, *_) = [one for one in findings.find(run) if one.name == "slc_cache"]
    assert found.key == key
    assert found.values["size"] == pytest.approx(200 * GiB, rel=0.03)
    if key == "about":
        assert "About the first 200 GiB" in said(found)
        assert found.values["scatter"] == pytest.approx(noise, rel=0.25)


@pytest.mark.parametrize(("flushes", "takes"), [(19, "takes on average 1.50 ms"), (20, "takes 1.50 ms")])
def test_the_mean_of_a_flush_stands_for_a_median_that_too_few_carry(flushes: int, takes: str) -> None:
    """A median needs ten flushes beyond it."""

    def change(result: Result, load: Workload) -> Result:
        if load.sync != "flush":
            return result
        counts = new(result.counts, write=tally((flushes, 2e6)))
        return new(result, counts=counts, pace=Pace(flush=tally((flushes, 1.5e6))))

    found = of(changed(run_of("journal"), change), "journal")
    assert f"A flush {takes}, a buffered write" in said(found["costs"])


def test_throttling_begins_with_the_first_slow_minute_and_not_with_the_reading_that_states_it() -> None:
    """The rate halves in the eighteenth minute; the flag is read in the twenty-first."""
    whole = made("heat", truth=Truth(slc=((inf, 500e6),)), interval_s=20.0, profile="review")
    minutes = whole.of("heat", "heat-writes")
    begin = minutes[0].t - minutes[0].counts.seconds
    slow = changed(whole, lambda r, _: quicker(r, 0.5) if r in minutes[17:] else r)
    read: list[Any] = [new(one, values=one.values | {"throttled": one.t >= begin + 1200}) for one in whole.telemetry]
    assert whole.ended is not None
    run = Run([*slow.started, *sorted([*read, *slow.results], key=lambda event: event.t), whole.ended])
    found = next(one for one in findings.find(run) if one.name == "heat" and one.values.get("phase") == "heat-writes")
    assert found.key == "throttled"
    assert (found.values["from_s"], found.values["to_s"]) == pytest.approx((17 * 60, 18 * 60))
    assert found.values["moved"] == pytest.approx(17 * 60 * 500e6, rel=0.05)
    assert found.values["share"] == pytest.approx(0.5, rel=0.03)
