"""The page of a style, for every format."""

from collections.abc import Sequence

from stend.report.parts import Page
from stend.report.parts.document import protocol
from stend.report.story.telling import Rivals, Runs, story

__all__ = ["Rivals", "Runs", "file_name", "page"]


def page(runs: Runs, lang: str, style: str, rivals: Rivals = None, names: Sequence[str] = ()) -> Page:
    """Return a review of the runs next to the rivals, or the protocol of all runs."""
    return story(runs, rivals, lang, names=names) if style == "review" else protocol(runs, lang)


def file_name(lang: str, style: str, suffix: str, first: str = "report") -> str:
    """Return the name of a report's file: `report.ru.pts.pdf`."""
    return ".".join((first, *([lang] if lang != "en" else []), *([style] if style != "review" else []), suffix))
