"""The Python API, from its docstrings: what runs are asked with, what they answer with, how one is made."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docs.made import marks
from docs.made.kinds import HEAD, fields
from docs.made.words import WORDS

import stend
from stend import session
from stend.api.arrow import Arrow
from stend.api.runs import Answered
from stend.api.shown import Chart
from stend.base import errors
from stend.catalogue import About
from stend.findings import Finding
from stend.findings.look.figures import QUANTITIES, Figures
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import Result, Sample
from stend.model.tally import Tally

ASKED = (stend.open, stend.Opened, stend.open_many, stend.Runs)
SHOWN = (Chart, Arrow, Answered)
ANSWERS = (Result, Sample, Counts, Tally, Workload, Figures, Finding, About)
MADE = (session.Request, session.planned, session.start, session.resume)
LABELS = ("Units", "Errors", "Source")
START = """import stend

run = stend.open("runs/first")
run.window("iops", "RND 4K 0/100 T4 Q32").value("iops")
run.chart("convergence")
pandas.DataFrame.from_arrow(run.to_arrow())
stend.open_many("runs").query("SELECT run, max(iops) FROM figures GROUP BY run")"""


def page() -> str:
    """The whole page."""
    return marks.page(
        "python",
        "Python API",
        marks.listing(START, "python"),
        "## Asking runs\n",
        *(part for it in ASKED for part in described(it)),
        "## What shows itself\n",
        *(part for it in SHOWN for part in described(it)),
        "## What the answers are\n",
        *(part for it in ANSWERS for part in _answer(it)),
        "### Quantities of `Figures.value`\n",
        marks.table(("name", "unit"), ((marks.code(name), known.unit) for name, known in QUANTITIES.items())),
        f"## Making a run\n\n{WORDS['pages']['making']}\n",
        *(part for it in MADE for part in described(it)),
        "## Errors\n",
        marks.table(("error", "exit code", "when"), _errors()),
    )


def called(it: Any) -> str:
    """Where a program finds it: `stend.open`, not the file that holds it."""
    rooms = it.__module__.split(".")
    return f"stend.{it.__name__}" if it.__name__ in stend.__all__ else f"{'.'.join(rooms)}.{it.__name__}"


def described(it: Any) -> Iterator[str]:
    """A name with its members."""
    yield _directive("class" if inspect.isclass(it) else "function", called(it), it)
    if inspect.isclass(it) and it.__module__.startswith("stend.api"):
        for member, own in vars(it).items():
            if not member.startswith("_") and (kind := kind_of(own)):
                yield _directive(kind, f"{called(it)}.{member}", own)


def kind_of(it: Any) -> str:
    """What Sphinx calls a member; empty for one that is no part of the API."""
    if isinstance(it, property) or hasattr(it, "attrname"):
        return "property"
    return "method" if inspect.isfunction(it) else ""


def _directive(kind: str, name: str, it: Any) -> str:
    inner = getattr(it, "fget", None) or getattr(it, "func", None) or it
    shown = "" if kind == "property" else _signature(inner)
    typed = f":type: {_short(str(inspect.signature(inner).return_annotation))}\n" if kind == "property" else ""
    return f"````{{py:{kind}}} {name}{shown}\n{typed}\n{_text(inspect.getdoc(it) or '')}\n````\n"


def _signature(it: Any) -> str:
    asked = inspect.signature(it)
    own = [one for one in asked.parameters.values() if one.name != "self"]
    ends = asked.replace(return_annotation=inspect.Signature.empty) if inspect.isclass(it) else asked
    return _short(str(ends.replace(parameters=own)))


def _short(annotation: str) -> str:
    """Types by their own names; an object as it is made."""
    own = re.sub(r"(stend|pathlib|collections|typing)\.([a-z_]+\.)*", "", annotation)
    return re.sub(r"<class '([\w.]+)'>|'([A-Z]\w*)'", r"\1\2", re.sub(r"<(\w+) object at 0x\w+>", r"\1()", own))


def _text(text: str) -> str:
    """A docstring with its labelled lines as a list of terms."""
    for label in LABELS:
        text = re.sub(rf"^{label}: ", f"\n**{label}:** ", text, flags=re.MULTILINE)
    return text


def _answer(it: Any) -> Iterator[str]:
    yield _directive("class", called(it), it).replace(_signature(it), "", 1)
    if issubclass(it, tuple):
        yield marks.table(("field", "unit"), ((marks.code(one), marks.unit(one)) for one in it._fields))
    else:
        yield re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", marks.table(HEAD, fields(it)))


def _errors() -> Iterator[tuple[str, str, str]]:
    every: list[type[errors.StendError]] = [errors.StendError, *errors.StendError.__subclasses__()]
    for one in every:
        if one.__module__ == "stend.base.errors":
            yield marks.code(one.__name__), str(one.exit_code), inspect.getdoc(one) or ""
