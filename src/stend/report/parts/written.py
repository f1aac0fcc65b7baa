"""Documents that are not of one run: made of sections, and with their plain data into html, pdf, markdown and json."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic
from stend.base.errors import BadInput
from stend.many.sides import Outcome
from stend.report.parts import Document, Section
from stend.words import Language

FORMATS = ("html", "pdf", "markdown", "json")


def document(kind: str, title: str, words: Language, sections: Iterable[Section]) -> Document:
    """Sections and nothing else, in one language, made now."""
    return Document(
        title=title,
        lang=words.name,
        style="review",
        made=words.date(time.time()),
        parts=(),
        pictures=(),
        tables=(),
        words=words,
        kind=kind,
        sections=tuple(sections),
    )


def stamped(runs: Iterable[Outcome], words: Language) -> list[str]:
    """What the pictures of several runs must say in one line: the first two stamps of any, if there are some."""
    stamps = list(dict.fromkeys(words.translated(stamp) for run in runs for stamp in run.stamps))
    return [" · ".join(stamps[:2])] if stamps else []


def write(
    name: str, forms: Sequence[str], lang: str, into: Path, said: Callable[[], Document], plain: Callable[[], Any]
) -> list[Path]:
    """Files of this name in several formats, the first to open first; unknown ones are refused before any is written.

    `said` makes the Document, `plain` the data; neither is asked without need.
    """
    for form in forms:
        if form not in FORMATS:
            raise BadInput(f"there is no format {form!r} of a {name}; there are {', '.join(FORMATS)}")
    into.mkdir(parents=True, exist_ok=True)
    stem = into / (name + ("" if lang == "en" else f".{lang}"))
    doc = said() if set(forms) - {"json"} else None
    found: list[Path] = []
    for form in forms:
        found += _data(into / f"{name}.json", plain()) if form == "json" or doc is None else _page(doc, form, stem)
    return found


def _data(path: Path, plain: Any) -> list[Path]:
    atomic.page(path, msgspec.json.format(msgspec.json.encode(plain), indent=1) + b"\n")
    return [path]


def _page(doc: Document, form: str, stem: Path) -> list[Path]:
    if form == "markdown":
        from stend.report.markdown import write_document

        return write_document(doc, stem.with_name(f"{stem.name}.md"), stem.with_name(f"{stem.name}.files"))
    path = stem.with_name(f"{stem.name}.{form}")
    if form == "pdf":
        from stend.report.pdf import typeset

        atomic.page(path, typeset(doc))
        return [path]
    from stend.report.html import page

    atomic.page(path, page(doc))
    return [path]
