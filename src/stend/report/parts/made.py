"""The page of a style, for every format."""

from collections.abc import Sequence

from stend.charts.beside import Side
from stend.report.parts import Page
from stend.report.parts.document import protocol
from stend.report.story.telling import Runs, story

__all__ = ["Runs", "file_name", "page"]


def page(runs: Runs, lang: str, style: str, rivals: Sequence[Side] = ()) -> Page:
    """Return a review of the first run, with the others and the rivals next to it, or the protocol of all runs."""
    return story(runs, rivals, lang) if style == "review" else protocol(runs, lang)


def file_name(lang: str, style: str, suffix: str) -> str:
    """Return the name of a report's file: `report.ru.pts.pdf`."""
    return ".".join(("report", *([lang] if lang != "en" else []), *([style] if style != "review" else []), suffix))
