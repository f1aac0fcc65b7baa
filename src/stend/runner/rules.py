"""Rules that end the rounds of a phase: steady state, and limits of time, writing and rounds."""

from collections.abc import Iterator

import msgspec

from stend.model.counts import Counts
from stend.model.definition import Bytes, Phase, Rule, Seconds, Steady
from stend.model.events import Judged, Position, Verdict
from stend.model.record import Run
from stend.model.stats import RULES
from stend.words import NO_WORDS, Sentence


def judged(past: Run, phase: Phase, where: Position, t: float, window: range, met: Sentence) -> Judged:
    """Judge a phase after its last complete round. `window` are the rounds that count, `met` a limit that ended it."""
    rule = phase.steady
    verdicts = tuple(_verdicts(past, rule, where, window)) if rule else ()
    steady = rule is not None and [v.steady for v in verdicts] == [True] * len(rule.track)
    limit = Sentence("limit_rounds", n=phase.rounds) if phase.until else Sentence("done")
    ended_by = Sentence("steady") if steady else met or (limit if where.round >= phase.rounds else NO_WORDS)
    return Judged(where=where, t=t, verdicts=verdicts, steady=steady, ended_by=ended_by)


def _verdicts(past: Run, rule: Steady, where: Position, window: range) -> Iterator[Verdict]:
    """Yield a verdict for each tracked workload that has enough rounds since the run last started."""
    for workload in rule.track:
        series = past.series(where.test, where.phase, workload)
        points = [(n, c.quantity(rule.quantity)) for n, c in series if n in window]
        verdict = RULES[rule.rule](points)
        if verdict:
            yield msgspec.structs.replace(verdict, label=workload.label, quantity=rule.quantity)


def limit_met(rule: Rule, total: Counts) -> Sentence:
    """Return which limit of time or writing is reached, empty if neither is."""
    match rule:
        case Seconds(seconds=seconds) if total.seconds >= seconds:
            return Sentence("limit", time=seconds)
        case Bytes(bytes=size) if total.write.bytes >= size:
            return Sentence("limit_written", size=size)
        case _:
            return NO_WORDS
