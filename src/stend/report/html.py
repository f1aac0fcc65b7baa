"""One self-contained HTML page: scripts, styles and chart specifications inlined; opens without a network."""

from pathlib import Path

from stend.base import atomic
from stend.base.version import __version__
from stend.report.parts import Page
from stend.report.parts.fallback import table_of
from stend.report.parts.markup import drawing_script, environment, policy, template_text


def write_page(page: Page, stem: Path) -> list[Path]:
    """Write a Page as one file, whose path is `stem` with the suffix of the format."""
    path = stem.with_name(f"{stem.name}.html")
    atomic.page(path, rendered(page))
    return [path]


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
