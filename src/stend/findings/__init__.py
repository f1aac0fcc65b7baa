"""run -> conclusions with the numbers behind them; one file each, holding `find`, found by its name.

A finding is data: a key, its values in base units, how sure. Nothing in here knows a language: each key has its
sentence in words/catalogue/findings. Where the run cannot carry a conclusion the finding says so (`confidence` is
"can't tell").
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, Literal

import msgspec

from stend.findings import look
from stend.findings.look import grounds
from stend.findings.look.grounds import Ground
from stend.model.record import Run

Confidence = Literal["high", "medium", "low", "can't tell"]
Side = Literal["pro", "con", ""]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A conclusion from the file `name` about `test` ("" for the whole run); `key` says which."""

    name: str
    key: str
    test: str = ""
    values: dict[str, Any] = msgspec.field(default_factory=dict)
    confidence: Confidence = "high"
    side: Side = ""


def side(*, pro: bool = False, con: bool = False) -> Side:
    """For the drive, against it, or neither."""
    return "con" if con else "pro" if pro else ""


Sheet = dict[str, Any]
"""A drive sheet (TOML): what the vendor claims and the shop asks; {} when there is none."""


@cache
def names() -> tuple[str, ...]:
    """Every finding's name."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg))


def file(name: str) -> ModuleType:
    """The module of a finding."""
    return importlib.import_module(f"{__name__}.{name}")


def find(run: Run, sheet: Sheet | None = None) -> Iterator[Finding]:
    """Every finding of a run, in the order of their names within the order of the tests; none of an imported one."""
    if run.source:
        return
    order = {"": -1} | {test.name: i for i, test in enumerate(run.plan.tests)}
    single = [name for name in names() if not getattr(file(name), "OF_ALL", False)]
    found = [held(run, finding) for name in single for finding in file(name).find(run, sheet or {})]
    last = [name for name in names() if name not in single]
    found += [finding for name in last for finding in file(name).find(run, sheet or {}, found)]
    yield from sorted(found, key=lambda finding: order.get(finding.test, len(order)))


def held(run: Run, finding: Finding) -> Finding:
    """Return a finding that is not sure where the drive reports that something happened to it during the test.

    The reason is among its values as `disturbed`, and its sentence ends with it. A finding that gives its own
    reason, or is
    about no test, stays as it is.
    """
    test = next((test for test in run.plan.tests if test.name == finding.test), None)
    if test is None or finding.confidence == "can't tell" or "because" in finding.values:
        return finding
    ground = Ground(run, test, look.records(run, test.name))
    why = grounds.undisturbed(ground)
    if not why and not grounds.unhurried(ground):
        return finding
    values = finding.values | ({"disturbed": why} if why else {})
    sure: Confidence = "medium" if finding.confidence == "high" else finding.confidence
    return msgspec.structs.replace(finding, values=values, confidence=sure)
