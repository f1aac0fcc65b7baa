"""Inspections: the tests that make one, the verdicts, and the counts of a passport."""

from collections.abc import Mapping
from typing import Any

TESTS = ("inspect",)
VERDICT = "incoming"
"""The finding that has the verdict."""
FIT, FIT_SHORT, LOOK_FIRST, SEND_BACK = "fit", "fit_short", "look", "back"
ORDER = (FIT, FIT_SHORT, LOOK_FIRST, SEND_BACK)
"""Verdicts, the best first."""


def counts(passport: Mapping[str, Any], part: str) -> dict[str, int]:
    """Return the counts of a part of a passport by log, without values that are not counts."""
    values = passport.get(part)
    rows = values.items() if isinstance(values, dict) else ()
    return {name: value for name, value in rows if isinstance(value, int) and not isinstance(value, bool)}
