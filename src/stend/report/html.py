"""One self-contained HTML page: scripts, styles and chart specifications inlined; opens without a network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.base.version import __version__
from stend.model.record import Run
from stend.report.parts import Page
from stend.report.parts.fallback import table_of
from stend.report.parts.made import Rivals, Runs, file_name, page
from stend.report.parts.markup import drawing_script, environment, policy, template_text


def write(
    runs: Runs, lang: str, style: str, into: Path, rivals: Rivals = None, names: Sequence[str] = ()
) -> list[Path]:
    """Write `report.html`. Other languages and styles get separate files."""
    path = into / file_name(lang, style, "html")
    path.write_text(rendered(page(runs, lang, style, rivals, names)), encoding="utf-8")
    return [path]


def render(run: Run, host: dict[str, Any], lang: str = "en", style: str = "review") -> str:
    """Return the page of one run."""
    return rendered(page([(None, run, host)], lang, style))


def rendered(page: Page) -> str:
    """Return a Page as HTML."""
    script = drawing_script()
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            t=page.words,
            version=__version__,
            script=script,
            style_sheet=template_text("page.css"),
            csp=policy(script),
            fallback=lambda picture: table_of(picture, page.words),
        )
    )
