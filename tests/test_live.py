"""Runs as they go: followed, told by a terminal, and what they were when they were cut off."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stend import catalogue, store
from stend.cli import main
from stend.cli._steady import bars
from stend.cli._view import headline, picture
from stend.live import buckets, metrics
from stend.live.course import Course
from stend.live.follow import Follower
from stend.live.now import now
from stend.live.state import State, state
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.events import Ended, Judged, Note, Position, Reading, Result, Sample, Started
from stend.model.stats import percentile_s
from stend.model.tally import PERCENTS, Tally
from stend.store import writer
from stend.words import Sentence
from tests.going import whole_and_cut
from tests.waits import PATIENCE_S, wait_for


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_and_cut(tmp_path_factory.mktemp("live") / "runs")


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**9)), max_size=200), st.integers(1, 8))
@settings(deadline=None)
def test_a_series_in_level_memory_loses_no_peak_and_no_mean(told: list[tuple[int, int]], half: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "MOST", 2 * half)
        series, samples = buckets.Buckets(), []
        for second, (ios, ns) in enumerate(told, start=1):
            tally = Tally(ios, ios * 4096, ios * ns, 0, 2 * ns if ios else 0)
            writes = Tally(2 * ios, ios * 8192, ios * ns, 0, ns if ios else 0)
            samples.append(Sample(t=second, counts=Counts(1, 0, tally, writes)))
            series.add(samples[-1], second)
    assert len(series) == len(series.since()) <= 2 * half
    assert all(one.latency == (0, 0, 0) for one in series.since() if not one.ios), "nothing waited"
    assert sum(one.seconds for one in series.since()) == len(told)
    if told:
        every = [sample.counts for sample in samples]
        assert max(one.iops.high for one in series.since()) == max(counts.iops for counts in every)
        assert min(one.iops.low for one in series.since()) == min(counts.iops for counts in every)
        assert max(one.latency.high for one in series.since()) == max(counts.max_s for counts in every)
        mean = sum(one.iops.mean * one.seconds for one in series.since()) / len(told)
        assert mean == pytest.approx(sum(counts.iops for counts in every) / len(told))
        ios = sum(one.ios for one in series.since())
        waited = sum(one.latency.mean * one.ios for one in series.since())
        assert waited == pytest.approx(sum(c.mean_s * c.both.ios for c in every))
        assert ios == sum(counts.both.ios for counts in every)


def test_what_was_read_is_not_read_again_and_a_torn_line_waits_for_its_end(runs: Path, tmp_path: Path) -> None:
    whole = (runs / "whole/events.jsonl").read_bytes()
    folder = tmp_path / "run"
    shutil.copytree(runs / "whole", folder)
    (folder / "events.jsonl").write_bytes(whole[:20_003])
    follower = Follower(folder)
    first = len(list(follower.news()))
    assert not follower.grown
    with (folder / "events.jsonl").open("ab") as file:
        file.write(whole[20_003:])
    assert follower.grown
    more = len(list(follower.news()))
    assert first + more == sum(1 for _ in store.read(runs / "whole"))
    assert follower.course.ended
    assert len(follower.course.buckets.since()) == len(store.load(folder).samples)


def test_a_copy_that_is_renewed_is_read_anew(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(runs / "cut", folder)
    follower = Follower(folder)
    before = sum(1 for _ in follower.news())
    (folder / "new").write_bytes((runs / "whole/events.jsonl").read_bytes())
    (folder / "new").rename(folder / "events.jsonl")
    assert sum(1 for _ in follower.news()) == sum(1 for _ in store.read(runs / "whole")) > before
    assert follower.course.t == store.load(runs / "whole").ended.t  # type: ignore[union-attr]


def test_a_run_that_is_gone_has_nothing_new(runs: Path, tmp_path: Path) -> None:
    follower = Follower(Path(shutil.copytree(runs / "cut", tmp_path / "gone")))
    assert follower.grown
    shutil.rmtree(tmp_path / "gone")
    assert not follower.grown


def test_the_picture_of_a_run_says_where_it_is_and_what_comes(runs: Path) -> None:
    from rich.console import Console

    course = Course(store.read(runs / "cut"))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(picture(course, "cut off"))
    told = console.export_text()
    assert course.at is not None
    for part in ("stend small", "run", "cut off", f": {course.at.phase}", "step", "simulated"):
        assert part in told
    assert all(len(line) <= 80 for line in told.splitlines())
    assert bars([0, 2, 4, 7]) == "▁▃▅█"
    assert bars([0, 0]) == bars([]) == ""


def test_a_run_now_is_what_its_record_says_at_every_event(runs: Path) -> None:
    every = list(store.read(runs / "whole"))
    course, over = Course(), 0
    places = [(test.name, phase) for test in store.load(runs / "whole").plan.tests for phase in test.phases]
    for event in every:
        course.add(event)
        told = now("r", course, State("running", "running"))
        over += isinstance(event, Judged) and bool(event.ended_by)
        assert told.t_s == getattr(event, "t", 0)
        assert [(one.test, one.phase) for one in told.stages] == [(test, phase.name) for test, phase in places]
        ended, later = told.stages[:over], told.stages[over + 1 :]
        assert all(one.ended_by for one in ended)
        assert all(one.began_s is None and not one.ended_by for one in later)
        edges = [0.0, *(one.ended_s for one in ended)]
        assert [one.began_s for one in ended] == edges[:-1], "phases follow one another without a gap"
        halted = now("r", course, State("cut off", ""))
        assert (halted.likely_s, halted.elapsed_s) == pytest.approx((sum(one.left_s for one in told.stages), told.t_s))
        assert isinstance(event, Ended) or told.likely_s != halted.likely_s or not told.likely_s, "the time on the wall"
        if isinstance(event, Ended):
            assert (told.test, told.round, told.likely_s, told.iops) == ("", 0, 0, None)
        elif over < len(places):
            assert (told.test, told.phase, told.rounds) == (
                places[over][0],
                places[over][1].name,
                places[over][1].rounds,
            )
            assert told.stages[over].began_s == edges[-1]
            if isinstance(event, Sample):
                last = course.buckets.since()[-1]
                assert (last.place, last.round) == (over, told.round)
        if isinstance(event, Sample):
            assert (told.iops, told.max_s) == (event.counts.iops, event.counts.max_s)
        if isinstance(event, Result) and event.index + 1 < len(places[over][1].round):
            assert (told.round, told.step, told.steps) == (
                event.where.round, event.index + 2, len(places[over][1].round)
            )  # fmt: skip
        if isinstance(event, Result) and isinstance(event.step, Hold):
            known = {p.removeprefix("p"): percentile_s(event.counts.both, percent) for p, percent in PERCENTS.items()}
            assert (told.finished, told.quantiles) == (event.step.workload.label, {p: s for p, s in known.items() if s})


def test_figures_of_a_load_are_not_those_of_a_rest_or_of_the_next_load(tmp_path: Path) -> None:
    asked = ["run", "idle-recovery", "latency", "--target", "sim:small", "--quick", "--into", str(tmp_path / "run")]
    assert main(asked) == 0
    course, shown = Course(), set[str]()
    last = ""
    for event in store.read(tmp_path / "run"):
        last = course.doing if isinstance(event, Sample) else last
        course.add(event)
        told = now("r", course, State("running", "running"))
        if told.doing.startswith("rest of") or told.doing == "purge":
            shown.add(told.doing.split()[0])
            assert (told.iops, told.mean_s, told.load) == (None, None, "")
        elif told.iops is not None:
            shown.add("other" if last != told.doing else "same")
            assert told.load == ("" if last == told.doing else last), "the figures name their load if it is another"
    assert shown == {"rest", "purge", "same", "other"}


def test_a_rate_that_results_choose_is_not_shown_as_the_one_of_the_plan(tmp_path: Path) -> None:
    assert main(["run", "service-map", "--target", "sim:small", "--quick", "--into", str(tmp_path / "run")]) == 0
    course, shown = Course(), dict[str, set[str]]()
    for event in store.read(tmp_path / "run"):
        course.add(event)
        if course.at:
            shown.setdefault(course.at.phase, set()).add(course.doing)
    assert shown["map"] - {""} == {"a rate chosen from the results"}
    assert shown["limits"] - {""} == {"RND 4K 100/0 T4 Q32", "SEQ 128K 0/100 T1 Q32"}


def test_the_watts_of_a_meter_are_shown_while_a_run_lasts(tmp_path: Path) -> None:
    asked = ["run", "latency", "--target", "sim:small", "--quick", "--meter", "own", "--into", str(tmp_path / "run")]
    assert main(asked) == 0
    course, shown = Course(), list[float | None]()
    for event in store.read(tmp_path / "run"):
        course.add(event)
        shown += [course.power_w] if isinstance(event, Reading) else []
    readings = [event.value for event in store.read(tmp_path / "run") if isinstance(event, Reading)]
    assert shown == readings
    assert len(set(readings)) > 1
    present = now("run", course, State("running", ""))
    assert present.power_w == readings[-1]
    assert b"stend_power_watts{" in metrics.text([present])
    assert headline(course).endswith("W")


def test_a_run_is_running_cut_off_or_elsewhere(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(runs / "cut", folder)
    course = Course(store.read(folder))
    assert state(folder, course).word == "cut off"
    code = (
        "import sys, time; from pathlib import Path; from stend.store import writer\n"
        "with writer.sole(Path(sys.argv[1]), 'run'): print('held', flush=True); time.sleep(600)"
    )
    (folder / writer.OWNER).unlink()
    with subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE) as holds:
        assert holds.stdout is not None
        holds.stdout.readline()
        assert state(folder, course).word == "running"
        holds.send_signal(signal.SIGKILL)
        holds.wait()
    killed = (folder / writer.OWNER).read_bytes()
    assert state(folder, course).word == "cut off"
    other = killed.replace(f'"pid":{holds.pid}'.encode(), f'"pid":{os.getpid()}'.encode())
    (folder / writer.OWNER).write_bytes(other)  # the same number, given to another process since
    assert state(folder, course).word == "cut off"
    host = json.loads(killed)["host"]
    for name in ("name", "board", "machine"):
        host[name] = "another"
    (folder / writer.OWNER).write_bytes(json.dumps(json.loads(killed) | {"host": host}).encode())
    assert state(folder, course).word == "elsewhere"


def test_watching_ends_with_the_run_and_says_what_became_of_it(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(runs / "whole")]) == 0
    outcome = store.load(runs / "whole").ended.outcome  # type: ignore[union-attr]
    assert f"whole: {outcome}" in capsys.readouterr().out
    told = runs.parent / "told"
    assert main(["watch", str(runs / "whole"), "--on", f"finished=sh -c 'cat > {told}'"]) == 0
    assert json.loads(told.read_text())["outcome"] == outcome, "a hook for an end that came before the watching"
    assert main(["watch", str(runs / "cut")]) == 5
    assert "".join(capsys.readouterr()).count("its process has exited; `stend resume") == 1
    assert main(["watch", str(runs / "nowhere")]) == 2


def test_a_run_of_another_host_has_its_share_and_its_silence_is_reported(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    folder = Path(shutil.copytree(runs / "cut", tmp_path / "run"))
    owner = json.loads((folder / writer.OWNER).read_bytes().splitlines()[0])
    host = dict.fromkeys(owner["host"], "lab1")
    (folder / writer.OWNER).write_bytes(json.dumps(owner | {"host": host, "released": False}).encode())
    course = Course(store.read(folder))
    there = state(folder, course)
    assert (there.word, there.silent) == ("elsewhere", False)
    assert re.fullmatch(r"written by lab1; last event \d+ s ago", there.sentence)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(picture(course, there.sentence))
    shown = console.export_text()
    assert all(word in shown for word in (there.sentence, "done", "remaining"))
    os.utime(folder / "events.jsonl", (0, time.time() - 600))
    silent = state(folder, course)
    assert silent.silent
    assert silent.sentence == "written by lab1; no new event for 10 min: it may have ended there"
    states = iter([*[there] * 4, *[silent] * 3, *[there] * 2, silent])
    monkeypatch.setattr(Follower, "state", property(lambda self: next(states, State("ended", "complete"))))
    monkeypatch.setattr("stend.cli.watch.POLL_S", 0)
    monkeypatch.setattr("stend.cli.watch.CHECK_S", 0)
    main(["watch", str(folder)])
    assert capsys.readouterr().err.count(f"{silent.sentence}\n") == 2, "once each time that it falls silent"


@pytest.mark.slow
def test_a_run_that_is_killed_is_seen_by_who_watches_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    stend = [sys.executable, "-m", "stend"]
    asked = ["run", "write-saturation", "--target", "sim:kc2000?pace=1", "--into", str(folder)]
    with subprocess.Popen([*stend, *asked], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait_for(lambda: writer.last(folder).pid)
        watched = [*stend, "watch", str(folder)]
        with subprocess.Popen(watched, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as watch:
            assert watch.stdout
            assert "running (process" in watch.stdout.readline()
            run.kill()
            out, _ = watch.communicate(timeout=PATIENCE_S)
    assert watch.returncode == 5
    assert "its process has exited" in out


def test_every_field_of_a_run_now_is_plain_data() -> None:
    from stend.live.now import Now

    empty = Now(run="r", state="running", said="running")
    assert msgspec.json.decode(msgspec.json.encode(empty), type=Now) == empty


def test_a_virtual_drive_has_the_pace_that_it_is_told() -> None:
    from stend.engines.simulated import SimulatedEngine
    from stend.model.definition import Workload
    from stend.sim import build, load

    engine = SimulatedEngine(build(load("ideal?pace=20")))
    began = time.monotonic()
    running = engine.start(Workload(random_pct=100, read_pct=100, block_bytes=4096), seed=1)
    for _ in range(4):
        running.next()
    engine.idle(4)
    assert time.monotonic() - began >= engine.now() / 20 >= 8 / 20


def test_who_asks_every_few_seconds_reads_no_run_again_while_it_is_written(tmp_path: Path) -> None:
    top = tmp_path / "runs"
    assert main(["run", "latency", "--quick", "--target", "sim:small", "--into", str(top / "one")]) == 0
    events = top / "one/events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    events.write_bytes(b"".join(lines[:-3]))
    with writer.sole(top / "one", "resume"):
        for count in (3, 2, 1):
            with catalogue.opened(top, growing=False) as known:
                entries = set(known.known.entries)
                assert [one.outcome for one in known.runs] == ["unfinished"]
            with events.open("ab") as file:
                file.write(lines[-count])
            with catalogue.opened(top, growing=False) as known:
                assert set(known.known.entries) == entries
        with catalogue.opened(top) as known:
            assert set(known.known.entries) != entries
        entries = set(known.known.entries)
    events.touch()
    with catalogue.opened(top, growing=False) as known:
        assert set(known.known.entries) != entries
        assert [one.outcome for one in known.runs] != ["unfinished"]


def test_a_continued_run_counts_no_second_twice(runs: Path) -> None:
    """A virtual drive keeps its clock, and its stop may end seconds after the place where its record continues."""
    first, *events = store.read(runs / "whole")
    assert isinstance(first, Started)
    cut = next(number for number, event in enumerate(events) if isinstance(event, Sample) and event.t > 1)
    stopped = Ended(t=events[cut].t + 30, outcome="stopped")  # type: ignore[union-attr]
    moved = Note(t=0.0, text=Sentence("moved", place="/runs/other"), kind="interruption")
    virtual, end = Course([first, *events[:cut], stopped, first, moved, *events[cut:]]), Course([first, *events]).t
    assert virtual.t == pytest.approx(max(end, stopped.t))
    assert Course([first, *events[:cut], first, moved, *events[cut:]]).t == pytest.approx(end)
    test, phase = next((test.name, phase.name) for test in first.plan.tests for phase in test.phases)
    again = msgspec.structs.replace(first, continues=Position(test=test, phase=phase, round=1))
    assert Course([first, *events[:cut], stopped, again, *events]).t == pytest.approx(stopped.t + end)
    repeated = msgspec.structs.replace(again, repetition=1)
    assert Course([first, *events[:-1], repeated, *events]).t == pytest.approx(2 * end)
