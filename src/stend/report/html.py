"""One self-contained HTML page: scripts, styles and chart specifications inlined; opens without a network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.base.version import __version__
from stend.charts.beside import Side
from stend.model.record import Run
from stend.report.parts import Document
from stend.report.parts.document import document
from stend.report.parts.markup import drawing_script, environment, policy, template_text
from stend.report.story import pages
from stend.report.story.telling import Runs, story


def write(runs: Runs, lang: str, style: str, into: Path, rivals: Sequence[Side] = ()) -> list[Path]:
    """Write `report.html`; other languages and styles get separate files."""
    name = "report" + ("" if lang == "en" else f".{lang}") + ("" if style == "review" else f".{style}") + ".html"
    path = into / name
    text = pages.page(story(runs, rivals, lang)) if style == "review" else page(document(runs, lang, style))
    path.write_text(text, encoding="utf-8")
    return [path]


def render(run: Run, host: dict[str, Any], lang: str = "en", style: str = "review") -> str:
    """Return the page of one run."""
    if style == "review":
        return pages.page(story([(None, run, host)], (), lang))
    return page(document([(None, run, host)], lang, style))


def page(doc: Document) -> str:
    """Return a Document as HTML."""
    script = drawing_script()
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            doc=doc,
            t=doc.words,
            version=__version__,
            script=script,
            style_sheet=template_text("page.css"),
            csp=policy(script),
        )
    )
