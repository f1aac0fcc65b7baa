"""Whether a plan writes."""

from collections.abc import Iterable

from stend import suite


def reads_only(selection: Iterable[str]) -> bool:
    """Return True if no test of the selection writes: the drive then keeps its data."""
    return all(suite.load(name).reads for name in suite.expand(tuple(selection)))
