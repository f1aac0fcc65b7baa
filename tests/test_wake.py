"""The wake test: after which rest a drive is asleep, how long the first read takes, and what says nothing of it."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import findings, store
from stend.charts import pictures
from stend.devices.virtual import VirtualDevice
from stend.findings.look.woken import levels, rests
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.definition import Hold, Workload
from stend.model.events import Event, Result, Telemetry
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import Tally
from stend.report.parts.states import states
from stend.sentences import finding_said
from stend.session import Request, start
from stend.sim import load
from stend.sim.spec import PowerState
from stend.words import Language
from tests.liar import Honest, mounted
from tests.rehearsal import rehearsed
from tests.synthetic import made

AWAKE_S, WAKES_S, SLEEPS_S = 80e-6, 20e-3, 0.15
WITHIN = 0.02
SIZE = 16 << 20
TRIES = 3


class Sleeper(Honest):
    """A drive that is asleep after a rest, and takes a while to answer the first read then."""

    read_at = 0.0

    def read(self, at: int, size: int) -> bytes:
        if time.monotonic() - self.read_at > SLEEPS_S:
            time.sleep(WAKES_S)
        data = super().read(at, size)
        self.read_at = time.monotonic()
        return data


def tally(*parts: tuple[int, float]) -> Tally:
    """So many reads of so many seconds each."""
    waits = [(n, seconds * 1e9) for n, seconds in parts]
    waited, squares = (sum(n * ns**power for n, ns in waits) for power in (1, 2))
    return Tally(sum(n for n, _ in parts), 0, waited, squares, max(ns for _, ns in waits),
                 {bin_index(ns): n for n, ns in waits})  # fmt: skip


def measured(waits: Callable[[float], Tally], pace: Pace | None = None, *, virtual: bool = True) -> Run:
    """A run of the test in which the reads after each rest (0: none) are these."""
    run = made("wake", interval_s=60.0)
    device = msgspec.structs.replace(run.plan.device, virtual=virtual)
    begun = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))

    def changed(result: Result) -> Result:
        rate = result.step.workload.rate_iops if isinstance(result.step, Hold) else 0
        counts = Counts(result.counts.seconds, 0.0, waits(1 / rate if rate else 0.0))
        return msgspec.structs.replace(result, counts=counts, pace=pace if rate else None)

    return Run([begun, *map(changed, run.results)])


def found(run: Run) -> dict[str, dict[str, Any]]:
    """Key -> values of what is found, each said in both languages."""
    every = [finding for finding in findings.find(run) if finding.name == "wake"]
    assert all(finding_said(finding, Language(lang)) for finding in every for lang in ("en", "ru"))
    return {finding.key: finding.values for finding in every}


def asleep_from(rest_s: float, wait_s: float = 9.6e-3) -> Callable[[float], Tally]:
    return lambda rest: tally((30, wait_s if rest >= rest_s else AWAKE_S))


def test_a_drive_that_sleeps_is_told_with_its_rest_and_its_latency() -> None:
    told = found(measured(asleep_from(10.0)))["sleeps"]
    assert (told["from"], told["to"]) == (1.0, 10.0)
    assert told["after_s"] == pytest.approx(9.6e-3, rel=0.02)
    assert told["times"] == pytest.approx(120, rel=0.02)


def test_a_drive_that_is_always_asleep_has_no_rest_before() -> None:
    assert found(measured(asleep_from(1e-4)))["sleeps_soon"]["to"] == 0.001


def test_a_deeper_state_is_told_besides() -> None:
    told = found(measured(lambda rest: tally((30, 1e-2 if rest >= 10 else 2e-3 if rest >= 0.1 else AWAKE_S))))
    assert (told["sleeps"]["from"], told["sleeps"]["to"]) == (0.01, 0.1)
    assert (told["deeper"]["from"], told["deeper"]["to"]) == (1.0, 10.0)


def test_what_the_sleep_of_a_processor_can_explain_is_no_sleep_of_a_real_drive() -> None:
    slower = asleep_from(1.0, AWAKE_S + 0.9e-3)
    assert "awake_host" in found(measured(slower, virtual=False))
    assert "sleeps" in found(measured(slower))
    assert "sleeps" in found(measured(asleep_from(1.0, AWAKE_S + 1.1e-3), virtual=False))


def test_reads_that_the_host_sent_late_say_nothing_and_are_crosses() -> None:
    late = Pace(sent=30, late=30, lateness={bin_index(5e6): 30}, latest_ns=5e6)
    run = measured(asleep_from(10.0), late)
    assert found(run).keys() == {"late", "short"}
    short = next(finding for finding in findings.find(run) if finding.key == "short")
    assert "no rest was measured" not in finding_said(short, Language("en"))
    (picture,) = pictures("wake", run, run.plan.tests[0])
    assert len(picture.spec["datasets"]["late"]) == 12
    assert not picture.spec["datasets"]["rows"]


def test_a_rest_that_the_drive_does_not_keep_up_with_is_none() -> None:
    assert found(measured(asleep_from(10.0), Pace(sent=30, late=30, full=30))).keys() == {"short"}


def test_other_work_on_the_host_can_look_like_sleep_and_never_hides_it() -> None:
    def busy(run: Run) -> Run:
        counts = [msgspec.structs.replace(r.counts, cpu_s=2 * r.counts.seconds) for r in run.results]
        replaced = [msgspec.structs.replace(r, counts=c) for r, c in zip(run.results, counts, strict=True)]
        return Run([run.started[0], *replaced])

    asleep, awake = (busy(measured(asleep_from(rest_s), virtual=False)) for rest_s in (10.0, 100.0))
    assert found(asleep).keys() == {"sleeps", "latency", "busy"}
    assert {f.key: f.confidence for f in findings.find(asleep) if f.name == "wake"}["sleeps"] == "low"
    assert found(awake).keys() == {"awake_host"}
    assert {f.key: f.confidence for f in findings.find(awake) if f.name == "wake"}["awake_host"] == "high"


def test_some_slow_reads_are_no_sleep_but_are_told() -> None:
    told = found(measured(lambda rest: tally((14, AWAKE_S), (6 if rest >= 60 else 1, 9e-3))))
    assert (told["uneven"]["slow"], told["uneven"]["n"], told["uneven"]["rest"]) == (6, 20, 60)
    assert "sleeps" not in told


@pytest.mark.parametrize(("slow", "told_of"), [(3, False), (6, True)])
def test_reads_as_slow_as_some_without_a_rest_are_no_sign_of_sleep(slow: int, *, told_of: bool) -> None:
    """Of a disk one read of twenty may take half as long again as most: a far seek and most of a turn."""
    disk = measured(lambda rest: tally((20 - slow, 4e-3), (slow, 7e-3)) if rest >= 60 else tally((19, 4e-3), (1, 7e-3)))
    assert ("uneven" in found(disk)) is told_of


def test_a_reading_of_health_in_a_rest_is_told() -> None:
    run = measured(asleep_from(10.0), virtual=False)
    middle = run.results[-1].t - 5
    events: list[Event] = [Telemetry(t=0.0, values={"a": 1}, took_s=0.2), *run.results]
    calm = Run([run.started[0], *events])
    assert found(calm)["unwatched"]["took_s"] == 0.2
    looked = Run([run.started[0], *events, Telemetry(t=middle, values={"a": 1}, took_s=0.3)])
    assert found(looked)["watched"]["inside"] == 1


def test_nothing_is_read_of_the_drive_while_it_rests() -> None:
    events = list(rehearsed(VirtualDevice("sim:small", load("small")), "wake", second_s=0.02))
    kinds = ["look" if isinstance(e, Telemetry) else e.index for e in events if isinstance(e, Telemetry | Result)]
    assert kinds == ["look", *range(11), "look"]


def test_each_rest_has_its_reads_and_ends_after_the_last() -> None:
    run = Run(rehearsed(VirtualDevice("sim:small", load("small")), "wake", second_s=1.0))
    ramps, held = run.results[1::2], run.results[2::2]
    assert [result.counts.ios for result in held] == [10_000, 10_000, 1000, 100, 20, 20]
    assert all(result.step.ramp and result.counts.ios for result in ramps)  # type: ignore[union-attr]
    _, every = rests(run, "wake")
    assert [rest.reads for rest in every] == [result.counts.ios for result in held]
    assert "awake" in found(run)


def test_the_longer_rest_before_a_load_is_in_none_of_its_figures() -> None:
    """A drive that sleeps after 11 ms: only the start of the load after 10 ms of rest finds it asleep."""
    spec = load("small")
    state = PowerState(sleep_after_ms=11, watts=0.1, exit_ms=5)
    asleep = msgspec.structs.replace(spec, power=msgspec.structs.replace(spec.power, states=(state,)))
    run = Run(rehearsed(VirtualDevice("sim:small", asleep), "wake", second_s=1.0))
    longest = {rest.rest_s: rest.longest_s for rest in rests(run, "wake")[1]}
    assert longest[0.01] < 1e-3 < 5e-3 <= longest[0.1]


@pytest.mark.parametrize(("exit_s", "joined"), [(0.0, True), (1e-5, False), (1e-4, False)])
def test_rests_after_which_a_drive_is_in_one_state_have_one_latency(exit_s: float, joined: bool) -> None:
    """400 reads of 2.08 ms with 10 us of scatter, and 20 after the longest rest, which may take longer."""
    dice = random.Random(1)

    def waits(rest_s: float) -> Tally:
        more_s = 2e-3 if rest_s else 0.0
        late_s = exit_s * 10 if rest_s >= 60 else 0.0
        reads = 20 if rest_s >= 60 else 80
        each = [tally((1, AWAKE_S + more_s + late_s + dice.gauss(0, 1e-5))) for _ in range(reads)]
        return sum(each[1:], each[0])

    every = levels(rests(measured(waits), "wake")[1])
    assert (len(every) == 1) is joined
    assert every[0].median.low_s <= AWAKE_S + 2e-3 <= every[0].median.high_s * 1.016
    assert every[0].reads == (5 * 80 + 20 if joined else 5 * 80)


def test_a_drive_that_sleeps_after_every_second_rest_of_a_length_is_not_called_awake_after_it() -> None:
    told = found(measured(lambda rest: tally((60, AWAKE_S), (130 if rest >= 10 else 40 if rest >= 1 else 0, 9e-3))))
    assert (told["sleeps"]["from"], told["sleeps"]["to"]) == (0.1, 10.0)
    assert (told["mixed"]["rest"], told["mixed"]["slow"], told["mixed"]["n"]) == (1.0, 40, 100)


def rested(name: str, *states: PowerState) -> Run:
    """A run of the test on a virtual drive with these power states."""
    spec = load(name)
    power = msgspec.structs.replace(spec.power, states=states)
    return Run(
        rehearsed(VirtualDevice(f"sim:{name}", msgspec.structs.replace(spec, power=power)), "wake", second_s=1.0)
    )


def test_reads_after_every_second_rest_of_a_drive_that_is_asleep_have_two_latencies() -> None:
    """A drive that sleeps after 97 ms and takes 5 ms to wake: the rest after a slow read lasts 95 ms only."""
    told = found(rested("small", PowerState(sleep_after_ms=97, watts=0.1, exit_ms=5)))
    assert told["mixed"]["rest"] == 0.1
    assert told["mixed"]["slow"] == pytest.approx(told["mixed"]["n"] / 2, abs=1)
    assert told["mixed"]["slow_s"] - told["mixed"]["fast_s"] == pytest.approx(5e-3, rel=WITHIN)
    assert (told["sleeps"]["from"], told["sleeps"]["to"]) == (0.01, 1.0)
    assert told["latency"]["wake_s"] == pytest.approx(5e-3, rel=WITHIN)
    assert told["latency"]["n"] == 100 + 20 + 20  # no read after 0.1 s is in it


def test_a_drive_between_two_states_of_sleep_has_two_latencies_and_sleeps_after_all_such_rests() -> None:
    states = PowerState(sleep_after_ms=20, watts=0.2, exit_ms=0.5), PowerState(sleep_after_ms=95, watts=0.1, exit_ms=20)
    told = found(rested("small", *states))
    awake_s = told["sleeps"]["awake_s"]
    assert told["mixed"]["rest"] == told["sleeps"]["to"] == 0.1
    assert told["mixed"]["fast_s"] == pytest.approx(awake_s + 0.5e-3, rel=WITHIN)
    assert told["mixed"]["slow_s"] == pytest.approx(awake_s + 20e-3, rel=WITHIN)
    assert (told["deeper"]["from"], told["deeper"]["to"]) == (0.1, 1.0)


def test_a_drive_that_is_asleep_only_after_half_of_its_longest_rests_is_not_called_awake() -> None:
    told = found(measured(lambda rest: tally((10, AWAKE_S), (10 if rest >= 60 else 0, 9e-3))))
    assert told.keys() == {"mixed"}
    assert told["mixed"]["wait_s"] == told["mixed"]["slow_s"] == pytest.approx(9e-3, rel=0.02)


def test_the_chart_has_both_latencies_of_a_rest_with_two() -> None:
    run = measured(lambda rest: tally((10, AWAKE_S), (10 if rest >= 60 else 0, 9e-3)))
    (picture,) = pictures("wake", run, run.plan.tests[0])
    points = [row["ms"] for row in picture.spec["datasets"]["rows"] if row["rest"] == 60]
    assert points == pytest.approx([0.08, 9, 9], rel=0.02)


def test_a_wide_spread_without_a_gap_is_one_latency() -> None:
    """A disk: reads wait for up to a turn of 8.3 ms, and after the longest rest for its spindle as well."""
    dice = random.Random(3)

    def waits(rest_s: float) -> Tally:
        each = [tally((1, 2e-3 + dice.uniform(0, 8.3e-3) + (5.0 if rest_s >= 60 else 0))) for _ in range(20)]
        return sum(each[1:], each[0])

    told = found(measured(waits))
    assert "mixed" not in told
    assert (told["sleeps"]["from"], told["sleeps"]["to"]) == (10.0, 60.0)


def test_two_groups_that_the_sleep_of_a_processor_can_explain_are_none_of_a_real_drive() -> None:
    def halves(slow_s: float) -> Callable[[float], Tally]:
        return lambda rest: tally((10, AWAKE_S), (10 if rest >= 1 else 0, slow_s))

    assert found(measured(halves(AWAKE_S + 0.9e-3), virtual=False)).keys() == {"awake_host"}
    assert "mixed" in found(measured(halves(AWAKE_S + 0.9e-3)))
    assert "mixed" in found(measured(halves(AWAKE_S + 1.2e-3), virtual=False))


def test_a_scaled_drive_with_power_states_shows_both() -> None:
    """Each of its IOs stands for 64, but not each of these reads."""
    spec = load("kc2000")
    run = Run(rehearsed(VirtualDevice("sim:kc2000", spec), "wake", second_s=1.0))
    told, (light, deep) = found(run), spec.power.states
    assert (told["sleeps"]["from"], told["sleeps"]["to"]) == (0.1, 1.0)
    assert told["sleeps"]["after_s"] - told["sleeps"]["awake_s"] == pytest.approx(deep.exit_ms / 1e3, rel=WITHIN)
    assert told["deeper"]["before_s"] - told["sleeps"]["awake_s"] == pytest.approx(light.exit_ms / 1e3, rel=WITHIN)
    assert (told["deeper"]["from"], told["deeper"]["to"]) == (1.0, 10.0)
    assert told["latency"]["wake_s"] == pytest.approx(deep.exit_ms / 1e3, rel=WITHIN)
    assert told["latency_after"]["wake_s"] == pytest.approx(light.exit_ms / 1e3, rel=WITHIN)


def test_labels_of_slow_rates_are_short() -> None:
    slow = Workload(random_pct=100, read_pct=100, block_bytes=4096, rate_iops=1 / 60, arrivals="even")
    assert slow.label == "RND 4K 100/0 T1 Q1 1/60s even"
    assert msgspec.structs.replace(slow, rate_iops=2.5).label == "RND 4K 100/0 T1 Q1 2.5/s even"
    assert Language("ru").show(slow.label, "load").endswith("T1 Q1, раз в 60 с, равномерно")


@pytest.mark.slow
@pytest.mark.fio
@pytest.mark.needs("root", "FUSE in the kernel")
def test_a_file_that_sleeps_after_a_rest_shows_its_latency(tmp_path: Path) -> None:
    """A busy host makes reads slower and never faster than the drive; a rest that it did not keep is left out."""
    study = tmp_path / "study.toml"
    study.write_text(
        'title = "short"\ntests = ["wake"]\n[settings]\nsecond_s = 0.2\n'
        "[settings.tests.wake]\nrests_s = [0.05, 0.5, 2.0]\n"
    )
    told = dict[str, dict[str, Any]]()
    with mounted(tmp_path / "drive", lambda: Sleeper(SIZE)) as path:
        for number in range(TRIES):
            into = tmp_path / str(number)
            with start(Request([str(study)], str(path), into=str(into))) as run:
                assert list(run)
            told = found(store.load(into))
            if slept := told.get("sleeps") or told.get("sleeps_soon"):
                assert slept["after_s"] >= WAKES_S > 10 * slept["awake_s"]
                if slept["from"] < SLEEPS_S < slept["to"]:
                    return
            assert told.keys() & {"late", "short", "busy"}  # never "awake", and never sure of a wrong rest
    assert os.getloadavg()[0] > 2 * (os.cpu_count() or 1), told
    pytest.skip(f"other processes kept this host from sending reads on time in {TRIES} runs")


def test_the_states_that_a_drive_reports_are_beside_its_measured_latencies() -> None:
    spec = load("kc2000")
    run = Run(rehearsed(VirtualDevice("sim:kc2000", spec), "wake", second_s=1.0))
    light, deep = spec.power.states
    for lang in ("en", "ru"):
        (table,) = states(run, run.plan.tests[0], Language(lang))
        assert [row[0][0] for row in table.rows] == ["0", "1", "2"]
        shown = [Language(lang).show(state.exit_ms / 1e3, "lat") for state in (light, deep)]
        assert [row[4] for row in table.rows[1:]] == shown
        assert table.rows[0][5] == "–"
        assert all(row[5] != "–" for row in table.rows[1:])
    none = Run(rehearsed(VirtualDevice("sim:small", load("small")), "wake", second_s=0.02))
    assert not list(states(none, none.plan.tests[0], Language("en")))
