"""One drive of a design: its target and settings as an operator would write them, its run, and what came of it."""

from typing import Any
from urllib.parse import urlencode

from stend.base.errors import BadInput, StendError
from stend.base.version import __version__
from stend.findings.look.figures import QUANTITIES, Figures, figures
from stend.many.sides import key_of
from stend.many.sweep.design import PLAN, Design, Point, Value, Values
from stend.many.sweep.folder import Line
from stend.planning import plan
from stend.session import unrecorded


def target(design: Design, values: Values) -> str:
    """The virtual drive: `sim:small?flash.dies=16`."""
    own = {name: _word(value) for name, value in values.items() if not name.startswith(PLAN)}
    base = design.written.target
    return base + (("&" if "?" in base else "?") + urlencode(own, safe="-.") if own else "")


def settings(design: Design, values: Values) -> dict[str, Any]:
    """What is changed of the profile, those of single tests under `tests`."""
    told = dict(design.written.settings)
    tests = {name: dict(own) for name, own in told.pop("tests", {}).items()}
    for name, value in values.items():
        if name.startswith(PLAN):
            test, dot, option = name.removeprefix(PLAN).partition(".")
            if dot:
                tests.setdefault(test, {})[option] = value
            else:
                told[test] = value
    return told | {"tests": tests}


def changed(values: Values) -> str:
    """What of the plan is this drive's own, as text."""
    return ", ".join(f"{name}={_word(value)}" for name, value in values.items() if name.startswith(PLAN))


def check(design: Design) -> float:
    """How long the runs of an average drive are expected to last, in its own seconds; BadInput where any of the
    extremes cannot be planned."""
    expected = [_planned(design, values) for values in design.extremes()]
    return sum(expected) / len(expected)


def _planned(design: Design, values: Values) -> float:
    own = design.written
    try:
        names, profile, told = plan.gather(own.tests, own.profile, settings(design, values), quick=own.quick)
        return unrecorded.drawn(target(design, values), names, profile, told).expected_s
    except BadInput as error:
        raise BadInput(f"the design {design.name} cannot be used: {error}") from error


def run(design: Design, point: Point) -> Line:
    """The run of one drive in memory; one that cannot be built or fails is told with its reason."""
    line: Line = {"drive": point.number, "seed": point.seed, "values": point.values, "stend": __version__}
    line["target"] = target(design, point.values)
    try:
        own = design.written
        names, profile, told = plan.gather(own.tests, own.profile, settings(design, point.values), quick=own.quick)
        done = unrecorded.folded(line["target"], names, profile, told, seed=point.seed)
    except StendError as error:
        return line | {"outcome": "failed", "reason": str(error), "figures": []}
    ended = done.ended
    line |= {"outcome": ended.outcome if ended else "failed", "reason": ended.reason if ended else ""}
    return line | {"figures": [_figure(row) for row in figures(done) if row.direction == "both"]}


def _figure(row: Figures) -> Line:
    """A figure's key, whether it was steady, its IOs, and its quantities in base units."""
    told = {"steady": row.steady, "ios": row.tally.ios, "seconds": row.seconds}
    return key_of(row)._asdict() | told | {name: row.value(name) for name in QUANTITIES}


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
