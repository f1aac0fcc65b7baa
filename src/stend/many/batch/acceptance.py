"""A plan of acceptance: the sample size, and the number of bad drives up to which the lot is accepted.

title = "Incoming inspection"
lot = 500                     # drives in the lot that the sample was drawn from
aql_pct = 1.0                 # single sampling, normal inspection (ISO 2859-1), or
level = "II"
sample = 24                   # instead of aql_pct: sample size
accept = 1                    # and acceptance number
limits = ["iops[write-saturation,saturated] > 30k", "p99.9[latency] < 5 ms"]
odd = "nonconforming"         # or "told" (default): an outlier within its limits is reported, but not bad

A drive is bad if any of its figures is beyond a limit.
"""

from math import comb, exp, lgamma, log, modf
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.many import limits
from stend.many.limits import Limit

LEVELS = ("S-1", "S-2", "S-3", "S-4", "I", "II", "III")
LOTS = (2, 9, 16, 26, 51, 91, 151, 281, 501, 1201, 3201, 10_001, 35_001, 150_001, 500_001)
"""Smallest lot size of each row of the table (ISO 2859-1, table 1). LETTERS has the code letters by level."""
LETTERS = (
    "AAAAAAB", "AAAAABC", "AABBBCD", "ABBCCDE", "BBCCCEF", "BBCDDFG", "BCDEEGH", "BCDEFHJ", "CCEFGJK", "CDEGHKL",
    "CDFGJLM", "CDFHKMN", "DEGJLNP", "DEGJMPQ", "DEHKNQR",
)  # fmt: skip
CODES = "ABCDEFGHJKLMNPQR"
SAMPLES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800, 1250, 2000)
AQLS = (0.010, 0.015, 0.025, 0.040, 0.065, 0.10, 0.15, 0.25, 0.40, 0.65, 1.0, 1.5, 2.5, 4.0, 6.5, 10.0)
ACCEPTS = {0: 0, 3: 1, 4: 2, 5: 3, 6: 5, 7: 7, 8: 10, 9: 14, 10: 21}
"""Acceptance numbers along a row from the column of its 0; at 1 the row above applies, at 2 that below (table 2-A)."""
ZERO = 14
"""Column of row A's 0. Each next row has it one column further left."""


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML file of a plan."""

    limits: tuple[str, ...] = ()
    title: str = ""
    lot: Annotated[int, Meta(ge=2, le=10_000_000)] | None = None
    aql_pct: float | None = None
    level: Literal["S-1", "S-2", "S-3", "S-4", "I", "II", "III"] = "II"
    sample: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    accept: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    odd: Literal["told", "nonconforming"] = "told"


class Plan(NamedTuple):
    """A plan: `sample` drives from a lot (None: any size), which is accepted with at most `accept` bad ones."""

    title: str
    lot: int | None
    sample: int
    accept: int
    limits: tuple[Limit, ...]
    odd_is_bad: bool
    aql_pct: float | None = None
    letter: str = ""

    def accepted(self, share: float) -> float:
        """Return the probability that a lot with this share of bad drives is accepted.

        The distribution is hypergeometric. For a lot of unknown size it is binomial. A share that is no whole number of
        drives is the mean of lots with the whole numbers next to it.
        """
        if self.lot is None:
            return sum(_binomial(self.sample, bad, share) for bad in range(self.accept + 1))
        part, least = modf(round(share * self.lot, 9))
        return (1 - part) * self._passes(int(least)) + (part and part * self._passes(int(least) + 1))

    def _passes(self, bad: int) -> float:
        """Return the probability that a lot with this number of bad drives is accepted."""
        size = self.lot or 0
        ways = (comb(bad, k) * comb(size - bad, self.sample - k) for k in range(self.accept + 1))
        return sum(ways) / comb(size, self.sample)


def read(path: Path) -> Plan:
    """Read a plan. Raise BadInput if it is invalid."""
    what = "the plan of acceptance"
    return plan(untrusted.toml(untrusted.read(path, what), Written, f"{what} {path}"), path.stem)


def plan(written: Written, name: str = "") -> Plan:
    """Return the plan that a file describes. Raise BadInput if it is incomplete or contradictory."""
    bounds = tuple(limits.parsed(text) for text in written.limits)
    if not bounds and written.odd == "told":
        raise BadInput('the plan of acceptance cannot fail; add limits, or odd = "nonconforming"')
    if written.aql_pct is None:
        letter, sample, accept = "", *_stated(written)
    elif written.sample is not None or written.accept is not None:
        raise BadInput("a plan of acceptance has either aql_pct or sample and accept, not both")
    elif written.lot is None:
        raise BadInput("a plan with aql_pct needs the size of the lot, such as lot = 500")
    else:
        letter, sample, accept = single(written.lot, written.aql_pct, written.level)
    odd_is_bad = written.odd == "nonconforming"
    return Plan(written.title or name, written.lot, sample, accept, bounds, odd_is_bad, written.aql_pct, letter)


def _stated(written: Written) -> tuple[int, int]:
    """Return the stated sample size and acceptance number. Raise BadInput if they are missing or impossible."""
    if written.sample is None or written.accept is None:
        raise BadInput("a plan of acceptance needs sample and accept, or aql_pct and lot")
    if written.accept >= written.sample or (written.lot is not None and written.sample > written.lot):
        raise BadInput(
            f"a sample of {written.sample} from a lot of {written.lot or 'any size'} cannot accept {written.accept} bad"
        )
    return written.sample, written.accept


def single(lot: int, aql_pct: float, level: str = "II") -> tuple[str, int, int]:
    """Return code letter, sample size and acceptance number of single sampling, normal inspection (ISO 2859-1:1999).

    The sample is at most the whole lot. Raise BadInput for an AQL that the table does not have.
    """
    if aql_pct not in AQLS:
        raise BadInput(f"there is no AQL of {aql_pct:g} %; choose from {', '.join(f'{aql:g}' for aql in AQLS)}")
    row = sum(lot >= least for least in LOTS) - 1
    first = CODES.index(LETTERS[row][LEVELS.index(level)])
    code = _settled(first, AQLS.index(aql_pct))
    accept = ACCEPTS[code + AQLS.index(aql_pct) - ZERO]
    return CODES[code], min(SAMPLES[code], lot), accept


def _settled(code: int, column: int) -> int:
    """Return the row that applies after following the arrows of the table."""
    place = code + column - ZERO
    if place in ACCEPTS:
        return code
    down = (place < 0 or place == 2 or (place == 1 and code == 0)) and code + 1 < len(CODES)
    return _settled(code + 1, column) if down else _settled(code - 1, column)


def _binomial(n: int, k: int, share: float) -> float:
    if share in (0.0, 1.0):
        return float(k == (n if share else 0))
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log(1 - share))
