"""The rule that ends a phase: steady state before a limit, a limit before the last round."""

import pytest
from msgspec.structs import replace

from stend.base.units import KiB
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Phase, Rule, Seconds, Steady
from stend.model.record import Run
from stend.model.tally import Tally
from stend.runner import rules
from stend.words import NO_WORDS, Sentence
from tests.test_progress_exact import MINUTE, READS, STEADY, WRITES, at, begun, done, phase

BOTH = Steady(track=(WRITES, READS))
READ_MINUTE = Hold(workload=READS, amount=Seconds(seconds=60))
LIMIT = Sentence("limit", time=60)


def ran(tracked: Steady, *rates: int, others: tuple[int, ...] = ()) -> Run:
    """Rounds of writes at these rates, and of reads at others."""
    run = Run([begun([phase(MINUTE, READ_MINUTE, rounds=25, until=(tracked,))])])
    for number, rate in enumerate(rates, 1):
        run.add(done(MINUTE, 60.0 * number, Counts(60, 0, Tally(), Tally(60 * rate, 60 * rate * 4 * KiB)), number))
    for number, rate in enumerate(others, 1):
        counts = Counts(60, 0, Tally(60 * rate, 60 * rate * 4 * KiB), Tally())
        run.add(replace(done(READ_MINUTE, 60.0 * number, counts, number), index=1))
    return run


@pytest.mark.parametrize(
    ("until", "rates", "rounds", "met", "steady", "ended_by"),
    [
        ((STEADY,), [100] * 5, 25, NO_WORDS, True, "steady"),
        ((STEADY,), [100] * 5, 25, LIMIT, True, "steady"),
        ((STEADY,), [100] * 4, 25, NO_WORDS, False, ""),
        ((STEADY,), [100, 50, 100, 50, 100], 25, NO_WORDS, False, ""),
        ((STEADY,), [100, 50, 100, 50, 100], 25, LIMIT, False, "limit"),
        ((STEADY,), [100, 50, 100, 50, 100], 6, NO_WORDS, False, ""),
        ((STEADY,), [100, 50, 100, 50, 100], 5, NO_WORDS, False, "limit_rounds"),
        ((STEADY,), [100, 50, 100, 50, 100], 4, NO_WORDS, False, "limit_rounds"),
        ((Seconds(seconds=60),), [100], 1, NO_WORDS, False, "limit_rounds"),
        ((Seconds(seconds=60),), [100], 9, LIMIT, False, "limit"),
        ((), [100], 1, NO_WORDS, False, "done"),
        ((), [100], 2, NO_WORDS, False, ""),
    ],
)
def test_a_phase_ends_by_steady_state_by_a_limit_or_after_its_last_round(
    until: tuple[Rule, ...], rates: list[int], rounds: int, met: Sentence, steady: bool, ended_by: str
) -> None:
    now: Phase = phase(MINUTE, rounds=rounds, until=until)
    number = len(rates)
    said = rules.judged(ran(STEADY, *rates), now, at(number), 7.0, range(1, number + 1), met)
    assert (said.steady, said.ended_by.key, said.where, said.t) == (steady, ended_by, at(number), 7.0)
    if ended_by == "limit_rounds":
        assert said.ended_by.values == {"n": rounds}


def test_every_tracked_load_must_be_steady_and_only_rounds_of_the_window_count() -> None:
    tracked = phase(MINUTE, READ_MINUTE, rounds=25, until=(BOTH,))
    for others, first, steady, verdicts in (
        ((100,) * 6, 1, True, [True, True]),
        ((100, 100, 50, 100, 50, 100), 1, False, [True, False]),
        ((100,) * 4, 1, False, [True]),
        ((100,) * 6, 2, True, [True, True]),
        ((100,) * 6, 3, False, []),
    ):
        said = rules.judged(ran(BOTH, *[100] * 6, others=others), tracked, at(6), 0.0, range(first, 7), NO_WORDS)
        assert (said.steady, [verdict.steady for verdict in said.verdicts]) == (steady, verdicts)
        assert [verdict.label for verdict in said.verdicts] == [WRITES.label, READS.label][: len(verdicts)]
        assert {verdict.quantity for verdict in said.verdicts} <= {"iops"}


def test_limits_count_seconds_of_load_and_bytes_written() -> None:
    total = Counts(60.0, 0.0, Tally(1, 10**9), Tally(1, 4096))
    assert rules.limit_met(Seconds(seconds=60), total) == Sentence("limit", time=60)
    assert rules.limit_met(Bytes(bytes=4096), total) == Sentence("limit_written", size=4096)
    for rule in (Seconds(seconds=60.5), Bytes(bytes=4097), STEADY):
        assert rules.limit_met(rule, total) == NO_WORDS
