"""Numbers with a word behind them: the word has the form that the number needs, in every language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.model.definition import Hold, Phase, Seconds
from stend.model.tally import Tally
from stend.model.traced import Traced
from stend.planning import describe
from stend.suite import _played
from stend.words import Language, Sentence
from stend.words.numbers import fold, plural, times
from tests.test_plan import DRIVE

RU, EN = Language("ru").format_of, Language("en").format_of


def russian(text: str) -> str:
    """The form of «раз» by the rule of CLDR, from the number as it is shown."""
    if "," in text:
        return "раза"
    last, two = int(text[-1]), int(text[-2:])
    return "раза" if last in (2, 3, 4) and two not in (12, 13, 14) else "раз"


@given(value=st.floats(0.02, 3000))
def test_the_word_fits_the_number_that_is_shown(value: float) -> None:
    for shown in (times(RU, value), fold(RU, value).removeprefix("в\u00a0")):
        digits, word = shown.rsplit("\u00a0", 1)
        assert word == russian(digits.replace("\u00a0", "")), shown
    assert times(EN, value).endswith("×")
    assert fold(EN, value).endswith("\u00a0times")


@pytest.mark.parametrize(
    ("value", "form"),
    [(0, 2), (1, 0), (2, 1), (4, 1), (5, 2), (11, 2), (12, 2), (14, 2), (21, 0), (22, 1), (111, 2), (1.5, 1), (-1, 0)],
)
def test_forms_are_those_of_the_language(value: float, form: int) -> None:
    assert plural(RU, value) == form
    assert plural(EN, value) == (0 if value == 1 else 1)


@pytest.mark.parametrize(
    ("key", "one", "several"),
    [
        ("capture_gone", "the oldest 1 IO was dropped", "the oldest 2 IOs were dropped"),
        ("capture_own", "1 IO that the capture itself sent", "2 IOs that the capture itself sent"),
        ("capture_zeroes", "1 write of zeroes is shown as a discard", "2 writes of zeroes are shown as discards"),
        ("capture_other", "1 command that is not an IO is left out", "2 commands that are not IOs are left out"),
        ("capture_unanswered", "1 IO has no response time: it was", "2 IOs have no response time: they were"),
        ("capture_lost", "1 record found", "2 records found"),
    ],
)
def test_one_io_of_a_capture_is_not_several(key: str, one: str, several: str) -> None:
    assert one in Sentence(key, n=1)
    assert several in Sentence(key, n=2)


@pytest.mark.parametrize(
    ("lost", "bad", "said"),
    [
        (1, 0, ("the trace lacks 1 IO that was lost", "в трассе не хватает 1 потерянной операции")),
        (5, 0, ("the trace lacks 5 IOs that were lost", "в трассе не хватает 5 потерянных операций")),
        (0, 1, ("the trace lacks 1 line that could not be read", "в трассе не прочитана 1 строка")),
        (0, 2, ("the trace lacks 2 lines that could not be read", "в трассе не прочитаны 2 строки")),
        (0, 0, ()),
    ],
)
def test_what_a_trace_lacks_has_no_part_that_is_nought(lost: int, bad: int, said: tuple[str, ...]) -> None:
    trace = Traced(
        number="0" * 64, name="x", source="blkparse", ios=3, seconds=1.0, read=Tally(ios=3, bytes=12_288),
        write=Tally(), span_bytes=1 << 20, longest_bytes=4096, depth=4.0, lost=lost, malformed=bad,
    )  # fmt: skip
    hold = Hold(workload=_played.played(trace, 1.0, "wrap", 1 << 30), amount=Seconds(seconds=1))
    notes = describe.traced(trace, (Phase(name="x", round=(hold,)),), DRIVE)
    told = [note for note in notes if note.key in ("trace_lacks", "trace_lost", "trace_malformed")]
    assert [words.translated(note) for note in told for words in (Language("en"), Language("ru"))] == [*said]
