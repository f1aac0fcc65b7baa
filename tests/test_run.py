"""Stories about the runner: what is asked of drive and engine, and in which order."""

import itertools
from typing import Any

import msgspec
import pytest

from stend import findings
from stend.base.errors import StepFailed
from stend.base.units import KiB
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Idle, Plan, Seconds, Workload
from stend.model.events import Event, Judged, Note, Position, Result, Telemetry
from stend.model.record import Run
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.bench import Bench
from stend.runner.loop import run, step_seed
from stend.runner.rules import limit_met
from stend.sentences import finding_said
from stend.words import Language, decoded, encoded
from tests.still import IDENTITY, StillDevice, StillEngine, StillLoad

PROFILE = planning.load_profile("enterprise-2.0.2")


def drawn(*names: str, **changes: object) -> Plan:
    profile, told = planning.adjust(PROFILE, changes)
    return planning.draw(names, profile, IDENTITY, deviations=told)


def play(plan: Plan, engine: StillEngine, past: Run | None = None) -> list[Event]:
    return list(run(plan, StillDevice(engine.log), engine, seed=1, at=0.0, past=past))


def shorten(log: list[str]) -> list[str]:
    return [line for line in log if line != "check"]


def end_of(events: list[Event], phase: str) -> str:
    return [e for e in events if isinstance(e, Judged) and e.where.phase == phase][-1].ended_by


def test_write_saturation_is_never_interrupted() -> None:
    engine = StillEngine()
    events = play(drawn("write-saturation", minute_s=1), engine)
    assert shorten(engine.log) == ["purge", "start RND 4K 0/100 T4 Q32", "stop", "close"]
    assert end_of(events, "saturate") == "steady state"


@pytest.mark.parametrize(("fills", "outcome"), [(4, "complete"), (3, "not steady")])
def test_write_saturation_ends_after_four_fills_when_it_never_settles_and_that_end_is_regular(
    fills: int, outcome: str
) -> None:
    engine = StillEngine(lambda w, t: 10_000 / (1 + t / 60))
    run_ = Run(play(drawn("write-saturation", minute_s=1, tests={"write-saturation": {"fills": fills}}), engine))
    ended = f"the limit of {fills} GiB written"
    assert end_of(list(run_.judged), "saturate") == ended
    assert run_.ended
    assert run_.ended.outcome == outcome
    unmet, regular = "steady state not reached ({})", "saturated, {}; not steady by the rule"
    assert run_.stamps == ("Write Saturation: " + (regular if fills == 4 else unmet).format(ended),)
    found = next(f for f in findings.find(run_, {}) if f.name == "steady_state" and f.values["phase"] == "saturate")
    assert found.key == ("saturated" if fills == 4 else "unmet")
    assert found.side == ("" if fills == 4 else "con")
    assert "ended regularly" in finding_said(found, Language("en")) or fills < 4


def test_iops_runs_the_prescribed_order_and_settles_at_round_five() -> None:
    events = play(drawn("iops", minute_s=1), StillEngine())
    run_ = Run(events)
    first = [r.step.workload.label for r in run_.of("iops", "rounds")[:9]]  # type: ignore[union-attr]
    assert first[0] == "RND 1024K 100/0 T4 Q32"
    assert first[7] == "RND 0.5K 100/0 T4 Q32"
    assert first[8] == "RND 1024K 95/5 T4 Q32"
    assert len(run_.of("iops", "rounds")) == 5 * 56
    assert [j.steady for j in run_.judged if j.where.phase == "rounds"] == [False] * 4 + [True]


def test_one_variable_of_three_that_still_moves_keeps_the_rounds_going() -> None:
    engine = StillEngine(lambda w, t: 1000 + t if (w.block_bytes, w.read_pct) == (64 * KiB, 65) else 100_000)
    run_ = Run(play(drawn("iops", minute_s=1, rounds=6), engine))
    judged = [j for j in run_.judged if j.where.phase == "rounds"]
    assert [v.steady for v in judged[-1].verdicts] == [True, False, True]
    assert judged[-1].ended_by == "the limit of 6 rounds"
    assert run_.ended is not None
    assert run_.ended.outcome == "not steady"


def test_the_next_load_stands_ready_before_the_present_one_stops() -> None:
    engine = StillEngine()
    play(drawn("iops", minute_s=10), engine)
    log = shorten(engine.log)
    at = log.index("start RND 1024K 100/0 T4 Q32")
    assert log[at : at + 4] == [
        "start RND 1024K 100/0 T4 Q32",
        "ready RND 128K 100/0 T4 Q32",
        "stop",
        "start RND 128K 100/0 T4 Q32",
    ]


def test_what_stands_ready_is_what_starts_next_with_its_seed_across_rounds_and_tests() -> None:
    asked: list[tuple[object, ...]] = []

    class Announced(StillEngine):
        def start(self, workload: Workload, **where: Any) -> StillLoad:
            asked.append(("start", workload, where))
            return super().start(workload, **where)

        def prepare(self, workload: Workload, **where: Any) -> None:
            asked.append(("ready", workload, where))

    engine = Announced(lambda w, t: 1000 + 10 * t)
    play(drawn("iops", "cross-stimulus", minute_s=1, rounds=6), engine)
    ready = [(coming, begun) for (kind, *coming), (_, *begun) in itertools.pairwise(asked) if kind == "ready"]
    assert all(coming == begun for coming, begun in ready)
    assert len(asked) == 2 * len(ready) + engine.log.count("purge")


def test_the_end_of_each_rest_is_left_to_the_load_that_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    left, rest = list[bool](), Bench.rest

    def spied(here: Bench, seconds: float, *, until_hold: bool = False) -> Any:
        left.append(until_hold)
        return rest(here, seconds, until_hold=until_hold)

    monkeypatch.setattr(Bench, "rest", spied)
    steps = [e.step for e in play(drawn("slc-cache", minute_s=1), StillEngine()) if isinstance(e, Result)]
    after = [isinstance(step, Hold) for before, step in itertools.pairwise(steps) if isinstance(before, Idle)]
    assert left == after == [True] * 4


def test_what_the_drive_says_between_rounds_is_doubted_or_does_not_match() -> None:
    class Worn(StillDevice):
        looks = 0

        def health(self) -> dict[str, Any]:
            self.looks += 1
            return {"media_errors": self.looks, "kernel_write_bytes": 0, "kernel_read_bytes": 0}

    plan = drawn("iops", minute_s=1, rounds=5)
    worn = Run(run(plan, Worn(), StillEngine(), seed=1, at=0.0))
    said = [note for note in worn.notes if note.kind == "doubt"]
    assert said
    assert all(note.text.startswith("media errors grew by 1 between minute ") for note in said)
    assert any(note.kind == "mismatch" and "the kernel counted 0" in note.text for note in worn.notes)
    assert worn.warnings() == ("load and counters differ by more than 1%, see the notes",)
    assert Run(play(plan, StillEngine())).warnings() == ()


def test_a_counter_that_is_told_now_and_then_proves_nothing() -> None:
    class Moody(StillDevice):
        looks = 0

        def health(self) -> dict[str, Any]:
            self.looks += 1
            return {"kernel_write_bytes": 0, "kernel_read_bytes": 0} if self.looks % 2 else {"temperature_c": 40}

    moody = Run(run(drawn("iops", minute_s=1, rounds=5), Moody(), StillEngine(), seed=1, at=0.0))
    assert not [note for note in moody.notes if note.kind == "mismatch"]


def test_a_run_counts_its_time_from_its_own_begin() -> None:
    plan, late = drawn("iops", minute_s=1, rounds=5), StillEngine()
    late.clock = 1000.0
    ends = [[e.t for e in play(plan, engine) if isinstance(e, Result)] for engine in (StillEngine(), late)]
    assert ends[0] == pytest.approx(ends[1])


@pytest.mark.parametrize(("outstanding", "asked"), [((1, 1), False), ((1, 2), True), ((4, 32), True)])
def test_a_drive_that_works_on_one_io_at_a_time_is_not_asked_amid_its_load(
    outstanding: tuple[int, int], asked: bool
) -> None:
    """A look at the drive would be an IO more, and its response time that of two."""

    class Told(StillDevice):
        def health(self) -> dict[str, Any]:
            return {"temperature_c": 40}

    plan = drawn("write-saturation", minute_s=1, threads=outstanding[0], depth=outstanding[1])
    events = list(run(plan, Told(), StillEngine(), seed=1, at=0.0))
    held = [n for n, e in enumerate(events) if isinstance(e, Result) and isinstance(e.step, Hold)]
    assert any(isinstance(e, Telemetry) for e in events[held[0] : held[-1]]) == asked
    assert isinstance(next(e for e in events if isinstance(e, Telemetry | Result)), Telemetry)


def test_preconditioning_writes_exactly_twice_the_capacity() -> None:
    run_ = Run(play(drawn("iops", minute_s=1), StillEngine()))
    assert sum(r.counts.write.bytes for r in run_.of("iops", "precondition")) == 2 * IDENTITY.capacity_bytes


def test_an_unmet_steady_state_is_an_outcome_and_a_stamp() -> None:
    engine = StillEngine(lambda w, t: 1000 + 10 * t)
    run_ = Run(play(drawn("iops", minute_s=1, rounds=6), engine))
    assert run_.ended is not None
    assert run_.ended.outcome == "not steady"
    assert any("not reached" in stamp for stamp in run_.stamps)


@pytest.mark.parametrize("cut", [3, 40, 70, 200])
def test_a_killed_run_goes_on_from_its_last_whole_round(cut: int) -> None:
    plan = drawn("iops", minute_s=1)
    whole = play(plan, StillEngine())
    results = [i for i, e in enumerate(whole) if isinstance(e, Result)]
    past = Run(whole[: results[cut] + 1])
    events = play(plan, StillEngine(), past=past)
    again = Run(whole[: results[cut] + 1] + events)
    assert again.ended is not None
    assert [r.where for r in again.results][: len(whole)]
    rounds = [r.where.round for r in again.of("iops", "rounds")]
    assert rounds == sorted(rounds)
    assert len(rounds) % 56 == 0
    assert any(isinstance(e, Note) and e.kind == "interruption" for e in events)


def test_a_window_never_spans_an_interruption() -> None:
    plan = drawn("iops", minute_s=1)
    whole = play(plan, StillEngine())
    cut = next(
        i for i, e in enumerate(whole) if isinstance(e, Judged) and e.where.phase == "rounds" and e.where.round == 3
    )
    again = Run(whole[: cut + 1] + play(plan, StillEngine(), past=Run(whole[: cut + 1])))
    assert again.judged[-1].verdicts[0].rounds == (4, 5, 6, 7, 8)


def test_a_killed_saturation_starts_its_test_over() -> None:
    plan = drawn("write-saturation", minute_s=1)
    whole = play(plan, StillEngine())
    engine = StillEngine()
    play(plan, engine, past=Run(whole[:60]))
    assert shorten(engine.log)[0] == "purge"


def test_the_seed_of_a_step_is_that_of_every_version_or_no_older_virtual_run_could_go_on() -> None:
    here = Position(test="iops", phase="rounds", round=2)
    seeds = [step_seed(1, here, 0), step_seed(1, here, 1), step_seed(2, here, 0)]
    assert seeds == [1801622412960061739, 2091146944455354476, 2827243836366213364]
    assert max(seeds) < 2**62


def test_a_limit_is_reached_with_its_last_byte_and_its_last_second() -> None:
    def wrote(seconds: float, size: int) -> Counts:
        return Counts(seconds, 0, Tally(1, 1), Tally(1, size))

    limits = [limit_met(Bytes(bytes=4096), wrote(1, size)) for size in (4095, 4096)]
    limits += [limit_met(Seconds(seconds=60), wrote(seconds, 1)) for seconds in (59.9, 60)]
    assert limits == ["", "the limit of 4 KiB written", "", "the limit of 1 min"]


def test_a_failed_step_is_recorded_and_ends_the_run() -> None:
    class Broken(StillEngine):
        def start(self, workload: Workload, **asked: object) -> StillLoad:
            raise StepFailed("the drive fell off the bus")

    events = play(drawn("iops", minute_s=1), Broken())
    assert events[-1].outcome == "failed"  # type: ignore[union-attr]
    assert isinstance(events[-2], Note)
    assert events[-2].kind == "failure"


def test_stopping_lets_the_drive_go_and_says_so() -> None:
    engine = StillEngine()
    events = list(run(drawn("iops"), StillDevice(), engine, seed=1, at=0.0, stopping=lambda: engine.clock > 5))
    assert events[-1].outcome == "stopped"  # type: ignore[union-attr]
    assert engine.log[-2:] == ["stop", "close"]


class Telling(StillDevice):
    """A drive that tells its temperature."""

    def health(self) -> dict[str, Any]:
        return {"temperature_c": 40}


def told_after(test: str) -> list[tuple[str, int]]:
    """The phase and round after which the drive was asked how it is."""
    engine = StillEngine()
    events = list(run(drawn(test, minute_s=1), Telling(engine.log), engine, seed=1, at=0.0))
    judged = [e.where for e, b in itertools.pairwise(events) if isinstance(e, Judged) and isinstance(b, Telemetry)]
    return [(where.phase, where.round) for where in judged]


def test_a_drive_is_asked_after_each_round_of_deep_load_and_not_amid_response_times_of_single_ios() -> None:
    assert told_after("iops")[-5:] == [("rounds", n) for n in range(1, 6)]
    assert {round_ for phase, round_ in told_after("latency") if phase == "rounds"} <= {5}


def test_events_survive_the_file_format() -> None:
    for event in play(drawn("iops", minute_s=1, rounds=5), StillEngine()):
        assert msgspec.json.decode(msgspec.json.encode(event, enc_hook=encoded), type=Event, dec_hook=decoded) == event


def test_512_byte_blocks_are_left_out_with_a_note_on_4kn_drives() -> None:
    device = msgspec.structs.replace(IDENTITY, logical_bytes=4096)
    plan = planning.draw(("iops",), PROFILE, device)
    assert len(plan.tests[0].phases[2].round) == 49
    assert "blocks of 512 B do not exist on 4096-byte sectors" in plan.notes
