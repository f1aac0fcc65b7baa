"""The parts that all kinds of meters share: values, the protocol of a meter, and its parsed specification."""

from typing import NamedTuple, Protocol

from stend.model.events import MeterFacts
from stend.words import Sentence


class Value(NamedTuple):
    """The mean of the `seconds` that end at `end`, and the highest value in that time: watts, or another quantity.

    `end` is seconds on the monotonic clock of the host; on the drive's own clock for a virtual drive.
    """

    end: float
    seconds: float
    mean: float
    most: float


class Meter(Protocol):
    """A meter that reads until it is closed."""

    facts: MeterFacts

    @property
    def cost(self) -> tuple[int, float]:
        """Return how often the drive was queried, and the seconds that this took, or zeros for a meter beside it."""

    def read(self) -> list[Value]:
        """Return the values since the last call, in order."""

    def words(self) -> list[Sentence]:
        """Return what happened since the last call: a gap, a counter that wrapped, the end of the meter."""

    def quiet(self, resting: bool) -> None:
        """Do not query the drive while it rests. A meter that does not query the drive ignores it."""

    def close(self) -> None:
        """Stop reading, and end what the meter started. `read` and `words` then return the rest."""


class Spec(NamedTuple):
    """A parsed specification. `scope` is empty and `error_pct` None if it does not state them.

    `quantity` is that of a command or of the drive, whose values can be of any that is registered
    (`model/quantities.py`).
    """

    text: str
    kind: str
    address: str
    scope: str = ""
    error_pct: float | None = None
    quantity: str = "watts"

    def facts(self, name: str, *, period_s: float, scope: str = "drive", window_s: float = 0.0) -> MeterFacts:
        """Return the facts of a meter. The operator's settings take precedence over those of its kind."""
        return MeterFacts(
            spec=self.text,
            name=name,
            quantity=self.quantity,
            scope="machine" if (self.scope or scope) == "machine" else "drive",
            period_s=period_s,
            window_s=window_s,
            error_pct=self.error_pct,
        )
