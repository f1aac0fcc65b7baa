"""Two sets of runs -> what differs, by how much, how sure; and rules that fail when it got worse.

A side is a set of runs of one thing. A run gives one number a figure; rounds are never pooled across runs.
"""

from stend.many.compare.differences import Comparison, Difference, compared, thresholds
from stend.many.sides import Outcome, Side, outcome, side

__all__ = ["Comparison", "Difference", "Outcome", "Side", "compared", "outcome", "side", "thresholds"]
