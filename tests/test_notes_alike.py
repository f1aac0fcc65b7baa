"""Many notes of one kind are a few lines and a count on a page."""

import pytest

from stend.model.events import Note
from stend.report.parts import Items
from stend.report.parts.method import _titled, method_section
from stend.words import Language, Sentence
from tests.synthetic import made

EN = Language("en")


@pytest.mark.parametrize(("count", "lines"), [(0, 1), (4, 4), (5, 4), (238, 4)])
def test_many_notes_of_one_kind_are_counted(count: int, lines: int) -> None:
    run = made("fresh", shorten=60)
    run.notes[:] = [Note(t=n, text=Sentence("throttled", a=3 * n, b=3 * n + 2)) for n in range(count)]
    notes = method_section(run, {}, {}, EN).blocks[-1]
    assert isinstance(notes, Items)
    assert [len(notes.items), notes.items[-1].text == EN("page.alike", n=count - 3)] == [lines, count > 4]


def test_a_note_has_tests_by_their_titles_and_other_words_as_they_are() -> None:
    run = made("idle-recovery", "iops", shorten=3600, rounds=5, interval_s=600.0)
    assert _titled("idle-recovery: fewer iops", run, EN) == "Host Idle Recovery: fewer iops"
