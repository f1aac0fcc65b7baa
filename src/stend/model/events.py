"""The eight events that a run records, and the data that they hold."""

from typing import Any, Literal

import msgspec

from stend.base import limits
from stend.model.beside import Beside
from stend.model.counts import Counts, packed
from stend.model.definition import Data, Plan, Step
from stend.model.pace import Pace
from stend.model.surveyed import Surveyed
from stend.model.tally import Tally
from stend.model.verified import Verified
from stend.words import NO_WORDS, Sentence


def no_words() -> Sentence:
    """Return NO_WORDS: a default that msgspec does not write into a schema."""
    return NO_WORDS


class Position(Data, frozen=True):
    """A place in a plan: the round of a phase of a test. Rounds count from 1."""

    test: str
    phase: str
    round: limits.Rounds


class Source(Data, frozen=True):
    """Origin of an imported run: the tool, the format, and the original files with their SHA-256.

    `version` is the tool's version, "" if unknown. `unknown` names settings that the original does not state.
    """

    tool: str
    format: str
    files: tuple[tuple[str, str], ...]
    version: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the tool with its version: `fio 3.33`."""
        return f"{self.tool} {self.version}".strip()


OWN = "own"
"""Kind of the meter that a drive has itself."""


class MeterFacts(Data, frozen=True):
    """A meter that reads a quantity while a run lasts: how it was chosen (`--meter`), its name, and what it includes.

    `scope` is the drive alone or the whole machine. `period_s` is the time between two of its values, `window_s` the
    time whose mean each value is, 0 if it is not stated. `error_pct` is the meter's own largest error in percent of its
    value, or None if it states none. `estimated` values are calculated by the drive, not measured (NVMe log 25h).
    """

    spec: str
    name: str
    quantity: str = "watts"
    scope: Literal["drive", "machine"] = "drive"
    period_s: limits.Seconds = 1.0
    window_s: limits.Seconds = 0.0
    error_pct: limits.Amount | None = None
    estimated: bool = False

    @property
    def of_drive(self) -> bool:
        """Return True if the drive itself is the meter."""
        return self.spec.startswith(OWN)


TEXTS = ("label", "tested_by")
"""Fields of `Started` that hold texts of the operator."""


class Started(Data, frozen=True, tag="started"):
    """A run began, or continued after an interruption (`continues` is the place). `at` is Unix time.

    `repetition` counts from 1 the repetitions of a place after the load died there, without an interruption of the run.
    `fingerprint` identifies the drive and what was on it just before the first byte was written. `source` is set in
    imported runs only. `meters` are those that read beside the load. `label` is the operator's name of the run,
    `tested_by` the operator (PTS 5).
    """

    at: limits.Seconds
    version: str
    plan: Plan
    seed: limits.Count
    continues: Position | None = None
    repetition: limits.Count = 0
    fingerprint: dict[str, str] = {}  # noqa: RUF012 msgspec copies an empty one
    source: Source | None = None
    meters: tuple[MeterFacts, ...] = ()
    label: str = ""
    tested_by: str = ""


class Sample(Data, frozen=True, tag="sample", gc=False):
    """About one second of load that ends `t` seconds after the run started, without bins."""

    t: limits.Number
    counts: Counts


class Reading(Data, frozen=True, tag="reading", gc=False):
    """A value of a meter: the mean of a quantity (`watts`) over the `seconds` that end `t` seconds after the start.

    `most` is the highest value of the meter in that time.
    """

    t: limits.Number
    quantity: str
    value: limits.Number
    seconds: limits.Seconds
    most: limits.Number = 0.0


class ToolFigures(Data, frozen=True):
    """Figures of a step as another tool reported them, in base units, by direction and quantity (`figures.QUANTITIES`).

    They take precedence over figures derived from counts. `unknown` names parts of the workload that the tool does not
    state.
    """

    both: dict[str, limits.Amount] = {}  # noqa: RUF012
    read: dict[str, limits.Amount] = {}  # noqa: RUF012
    write: dict[str, limits.Amount] = {}  # noqa: RUF012
    unknown: tuple[str, ...] = ()


class Result(Data, frozen=True, tag="result"):
    """A step is done. `gap_s` is the time without load just before it. `seed` is the seed of its engine.

    `weight` is how many IOs each observed one counts as, because a scaled virtual drive simulates one of so many. 0
    where each one was observed, and in older records. The figures of another tool are set in imported steps, `pace` in
    those whose workload is `paced`, `verified` in those whose content is verified, `places` in surveys.
    """

    where: Position
    index: limits.Count
    step: Step
    t: limits.Number
    counts: Counts = Counts()
    gap_s: limits.Number = 0
    seed: limits.Count = 0
    said: Sentence = msgspec.field(default_factory=no_words)
    told: ToolFigures | None = None
    pace: Pace | None = None
    verified: Verified | None = None
    places: Surveyed | None = None
    beside: tuple[Beside, ...] = ()
    weight: limits.Count = 0

    def weighed(self, weight: int) -> "Result":
        """Return this result with compact bins whose observed IOs count as `weight` IOs each."""
        pace = self.pace and self.pace.weighed(weight)
        beside = tuple(load.weighed(weight) for load in self.beside)
        return msgspec.structs.replace(self, counts=packed(self.counts, weight), pace=pace, beside=beside)

    @property
    def every(self) -> tuple[Counts, ...]:
        """Return the counts of the load and of the loads beside it."""
        return (self.counts, *(load.counts for load in self.beside))

    @property
    def trims(self) -> Tally:
        """Return the trims of the load itself."""
        return self.pace.discard if self.pace else Tally()


class Verdict(Data, frozen=True):
    """A tracked variable against a steady-state rule, with every item of the PTS verification table.

    Values are in the quantity's base unit. `fit` is (slope per round, intercept) against the round number.
    """

    rule: str
    label: str
    quantity: str
    rounds: tuple[limits.Rounds, ...]
    values: tuple[limits.Number, ...]
    average: limits.Number
    excursion: limits.Number
    excursion_allowed: limits.Number | None
    slope_excursion: limits.Number
    slope_excursion_allowed: limits.Number
    fit: tuple[limits.Number, limits.Number]
    correlation: limits.Number
    steady: bool


class Judged(Data, frozen=True, tag="judged"):
    """The rules were checked after a round. `ended_by` names the rule that ended the phase, if any."""

    where: Position
    t: limits.Number
    verdicts: tuple[Verdict, ...] = ()
    steady: bool = False
    ended_by: Sentence = msgspec.field(default_factory=no_words)

    @property
    def exhausted(self) -> bool:
        """Return True if the phase ended because it had nothing left to do. Records without keys have the text."""
        return self.ended_by.key == "done" or self.ended_by == "all done"


class Telemetry(Data, frozen=True, tag="telemetry"):
    """Values that the drive reports between rounds: temperature, counters and others; reading them took `took_s`."""

    t: limits.Number
    values: dict[str, Any]
    took_s: limits.Seconds = 0


NoteKind = Literal[
    "remark", "doubt", "mismatch", "stall", "failure", "interruption", "repeat", "beside", "interference", "evidence"
]


class Note(Data, frozen=True, tag="note"):
    """A doubt or a remark that every report of this run shows."""

    t: limits.Number
    text: Sentence
    kind: NoteKind = "remark"


Outcome = Literal["complete", "not steady", "stopped", "failed", "imported"]


class Ended(Data, frozen=True, tag="ended"):
    """The run is over and the drive was closed.

    A meter that is part of the drive queried it `queries` times, which took `queries_s` in total.
    """

    t: limits.Number
    outcome: Outcome
    reason: Sentence = msgspec.field(default_factory=no_words)
    queries: limits.Count = 0
    queries_s: limits.Seconds = 0


Event = Started | Sample | Reading | Result | Judged | Telemetry | Note | Ended
