"""Compare two sets of runs: differences with intervals and verdicts, and rules that fail on a regression.

A side is a set of runs. Each run gives one number per figure. Rounds are never pooled across runs.
"""

from stend.many.compare.differences import Comparison, Difference, compared, thresholds
from stend.many.sides import Outcome, Side, outcome, side

__all__ = ["Comparison", "Difference", "Outcome", "Side", "compared", "outcome", "side", "thresholds"]
