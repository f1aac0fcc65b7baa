"""Saturation headroom: the speeds at which a trace was played, which kept the limit, and which is next.

Speeds are not interpolated: a speed is held when every pass at it kept the limit. The result is the fastest held speed
below all failed ones. Speeds held beyond a failed one are listed separately.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from stend.model.definition import Hold, PlannedTest
from stend.model.pace import MOST_LATE, Pace
from stend.model.record import Run
from stend.model.stats import percentile_s

PHASE = "headroom"
"""Phase of the test that searches."""
DOUBLE = 2.0
Why = Literal["", "slow", "full", "host", "few"]
"""Reason why a pass did not hold.

`slow`: its percentile was beyond the limit. `full`: its queue was full, and IOs waited outside of it. `host`: the host
did not keep the schedule, which does not describe the drive. `few`: too few IOs for the percentile.
"""


class Pass(NamedTuple):
    """One play of the whole trace at a speed. `waited_s` is its percentile in seconds, None for too few IOs.

    `iops` is the rate of the answers.
    """

    speed: float
    waited_s: float | None
    pace: Pace
    why: Why
    iops: float = 0.0


class Headroom(NamedTuple):
    """The fastest held speed below all failed ones, the slowest failed speed, and speeds held beyond it."""

    held: Pass | None
    failed: Pass | None
    beyond: tuple[Pass, ...]


def passes(run: Run, test: PlannedTest) -> list[Pass]:
    """Return every pass of a test's search so far, in order."""
    options = test.profile.options
    return list(_passes(run, test.name, options["percentile"], options["limit_ms"] / 1e3))


def _passes(run: Run, test: str, percentile: float, limit_s: float) -> Iterator[Pass]:
    for result in run.of(test, PHASE):
        replay = result.step.workload.replay if isinstance(result.step, Hold) else None
        if replay:
            waited_s, pace = percentile_s(result.counts.both, percentile), result.pace or Pace()
            yield Pass(replay.speed, waited_s, pace, _why(waited_s, limit_s, pace), result.counts.iops)


def _why(waited_s: float | None, limit_s: float, pace: Pace) -> Why:
    if pace.invalid:
        return "host"
    if pace.full_share > MOST_LATE:
        return "full"
    if waited_s is None:
        return "few"
    return "slow" if waited_s > limit_s else ""


def judged(done: Sequence[Pass]) -> dict[float, Pass]:
    """Return the deciding pass of each speed, slowest first: a failed pass if there is one, else a held one.

    A pass whose schedule the host did not keep decides only if it is the only one.
    """
    deciding: dict[float, Pass] = {}
    for play in sorted(done, key=lambda play: play.speed):
        before = deciding.get(play.speed)
        if before is None or before.why == "host" or (not before.why and play.why != "host"):
            deciding[play.speed] = play
    return deciding


def evaluate(done: Sequence[Pass]) -> Headroom:
    """Return the result of the passes so far."""
    speeds = list(judged(done).values())
    failed = next((play for play in speeds if play.why), None)
    held = [play for play in speeds if not play.why]
    below = [play for play in held if not failed or play.speed < failed.speed]
    return Headroom(below[-1] if below else None, failed, tuple(held[len(below) :]))


def changed(done: Sequence[Pass]) -> list[float]:
    """Return speeds that held in one pass and failed in another, slowest first: the drive has changed."""
    held = {play.speed for play in done if not play.why}
    return sorted(held & {play.speed for play in done if play.why in ("slow", "full")})


def following(done: Sequence[Pass], least: float, most: float, within_pct: float) -> float | None:
    """Return the speed of the next pass, or None when the search is complete. The first speed is the trace's own.

    1. Double the speed until a pass fails, and try one speed beyond, because a drive may hold a higher load. 2. Halve
    the speed if the first pass fails. 3. Bisect between held and failed until they are within `within_pct`. 4. Confirm
    the held speed by a second pass. If that fails, the drive has changed, and earlier held speeds are played again
    before the search continues. A pass that the host spoiled is played again before it counts.
    """
    if not done:
        return min(max(1.0, least), most)
    if any(play.why == "few" for play in done):
        return None
    last = done[-1]
    if last.why == "host" and _times(done, last.speed) == 1:
        return last.speed
    return _searched(done, least, most, 1 + within_pct / 100)


def _searched(done: Sequence[Pass], least: float, most: float, near: float) -> float | None:
    held, failed, _ = evaluate(done)
    fastest = max(play.speed for play in done)
    # 1. Double, up to one speed beyond a failed one.
    if fastest < most and (failed is None or (failed.speed == fastest and failed.why != "host")):
        return min(fastest * DOUBLE, most)
    # 2. Halve while nothing held.
    if failed and not held:
        return max(failed.speed / DOUBLE, least) if failed.speed > least else None
    # 3. Bisect, unless the drive has changed and the held speed must be confirmed first.
    settled = not changed(done) or not held or _times(done, held.speed) > 1
    if settled and failed and held and failed.speed / held.speed > near:
        return _middle(held.speed, failed.speed)
    # 4. Confirm the held speed by a second pass.
    return held.speed if held and _times(done, held.speed) == 1 else None


def _times(done: Sequence[Pass], speed: float) -> int:
    return sum(play.speed == speed for play in done)


def _middle(low: float, high: float) -> float:
    """Return the geometric mean, rounded to as few digits as keep it between both ends."""
    middle = (low * high) ** 0.5
    return next(short for digits in range(3, 17) if low < (short := float(f"{middle:.{digits}g}")) < high)
