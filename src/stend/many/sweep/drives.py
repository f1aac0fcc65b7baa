"""One drive of a design: its target and settings as on the command line, its run, and its results."""

from typing import Any
from urllib.parse import urlencode

from stend.base.errors import BadInput, StendError
from stend.base.version import __version__
from stend.findings.look.figures import Figures, figures
from stend.many.sides import key_of
from stend.many.sweep.design import PLAN, Design, Point, Value, Values
from stend.many.sweep.folder import Line
from stend.model.quantities import QUANTITIES
from stend.planning import plan
from stend.session import unrecorded


def target(design: Design, values: Values) -> str:
    """Return the target of a drive: `sim:small?flash.dies=16`."""
    options = {name: _word(value) for name, value in values.items() if not name.startswith(PLAN)}
    base = design.written.target
    return base + (("&" if "?" in base else "?") + urlencode(options, safe="-.") if options else "")


def settings(design: Design, values: Values) -> dict[str, Any]:
    """Return the changed settings of the profile, with those of single tests under `tests`."""
    changes = dict(design.written.settings)
    tests = {name: dict(options) for name, options in changes.pop("tests", {}).items()}
    for name, value in values.items():
        if name.startswith(PLAN):
            test, dot, option = name.removeprefix(PLAN).partition(".")
            if dot:
                tests.setdefault(test, {})[option] = value
            else:
                changes[test] = value
    return changes | {"tests": tests}


def changed(values: Values) -> str:
    """Return the plan's parameters of a drive as text."""
    return ", ".join(f"{name}={_word(value)}" for name, value in values.items() if name.startswith(PLAN))


def check(design: Design) -> float:
    """Return the expected duration of a drive's run in virtual seconds, averaged over the extremes of the design.

    Raise BadInput if any extreme cannot be planned.
    """
    expected = [_planned(design, values) for values in design.extremes()]
    return sum(expected) / len(expected)


def _planned(design: Design, values: Values) -> float:
    written = design.written
    try:
        names, profile, notes = plan.gather(
            written.tests, written.profile, settings(design, values), quick=written.quick
        )
        return unrecorded.drawn(target(design, values), names, profile, notes).expected_s
    except BadInput as error:
        raise BadInput(f"the design {design.name} cannot be used: {error}") from error


def run(design: Design, point: Point) -> Line:
    """Run one drive in memory and return its line. A drive that cannot be built or fails has the reason in it."""
    line: Line = {"drive": point.number, "seed": point.seed, "values": point.values, "stend": __version__}
    line["target"] = target(design, point.values)
    try:
        written = design.written
        changes = settings(design, point.values)
        names, profile, notes = plan.gather(written.tests, written.profile, changes, quick=written.quick)
        done = unrecorded.folded(line["target"], names, profile, notes, seed=point.seed)
    except StendError as error:
        return line | {"outcome": "failed", "reason": str(error), "figures": []}
    ended = done.ended
    line |= {"outcome": ended.outcome if ended else "failed", "reason": ended.reason if ended else ""}
    return line | {"figures": [_figure(row) for row in figures(done) if row.direction == "both"]}


def _figure(row: Figures) -> Line:
    """Return a figure as a table row: key, steadiness, IOs and quantities in base units."""
    counts = {"steady": row.steady, "ios": row.tally.ios, "seconds": row.seconds}
    return key_of(row)._asdict() | counts | {name: row.value(name) for name in QUANTITIES}


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
