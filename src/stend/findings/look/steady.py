"""Windows that met a rule of steady state, and how far their figures range."""

from stend.findings import look
from stend.model.record import Run

WIDE = 0.5
"""A window of figures that range by more, over their mean, is not even whatever its rule. A choice of stend."""


def widest(run: Run) -> dict[str, float]:
    """Return the tests with windows that met their rule although they range by more than `WIDE`, with that range."""
    wide: dict[str, float] = {}
    for test in look.tests(run):
        for phase, _ in look.judged_phases(test):
            judged = look.last_judged(run, test.name, phase.name)
            for verdict in judged.verdicts if judged and judged.steady else ():
                range_of_mean = verdict.excursion / verdict.average if verdict.average else 0.0
                if range_of_mean > WIDE:
                    wide[test.name] = max(range_of_mean, wide.get(test.name, 0.0))
    return wide
