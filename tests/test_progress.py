"""The time to go: near enough early on, a range that holds the truth, and nothing left at the end."""

import pytest

from stend import plan as planning
from stend.definition import Workload
from stend.devices import virtual
from stend.progress import Progress, ToGo, rounds_to_steady
from stend.record import Event, Run, Started
from stend.run import resume_point, run
from stend.units import GiB
from tests.rehearsal import rehearsed
from tests.still import IDENTITY, StillDevice, StillEngine


def on_a_cliff(asked: str, profile: str) -> list[Event]:
    """A gigabyte whose random writes fall to a third of their rate when it has been written over."""
    written = [0.0]

    def rate(workload: Workload, t: float) -> float:
        if workload.read_pct == 100:
            return 3000
        fresh = 60 if workload.random_pct else 300
        written[0] += 5 * fresh * workload.block_bytes
        return fresh if written[0] < 1.3 * GiB or not workload.random_pct else fresh / 3

    names, chosen, told = planning.gather([asked], profile, {})
    engine = StillEngine(rate, interval_s=5)
    return list(run(planning.draw(names, chosen, IDENTITY, deviations=told), StillDevice(), engine, seed=1, at=0.0))


def told(events: list[Event], share: float) -> tuple[float, ToGo]:
    """(when the run really ended, when it was expected to) as seen after a share of it."""
    end = events[-1].t  # type: ignore[union-attr]
    progress = Progress()
    for event in events:
        progress.add(event)
        t = 0.0 if isinstance(event, Started) else event.t
        if t >= share * end:
            return end, ToGo(*(t + left for left in progress.to_go()))
    raise AssertionError


RUNS = [
    ("sim:kc2000", "write-saturation", "enterprise-2.0.2"),
    ("sim:saber1000", "write-saturation", "enterprise-2.0.2"),
    ("sim:kc2000", "write-saturation", "review"),
    ("sim:kc2000", "slc-cache", "review"),
]


@pytest.mark.parametrize(("target", "asked", "profile"), RUNS)
def test_after_a_tenth_the_end_is_known_within_fifteen_percent_on_drives_with_a_cliff(
    target: str, asked: str, profile: str
) -> None:
    end, expected = told(list(rehearsed(virtual.find(target), asked, profile)), 0.1)
    assert expected.likely_s == pytest.approx(end, rel=0.15)
    assert expected.low_s <= end * 1.02


@pytest.mark.parametrize("asked", ["iops", "idle-recovery", "cross-stimulus", "composite"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6, 0.9])
def test_the_range_holds_the_truth_at_any_time(asked: str, share: float) -> None:
    end, expected = told(on_a_cliff(asked, "enterprise-2.0.2"), share)
    assert expected.low_s <= end * 1.05
    assert expected.high_s >= end * 0.95


def test_nothing_is_left_at_the_end() -> None:
    progress = Progress()
    for event in on_a_cliff("iops", "enterprise-2.0.2"):
        progress.add(event)
    assert progress.to_go() == ToGo(0, 0, 0)


@pytest.mark.parametrize(
    ("values", "round_"),
    [
        ([100, 100], 5),  # it stands still: the first full window
        ([100, 60, 50], 7),  # settling by a third each time
        ([200, 100, 60], 14),  # settling slowly
        ([100, 60, 95, 62, 97], 9),  # to and fro: steady once the swings have left the window
        ([100, 102, 98, 101, 99], 5),  # it is steady now
    ],
)
def test_rounds_to_steady_state_follow_the_window(values: list[float], round_: int) -> None:
    assert rounds_to_steady(list(enumerate(values, start=1)), "pts", 25) == round_


def test_a_continued_run_is_told_from_where_it_goes_on() -> None:
    events = on_a_cliff("iops", "enterprise-2.0.2")
    cut = next(i for i, e in enumerate(events) if getattr(e, "t", 0) > 0.5 * events[-1].t)  # type: ignore[union-attr]
    progress = Progress()
    for event in events[:cut]:
        progress.add(event)
    before = progress.to_go().likely_s
    again = events[0]
    assert isinstance(again, Started)
    place = resume_point(Run(events[:cut]))
    progress.add(Started(at=0, version="", plan=again.plan, seed=1, continues=place))
    assert progress.to_go().likely_s == pytest.approx(before, rel=0.25)
