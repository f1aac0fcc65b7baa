"""Limits of runs beside each other: when a host carries its drives, which tests run alone, how far apart they begin."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.errors import BadInput
from stend.model.counts import Counts
from stend.model.definition import Idle, Phase, Plan, PlannedTest, Purge
from stend.model.events import Event, Started
from stend.model.record import Run
from stend.model.stats import bin_index
from stend.model.tally import Tally
from stend.session import Request
from stend.session.together import arrange, roll, skew, trial, turns
from stend.session.together.arrange import Wanted
from stend.session.together.group import Member
from stend.session.together.trial import Moved, Trial
from stend.session.together.turns import Turns, alone, purges
from tests.still import IDENTITY
from tests.test_progress_exact import OTHER_TEN, PROFILE, TEN, begun, done, phase, written

DEEP = replace(TEN, workload=replace(TEN.workload, depth=32))


def tried(*moved: tuple[float, float | None], failed: bool = False) -> Trial:
    """A trial with these ratios of rates and of response times."""
    loads = tuple(Moved("a", "load", (rate,), () if tail is None else (tail,)) for rate, tail in moved)
    return Trial(1.0, loads, {}, {"a": "gone"} if failed else {})


@pytest.mark.parametrize(
    ("whole", "carried"),
    [
        (tried((0.98, 1.05)), True),
        (tried((0.98, None)), True),
        (tried((0.979, 1.0)), False),
        (tried((1.0, 1.051)), False),
        (tried((1.0, 1.0), (0.9, 1.0)), False),
        (tried((1.0, 1.1), (1.0, 1.0)), False),
        (tried((1.0, 1.0), failed=True), False),
        (tried(), False),
    ],
)
def test_a_host_carries_its_drives_if_none_loses_2_percent_of_its_rate_or_waits_5_percent_longer(
    whole: Trial, carried: bool
) -> None:
    assert whole.carried is carried


def test_a_trial_is_summed_up_by_the_median_of_its_pairs_and_its_worst_rate() -> None:
    moved = Moved("a", "x", (0.9, 1.0, 0.5), (2.0, 1.0, 9.0))
    assert (moved.rate, moved.tail, Moved("a", "x", (1.0,)).tail) == (0.9, 2.0, None)
    both = Trial(1.0, (moved, Moved("b", "x", (0.7,))), {}, {})
    assert (both.least, both.of("b"), tried().least) == (0.7, [Moved("b", "x", (0.7,))], 1.0)


@pytest.mark.parametrize(
    ("rates", "tails", "lane", "failed", "disturbed"),
    [
        ((1.0,), (), "", False, False),
        ((0.985,), (1.015,), "", False, False),
        ((0.975,), (), "", False, True),
        ((1.025,), (), "", False, True),
        ((1.0,), (1.03,), "", False, True),
        ((0.5,), (), "all", False, False),
        ((1.0,), (), "", True, True),
        ((1.0,), (), "all", True, False),
    ],
)
def test_a_run_is_stamped_if_the_others_moved_its_figures_by_more_than_2_percent(
    rates: tuple[float, ...], tails: tuple[float, ...], lane: str, failed: bool, disturbed: bool
) -> None:
    run = Wanted(Request(["iops"], "/dev/disk/by-id/nvme-A_1"), IDENTITY)
    moved = Moved(run.request.target, "load", rates, tails)
    past = Trial(5.0, (moved,), {}, {run.request.target: "it is gone"} if failed else {})
    member = arrange._member(3, run, [], {run.request.target: lane} if lane else {}, [past])
    assert (member.name, member.lane, member.disturbed) == ("03-nvme-A-1", lane, disturbed)
    keys = ["moved_in_turn" if lane else "moved_tail" if tails else "moved_rate"] + ["moved_never"] * failed
    assert [note.key for note in member.notes] == keys
    assert arrange._member(12, run, [], {}, []) == Member("12-nvme-A-1", run.request)


def planned(*tests: tuple[Phase, ...]) -> Plan:
    """A plan of tests with these phases, by the names 0, 1, ..."""
    start = begun([phase(TEN)])
    assert isinstance(start, Started)
    names = [
        PlannedTest(name=str(n), title="", clause="", phases=phases, profile=PROFILE) for n, phases in enumerate(tests)
    ]
    return replace(start.plan, tests=tuple(names))


LOUD, QUIET, RESTS, FRESH = phase(DEEP), phase(TEN), phase(DEEP, Idle(seconds=1)), phase(Purge(), DEEP)


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([(LOUD,)], [False]),
        ([(QUIET,)], [True]),
        ([(LOUD, RESTS)], [True]),
        ([(LOUD,), (QUIET,)], [True, True]),
        ([(QUIET,), (LOUD,)], [True, False]),
        ([(LOUD,), (FRESH, QUIET)], [False, True]),
        ([(LOUD,), (LOUD, FRESH, QUIET)], [True, True]),
        ([(QUIET,), (FRESH, LOUD), (LOUD,)], [True, False, False]),
    ],
)
def test_a_test_runs_alone_if_a_quiet_step_comes_before_the_next_purge(
    tests: list[tuple[Phase, ...]], expected: list[bool]
) -> None:
    known = alone(planned(*tests))
    assert [known[str(n)] for n in range(len(tests))] == expected


def test_a_phase_purges_if_its_first_step_does() -> None:
    assert [purges(one) for one in (FRESH, LOUD, phase(DEEP, Purge()), phase())] == [True, False, False, False]


@pytest.mark.parametrize(
    ("seconds", "patient", "said"),
    [
        (0.0, True, []),
        (1.0, True, []),
        (1.5, True, [("waited", 2, "beside")]),
        (90.4, True, [("waited", 90, "beside")]),
        (0.0, False, [("unwaited", 1800, "interference")]),
    ],
)
def test_a_wait_of_more_than_a_second_is_noted(seconds: float, patient: bool, said: list[tuple[str, int, str]]) -> None:
    here: Any = None
    (test,) = planned((LOUD,)).tests
    notes = [(note.key, note.values["s"], kind) for note, kind in Turns._waited(here, test, seconds, patient)]
    assert notes == said


def test_a_member_is_silent_since_it_last_wrote_its_state_or_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 10_000.0)
    assert turns._silent_s(tmp_path, "a") == 10_000.0
    record, state = tmp_path / "a/events.jsonl", roll.place(tmp_path, "a")
    for path, at, silent in ((record, 4000, 6000), (state, 9000, 1000)):
        path.parent.mkdir()
        path.touch()
        os.utime(path, (at, at))
        assert turns._silent_s(tmp_path, "a") == silent
    os.utime(record, (9500, 9500))
    assert turns._silent_s(tmp_path, "a") == 500


def ran(at: float, *ends: tuple[str, float, float], virtual: bool = False) -> Run:
    """A run that began then, and the ends of its loads: phase, t and seconds under load."""
    start = begun([phase(TEN, name=name) for name, *_ in ends])
    assert isinstance(start, Started)
    plan = replace(start.plan, device=replace(start.plan.device, virtual=virtual))
    events: list[Event] = [replace(start, at=at, plan=plan)]
    return Run([*events, *(done(OTHER_TEN, t, written(s), name=name) for name, t, s in ends)])


def test_phases_that_are_measured_begin_at_the_beginning_of_their_first_load() -> None:
    run = ran(1000.0, ("purge", 5.0, 5.0), ("rounds", 17.0, 0.0), ("rounds", 30.0, 10.0), ("rounds", 41.0, 10.0))
    assert skew.beginnings(run) == {("t", "rounds"): 1020.0}
    other = ran(1001.0, ("rounds", 31.5, 10.0), ("more", 50.0, 10.0))
    third = ran(1000.0, ("rounds", 29.0, 10.0))
    assert skew.skews([run, other, third]) == {("t", "rounds"): 3.5}
    assert skew.skews([run, other]) == {("t", "rounds"): 2.5}
    assert skew.skews([run]) == {}
    assert skew.beginnings(ran(1.0, ("rounds", 30.0, 10.0), virtual=True)) == {}
    again = begun([phase(TEN, name="rounds")])
    assert skew.beginnings(Run([again, again])) == {}


def test_one_drive_is_named_once_whatever_its_names_are() -> None:
    first = replace(IDENTITY, path="/dev/sda", wwn="0x5000", virtual=False)

    def asked(target: str, drive: Any) -> Wanted:
        return Wanted(Request(["iops"], target), drive)

    arrange.once([asked("a", first), asked("b", replace(first, path="/dev/sdb", wwn="0x5001"))])
    arrange.once([asked("a", replace(first, wwn="")), asked("b", replace(first, path="/dev/sdb", wwn=""))])
    for other in (replace(first, path="/dev/sdb"), replace(first, wwn="0x5001")):
        with pytest.raises(BadInput, match=r"^b and a are one drive; name it once$"):
            arrange.once([asked("a", first), asked("b", other)])
    virtual = replace(IDENTITY, target="sim:x")
    arrange.once([asked("a", virtual), asked("b", replace(virtual, target="sim:y"))])
    with pytest.raises(BadInput, match="are one drive"):
        arrange.once([asked("a", virtual), asked("b", virtual)])


class Drive:
    """A process of a trial whose windows are given: bytes, and the response time of its IOs, or None."""

    def __init__(self, *windows: tuple[int, int] | None, failed: str = "") -> None:
        self.target, self.failed, self.windows, self.log = "a", failed, list(windows), list[str]()

    def hold(self, load: Any) -> None:
        self.log.append("hold" if load else "rest")

    def window(self, seconds: float) -> Counts | None:
        self.log.append(f"{seconds:g} s")
        given = self.windows.pop(0)
        if given is None:
            return None
        size, ns = given
        return Counts(seconds, 0.0, Tally(100_000, size, 10**9, 10**15, ns, {bin_index(ns): 100_000}))


@pytest.mark.parametrize(
    ("windows", "failed", "others", "rates"),
    [
        ([(100, 1000), (90, 2000)] * 3, "", ["", ""], (0.9, 0.9, 0.9)),
        ([(100, 1000), (90, 2000), (100, 1000), None, None, (90, 1000)], "", ["", ""], (0.9,)),
        ([(100, 1000), (90, 2000)] * 3, "", ["gone", ""], (0.9, 0.9, 0.9)),
        ([(100, 1000), (90, 2000)] * 3, "", ["gone", "gone"], None),
        ([(100, 1000), (90, 2000)] * 3, "gone", ["", ""], None),
        ([None] * 6, "", [""], None),
        ([(100, 1000), (90, 2000)] * 3, "", [], None),
    ],
)
def test_a_drive_is_compared_in_three_pairs_alone_and_beside_the_others(
    windows: list[tuple[int, int] | None], failed: str, others: list[str], rates: tuple[float, ...] | None
) -> None:
    drive: Any = Drive(*windows, failed=failed)
    beside: Any = [Drive(failed=why) for why in others]
    moved = trial._moved(drive, beside, trial.LOADS[0], 2.0)
    assert drive.log == ["hold", *["2 s", "2 s"] * 3, "rest"]
    assert all(other.log == ["hold", "rest"] * 3 for other in beside)
    if rates is None:
        assert moved is None
    else:
        assert moved is not None
        assert (moved.target, moved.load) == ("a", trial.LOADS[0].label)
        assert moved.rates == pytest.approx(rates)
        assert moved.tails == pytest.approx([2.0] * len(rates), rel=0.05)


def test_a_trial_writes_and_reads_large_blocks_in_order_and_small_ones_at_random() -> None:
    """128 KiB in order and 4 KiB at random, 32 of them outstanding, as the tests of throughput and IOPS have them."""
    loads = [(one.random_pct, one.read_pct, one.block_bytes, one.threads, one.depth) for one in trial.LOADS]
    assert loads == [(0, 0, 131_072, 1, 32), (0, 100, 131_072, 1, 32), (100, 100, 4096, 1, 32)]
    assert trial.PERCENT == 99.9
