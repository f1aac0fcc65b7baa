"""A trace on this drive: its response times compared with the captured ones, and whether its schedule was kept."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.figures import derived
from stend.findings.look.replayed import replayed
from stend.model.definition import PlannedTest
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import Tally
from stend.model.traced import Traced

TESTS = ("replay",)
QUANTITIES = ("p99.9", "p99", "p50")
"""The first of these that both samples can carry is reported."""
MATTERS = 1.1
"""Response times that differ by a smaller ratio count as equal."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield how the schedule was kept, then one finding per direction."""
    for test in look.tests(run, *TESTS):
        pace, counts = replayed(run, test)
        if not test.traced or not counts[0].ios + counts[1].ios:
            continue
        if pace.sent and pace.lateness_measured:
            yield _kept(test.name, pace)
        if not pace.invalid:
            yield from _against(test, test.traced, counts)


def _kept(test: str, pace: Pace) -> Finding:
    values = {"late": pace.late_share, "full": pace.full_share, "longest": pace.latest_ns * 1e-9}
    key = "invalid" if pace.invalid else "full" if pace.doubtful else "kept"
    return Finding(key=key, test=test, values=values, side=side(con=key == "full"))


def _against(test: PlannedTest, trace: Traced, counts: tuple[Tally, Tally]) -> Iterator[Finding]:
    """Yield one finding per direction with IOs."""
    speed = _speed(test)
    for way, then, now in (("read", trace.read, counts[0]), ("write", trace.write, counts[1])):
        pairs = ((name, derived(then, 1, name), derived(now, 1, name)) for name in QUANTITIES)
        both = next(((name, was, here) for name, was, here in pairs if was and here), None)
        if both is None:
            continue
        name, was, here = both
        times = max(was / here, here / was)
        values = {"way": way, "what": name, "then": was, "now": here, "times": times, "speed": speed}
        key = "alike" if times < MATTERS else "shorter" if here < was else "longer"
        if speed != 1:
            key = "hurried" if speed > 1 else "slowed" if speed else "closed"
        speaks = side(pro=key == "shorter", con=key == "longer")
        yield Finding(key=key, test=test.name, values=values, confidence="medium", side=speaks)


def _speed(test: PlannedTest) -> float:
    """Return the speed of the replay. A trace without depths has no closed loop: the plan has a high speed instead."""
    replays = [hold.workload.replay for hold in test.phase("replay").holds if hold.workload.replay]
    return replays[0].speed if replays else float(test.profile.options["speed"])
