"""Virtual drives in closed form for the benchmark of findings: levels, shapes over them, and the run that they give.

The player records the true course beside the run: where each level ended, and the mean rate of each.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stend.base.units import KiB
from stend.model.counts import Counts
from stend.model.definition import Identity, Workload
from stend.model.record import Run
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.loop import run
from tests.synthetic import Synthetic, SyntheticDevice, identity
from tests.synthetic import Truth as Synthesis

UNKNOWN, LIKELY, SURE = 0, 1, 2
Shape = Callable[[float], float]
"""Seconds since the first write -> factor on the rate."""
Health = Callable[[float], dict[str, Any]]
HEATS = ("throttle_s", "throttle_events", "throttled", "warning_temperature_min", "critical 0x02")
"""Events that say that the drive slowed itself down for heat."""
SAMPLE_S, FINE_S, LONGEST_S = 1.0, 250, 20
"""Samples last a second. After `FINE_S` seconds they grow with the time since the first write, to keep runs small."""


@dataclass(frozen=True)
class Level:
    """A rate that holds until so many bytes are written, or so many seconds are over.

    The rate passes to the next level exponentially over `over` bytes.
    """

    rate: float
    until: float = math.inf
    until_s: float = math.inf
    over: float = 0.0


def even(clock: float) -> float:
    """Return the factor of a rate that nothing disturbs."""
    return 1.0


def cool(clock: float) -> dict[str, Any]:
    """Return the health of a drive that warms up to 51 degrees."""
    return {"temperature_c": round(33 + 18 * (1 - math.exp(-clock / 1500)))}


@dataclass
class Drive:
    """A drive, its test, and the statements that its record allows.

    Rates are IOPS for random tests and bytes/s for sequential ones. `place` and `end` are the highest confidence that
    a statement about the end of the first level, or about the last level, may have. `tells` are the facts that a
    careful expert reads from the record: "place" and "end". `mean` is the mean factor of `shape` in the last level.
    `event` happens at `event_s`; `period_s` is the period of stalls, `pause` when one begins and how long it is,
    `pause_share` its rate. Samples last `grain_s` at most. `law` answers the loads of other tests.
    """

    test: str
    capacity: int
    levels: list[Level]
    shape: Shape = even
    mean: float = 1.0
    noise: float = 0.01
    tau_s: float = 0.0
    cap: float = math.inf
    minutes: float = 600
    form: str = "levels"
    place: int = SURE
    end: int = SURE
    tells: frozenset[str] = frozenset({"place", "end"})
    health: Health = cool
    event: str = ""
    event_s: float = math.inf
    period_s: float = 0.0
    pause: tuple[float, float] = (math.inf, 0.0)
    pause_share: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)
    sheet: dict[str, Any] = field(default_factory=dict)
    quick: bool = False
    grain_s: float = math.inf
    settings: dict[str, Any] = field(default_factory=dict)
    law: Any = None

    @property
    def scale(self) -> float:
        """Bytes of one unit of the rate."""
        return 1.0 if self.test == "slc-cache" else 4.0 * KiB

    @property
    def throttled_s(self) -> float:
        """Seconds until the drive says that it slows down for heat."""
        return self.event_s if self.event in HEATS else math.inf

    @property
    def undisturbed(self) -> bool:
        """Whether no event and no heat speak against a plain explanation."""
        return not self.event and self.health is cool

    def rate(self, at: int, clock: float, written: float) -> float:
        """Return the rate in level `at` without noise."""
        rate = self.levels[at].rate
        for before in self.levels[:at][-1:]:
            if before.over:
                rate += (before.rate - rate) * math.exp(-(written - self.left) / before.over)
        return min(rate, self.cap) * self.shape(clock)

    left: float = 0.0
    """Bytes written at the end of the level before."""


class Player(Synthetic):
    """The engine of a drive. It keeps the true course."""

    def load(self, drive: Drive, seed: int) -> None:
        """Take the drive in."""
        self.drive, self.dice = drive, random.Random(seed)
        self.fresh()

    def fresh(self) -> None:
        """Forget everything, as after a purge."""
        self.written, self.at, self.wander, self.rested = 0.0, 0, 0.0, False
        self.begun: float | None = None
        self.interval_s, self.drive.left = SAMPLE_S, 0.0
        self.crossed: list[tuple[float, float]] = []
        self.spent = [[0.0, 0.0] for _ in self.drive.levels]

    def idle(self, seconds: float) -> None:
        """Rest. A sequential drive keeps its last level afterwards."""
        self.clock += seconds
        self.rested, self.woken, self.interval_s = True, self.clock, SAMPLE_S

    def since(self) -> float:
        """Return the seconds since the first write."""
        return 0.0 if self.begun is None else self.clock - self.begun

    def step(self, workload: Workload, seconds: float, at_bytes: float, most_bytes: float) -> Counts:
        """Return the counts of one sample, summed over pieces of about a second."""
        if self.begun is None:
            self.begun = self.clock
        drive, used, moved = self.drive, 0.0, 0.0
        factor, pieces = self.noise(seconds), max(2, min(int(seconds), 12))
        while used < seconds - 1e-9 and moved < most_bytes * (1 - 1e-9):
            rate = max(self.now_rate() * drive.scale * factor, 1.0)
            level = drive.levels[self.at]
            edges = [] if self.rested else [(level.until - self.written) / rate, level.until_s - self.since()]
            piece = min([seconds / pieces, seconds - used, (most_bytes - moved) / rate, *(e for e in edges if e > 0)])
            self.clock, used, moved = self.clock + piece, used + piece, moved + rate * piece
            self.written += rate * piece
            if not self.rested:
                self.spent[self.at][0] += piece
                self.spent[self.at][1] += rate * piece
            passed = self.written >= level.until - 1 or self.since() >= level.until_s - 1e-9
            if passed and not self.rested and self.at + 1 < len(drive.levels):
                self.crossed.append((self.since(), self.written))
                self.at, drive.left = self.at + 1, self.written
        self.interval_s = self.interval()
        ios = max(round(moved / workload.block_bytes), 1)
        return Counts(used, used * 0.2, Tally(), self.tally_of(workload, ios, workload.outstanding * used / ios * 1e9))

    def now_rate(self) -> float:
        """Return the rate of now. A sequential drive that was rested keeps its last level."""
        drive = self.drive
        if self.rested:
            return min(drive.levels[-1].rate, drive.cap) * drive.mean
        return drive.rate(self.at, self.since(), self.written)

    def interval(self) -> float:
        """Return how long the next sample lasts."""
        if self.rested:
            return max(SAMPLE_S, (self.clock - self.woken) / 20)
        most = math.inf if self.drive.test == "slc-cache" else LONGEST_S
        return math.floor(max(min(self.since() / FINE_S, most, self.drive.grain_s), SAMPLE_S))

    def noise(self, seconds: float) -> float:
        """Return the factor of one sample: correlated over `tau_s` seconds where the drive has that."""
        drive = self.drive
        keep = math.exp(-seconds / drive.tau_s) if drive.tau_s else 0.0
        self.wander = keep * self.wander + math.sqrt(1 - keep * keep) * drive.noise * self.dice.gauss(0, 1)
        return max(1 + self.wander, 0.05)

    def tally_of(self, workload: Workload, ios: int, art_ns: float) -> Tally:
        """Return writes that all took about the same time."""
        return Tally(ios, ios * workload.block_bytes, ios * art_ns, ios * art_ns**2, art_ns, {})


class Device(SyntheticDevice):
    """A device with the health of a drawn drive."""

    def __init__(self, player: Player, identity: Identity) -> None:
        super().__init__(player, identity)
        self.player = player

    def health(self) -> dict[str, Any]:
        """Return the health of now."""
        return self.player.drive.health(self.player.since())


@dataclass
class Played:
    """A drive, its run and its true course."""

    drive: Drive
    run: Run
    player: Player


SETTINGS: dict[str, dict[str, Any]] = {
    "slc-cache": {"full_pct": [], "rest_minutes": 1},
    "write-saturation": {"seek_steady": False, "histogram_minutes": 0},
}


def played(drive: Drive, seed: int, player: type[Player] = Player) -> Played:
    """Return the run of a drive by the test that it was drawn for."""
    engine = player(Synthesis(capacity_bytes=drive.capacity // (128 * KiB) * (128 * KiB)))
    settings = SETTINGS.get(drive.test, {}) | drive.settings
    if drive.test == "write-saturation":
        settings = {"minutes": drive.minutes} | settings
    profile, deviations = planning.adjust(planning.load_profile("review"), {"tests": {drive.test: settings}})
    if drive.quick:
        profile, deviations = planning.quicken(profile)
    device = identity(engine.truth, **drive.facts)
    plan = planning.draw([drive.test], profile, device, deviations=deviations)
    engine.load(drive, seed)
    past = Run()
    for _ in run(plan, Device(engine, plan.device), engine, seed=seed, at=1_795_000_000.0, past=past):
        pass
    return Played(drive, past, engine)
