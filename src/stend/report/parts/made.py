"""The page of a style, for every format."""

from collections.abc import Sequence

from stend.report.parts import Page
from stend.report.parts.document import protocol
from stend.report.story.telling import Rivals, Runs, story


def page(runs: Runs, lang: str, style: str, rivals: Rivals = None, names: Sequence[str] = ()) -> Page:
    """Return a review of the runs next to the rivals, or the protocol of all runs."""
    return story(runs, rivals, lang, names=names) if style == "review" else protocol(runs, lang)
