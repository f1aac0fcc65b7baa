"""Documents about several runs: made of sections, and written with their data as html, pdf, markdown and json."""

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
    """Return a document of these sections in one language, dated now."""
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
    """Return the stamps for pictures of several runs as one line: the first two distinct ones, if any."""
    stamps = list(dict.fromkeys(words.translated(stamp) for run in runs for stamp in run.stamps))
    return [" · ".join(stamps[:2])] if stamps else []


def write(
    name: str, forms: Sequence[str], lang: str, into: Path, make: Callable[[], Document], plain: Callable[[], Any]
) -> list[Path]:
    """Write files of this name in several formats and return them in that order.

    `make` returns the Document, `plain` the data; neither is called unless needed. Raise BadInput for an unknown format
    before any file is written.
    """
    for form in forms:
        if form not in FORMATS:
            raise BadInput(f"a {name} has no format {form!r}; the formats are {', '.join(FORMATS)}")
    into.mkdir(parents=True, exist_ok=True)
    stem = into / (name + ("" if lang == "en" else f".{lang}"))
    doc = make() if set(forms) - {"json"} else None
    paths: list[Path] = []
    for form in forms:
        if form == "json" or doc is None:
            path = into / f"{name}.json"
            atomic.page(path, msgspec.json.format(msgspec.json.encode(plain()), indent=1) + b"\n")
            paths.append(path)
        else:
            paths += _page(doc, form, stem)
    return paths


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
