"""What pages state, as text without pictures: `python -m tests.page_outlines` writes tests/goldens/pages anew.

Each page is that of a run, a batch or a sweep whose drives follow formulas. Read the difference before committing it.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from stend import report, store, suite
from stend.base.units import GiB
from stend.base.version import __version__
from stend.charts import Picture
from stend.many import incoming
from stend.many.batch.acceptance import Written
from stend.many.compare import Side, compared, side
from stend.many.compare.rules import judge, parse
from stend.report.markdown import _lines
from stend.report.parts import Page, batched, made, swept, traced, written
from stend.report.parts import incoming as lots
from stend.report.parts.versus import versus
from stend.words import Language
from tests import pictures
from tests.imported import FORMATS, SAMPLES, imported
from tests.inspected import disk, inspected
from tests.sides import load, outcome, row
from tests.synthetic import Truth
from tests.synthetic import made as made_run
from tests.test_charts_many import LIMITS, drawn_batch, rounded, swept_study
from tests.traced import known

FOLDER = Path(__file__).parent / "goldens/pages"


def _of_run(test: str, style: str) -> Page:
    return made.page([(None, pictures.run_of(test), {})], "en", style)


def _of_runs() -> Page:
    """The protocol of two drives, with their figures beside each other."""
    faster = made_run("iops", truth=Truth(capacity_bytes=8 * GiB, steady_iops=30_000, model="Faster"), interval_s=10.0,
                      shorten=60, rounds=5)  # fmt: skip
    return made.page([(None, run, {}) for run in (pictures.run_of("iops"), faster)], "en", "pts")


def _of_import(name: str) -> str:
    """The figures of an imported run, and what its record says of them; it has no page."""
    with tempfile.TemporaryDirectory() as place:
        folder = imported(SAMPLES / name, Path(place) / "runs")
        run = store.load(folder)
        (table, *_) = report.write([(folder, run, {})], "csv", into=folder)
        shown = table.read_text().replace(folder.name, name)
        kept = (note.text for note in run.notes)
        return "\n".join([shown, *kept, str(run.source and run.source.unknown), str(run.plan.device.facts)]) + "\n"


def _of_trace() -> Page:
    with tempfile.TemporaryDirectory() as place:
        return traced.traced(known(Path(place)), "en", drawn=False)


def _of_lot() -> Page:
    return lots.page(_rows(), "en")


def _rows() -> list[incoming.Row]:
    """Two virtual disks, one of which fails."""
    with tempfile.TemporaryDirectory() as place:
        disks = (
            disk(Path(place), serial="A1"),
            disk(Path(place), serial="A2", errors_from_bytes=10**12, errors_bytes=10**11),
        )
        rows = incoming.lot([(target, inspected(target, minutes=0.1)) for target in disks])
        return [row._replace(target=row.serial) for row in rows]


def _of_comparison() -> Page:
    """Two sides of rates: two figures are better, one is not, and one is of one side alone."""
    loads = [load(), load(read_pct=100), load(block_kib=64), load(depth=1)]

    def side_of(name: str, *rates: float) -> Side:
        runs = (
            outcome(
                f"{name}{i}",
                [row(work, rate * (1 + i / 100)) for work, rate in zip(loads, rates, strict=False)],
                300.0 * i,
            )
            for i in range(4)
        )
        return side(name, runs)

    whole = compared(side_of("old", 1000, 5000, 700), side_of("new", 1100, 5600, 650, 90))
    judged = judge(whole, [parse("iops < -3%"), parse("p99 > +5%")])
    return versus(whole, judged, "en", drawn=False)


def _of_sweep() -> Page:
    with tempfile.TemporaryDirectory() as place:
        return swept.swept(swept_study(Path(place) / "sweep"), "en", drawn=False)


def _of_batch() -> Page:
    """Drives without runs: what a page states of those is compared elsewhere."""
    words, batch = Language("en"), drawn_batch(Written(LIMITS, lot=280, aql_pct=0.65))
    return written.page("batch", "24 drives", words, batched._sections(batch, words, drawn=False))


def documents() -> dict[str, Any]:
    """What the same pages are as plain data."""
    with tempfile.TemporaryDirectory() as place:
        study = swept_study(Path(place) / "sweep")
    return {
        "batch.json": batched.plain(drawn_batch(Written(LIMITS, lot=280, aql_pct=0.65))),
        "lot.json": incoming.plain(_rows()),
        "sweep.json": swept.plain(study),
    }


def _document(name: str) -> str:
    plain = rounded(msgspec.to_builtins(documents()[name], str_keys=True, enc_hook=str))
    text = json.dumps(plain, indent=0, ensure_ascii=False).replace(f'"{__version__}"', '""')
    return re.sub(r"sim:[^?\"]*/", "sim:", text) + "\n"


PAGES: dict[str, Callable[[], Page | str]] = {
    "batch": _of_batch,
    "sweep": _of_sweep,
    **{name: partial(_document, name) for name in ("batch.json", "lot.json", "sweep.json")},
    "comparison": _of_comparison,
    "lot": _of_lot,
    "trace": _of_trace,
    "runs.pts": _of_runs,
    **{f"import.{name}": partial(_of_import, name) for name in FORMATS},
    "iops.pts": partial(_of_run, "iops", "pts"),
    **{f"{test}.review": partial(_of_run, test, "review") for test in suite.names()},
}


def outline(page: Page | str) -> str:
    """The text of a page; of a picture its title and its sentence."""
    if isinstance(page, str):
        return page
    return "\n".join(line.rstrip().replace(f"stend {__version__}", "stend") for line in _outline(page)) + "\n"


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
