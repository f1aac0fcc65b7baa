"""The page of the Python API, from its docstrings: loading runs, the types of results, and making a run."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docs.made import marks
from docs.made.kinds import HEAD, fields
from docs.made.words import WORDS

import stend
from stend import session
from stend.api.runs import Answered
from stend.api.shown import Chart
from stend.api.table import Table
from stend.base import errors
from stend.catalogue import About
from stend.findings import Finding
from stend.findings.look.figures import Figures
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import Result, Sample
from stend.model.quantities import QUANTITIES
from stend.model.tally import Tally

LOADED = (stend.run, stend.open, stend.Opened, stend.OpenedTest, stend.open_many, stend.Runs)
SHOWN = (Chart, Table, Answered)
ANSWERS = (Result, Sample, Counts, Tally, Workload, Figures, Finding, About)
MADE = (session.Request, session.planned, session.start, session.resume)
LABELS = ("Units", "Errors", "Source")
START = """import stend

run = stend.run(["iops"], "sim:small", quick=True)
run["iops"]["4k randwrite"].value("iops")
run.plot("iops")
run.samples.df()
stend.open_many("runs").query("SELECT run, max(iops) FROM figures GROUP BY run").pl()"""


def page() -> str:
    """Return the page of the Python API."""
    return marks.page(
        "python",
        "Python API",
        marks.listing(START, "python"),
        "## Loading runs\n",
        *(part for it in LOADED for part in described(it)),
        "## Values with a display\n",
        *(part for it in SHOWN for part in described(it)),
        "## Types of results\n",
        *(part for it in ANSWERS for part in _answer(it)),
        "### Quantities of `Figures.value`\n",
        marks.table(("name", "unit"), ((marks.code(name), known.unit) for name, known in QUANTITIES.items())),
        f"## Making a run\n\n{WORDS['pages']['making']}\n",
        *(part for it in MADE for part in described(it)),
        "## Errors\n",
        marks.table(("error", "exit code", "when"), _errors()),
    )


def called(it: Any) -> str:
    """Return the name by which a program imports an object: `stend.open`, not the module that defines it."""
    return f"stend.{it.__name__}" if it.__name__ in stend.__all__ else f"{it.__module__}.{it.__name__}"


def described(it: Any) -> Iterator[str]:
    """Yield the directives of an object and its public members."""
    yield _directive("class" if inspect.isclass(it) else "function", called(it), it)
    if inspect.isclass(it) and it.__module__.startswith("stend.api"):
        for member, value in vars(it).items():
            if not member.startswith("_") and (kind := kind_of(value)):
                yield _directive(kind, f"{called(it)}.{member}", value)


def kind_of(it: Any) -> str:
    """Return Sphinx's name of a member's kind; empty for a member outside of the API."""
    if isinstance(it, property) or hasattr(it, "attrname"):
        return "property"
    return "method" if inspect.isfunction(it) else ""


def _directive(kind: str, name: str, it: Any) -> str:
    inner = getattr(it, "fget", None) or getattr(it, "func", None) or it
    shown = "" if kind == "property" else _signature(inner)
    typed = f":type: {_short(str(inspect.signature(inner).return_annotation))}\n" if kind == "property" else ""
    return f"````{{py:{kind}}} {name}{shown}\n{typed}\n{_text(inspect.getdoc(it) or '')}\n````\n"


def _signature(it: Any) -> str:
    whole = inspect.signature(it)
    parameters = [parameter for parameter in whole.parameters.values() if parameter.name != "self"]
    shown = whole.replace(return_annotation=inspect.Signature.empty) if inspect.isclass(it) else whole
    return _short(str(shown.replace(parameters=parameters)))


def _short(annotation: str) -> str:
    """Return a signature with short type names, and with objects as their constructor calls."""
    text = re.sub(r"(stend|pathlib|collections|typing)\.([a-z_]+\.)*", "", annotation)
    return re.sub(r"<class '([\w.]+)'>|'([A-Z]\w*)'", r"\1\2", re.sub(r"<(\w+) object at 0x\w+>", r"\1()", text))


def _text(text: str) -> str:
    """Return a docstring with its labels (Units, Errors, Source) in bold."""
    for label in LABELS:
        text = re.sub(rf"^{label}: ", f"\n**{label}:** ", text, flags=re.MULTILINE)
    return text


def _answer(it: Any) -> Iterator[str]:
    yield _directive("class", called(it), it).replace(_signature(it), "", 1)
    if issubclass(it, tuple):
        yield marks.table(("field", "unit"), ((marks.code(name), marks.unit(name)) for name in it._fields))
    else:
        yield re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", marks.table(HEAD, fields(it)))


def _errors() -> Iterator[tuple[str, str, str]]:
    every: list[type[errors.StendError]] = [errors.StendError, *errors.StendError.__subclasses__()]
    for error in every:
        if error.__module__ == "stend.base.errors":
            yield marks.code(error.__name__), str(error.exit_code), inspect.getdoc(error) or ""
