"""Conclusions from a run with the numbers behind them: one file each with a function `find`, found by its name.

A finding is data: a key, its values in base units, and how sure it is. No module here depends on a language: each key
has its sentence in words/catalogue/findings. If the run cannot support a conclusion, its `confidence` is `can't tell`.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, Literal

import msgspec

from stend.findings import look
from stend.findings.look import grounds, inspected
from stend.findings.look.because import Because
from stend.findings.look.grounds import Ground
from stend.findings.look.media import media as compared
from stend.findings.look.once import once
from stend.model.record import Run

Confidence = Literal["high", "medium", "low", "can't tell"]
Side = Literal["pro", "con", ""]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A conclusion about `test` ("" for the whole run). `key` names it. `find` adds the `name` of its file."""

    name: str = ""
    key: str
    test: str = ""
    values: dict[str, Any] = msgspec.field(default_factory=dict)
    confidence: Confidence = "high"
    side: Side = ""


def side(*, pro: bool = False, con: bool = False) -> Side:
    """Return "con", "pro" or "": whether a conclusion speaks against the drive, for it, or neither."""
    return "con" if con else "pro" if pro else ""


Sheet = dict[str, Any]
"""A drive sheet (TOML) with the vendor's claims and the price, or {} without a sheet."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of all findings."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg))


def file(name: str) -> ModuleType:
    """Return the module of a finding."""
    return importlib.import_module(f"{__name__}.{name}")


def find(run: Run, sheet: Sheet | None = None) -> Iterator[Finding]:
    """Yield every finding of a run, ordered by test, then by name, or nothing for an imported run."""
    if run.source:
        return
    order = {"": -1} | {test.name: i for i, test in enumerate(run.plan.tests)}
    single = [name for name in names() if not getattr(file(name), "OF_ALL", False)]
    found = [held(run, finding) for name in single for finding in named(name, run, sheet or {})]
    last = [name for name in names() if name not in single]
    found += [finding for name in last for finding in named(name, run, sheet or {}, found)]
    yield from sorted(found, key=lambda finding: order.get(finding.test, len(order)))


def rejected(run: Run) -> bool:
    """Return True if an inspection says to send the drive back, or if any test found that data was not kept."""
    if any((seen := compared(run, test.name)) and seen.failed for test in look.tests(run)):
        return True
    return bool(look.tests(run, *inspected.TESTS)) and (inspected.VERDICT, inspected.SEND_BACK) in {
        (finding.name, finding.key) for finding in find(run)
    }


def named(name: str, *given: Any) -> Iterator[Finding]:
    """Yield the findings of a file with its name. `given` are the arguments of its `find`."""
    return (msgspec.structs.replace(finding, name=name) for finding in file(name).find(*given))


def held(run: Run, finding: Finding) -> Finding:
    """Return a finding with at most medium confidence if the drive reported a disturbance during its test.

    The reason is added to its values as `disturbed`, and its sentence ends with it. A finding that gives its own reason
    or that is about no test is returned unchanged, and so are keys that are not in the `DISTURBED` of their file. A run
    with `--quick` limits the confidence too.
    """
    if (
        finding.test not in {test.name for test in run.plan.tests}
        or finding.confidence == "can't tell"
        or "because" in finding.values
    ):
        return finding
    if finding.key not in getattr(file(finding.name), "DISTURBED", (finding.key,)):
        return finding
    needs = getattr(file(finding.name), "DISTURBED_BY", None)
    why = _disturbed(run, finding.test) if needs is None else grounds.unmet(needs, _ground(run, finding.test))
    if not why and not run.plan.profile.quick:
        return finding
    values = finding.values | ({"disturbed": why} if why else {})
    sure: Confidence = "medium" if finding.confidence == "high" else finding.confidence
    return msgspec.structs.replace(finding, values=values, confidence=sure)


@once
def _disturbed(run: Run, name: str) -> Because | None:
    """Return the disturbance that the drive reported during a test, or None."""
    return grounds.undisturbed(_ground(run, name))


def _ground(run: Run, name: str) -> Ground:
    return Ground(run, run.plan.test(name), look.records(run, name))
