"""A load that a signal kills: repeated from a safe place, counted, told in the report; an error of a drive never is."""

from pathlib import Path

import pytest

from stend import store
from stend.base.errors import LoadFailed, StepFailed
from stend.cli import main
from stend.live.course import Course
from stend.live.now import now
from stend.live.state import State
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import Note, Started
from stend.model.record import Run
from stend.runner.loop import run as run_of
from stend.runner.resume import REPEATS
from stend.words import Language
from tests.still import StillDevice, StillEngine, StillLoad
from tests.test_run import drawn, play, shorten

DEATH = LoadFailed("the load was killed", record="how it ended", died=True)
RUN = ["--quick", "--round-seconds", "1", "--seed", "3", "--target"]


class Dying(StillEngine):
    """An engine whose loads fail with `error` at their second interval, at the starts that `at` numbers."""

    def __init__(self, *at: int, error: StepFailed = DEATH) -> None:
        super().__init__()
        self.at, self.error, self.starts, self.died = at, error, 0, False

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> StillLoad:
        load = super().start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        self.starts += 1
        if self.starts in self.at:
            self.dies_in(load)
        return load

    def dies_in(self, load: StillLoad) -> None:
        """Have the load fail after its first interval."""
        first, told = load.next, list[int]()

        def after_one() -> Counts | None:
            if told:
                self.fail()
            told.append(0)
            return first()

        load.next = after_one  # type: ignore[method-assign]

    def fail(self) -> None:
        self.died = True
        raise self.error


def repeated(run: Run) -> list[tuple[str, str, int, int]]:
    """From where a run was repeated, and for the how-many-th time."""
    places = [(started.continues, started.repetition) for started in run.started if started.repetition]
    return [(place.test, place.phase, place.round, number) for place, number in places if place]


def starts(engine: StillEngine) -> list[str]:
    return [line for line in shorten(engine.log) if line.startswith(("start", "purge"))]


def test_a_saturation_is_repeated_from_its_purge() -> None:
    """Hours without a gap are what it measures: no part of the first attempt may count."""
    engine = Dying(1)
    run = Run(play(drawn("write-saturation", minute_s=1), engine))
    assert repeated(run) == [("write-saturation", "purge", 1, 1)]
    assert starts(engine) == ["purge", "start RND 4K 0/100 T4 Q32"] * 2
    whole = Run(play(drawn("write-saturation", minute_s=1), StillEngine()))
    assert [r.counts for r in run.results] == [r.counts for r in whole.results]


def test_the_engine_is_closed_before_a_repetition_starts_another_load() -> None:
    """What the dead load has left, such as the other processes of fio, must not go on beside the next one."""
    engine = Dying(1)
    list(play(drawn("write-saturation", minute_s=1), engine))
    marks = [line.split()[0] for line in engine.log if line.split()[0] in ("start", "close")]
    assert marks[:3] == ["start", "close", "start"]
    assert marks.count("start") == 2


def test_a_fill_is_repeated_whole() -> None:
    engine = Dying(1)
    run = Run(play(drawn("iops", minute_s=1, rounds=5), engine))
    assert repeated(run) == [("iops", "precondition", 1, 1)]
    fill = starts(engine)[1]
    assert "limit" in fill
    assert starts(engine)[:3] == ["purge", fill, fill]
    assert [r.counts for r in run.of("iops", "precondition")] == [
        r.counts for r in Run(play(drawn("iops", minute_s=1, rounds=5), StillEngine())).of("iops", "precondition")
    ]


def test_a_round_is_repeated_and_the_steady_state_window_begins_anew_with_it() -> None:
    engine = Dying(1 + 3 * 56 + 10)
    run = Run(play(drawn("iops", minute_s=3), engine))
    assert repeated(run) == [("iops", "rounds", 4, 1)]
    assert run.verdict_rounds("iops", "rounds") == (4, 5, 6, 7, 8)
    assert len(run.of("iops", "rounds")) == 8 * 56
    assert run.ended is not None
    assert run.ended.outcome == "complete"


def test_a_rest_before_the_load_that_died_is_rested_again() -> None:
    """A rest is part of the round that is repeated, and lasts from the end of the load, not from that of its round."""
    plan = drawn("idle-recovery", minute_s=1, second_s=1)
    whole = StillEngine()
    play(plan, whole)
    at = next(n for n, line in enumerate(starts(whole)[1:], 1) if n > 3)
    engine = Dying(at)
    run = Run(play(plan, engine))
    assert len(repeated(run)) == 1
    assert run.ended is not None
    assert run.ended.outcome == Run(play(plan, StillEngine())).ended.outcome  # type: ignore[union-attr]
    assert len(run.results) == len(Run(play(plan, StillEngine())).results)


def test_one_place_is_repeated_so_often_and_no_more() -> None:
    run = Run(play(drawn("write-saturation", minute_s=1), Dying(*range(1, 9))))
    assert [number for *_, number in repeated(run)] == list(range(1, REPEATS + 1))
    assert run.ended is not None
    assert (run.ended.outcome, run.ended.reason) == ("failed", "the load was killed")
    assert [note.text for note in run.notes if note.kind == "remark"][-1] == "how it ended"


def test_each_place_has_its_own_count() -> None:
    engine = Dying(*(1 + 1 + number * 57 for number in range(4)))
    run = Run(play(drawn("iops", minute_s=3, rounds=9), engine))
    assert repeated(run) == [("iops", "rounds", number, 1) for number in range(1, 5)]
    assert run.ended is not None
    assert run.ended.outcome == "complete"  # six rounds after the last death have a window of five


@pytest.mark.parametrize(
    "error", [StepFailed("an IO error"), LoadFailed("an IO error", record="how it ended")], ids=["drive", "fio"]
)
def test_what_is_no_death_is_not_repeated(error: StepFailed) -> None:
    engine = Dying(1, error=error)
    run = Run(play(drawn("write-saturation", minute_s=1), engine))
    assert not repeated(run)
    assert run.ended is not None
    assert (run.ended.outcome, run.ended.reason) == ("failed", "an IO error")
    assert engine.starts == 1


def test_a_drive_that_is_another_now_is_not_repeated_on() -> None:
    """The gate is asked again before the repetition, as before any phase."""
    engine, device = Dying(1), StillDevice()

    def check() -> None:
        if engine.starts:
            raise StepFailed("it changed its size")

    device.door.check = check  # type: ignore[method-assign]
    run = Run(run_of(drawn("write-saturation", minute_s=1), device, engine, seed=1, at=0.0))
    assert run.ended is not None
    assert (run.ended.outcome, run.ended.reason) == ("failed", "it changed its size")
    assert engine.starts == 1


def test_who_asked_for_the_end_meanwhile_gets_it() -> None:
    engine = Dying(1)
    plan = drawn("write-saturation", minute_s=1)
    run = Run(run_of(plan, StillDevice(), engine, seed=1, at=0.0, stopping=lambda: engine.died))
    assert run.ended is not None
    assert run.ended.outcome == "stopped"
    assert not repeated(run)


def virtual(folder: Path, options: str, *tests: str) -> int:
    return main(["run", *tests, *RUN, f"sim:small?{options}", "--into", str(folder)])


def test_a_virtual_drive_rehearses_it_to_the_same_figures(tmp_path: Path) -> None:
    codes = [
        virtual(tmp_path / name, told, "write-saturation") for name, told in (("a", ""), ("b", "load_dies_at_s=4"))
    ]
    assert codes == [0, 0]
    whole, run = (store.load(tmp_path / name) for name in "ab")
    assert (whole.repeats, run.repeats, run.interruptions) == (0, 1, 0)
    assert [r.step for r in run.results] == [r.step for r in whole.results]
    assert [r.counts.ios for r in run.results] == pytest.approx([r.counts.ios for r in whole.results], rel=0.01)
    assert main(["verify", str(tmp_path / "b")]) == 0


def test_one_death_too_many_is_a_failed_step_and_the_run_can_be_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert virtual(folder, f"load_dies_at_s=1&load_deaths={REPEATS + 1}", "write-saturation") == 5
    assert "`stend resume" in capsys.readouterr().err
    run = store.load(folder)
    assert run.repeats == REPEATS
    assert (
        run.stamps[1]
        == f"repeated {REPEATS}x from a safe place because the load died; the measurement window began again"
    )


def test_a_run_that_is_cut_anywhere_about_a_repetition_repeats_it_once(tmp_path: Path) -> None:
    """Between the note of a death and the Started after it, too."""
    folder = tmp_path / "run"
    assert virtual(folder, "load_dies_at_s=4", "write-saturation") == 0
    whole, lines = store.load(folder), (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"repetition":1' in line)
    for cut in range(at - 2, at + 4):
        (folder / "events.jsonl").write_bytes(b"".join(lines[:cut]))
        assert main(["resume", str(folder)]) == 0
        run = store.load(folder)
        assert (run.results, run.repeats, run.interruptions) == (whole.results, 1, 1), cut
        assert sum(note.kind == "repeat" for note in run.notes) == 1, cut


def test_it_is_counted_on_the_page_in_both_languages_and_on_the_live_page(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert virtual(folder, "load_dies_at_s=1&load_deaths=2", "write-saturation") == 0
    for lang in ("en", "ru"):
        words, pages = Language(lang), []
        for style in ("review", "pts"):
            into = tmp_path / f"{lang}-{style}"
            assert main(["report", str(folder), "--lang", lang, "--style", style, "--into", str(into)]) == 0
            pages += [path.read_text().replace("\u00a0", " ") for path in into.glob("*.html")]
        assert words("method.repeats") in pages[1]
        assert words("method.repeats_value", n=2).replace("\u00a0", " ") in pages[1]
        stamp = words.translated(store.load(folder).stamps[1]).replace("\u00a0", " ")
        assert "2x" in stamp or "раз: 2" in stamp
        assert all(stamp in page for page in pages)
    course = Course(store.read(folder))
    assert now("run", course, State("ended", "")).repeats == 2


SAID = [
    "fio failed at RND 4K: it was killed by signal 11; repeated from iops, rounds, round 4 on, 1 of at most 2",
    "RND 4K: fio ended with signal 11 (SIGSEGV); it printed nothing; core pattern: core, core limit: 0 bytes",
    "SEQ 1M: fio ended with signal 6 (SIGABRT); its last lines: free(): bad | b; "
    "core pattern: |/x %P, core limit: unlimited; it was told to end; what it did after its last totals is not counted",
    "SEQ 1M: fio ended with exit code 3; its last lines: fio: engine burnt",
]


@pytest.mark.parametrize("text", SAID)
def test_its_notes_are_told_in_russian(text: str) -> None:
    told = Language("ru").translated(text)
    for english in ("fio failed", "killed by", "fio ended", "printed", "its last", "core limit", "told to end", "exit"):
        assert english not in told


def test_a_note_says_where_it_goes_on_and_how_often_it_may() -> None:
    run = Run(play(drawn("write-saturation", minute_s=1), Dying(1)))
    notes = [note for note in run.notes if isinstance(note, Note) and note.kind == "repeat"]
    words = f"the load was killed; repeated from write-saturation, purge, round 1 on, 1 of at most {REPEATS}"
    assert [note.text for note in notes] == [words]
    assert isinstance(run.started[1], Started)
