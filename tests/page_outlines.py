"""What pages state, as text without pictures: `python -m tests.page_outlines` writes tests/goldens/pages anew.

Each page is that of a run, a batch or a sweep whose drives follow formulas. Read the difference before committing it.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from stend import suite
from stend.charts import Picture
from stend.many.batch.acceptance import Written
from stend.report.markdown import _lines
from stend.report.parts import Page, batched, made, swept, written
from stend.words import Language
from tests import pictures
from tests.test_charts_many import LIMITS, drawn_batch, swept_study

FOLDER = Path(__file__).parent / "goldens/pages"


def _of_run(test: str, style: str) -> Page:
    return made.page([(None, pictures.run_of(test), {})], "en", style)


def _of_sweep() -> Page:
    with tempfile.TemporaryDirectory() as place:
        return swept.swept(swept_study(Path(place) / "sweep"), "en", drawn=False)


def _of_batch() -> Page:
    """Drives without runs: what a page states of those is compared elsewhere."""
    words, batch = Language("en"), drawn_batch(Written(LIMITS, lot=280, aql_pct=0.65))
    return written.page("batch", "24 drives", words, batched._sections(batch, words, drawn=False))


PAGES: dict[str, Callable[[], Page]] = {
    "batch": _of_batch,
    "sweep": _of_sweep,
    "iops.pts": partial(_of_run, "iops", "pts"),
    **{f"{test}.review": partial(_of_run, test, "review") for test in suite.names()},
}


def outline(page: Page) -> str:
    """The text of a page; of a picture its title and its sentence."""
    return "\n".join(line.rstrip() for line in _outline(page)) + "\n"


def _outline(page: Page) -> Iterator[str]:
    yield f"# {page.title}"
    for anchor, title, blocks, level in page.every:
        yield f"{'#' * (level + 1)} {title} ({anchor})"
        for block in blocks:
            if isinstance(block, Picture):
                yield f"![{block.title}] {block.says}"
            else:
                yield from _lines(block)
    yield page.foot


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, made_page in PAGES.items():
        (FOLDER / f"{name}.txt").write_text(outline(made_page()))
