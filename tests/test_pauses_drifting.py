"""Pauses of a drive that goes on slowing down between them: each has a level before it, and longer ones may give less.

The levels are those of a virtual QLC drive with a large SLC cache, rounded.
"""

from dataclasses import dataclass, field

import pytest

from stend.base.units import GiB
from stend.findings.judgement.named import of_findings
from stend.model.definition import Workload
from stend.model.record import Run
from stend.planning import plan as planning
from stend.report.story import questions, telling
from stend.report.story.found import found_tables
from stend.runner.loop import run
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Synthetic, SyntheticDevice, Truth, identity

RESTS = (5.0, 10.0, 15.0, 25.0, 50.0)
FRESH, BEFORE = 54_000.0, (11_700.0, 10_300.0, 9_600.0, 8_250.0, 7_850.0, 6_500.0)
"""Writes without pauses: at first, before the pauses of each length, and after the last."""
AFTER = (15_900.0, 19_400.0, 15_000.0, 23_000.0, 18_800.0)
SIZE = 16 * GiB
OPTIONS = {"idle-recovery": {"saturation_minutes": 30, "repeats": 20}}


@dataclass
class Slowing(Synthetic):
    """A drive that writes at AFTER after each rest and at BEFORE without one, slower after the rests of each length."""

    before: tuple[float, ...] = BEFORE
    after: tuple[float, ...] = AFTER
    rests: list[float] = field(default_factory=list)
    rest: float = 0.0

    def idle(self, seconds: float) -> None:
        """Rest before the next burst."""
        super().idle(seconds)
        self.rest += seconds

    def rate(self, workload: Workload, at_bytes: float) -> float:
        """IOs per second now."""
        rest, self.rest = min(RESTS, key=lambda rest: abs(rest - self.rest)) if self.rest > 4 else 0.0, 0.0
        if rest:
            self.rests += [] if rest in self.rests else [rest]
            return self.after[RESTS.index(rest)]
        return FRESH if self.written < SIZE / 2 and not self.rests else self.before[len(self.rests)]


def rested(before: tuple[float, ...] = BEFORE, after: tuple[float, ...] = AFTER, minutes: int = 30) -> Run:
    truth = Truth(capacity_bytes=SIZE, noise=0.0)
    options = {"idle-recovery": OPTIONS["idle-recovery"] | {"saturation_minutes": minutes}}
    profile, deviations = planning.adjust(planning.load_profile("review"), {"tests": options})
    drawn = planning.draw(["idle-recovery"], profile, identity(truth), deviations=deviations)
    drive = Slowing(truth, interval_s=5.0, before=before, after=after)
    drive.fresh()
    return Run(list(run(drawn, SyntheticDevice(drive, drawn.device), drive, seed=1, at=0.0)))


def figures(run: Run) -> dict[str, float]:
    review = telling.reviewed(run, {}, Language("en"))
    return {each.name: each.value for each in of_findings(review.findings) if each.value is not None}


def answers(run: Run, lang: str) -> str:
    """The paragraph of the chapter on pauses, with ordinary spaces."""
    words = Language(lang)
    known = figures(run)
    chapter = next(question for question in questions.questions() if question.name == "recovery")
    keys = [answer.key for answer in chapter.answers if answer.holds(known)]
    text = " ".join(words(f"question.recovery.{key}", **known) for key in keys)
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_each_pause_has_the_level_of_the_writes_without_pauses_before_it() -> None:
    review = telling.reviewed(rested(), {}, Language("en"))
    (finding,) = [f for f in review.findings if f.name == "idle_recovery"]
    expected = dict(zip(("5", "10", "15", "25", "50"), BEFORE, strict=False))
    assert finding.values["befores"] == pytest.approx(expected, rel=0.001)
    (table,) = [t for t in found_tables({"": review}, ["idle-recovery"], review.words) if t.rows]
    assert [row[1] for row in table.rows] == [review.words.show(level, "rate") for level in BEFORE[:5]]


def test_a_gain_is_that_over_the_level_before_the_same_pauses() -> None:
    review = telling.reviewed(rested(), {}, Language("en"))
    (finding,) = [f for f in review.findings if f.name == "idle_recovery"]
    assert finding.values["best_rest"] == 25.0
    assert finding.values["before"] == pytest.approx(BEFORE[3], rel=0.001)
    assert finding.values["gain"] == pytest.approx(AFTER[3] / BEFORE[3], rel=0.001)
    known = figures(rested())
    assert known["unrested"] == pytest.approx(BEFORE[0], rel=0.001)  # the answers on the shortest pauses have it
    assert known["rested_before"] == pytest.approx(BEFORE[3], rel=0.001)


@pytest.mark.parametrize(
    ("lang", "alike", "figures"),
    [
        ("en", "longer ones about as much", ("25 s", "23,000", "50 s", "18,800")),
        ("ru", "более долгие — примерно столько же", ("25 с", "23 000", "50 с", "18 800")),
    ],
)
def test_longer_pauses_that_give_less_are_not_called_about_as_good(
    lang: str, alike: str, figures: tuple[str, ...]
) -> None:
    text = answers(rested(), lang)
    assert alike not in text
    assert [figure for figure in figures if figure not in text] == []
    near = answers(rested(after=(*AFTER[:4], 22_500.0)), lang)
    assert alike in near
    assert figures[2] not in near


@pytest.mark.parametrize(("longer", "key"), [(23_100, "enough"), (22_500, "enough"), (21_000, "less"), (25_000, "")])
def test_about_as_much_is_within_five_percent(longer: float, key: str) -> None:
    known = figures(rested(after=(*AFTER[:4], float(longer))))
    assert {name for name in ("enough", "less") if f"rested_{name}" in known} == {key} - {""}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pauses_of_a_drive_that_slows_down_only_between_them_have_no_effect_that_is_known(lang: str) -> None:
    """The first pauses find it fresh. The table has the levels before each."""
    before = (FRESH, 20_000.0, 20_000.0, 20_000.0, 20_000.0, 20_000.0)
    review = telling.reviewed(rested(before, (FRESH, 30_000.0, 30_000.0, 30_000.0, 30_000.0)), {}, Language(lang))
    (finding,) = [f for f in review.findings if f.name == "idle_recovery"]
    assert (finding.key, finding.confidence) == ("late", "can't tell")
    said = finding_said(finding, review.words).replace("\N{NO-BREAK SPACE}", " ")
    assert {"en": "(54,000 IOPS), only during the test (to 20,000", "ru": "(54 000 IOPS), а замедлился лишь в ходе"}[
        lang
    ] in said
    assert "fresh" not in finding.values


def test_levels_before_pauses_that_gain_nothing_are_a_range() -> None:
    before = (10_000.0, 9_800.0, 9_600.0, 9_500.0, 9_400.0, 9_300.0)
    review = telling.reviewed(rested(before, before[:5]), {}, Language("en"))
    (table,) = [t for t in found_tables({"": review}, ["idle-recovery"], review.words) if t.rows]
    ends = review.words.ranged((before[4], before[0]), "rate")
    assert [(row[1], row[2]) for row in table.rows] == [(ends, ends)]


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ("raise the rate from 6,700 to 13,500 IOPS", "no pause of this test restores more than 47%")),
        ("ru", ("поднимают скорость с 6700 до 13 500 IOPS", "не возвращает больше 47 %")),
    ],
)
def test_long_pauses_gain_although_short_ones_came_while_the_drive_was_faster(lang: str, said: tuple[str, ...]) -> None:
    """The levels of a virtual QLC drive of 2026: the highest share, 47%, is of pauses that gained nothing."""
    before = (20_900.0, 12_500.0, 9_300.0, 7_300.0, 6_700.0, 6_600.0)
    text = answers(rested(before, (20_000.0, 8_000.0, 7_900.0, 13_000.0, 13_500.0)), lang)
    assert [one for one in said if one not in text] == []


def test_a_level_recorded_once_is_not_called_unstable() -> None:
    review = telling.reviewed(rested(minutes=1), {}, Language("en"))
    (finding,) = [f for f in review.findings if f.name == "idle_recovery"]
    assert finding.values["because"].key == "once"
    assert "recorded only once" in finding_said(finding, review.words)
