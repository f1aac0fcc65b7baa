"""The page of the TOML files that users write, from the types and tables that read them."""

from collections.abc import Iterator
from typing import Any

from docs.made import marks
from docs.made.kinds import called, section, span, structs
from docs.made.words import WORDS
from msgspec import inspect as kinds

from stend import suite
from stend.fleet import file as fleet
from stend.many.batch import acceptance
from stend.many.compare import rules
from stend.many.sweep import design
from stend.model.definition import Profile, Study
from stend.report.parts.sheet import KNOWN
from stend.sim.spec import Spec

WRITTEN: dict[str, tuple[str, tuple[type, ...]]] = {
    "profile": ("A profile", (Profile,)),
    "study": ("A study", (Study,)),
    "virtual-drive": ("A virtual drive", (Spec,)),
    "design": ("A sweep's design", (design.Written, design.Range)),
    "acceptance": ("A plan of acceptance", (acceptance.Written,)),
    "rules": ("Rules of a comparison", (rules.Written,)),
    "fleet": ("A fleet", (fleet.Fleet,)),
}
TYPES = structs(*(kind for _, every in WRITTEN.values() for kind in every))


def page() -> str:
    """Return the page of files."""
    return marks.page("files", "Files", *_written(), *_settings(), *_sheet())


def _written() -> Iterator[str]:
    done: set[type] = set()
    for name, (title, (first, *more)) in WRITTEN.items():
        yield section(first, title, before=WORDS["pages"][name].strip())
        for kind in structs(first, *more)[1:]:
            if kind not in done:
                done.add(kind)
                yield section(kind, level=3)


def _settings() -> Iterator[str]:
    yield f"## Settings of single tests\n\n{WORDS['pages']['settings']}\n"
    rows = [
        (marks.code(name), marks.code(key), called(kind), marks.unit(key), span(kind), marks.code(_short(value)))
        for name in suite.names()
        for test in [suite.load(name)]
        for key, value in test.options.items()
        for kind in [kinds.type_info(test.kind_of(key))]
    ]
    yield marks.table(("test", "setting", "kind", "unit", "range", "usually"), rows)


def _sheet() -> Iterator[str]:
    yield f"## A drive sheet\n\n{WORDS['pages']['sheet'].strip()}\n"
    rows = [
        (marks.code(key), called(it), marks.unit(key), span(it))
        for key, kind in KNOWN.items()
        for it in [kinds.type_info(kind)]
    ]
    yield marks.table(("name", "kind", "unit", "range"), rows)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
