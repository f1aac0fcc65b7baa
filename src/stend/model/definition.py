"""What to do, as frozen data: the steps made of workloads, the rules that end them, a test, a plan.

Base units throughout; a range of zero bytes in a Workload is the whole active range, filled in by the plan.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.text import plain_all
from stend.base.units import KiB, MiB, binary
from stend.model.traced import Traced
from stend.model.workload import Workload as Workload  # noqa: PLC0414 -- a part of every plan


class Data(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all definitions are: frozen, compared by value, written as JSON or TOML."""


class Seconds(Data, frozen=True, tag="seconds"):
    """An amount of time."""

    seconds: limits.Seconds


class Capacities(Data, frozen=True, tag="capacities"):
    """An amount of writing, in user capacities; a drawn plan has Bytes instead."""

    times: limits.Amount


class Bytes(Data, frozen=True, tag="bytes"):
    """An amount of writing. A sequential write of N x the range covers each block exactly N times."""

    bytes: limits.Count


class Whole(Data, frozen=True, tag="whole"):
    """All of a trace, once; `seconds` is how long that should take, `write_bytes` what it writes."""

    seconds: limits.Seconds
    write_bytes: limits.Count = 0


Amount = Seconds | Capacities | Bytes | Whole


class Hold(Data, frozen=True, tag="hold"):
    """Run a workload for an amount; the same workload held twice running is never interrupted."""

    workload: Workload
    amount: Amount

    def __post_init__(self) -> None:
        if self.workload.streams and not isinstance(self.amount, Seconds):
            raise ValueError("a workload of streams is held for a time, not for an amount of writing")


class Idle(Data, frozen=True, tag="idle"):
    """Send the drive nothing at all."""

    seconds: limits.Seconds


class Purge(Data, frozen=True, tag="purge"):
    """Make the drive as if it had never been written (PTS: Purge)."""


Step = Hold | Idle | Purge
Quantity = Literal["iops", "throughput", "latency"]


class Steady(Data, frozen=True, tag="steady"):
    """The rule that ends rounds: every tracked workload steady over the last rounds.

    `rule` names a function of stats.RULES: `pts` (five rounds, PTS 2.1.24) or `fit-90-110` (four rounds, the reviews').
    """

    track: tuple[Workload, ...]
    quantity: Quantity = "iops"
    rule: str = "pts"


Rule = Steady | Seconds | Capacities | Bytes
Boundary = Literal["round", "phase", "test"]


class Phase(Data, frozen=True):
    """A round of steps, repeated until one rule is met or the limit of rounds is reached.

    `boundary` says where a killed run may continue: at the last whole round, or from the start of the phase or test.
    `choose` names a function of the test's file that makes the round from the results so far (demand intensity);
    `round` is then an example of it, for the plan's times.
    """

    name: str
    round: tuple[Step, ...] = ()
    until: tuple[Rule, ...] = ()
    rounds: limits.Rounds = 1
    boundary: Boundary = "round"
    choose: str = ""


class Identity(Data, frozen=True):
    """Which drive this is, as far as it tells; what two looks at the same drive must agree on."""

    kind: str
    target: str
    path: str
    capacity_bytes: limits.Count
    model: str = ""
    serial: str = ""
    wwn: str = ""
    firmware: str = ""
    interface: str = ""
    logical_bytes: limits.Sector = 512
    physical_bytes: limits.Sector = 512
    rotational: bool = False
    virtual: bool = False
    facts: dict[str, Any] = {}

    def __post_init__(self) -> None:
        """What a drive says of itself is data: nothing odd in its words, no fact of another kind than it can be."""
        for name in ("model", "serial", "wwn", "firmware", "interface", "facts"):
            msgspec.structs.force_setattr(self, name, plain_all(getattr(self, name)))
        msgspec.structs.force_setattr(self, "facts", untrusted.fitting(self.facts, limits.FACTS))

    @property
    def native_bytes(self) -> int:
        """What the drive has where it shows less, by more than 1 % (over-provisioned); 0 for any other."""
        native: int = self.facts.get("native_bytes", 0)
        return native if native * 0.99 > self.capacity_bytes else 0


class Profile(Data, frozen=True):
    """What a specification version and class fix, and what the operator may choose.

    `minute_s` is how long one minute of the clause lasts here: 60, unless shortened (`--quick`, `--round-seconds`);
    `second_s` the same for clauses that count in seconds, 0 for a sixtieth of it. Repetitions and long durations are
    divided by `shorten`; `range_limit_bytes` above 0 caps the range. `share` lets a test go on from the state in which
    the one before it left the drive, where both clauses ask for the same. `interfaces` overrides any of these per kind
    of drive, `tests` per test; `options` holds settings that one test alone understands.
    """

    name: str
    title: str
    specification: str
    device_class: Literal["enterprise", "client"]
    write_cache: Literal["enabled", "disabled", "unknown"]
    active_range_pct: limits.Range = 100
    threads: limits.Threads = 4
    depth: limits.Depth = 32
    rounds: limits.Rounds = 25
    minute_s: limits.Minute = 60
    second_s: limits.Second = 0
    shorten: limits.Divisor = 1
    range_limit_bytes: limits.Count = 0
    steady: str = "pts"
    share: bool = False
    quick: bool = False
    options: dict[str, Any] = {}
    interfaces: dict[str, dict[str, Any]] = {}
    tests: dict[str, dict[str, Any]] = {}

    def minutes(self, count: float) -> Seconds:
        """`count` minutes of the clause as an amount of real time."""
        return Seconds(seconds=count * self.minute_s)

    def seconds(self, count: float) -> Seconds:
        """`count` seconds of the clause as an amount of real time."""
        return Seconds(seconds=count * (self.second_s or self.minute_s / 60))

    def repeats(self, count: float, least: int = 1) -> int:
        """How often the clause's `count` repetitions are done here."""
        return max(least, round(count / self.shorten))

    def ladder(self, values: list[Any]) -> list[Any]:
        """The values of a ladder that are run here: in a shortened run of a large grid its two ends."""
        return [values[0], values[-1]] if self.shorten > 1 and len(values) > 2 else values

    def active_range(self, device: Identity) -> int:
        """Bytes of the drive that tests may touch; whole 128 KiB below 100 %. BadInput below 1 MiB."""
        whole = device.capacity_bytes
        wanted = whole if self.active_range_pct == 100 else int(whole * self.active_range_pct / 100)
        if self.range_limit_bytes:
            wanted = min(wanted, self.range_limit_bytes)
        if wanted != whole:
            wanted = wanted // (128 * KiB) * (128 * KiB)
        if wanted < MiB:
            raise BadInput(f"{device.target} has {binary(wanted)} to test; at least 1 MiB is needed")
        return wanted

    def for_drive(self, device: Identity) -> "Profile":
        """This profile with what it says of drives of this interface laid over it, `tests` of them test by test."""
        return self.for_interface(device.interface.split(" ")[0].lower())

    def for_interface(self, kind: str) -> "Profile":
        """The same by the interface's name, `sata`; BadInput where what is said cannot be laid over it."""
        own = dict(self.interfaces.get(kind, {}))
        said = untrusted.converted(own.pop("tests", {}), dict[str, dict[str, Any]], f"interfaces.{kind}.tests")
        tests = {name: self.tests.get(name, {}) | settings for name, settings in said.items()}
        return self.changed(own | {"tests": self.tests | tests})

    def for_test(self, name: str, options: dict[str, Any]) -> "Profile":
        """This profile with what it says of one test laid over it; BadInput for a setting the test does not have."""
        own = dict(self.tests.get(name, {}))
        known = {key: own.pop(key) for key in list(own) if key in self.__struct_fields__}
        for key, value in own.items():
            if key not in options:
                raise BadInput(f"the test {name} has no setting {key!r}; it has {', '.join(options) or 'none'}")
            if not _alike(value, options[key]):
                raise BadInput(f"{name}.{key} = {value!r} is of another kind than the usual {options[key]!r}")
            untrusted.converted(value, limits.option(key, options[key]), f"{name}.{key} = {value!r}")
        return self.changed(known | {"options": options | own})

    def changed(self, fields: dict[str, Any]) -> "Profile":
        """This profile with other values of some fields; BadInput for an unknown one, or where a value cannot be."""
        plain = {key: getattr(self, key) for key in self.__struct_fields__} | fields
        return untrusted.converted(plain, Profile, f"profile {self.name}")


def _alike(value: Any, usual: Any) -> bool:
    numbers = int | float
    if isinstance(usual, bool) or isinstance(value, bool) or not isinstance(usual, numbers):
        return type(value) is type(usual)
    return isinstance(value, numbers)


class Test(Data, frozen=True):
    """A test of the suite: `phases` draws its clause for a profile and a drive.

    `options` are the settings that this test alone has, with their usual values; `summary` is one sentence for a list.
    """

    title: str
    clause: str
    phases: Callable[[Profile, Identity], tuple[Phase, ...]]
    charts: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    summary: str = ""


class Study(Data, frozen=True):
    """Which tests, by which profile, with which settings: a suite that comes along, or an operator's own TOML file."""

    title: str
    tests: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=100)]
    profile: str = ""
    settings: dict[str, Any] = {}


class PlannedTest(Data, frozen=True):
    """A test drawn for one drive: exact steps, nothing left to decide but what results decide.

    `traced` is what is known of the trace that it plays.
    `shared` is {phase: test} for the phases left out here because an earlier test of the plan did just the same.
    """

    name: limits.Part
    title: str
    clause: str
    phases: tuple[Phase, ...]
    profile: Profile
    charts: tuple[str, ...] = ()
    shared: dict[str, str] = {}
    traced: Traced | None = None


class Plan(Data, frozen=True):
    """Everything that a run will do, how much it will write, how long it may take, and every doubt about it."""

    tests: Annotated[tuple[PlannedTest, ...], msgspec.Meta(min_length=1)]
    profile: Profile
    device: Identity
    range_bytes: limits.Count
    write_bytes: limits.Count
    longest_s: limits.Amount
    expected_s: limits.Amount
    notes: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
