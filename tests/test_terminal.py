"""What a person sees of a run on a terminal, narrow and wide, at five moments; and of `stend` alone."""

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from stend.base.units import GB
from stend.cli import _guide, _matrix, _result, _steady, _summary, main
from stend.cli._view import Size, picture
from stend.devices import virtual
from stend.live import clock
from stend.live.course import Course
from stend.live.follow import Follower
from stend.model.definition import Hold, Identity, Phase, Seconds, Workload
from stend.model.events import Event, Result, Sample, Started
from stend.model.record import Run
from stend.planning import plan as planning
from stend.runner.loop import run
from tests.held import SEEN
from tests.rehearsal import rehearsed
from tests.screens import terminal
from tests.still import IDENTITY, StillDevice, StillEngine

RUN = ("run", "iops", "--quick", "--seed", "1", "--target", "sim:small", "--into", "run")


@pytest.mark.slow
@pytest.mark.needs("tmux", "terminals")
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (140, 40)])
def test_a_run_is_seen_whole_at_five_moments(tmp_path: Path, columns: int, lines: int) -> None:
    whole = ["stend small  SIM-small", "done", "remaining", "simulated", "0/100", "1024K", "MB/s", "mean"]
    whole += ["✓ purge"] if columns > 80 else []  # a screen may be read in the middle of its drawing
    moments = {
        1: ("IOPS: rounds", "1 of about", "▸"),
        2: ("· of round 1", "after round 5", "RND 4K 0/100"),
        4: ("· of round 3",),
    }
    screens = []
    with terminal(tmp_path, columns, lines, *RUN, module="tests.held") as shown:
        for number in range(1, 6):
            screens.append(shown.waits(*whole, *moments.get(number, ())))
            coloured = shown.colours
            (tmp_path / SEEN.format(number)).touch()
        ended = shown.waits("steady in", "exit code 0", "Report: file:///")
    assert "\x1b[36m" in coloured
    assert columns > 80 or not any("✓ purge" in screen for screen in screens)
    assert "Rehearsal, not a measurement" in ended
    assert "ended by all done" not in ended
    assert any(word in ended for word in ("✗ iops, rounds: not steady in 5 rounds", ": complete"))


@pytest.mark.slow
@pytest.mark.needs("tmux", "terminals")
def test_without_colour_the_same_is_told(tmp_path: Path) -> None:
    with terminal(tmp_path, 80, 24, *RUN, module="tests.held", NO_COLOR="1") as shown:
        shown.waits("▸", "remaining")
        assert "\x1b[3" not in shown.colours.replace("\x1b[39m", "")


@pytest.mark.slow
@pytest.mark.needs("tmux", "terminals")
@pytest.mark.parametrize("key", ["C-c", "C-d"])
def test_the_guide_ends_with_one_sentence(tmp_path: Path, key: str) -> None:
    with terminal(tmp_path, 80, 40, "--version") as shown:
        shown.waits("exit code 0")
    with terminal(tmp_path, 80, 40) as shown:
        shown.waits("What do you want?", "Number [1]:")
        shown.keys(key)
        assert "stend: stopped" in shown.waits("exit code 130")
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("tmux-")]


def test_elsewhere_stend_alone_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Usage" in capsys.readouterr().out


def answers(monkeypatch: pytest.MonkeyPatch, drives: list[Identity], *numbers: int, run_it: bool) -> list[str]:
    """What the guide would run after these answers."""
    left = list(numbers)
    monkeypatch.setattr("stend.session.sheet.every", lambda: [(drive, 0, "") for drive in drives])
    monkeypatch.setattr("typer.prompt", lambda *_, **__: left.pop(0))
    monkeypatch.setattr("typer.confirm", lambda *_, **__: run_it)
    monkeypatch.setattr("stend.session.planned", lambda request: drawn(request.tests, drives))
    answer = _guide.ask()
    assert not left
    return answer


def drawn(tests: list[str], drives: list[Identity]) -> Any:
    names, profile, deviations = planning.gather(tests, None, {})
    return planning.draw(names, profile, drives[0] if drives else IDENTITY, deviations=deviations)


def drive(interface: str, *, rotational: bool = False, kind: str = "nvme") -> Identity:
    place = "/dev/x"
    return Identity(
        kind=kind, target=place, path=place, capacity_bytes=GB, interface=interface, rotational=rotational, serial="S1"
    )


@pytest.mark.parametrize(
    ("found", "numbers", "suite"),
    [
        (drive("NVMe"), (2,), "quick-look"),
        (drive("NVMe"), (3, 1), "review-nvme"),
        (drive("NVMe"), (3, 2), "review-desktop"),
        (drive("SATA 6 Gb/s"), (3,), "review-sata"),
        (drive("SAS 12 Gb/s", rotational=True), (3,), "review-sshd"),
        (drive("", kind="md"), (3,), "review-raid"),
    ],
)
def test_the_guide_prints_the_command_with_its_time_and_bytes(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: Identity,
    numbers: tuple[int, ...],
    suite: str,
) -> None:
    assert answers(monkeypatch, [found], *numbers, run_it=True) == ["run", suite, "--target", "/dev/x"]
    said = capsys.readouterr().out
    assert f"stend run {suite} --target /dev/x" in said
    assert "Expected time" in said
    assert "are written. All data on the drive is" in said
    assert answers(monkeypatch, [found], *numbers, run_it=False) == []


def test_the_first_choice_of_the_guide_only_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answers(monkeypatch, [drive("NVMe")], 1, run_it=True) == ["inspect", "/dev/x"]
    said = capsys.readouterr().out
    assert "stend inspect /dev/x" in said
    assert "Nothing is written." in said
    assert "destroyed." not in said.split("The plan")[1]


def test_without_a_drive_only_a_rehearsal_is_offered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answers(monkeypatch, [], 1, 1, run_it=True) == ["run", "review-nvme", "--target", "sim:small"]
    assert "None of them can be tested" in capsys.readouterr().out


def course(asked: str, profile: str, until: Callable[[Course], bool]) -> Course:
    """A run on a drive that always does the same, up to a moment."""
    names, chosen, told = planning.gather([asked], profile, {})
    engine = StillEngine(lambda workload, t: 1e9 / workload.block_bytes, interval_s=5)
    real = msgspec.structs.replace(IDENTITY, virtual=False)
    made = planning.draw(names, chosen, real, deviations=told)
    shown = Course()
    for event in run(made, StillDevice(), engine, seed=1, at=0.0):
        shown.add(event)
        if isinstance(event, Sample) and until(shown):
            break
    return shown


def told(shown: Course, columns: int = 80, lines: int = 24) -> str:
    console = Console(width=columns, height=lines, record=True, file=io.StringIO())
    console.print(picture(shown, "", Size(columns, lines)))
    return console.export_text()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (80, 10), (100, 30), (140, 40), (240, 70)])
def test_the_view_fits_every_terminal(columns: int, lines: int) -> None:
    shown = course("iops", "enterprise-2.0.2", lambda c: bool(c.at and c.at.round == 3 and c.steps[0] == 20))
    rows = told(shown, columns, lines).splitlines()
    assert len(rows) < lines
    assert all(len(row) <= columns for row in rows)
    assert any(row.startswith("remaining") for row in rows)


def test_a_small_history_never_mixes_two_workloads() -> None:
    def whole(c: Course) -> bool:
        return bool(c.at and c.at.round == 2 and c.steps[0] == 9 and len(_matrix.history(c, 24)[0]) > 3)

    shown = course("iops", "enterprise-2.0.2", whole)
    counts, kind = _matrix.history(shown, 24)
    (iops,) = {round(each.iops) for each in counts}
    assert kind == ""
    assert len({round(sample.counts.iops) for sample in shown.recent}) > 1
    assert iops == round(shown.recent[-1].counts.iops)


@pytest.mark.parametrize("rounds", [1, 2])
def test_no_figure_of_another_load_is_shown_as_the_present_one(rounds: int) -> None:
    """Before its first sample a step has no figure: neither of the step before it nor of its last round."""
    shown = Course()
    for event in rehearsed(virtual.find("sim:small"), "iops", "enterprise-2.0.2", minute_s=1):
        shown.add(event)
        here = (shown.at.phase, shown.at.round, shown.steps[0]) if shown.at else ()
        if isinstance(event, Result) and here == ("rounds", rounds, 9):
            break
    assert shown.recent
    assert _matrix.history(shown, 24) == ([], "")
    (current,) = (row.plain.partition(_matrix.CURRENT)[2] for _, row in _matrix.rows(shown, 80) if "▸" in row.plain)
    assert not current[:1].strip()


@pytest.mark.parametrize("number", [1, 30, 55])
def test_the_table_of_a_round_fills_cell_by_cell(number: int) -> None:
    def there(c: Course) -> bool:
        return bool(c.at and c.at.phase == "rounds" and c.steps[0] == number)

    shown = course("iops", "enterprise-2.0.2", there)
    cells = "".join(row.plain for _, row in list(_matrix.rows(shown, 80))[1:])
    assert cells.count(_matrix.CURRENT) == 1
    assert cells.count(f" {_matrix.OPEN}") == 56 - number - 1


def test_only_two_settings_in_all_combinations_make_a_table() -> None:
    def phase(*loads: tuple[int, int, int]) -> Phase:
        steps = [Workload(random_pct=100, read_pct=r, block_bytes=b, depth=d) for b, r, d in loads]
        return Phase(name="x", round=tuple(Hold(workload=load, amount=Seconds(seconds=1)) for load in steps))

    whole = [(b, r, 1) for b in (4096, 8192) for r in (0, 100)]
    cells = _matrix.cells_of(phase(*whole))
    assert cells is not None
    assert cells.names == ("block_bytes", "read_pct")
    assert _matrix.cells_of(phase(*whole[:3])) is None
    assert _matrix.cells_of(phase(*whole[:3], (8192, 100, 2))) is None
    assert _matrix.cells_of(phase(*((4096, r, d) for r in (0, 100) for d in (1, 2)))) is not None


def test_a_simulation_has_the_time_of_the_wall_and_its_own() -> None:
    shown, samples = Course(), 0
    for event in rehearsed(virtual.find("sim:small"), "iops", "enterprise-2.0.2", minute_s=1):
        shown.add(event)
        samples += isinstance(event, Sample)
        if samples == 100:
            break
    at = clock.times(shown, now=10.0)
    assert at.elapsed_s == 10
    assert at.simulated.startswith("1 min")
    twice = clock.times(shown, now=20.0)
    assert twice.left.likely_s == pytest.approx(2 * at.left.likely_s)
    first = clock.times(shown, now=10.0, since=clock.mark(shown, 5.0))
    assert (clock.span(first.left), first.share) == ("not known yet", 0)
    assert 0 < at.share < 1
    assert at.share == pytest.approx(twice.share)


def test_a_run_that_is_joined_late_has_its_share_at_once(tmp_path: Path) -> None:
    """`watch` and the pages count from the start of a run that they join, also at its first new sample."""
    assert main([*RUN[:-1], str(tmp_path / "run")]) == 0
    record = tmp_path / "run/events.jsonl"
    lines = record.read_bytes().splitlines(keepends=True)
    half = len(lines) // 2
    record.write_bytes(b"".join(lines[:half]))
    late = Follower(tmp_path / "run")
    for _ in late.news():
        pass
    assert late.since == clock.begin(late.course)
    record.write_bytes(b"".join(lines[: half + 60]))
    for _ in late.news():
        pass
    at = clock.times(late.course, late.since.at + 100, late.since)
    assert (at.elapsed_s, math.isfinite(at.left.likely_s)) == (100, True)
    assert at == clock.times(late.course, late.since.at + 100)


def test_a_run_that_is_followed_from_its_start_is_timed_without_its_start_up(tmp_path: Path) -> None:
    assert main([*RUN[:-1], str(tmp_path / "run")]) == 0
    record = tmp_path / "run/events.jsonl"
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(lines[0])
    early = Follower(tmp_path / "run")
    for count in (1, 100, 200):
        record.write_bytes(b"".join(lines[:count]))
        for _ in early.news():
            pass
        assert (early.since is None) == (count == 1)
    assert early.since
    assert 0 < early.since.work < clock.work(early.course)


def test_a_real_drive_has_one_time() -> None:
    shown = course("iops", "enterprise-2.0.2", lambda c: c.t > 1000)
    at = clock.times(shown, now=1e9)
    assert (at.elapsed_s, at.simulated) == (shown.t, "")
    assert at.left == shown.remaining


def test_a_search_that_fails_says_by_what(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main(["run", "iops", "--quick", "--seed", "1", "--target", "sim:small", "--into", str(folder)]) == 0
    said = capsys.readouterr()
    if "not steady" in said.out:
        assert "✗ iops, rounds: not steady in 5 rounds: " in said.out
        assert " of the mean, at most " in said.out
    assert "iops, purge: done" in said.err
    assert f"Report: {folder}" in said.out
    assert "Rehearsal, not a measurement" in said.out


def test_columns_of_a_summary_do_not_run_together() -> None:
    events: list[Event] = list(rehearsed(virtual.find("sim:small"), "throughput", "review", minute_s=1, rounds=4))
    lines = _summary.body(Run(events))
    heads = [line for line in lines if line.rstrip().endswith(("max", "last"))]
    figures = [line for line in lines if line.startswith("    SEQ") and "steady" not in line]
    assert len(heads) >= 4
    assert {line[27:].count("  ") > 0 for line in (*heads, *figures)} == {True}
    assert max(map(len, (*heads, *figures))) < 80
    assert all(line[27] == " " for line in (*heads, *figures))


def test_a_long_text_goes_through_a_pager_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("pydoc.pager", paged.append)
    _result.page(["line"] * 500)
    assert not paged
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    _result.page(["line"] * 500)
    _result.page(["line"])
    assert len(paged) == 1


def test_names_lose_only_what_all_have_in_common() -> None:
    assert _steady._names(["RND 4K 0/100 T4 Q32", "RND 64K 65/35 T4 Q32"]) == ["RND 4K 0/100", "RND 64K 65/35"]
    assert _steady._names(["RND 4K 0/100 T4 Q32"]) == ["RND 4K 0/100 T4 Q32"]
    assert _steady._names(["RND 4K 0/100 T1 Q1", "RND 4K 0/100 T1 Q32"]) == [
        "RND 4K 0/100 T1 Q1",
        "RND 4K 0/100 T1 Q32",
    ]


def test_the_present_step_of_a_resumed_virtual_run_is_said_to_be_replayed() -> None:
    shown = course("iops", "enterprise-2.0.2", lambda c: c.t > 1000)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(picture(shown, "replaying the recorded part", timed=False))
    text = console.export_text()
    assert "replaying the recorded part" in text
    assert "remaining" not in text
    assert isinstance(shown.started, Started)
    assert isinstance(shown.last, Result)
