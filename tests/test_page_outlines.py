"""All that pages state is compared with what they stated, as text: every section, table, sentence and caption."""

import pytest

from tests import page_outlines

pytestmark = pytest.mark.together


@pytest.mark.parametrize("name", page_outlines.PAGES)
def test_a_page_states_what_it_stated(name: str) -> None:
    stated = page_outlines.outline(page_outlines.PAGES[name]())
    assert stated == (page_outlines.FOLDER / f"{name}.txt").read_text(), (
        "write anew with python -m tests.page_outlines, and read the diff"
    )


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in page_outlines.FOLDER.glob("*.txt")} == page_outlines.PAGES.keys()
