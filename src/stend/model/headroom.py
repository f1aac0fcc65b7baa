"""Saturation headroom: at which speeds a trace was played, which of them kept the limit, and which is played next.

Nothing is supposed between speeds: one is held when it was played and every pass of it kept the limit. So the answer is
the fastest that held below all that did not; what held beyond those is told besides.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from stend.model.definition import Hold, PlannedTest
from stend.model.pace import MOST_LATE, Pace
from stend.model.record import Run
from stend.model.stats import percentile_s

PHASE = "headroom"
"""Of the test that searches."""
DOUBLE = 2.0
Why = Literal["", "slow", "full", "host", "few"]
"""Why a pass did not hold: its percentile was beyond the limit; its queue was full, so that IOs waited outside of it;
the host did not keep the schedule, which says nothing of the drive; too few IOs for the percentile."""


class Pass(NamedTuple):
    """The whole trace once, so many times as fast: its percentile in seconds, None where it has too few IOs."""

    speed: float
    waited_s: float | None
    pace: Pace
    why: Why


class Headroom(NamedTuple):
    """The fastest speed that held below all that did not, the slowest that did not, and what held beyond that."""

    held: Pass | None
    failed: Pass | None
    beyond: tuple[Pass, ...]


def passes(run: Run, test: PlannedTest) -> list[Pass]:
    """Every pass of a test's search so far, in order."""
    own = test.profile.options
    return list(_passes(run, test.name, own["percentile"], own["limit_ms"] / 1e3))


def _passes(run: Run, test: str, percentile: float, limit_s: float) -> Iterator[Pass]:
    for result in run.of(test, PHASE):
        replay = result.step.workload.replay if isinstance(result.step, Hold) else None
        if replay:
            waited_s, pace = percentile_s(result.counts.both, percentile), result.pace or Pace()
            yield Pass(replay.speed, waited_s, pace, _why(waited_s, limit_s, pace))


def _why(waited_s: float | None, limit_s: float, pace: Pace) -> Why:
    if pace.invalid:
        return "host"
    if pace.full_share > MOST_LATE:
        return "full"
    if waited_s is None:
        return "few"
    return "slow" if waited_s > limit_s else ""


def judged(done: Sequence[Pass]) -> dict[float, Pass]:
    """Each speed with the pass that decides, slowest first: one by which the drive failed, else one by which it held.

    A pass that the host did not keep decides where there is no other.
    """
    found: dict[float, Pass] = {}
    for one in sorted(done, key=lambda one: one.speed):
        before = found.get(one.speed)
        if before is None or before.why == "host" or (not before.why and one.why != "host"):
            found[one.speed] = one
    return found


def told(done: Sequence[Pass]) -> Headroom:
    """What the passes so far say."""
    speeds = list(judged(done).values())
    failed = next((one for one in speeds if one.why), None)
    held = [one for one in speeds if not one.why]
    below = [one for one in held if not failed or one.speed < failed.speed]
    return Headroom(below[-1] if below else None, failed, tuple(held[len(below) :]))


def changed(done: Sequence[Pass]) -> list[float]:
    """Speeds that held in one pass and not in another, slowest first: the drive was not the same any more."""
    held = {one.speed for one in done if not one.why}
    return sorted(held & {one.speed for one in done if one.why in ("slow", "full")})


def following(done: Sequence[Pass], least: float, most: float, within_pct: float) -> float | None:
    """The speed to be played next, None where nothing is left to find; at first the trace's own.

    Doubled until one does not hold, and once beyond it, since a drive may hold more where more is asked; halved where
    the first does not; then the middle between what held and what did not, until they are `within_pct` of each other;
    last what held once more. Where that does not then, the drive has changed, and what held before is played again ere
    anything is sought beyond it. What the host did not keep is played again before it counts.
    """
    if not done:
        return min(max(1.0, least), most)
    if any(one.why == "few" for one in done):
        return None
    last = done[-1]
    if last.why == "host" and _times(done, last.speed) == 1:
        return last.speed
    return _searched(done, least, most, 1 + within_pct / 100)


def _searched(done: Sequence[Pass], least: float, most: float, near: float) -> float | None:
    held, failed, _ = told(done)
    fastest = max(one.speed for one in done)
    if fastest < most and (failed is None or (failed.speed == fastest and failed.why != "host")):
        return min(fastest * DOUBLE, most)
    if failed and not held:
        return max(failed.speed / DOUBLE, least) if failed.speed > least else None
    settled = not changed(done) or not held or _times(done, held.speed) > 1
    if settled and failed and held and failed.speed / held.speed > near:
        return _middle(held.speed, failed.speed)
    return _again(done, held)


def _again(done: Sequence[Pass], held: Pass | None) -> float | None:
    return held.speed if held and _times(done, held.speed) == 1 else None


def _times(done: Sequence[Pass], speed: float) -> int:
    return sum(one.speed == speed for one in done)


def _middle(low: float, high: float) -> float:
    """The geometric one, to the digits that are needed to tell it from both ends."""
    middle = (low * high) ** 0.5
    return next(short for digits in range(3, 17) if low < (short := float(f"{middle:.{digits}g}")) < high)
