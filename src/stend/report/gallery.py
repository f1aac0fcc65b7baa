"""Gallery: every chart that these runs have data for, under the name of its file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend import charts
from stend.base.version import __version__
from stend.charts import Picture
from stend.model.record import Run
from stend.report.parts.markup import drawing_script, environment, policy, template_text
from stend.report.parts.sheet import sheet
from stend.words import Language


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `gallery.html`: every picture of these runs, and the names of charts without data."""
    words, pictures = Language(lang), dict[str, list[Picture]]()
    for folder, run, _ in runs:
        for test in run.plan.tests:
            for picture in charts.of(run, test, lang, sheet(folder)):
                pictures.setdefault(picture.name, []).append(picture)
    script = drawing_script()
    page = environment().get_template("gallery.html.j2")
    text = page.render(
        found=dict(sorted(pictures.items())),
        missing=[name for name in charts.names() if name not in pictures],
        t=words,
        version=__version__,
        script=script,
        csp=policy(script),
        style_sheet=template_text("page.css"),
    )
    path = into / "gallery.html"
    path.write_text(text, encoding="utf-8")
    return [path]
