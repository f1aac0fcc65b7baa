"""What the journal test concludes of where a write is when its flush comes, by how long medium, write and flush take.

A platter of 10,500 rpm turns once in 5.7 ms, flash memory is programmed in 0.2 ms and more, 3D XPoint in 10 us.
"""

from typing import Any, NamedTuple

import msgspec
import pytest

from stend import findings
from stend.base.units import KiB
from stend.findings import Finding
from stend.findings.judgement import verdict
from stend.findings.judgement.evidence import Known
from stend.findings.judgement.named import of_findings
from stend.model.definition import Workload
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import NONE, Tally
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.pictures import run_of
from tests.test_service_findings import changed, tally

MANY = 10_000
FLUSH = ("costs", "free", "uneven", "through", "unknown")


class Times(NamedTuple):
    """The ns of a write without flush, of one until its flush has ended, of the flush, and of a write with FUA.

    `slow_ns` is how long one write in fifty takes in the step of FUA.
    """

    plain_ns: float
    both_ns: float
    flush_ns: float
    fua_ns: float
    slow_ns: float = 0.0


def answers(times: Times, rate: dict[int, float] | None = None, *, platter: bool = False, many: int = MANY) -> Run:
    """A run in which `many` IOs of each load of 4 KiB take these times. `rate` has the writes per second by writers."""

    def answered(result: Result, load: Workload) -> Result:
        if load.random_pct or load.read_pct or load.block_bytes > 4096:
            return result
        ns = {"none": times.plain_ns, "flush": times.both_ns * load.threads, "fua": times.fua_ns}[load.sync]
        slow = many // 50 if load.sync == "fua" and times.slow_ns else 0
        write = tally((many - slow, ns), (slow, times.slow_ns)) if slow else tally((many, ns))
        seconds = write.latency_ns / 1e9 / load.threads
        if load.sync == "flush" and rate and load.threads in rate:
            seconds = many / rate[load.threads]
        counts = msgspec.structs.replace(result.counts, write=write, read=NONE, seconds=seconds, cpu_s=0.0)
        pace = Pace(flush=tally((many, times.flush_ns)) if load.sync == "flush" else Tally())
        return msgspec.structs.replace(result, counts=counts, pace=pace)

    run = changed(run_of("journal"), answered)
    plan = run.plan
    device = msgspec.structs.replace(plan.device, rotational=platter)
    started = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(plan, device=device))
    return Run([started, *run.results])


def told(run: Run, sheet: dict[str, Any] | None = None) -> dict[str, Finding]:
    return {f.key: f for f in findings.find(run, sheet or {}) if f.name == "journal"}


def flush_of(run: Run, sheet: dict[str, Any] | None = None) -> Finding:
    (flush,) = (f for key, f in told(run, sheet).items() if key.startswith(FLUSH))
    return flush


def sentences(finding: Finding) -> tuple[str, str]:
    english, russian = (finding_said(finding, Language(lang)) for lang in LANGUAGES)
    return english.replace("\u00a0", " "), russian.replace("\u00a0", " ")


US, MS = 1e3, 1e6
NO_CACHE = Times(100 * US, 5.73 * MS, 90 * US, 5.73 * MS)
"""A disk of 10,500 rpm without a volatile write cache: each synced write waits for the turn to its place."""
CACHE = Times(93 * US, 5.73 * MS, 5.64 * MS, 5.73 * MS)
PROTECTED_DISK = Times(94 * US, 183 * US, 90 * US, 94 * US)
WRITE_THROUGH = Times(760 * US, 770 * US, 10 * US, 760 * US)
PROTECTED = Times(20 * US, 38 * US, 17 * US, 20 * US)
RAID = Times(1.09 * MS, 2.18 * MS, 1.09 * MS, 1.09 * MS)
"""A protected cache behind a controller that takes 1.1 ms for each command, a flush too."""
SLOW_UNIT = Times(140 * US, 155 * US, 15 * US, 140 * US)
"""A protected drive that reads 64 KiB before it buffers 4 KiB of it."""
XPOINT = Times(10.7 * US, 20.6 * US, 9.85 * US, 10.7 * US)


@pytest.mark.parametrize(
    ("times", "platter", "key"),
    [
        (NO_CACHE, True, "through"),
        (NO_CACHE._replace(plain_ns=5.73 * MS), True, "through"),
        (CACHE, True, "costs"),
        (PROTECTED_DISK, True, "free_platter"),
        (NO_CACHE._replace(fua_ns=100 * US), True, "free_platter"),
        (WRITE_THROUGH, False, "through_flash"),
        (PROTECTED, False, "free"),
        (RAID, False, "free"),
        (SLOW_UNIT, False, "free"),
        (XPOINT, False, "free"),
    ],
)
def test_a_write_that_waits_for_the_medium_itself_leaves_a_flush_nothing_to_do(
    times: Times, platter: bool, key: str
) -> None:
    """The same disk with a cache on, with a protected one, and with a FUA that does not wait is another case."""
    assert flush_of(answers(times, platter=platter)).key == key


def test_few_writes_that_take_longer_than_a_flush_are_not_called_buffered() -> None:
    """Seven writes carry no median: their mean of 6.5 ms is that of a program of QLC, and the flush takes 112 us."""
    flush = flush_of(answers(Times(6.5 * MS, 6.6 * MS, 112 * US, 6.5 * MS), many=7))
    assert flush.key == "through_flash"
    assert "buffered" not in sentences(flush)[0]


def test_of_a_disk_without_a_cache_neither_protection_nor_ignored_flushes_are_said() -> None:
    flush = flush_of(answers(NO_CACHE, platter=True))
    assert flush.values["write_s"] == pytest.approx(5.64e-3, rel=0.01)
    assert flush.values["fua_s"] == pytest.approx(5.73e-3, rel=0.01)
    assert flush.side == ""
    english, russian = sentences(flush)
    assert "on the medium before the host sends the flush" in english
    assert "protected" not in english
    assert "ignore" not in english
    assert "защищ" not in russian
    assert "не выполняет" not in russian


@pytest.mark.parametrize(
    ("times", "asked"), [(NO_CACHE, False), (CACHE, False), (PROTECTED_DISK, True), (WRITE_THROUGH, False)]
)
@pytest.mark.parametrize("plp", [{}, {"plp": 0.0}])
def test_only_a_write_that_never_waits_for_the_medium_needs_protection(
    times: Times, asked: bool, plp: dict[str, float]
) -> None:
    """A disk that writes through acknowledges no write before it is on the platter, whatever its sheet states."""
    flush = flush_of(answers(times, platter=times is not WRITE_THROUGH))
    figures = {item.name: item.value or 0.0 for item in of_findings([flush])}
    evidence = Known({"capacity": 1e12, "journal_rate": 20e3, "journal_wait": 1e-3} | figures | plp)
    (use,) = (use for use in verdict(evidence, "disk").uses if use.use == "journal")
    named = {reason.figure for reason in use.reasons} | {*use.facts}
    assert ("plp" in named) is asked


def test_flash_memory_is_not_the_only_medium() -> None:
    """3D XPoint writes 4 KiB within 10 us: a flush of 9.85 us is too short for flash memory, not for any medium."""
    english, russian = sentences(flush_of(answers(XPOINT)))
    assert "too short to program flash memory" in english
    assert "3D XPoint" in english
    assert "3D XPoint" in russian
    for times, platter in ((XPOINT, False), (PROTECTED_DISK, True), (RAID, False)):
        for stated in ({}, {"power_loss_protection": True}, {"power_loss_protection": False}):
            said, said_ru = sentences(flush_of(answers(times, platter=platter), stated))
            assert "to the medium" not in said
            assert "на носитель" not in said_ru
            assert ("platter" in said) is platter


def test_a_flush_of_a_slow_controller_is_not_called_short() -> None:
    """1.09 ms would be enough to program flash memory; the flush takes as long as any command."""
    english, russian = sentences(flush_of(answers(RAID)))
    assert "1.09 ms, which is about as long as a write without a flush" in english
    assert "1,09 мс — примерно столько же, сколько запись без сброса" in russian


EMMC = Times(83 * US, 1.55 * MS, 1.45 * MS, 1.48 * MS)
CLEANING = EMMC._replace(slow_ns=230 * MS)
"""An eMMC whose cleaning grew until the last step: one write in fifty takes 230 ms there, thus 6 ms on average."""


def test_a_level_that_moved_is_no_effect_of_fua_or_of_the_writers() -> None:
    """One writer had 350 per second at first. 168 of 16 are as many as the 165 that one had in the end."""
    found = told(answers(CLEANING, {1: 350, 16: 168}))
    assert not {"falls", "level", "grows", "fua"} & found.keys()
    assert found["moved"].values["later"] == pytest.approx(165, rel=0.03)
    assert found["moved"].side == ""
    assert found["fua_moved"].values["fua_s"] == pytest.approx(1.48e-3, rel=0.01)
    assert found["fua_moved"].values["fua_mean_s"] == pytest.approx(6.05e-3, rel=0.01)
    assert found["fua_moved"].values["apart"] > 0
    for key in ("moved", "fua_moved"):
        english, russian = sentences(found[key])
        assert "usually" in english
        assert "обычно" in russian


@pytest.mark.parametrize(("most", "key"), [(168, "falls"), (660, "level"), (910, "rises"), (2000, "grows")])
def test_at_a_level_that_stays_writers_and_fua_are_compared(most: float, key: str) -> None:
    found = told(answers(EMMC, {16: most}))
    assert key in found
    assert found["fua"].values["fua_s"] == pytest.approx(1.48e-3, rel=0.01)
    assert not {"moved", "fua_moved"} & found.keys()
    if key == "rises":
        assert "rises by only 41%" in sentences(found[key])[0]


def test_writers_that_gain_more_than_the_level_moved_are_still_said_to() -> None:
    found = told(answers(CLEANING, {1: 350, 16: 2000}))
    assert "grows" in found
    assert "moved" not in found


def test_a_median_beside_a_mean_is_named() -> None:
    """Of 1,000 flushes 980 take 1.45 ms and 20 take 65 ms: 2.7 ms on average."""

    def flushed(result: Result, load: Workload) -> Result:
        pace = Pace(flush=tally((980, 1.45 * MS), (20, 65 * MS)))
        return msgspec.structs.replace(result, pace=pace) if load.sync == "flush" else result

    usual, even = (flush_of(run) for run in (changed(answers(EMMC), flushed), answers(EMMC)))
    assert usual.key == even.key == "costs"
    assert usual.values["flush_s"] == pytest.approx(1.45e-3, rel=0.01)
    assert [said.split(" 1")[0] for said in sentences(usual)] == ["A flush usually takes", "Сброс обычно занимает"]
    assert [said.split(" 1")[0] for said in sentences(even)] == ["A flush takes", "Сброс занимает"]


@pytest.mark.parametrize(("flush_ms", "key"), [(1.4, "at_most"), (2.0, "between")])
def test_a_buffer_that_may_be_of_no_size_is_at_most_so_large(flush_ms: float, key: str) -> None:
    """A flush after a long burst takes as long as after one write: none of it need be emptying, but some may.

    The buffer drains 128 KiB in 1.1 ms. What it holds drains in at most the whole flush.
    """

    def burst(result: Result, load: Workload) -> Result:
        if load.block_bytes != 128 * KiB or load.sync != "flush":
            return result
        wait_ns, flush_ns = (0.7 * MS, 1.45 * MS) if load.flush_every == 1 else (1.1 * MS, flush_ms * MS)
        flushes = MANY // load.flush_every + 1
        count = flushes * load.flush_every
        write = msgspec.structs.replace(tally((count, wait_ns)), bytes=count * load.block_bytes)
        seconds = (count * wait_ns + flushes * flush_ns) / 1e9
        counts = msgspec.structs.replace(result.counts, write=write, seconds=seconds)
        return msgspec.structs.replace(result, counts=counts, pace=Pace(flush=tally((flushes, flush_ns))))

    found = told(changed(answers(EMMC), burst))
    (size,) = (f for f in found.values() if f.key in ("at_most", "between", "buffer", "at_least"))
    assert size.key == key
    assert size.values["most"] == pytest.approx(128 * KiB * flush_ms / 1.1, rel=0.05)
    english, russian = sentences(size)
    assert " 0 B" not in english
    assert " 0 Б" not in russian
    if key == "at_most":
        assert "holds at most 1" in english
        assert "вмещает не больше 1" in russian
