"""Pages about several runs: made of sections, and written with their data as html, pdf, markdown and json."""

import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic
from stend.base.errors import BadInput
from stend.many.sides import Outcome
from stend.report.parts import Page, Section, Stamps, stem
from stend.words import Language, english

MOST_STAMPS = 3
FORMATS = ("html", "pdf", "markdown", "json")


def page(kind: str, title: str, words: Language, sections: Iterable[Section]) -> Page:
    """Return a page of these sections in one language, dated now. The first section is its first screen."""
    lead, *others = sections
    return Page(title, words.name, words.date(time.time()), words, lead, tuple(others), kind)


def stamped(runs: Iterable[Outcome], words: Language, test: str = "") -> list[str]:
    """Return the stamps for pictures of several runs as one line: at most `MOST_STAMPS`, first those of whole runs.

    Stamps of other tests than `test` are left out.
    """
    every = dict.fromkeys(stamp for run in runs for stamp in run.stamps)
    kept = [stamp for stamp in every if not test or stamp.values.get("test", test) == test]
    stamps = dict.fromkeys(words.translated(stamp) for stamp in sorted(kept, key=lambda stamp: "test" in stamp.values))
    return [" · ".join(list(stamps)[:MOST_STAMPS])] if stamps else []


def stamps(runs: Sequence[Outcome], words: Language) -> tuple[Stamps, ...]:
    """Return the stamps of page one about several runs: those of their pictures, and that drives are virtual."""
    of_runs = stamped(runs, words)
    return (
        *([Stamps(tuple(of_runs))] if of_runs else []),
        *virtual((run.settings.get("virtual") for run in runs), words),
    )


def virtual(drives: Iterable[Any], words: Language) -> tuple[Stamps, ...]:
    """Return the stamp of a page about several drives of which one is virtual (a true value), or nothing."""
    return (Stamps((words("stamp.virtual"),)),) if any(drives) else ()


def write(
    name: str, forms: Sequence[str], lang: str, into: Path, make: Callable[[], Page], plain: Callable[[], Any]
) -> list[Path]:
    """Write files of this name in several formats and return them in that order.

    `make` returns the Page, `plain` the data. Neither is called unless needed. Raise BadInput for an unknown format
    before any file is written.
    """
    for form in forms:
        if form not in FORMATS:
            raise BadInput(f"a {name} has no format {form!r}; the formats are {', '.join(FORMATS)}")
    into.mkdir(parents=True, exist_ok=True)
    made = make() if set(forms) - {"json"} else None
    paths: list[Path] = []
    for form in forms:
        if form == "json" or made is None:
            path = into / f"{name}.json"
            atomic.page(path, msgspec.json.format(msgspec.json.encode(plain(), enc_hook=english), indent=1) + b"\n")
            paths.append(path)
        else:
            paths += importlib.import_module(f"stend.report.{form}").write_page(made, into / stem(name, lang))
    return paths
