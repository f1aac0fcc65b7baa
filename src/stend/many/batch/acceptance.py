"""A plan of acceptance: how many drives of a lot are tried, and up to how many bad ones the lot is accepted.

title = "Incoming inspection"
lot = 500                     # drives in the lot that the sample was drawn from
aql_pct = 1.0                 # single sampling, normal inspection (ISO 2859-1), or
level = "II"
sample = 24                   # both of these in its place
accept = 1
limits = ["iops[write-saturation,saturated] > 30k", "p99.9[latency] < 5 ms"]
odd = "nonconforming"         # or "told", the usual: a drive that is odd but within its limits is only told

A drive is bad when any of its figures is beyond a limit.
"""

from math import comb, exp, lgamma, log
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
"""Where the rows of the table begin; a letter by level in each (ISO 2859-1, table 1)."""
LETTERS = (
    "AAAAAAB", "AAAAABC", "AABBBCD", "ABBCCDE", "BBCCCEF", "BBCDDFG", "BCDEEGH", "BCDEFHJ", "CCEFGJK", "CDEGHKL",
    "CDFGJLM", "CDFHKMN", "DEGJLNP", "DEGJMPQ", "DEHKNQR",
)  # fmt: skip
CODES = "ABCDEFGHJKLMNPQR"
SAMPLES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800, 1250, 2000)
AQLS = (0.010, 0.015, 0.025, 0.040, 0.065, 0.10, 0.15, 0.25, 0.40, 0.65, 1.0, 1.5, 2.5, 4.0, 6.5, 10.0)
ACCEPTS = {0: 0, 3: 1, 4: 2, 5: 3, 6: 5, 7: 7, 8: 10, 9: 14, 10: 21}
"""Acceptance numbers along a row from the column of its 0; at 1 the plan above holds, at 2 that below (table 2-A)."""
ZERO = 14
"""The column of row A's 0; a row further down has it a column further left."""


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML of a plan."""

    limits: tuple[str, ...] = ()
    title: str = ""
    lot: Annotated[int, Meta(ge=2, le=10_000_000)] | None = None
    aql_pct: float | None = None
    level: Literal["S-1", "S-2", "S-3", "S-4", "I", "II", "III"] = "II"
    sample: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    accept: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    odd: Literal["told", "nonconforming"] = "told"


class Plan(NamedTuple):
    """`sample` drives of a lot (None: of any size); it is accepted with at most `accept` bad ones."""

    title: str
    lot: int | None
    sample: int
    accept: int
    limits: tuple[Limit, ...]
    odd_is_bad: bool
    aql_pct: float | None = None
    letter: str = ""

    def accepted(self, share: float) -> float:
        """The probability that a lot with this share of bad drives is accepted: hypergeometric, of a lot whose size is
        not known binomial."""
        if self.lot is None:
            return sum(_binomial(self.sample, bad, share) for bad in range(self.accept + 1))
        bad_ones = round(share * self.lot)
        whole = comb(self.lot, self.sample)
        ways = (comb(bad_ones, k) * comb(self.lot - bad_ones, self.sample - k) for k in range(self.accept + 1))
        return sum(ways) / whole


def read(path: Path) -> Plan:
    """The plan of a file; BadInput says what is wrong with it."""
    what = f"the plan of acceptance {path}"
    return plan(untrusted.toml(untrusted.read(path, what), Written, what), path.stem)


def plan(own: Written, name: str = "") -> Plan:
    """What a plan comes to; BadInput where it contradicts itself."""
    told = tuple(limits.parsed(text) for text in own.limits)
    if not told and own.odd == "told":
        raise BadInput("the plan of acceptance has no limits, and odd drives are only told: nothing could fail")
    if own.aql_pct is None:
        return _stated(own, name, told)
    if own.sample is not None or own.accept is not None:
        raise BadInput("a plan of acceptance has an aql_pct, or a sample with what it accepts, not both")
    if own.lot is None:
        raise BadInput("a plan by aql_pct needs the size of the lot: lot = 500")
    letter, sample, accept = single(own.lot, own.aql_pct, own.level)
    return Plan(own.title or name, own.lot, sample, accept, told, own.odd == "nonconforming", own.aql_pct, letter)


def _stated(own: Written, name: str, told: tuple[Limit, ...]) -> Plan:
    if own.sample is None or own.accept is None:
        raise BadInput("a plan of acceptance needs a sample and what it accepts, or an aql_pct and the size of the lot")
    if own.accept >= own.sample or (own.lot is not None and own.sample > own.lot):
        raise BadInput(f"a sample of {own.sample} from a lot of {own.lot or 'any size'} cannot accept {own.accept} bad")
    return Plan(own.title or name, own.lot, own.sample, own.accept, told, own.odd == "nonconforming")


def single(lot: int, aql_pct: float, level: str = "II") -> tuple[str, int, int]:
    """Code letter, sample and acceptance number of single sampling at normal inspection (ISO 2859-1:1999).

    Where the sample would be the lot or more, all of it is tried. BadInput for an AQL that the table does not have.
    """
    if aql_pct not in AQLS:
        raise BadInput(f"there is no AQL of {aql_pct:g} %; there are {', '.join(f'{aql:g}' for aql in AQLS)}")
    row = sum(lot >= begin for begin in LOTS) - 1
    first = CODES.index(LETTERS[row][LEVELS.index(level)])
    code = _settled(first, AQLS.index(aql_pct))
    accept = ACCEPTS[code + AQLS.index(aql_pct) - ZERO]
    return CODES[code], min(SAMPLES[code], lot), accept


def _settled(code: int, column: int) -> int:
    """The row that holds once the table's arrows are followed."""
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
