"""Definitions as frozen data: steps made of workloads, the rules that end them, tests and plans.

All values are in base units. A range of zero bytes in a Workload is the whole active range, which the plan fills in.
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
from stend.words import Sentence


class Data(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all definitions: frozen, compared by value, written as JSON or TOML."""


class Seconds(Data, frozen=True, tag="seconds"):
    """An amount of time."""

    seconds: limits.Seconds


class Capacities(Data, frozen=True, tag="capacities"):
    """An amount of writing in user capacities. A drawn plan has Bytes instead."""

    times: limits.Amount


class Bytes(Data, frozen=True, tag="bytes"):
    """An amount of writing in bytes. A sequential write of N x the range covers each block exactly N times."""

    bytes: limits.Count


class Whole(Data, frozen=True, tag="whole"):
    """A whole trace, played once. `seconds` is the expected duration, `write_bytes` the bytes that it writes."""

    seconds: limits.Seconds
    write_bytes: limits.Count = 0


Amount = Seconds | Capacities | Bytes | Whole
PowerSaving = Literal["as-found", "off"]


class Hold(Data, frozen=True, tag="hold"):
    """Run a workload for an amount. Two consecutive holds of the same workload run without interruption.

    A `ramp` (fio: ramp_time) is the start of the load that follows it. Its IOs are recorded and are part of no figure.
    """

    workload: Workload
    amount: Amount
    ramp: bool = False

    def __post_init__(self) -> None:
        if self.workload.streams and not isinstance(self.amount, Seconds):
            raise ValueError("a workload of streams is held for a time, not for an amount of writing")


class Idle(Data, frozen=True, tag="idle"):
    """Send no IO to the drive."""

    seconds: limits.Seconds


class Purge(Data, frozen=True, tag="purge"):
    """Reset the drive as if it had never been written (PTS: Purge)."""


Step = Hold | Idle | Purge
Quantity = Literal["iops", "throughput", "latency"]


class Steady(Data, frozen=True, tag="steady"):
    """The rule that ends rounds when every tracked workload is steady over the last rounds.

    `rule` names a function of stats.RULES: `pts` (five rounds, PTS 2.1.24) or `fit-90-110` (four rounds, used by the
    reviews).
    """

    track: tuple[Workload, ...]
    quantity: Quantity = "iops"
    rule: str = "pts"


Rule = Steady | Seconds | Capacities | Bytes
Boundary = Literal["round", "phase", "test"]


class Phase(Data, frozen=True):
    """A round of steps, repeated until a rule is met or the limit of rounds is reached.

    `boundary` is where a killed run may continue: at the last complete round, or from the start of the phase or test.
    `choose` names a function of the test's file that makes the next round from the results so far (demand intensity).
    `round` is then an example, used for the times of the plan.
    """

    name: str
    round: tuple[Step, ...] = ()
    until: tuple[Rule, ...] = ()
    rounds: limits.Rounds = 1
    boundary: Boundary = "round"
    choose: str = ""

    @property
    def holds(self) -> list[Hold]:
        """Return the steps of a round that load the drive."""
        return [step for step in self.round if isinstance(step, Hold)]

    @property
    def steady(self) -> Steady | None:
        """Return the rule of the search for steady state, or None without a search."""
        return next((rule for rule in self.until if isinstance(rule, Steady)), None)


BUSES = {
    "nvme": "NVMe", "sata": "SATA", "ata": "SATA", "sas": "SAS", "scsi": "SAS", "usb": "USB",
    "emmc": "eMMC", "sd": "SD",
}  # fmt: skip
"""Names of buses as the standards spell them."""


class Identity(Data, frozen=True):
    """The identity of a drive as far as it reports it. Two reads of the same drive must agree on it."""

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
        """Make the drive's texts safe to display, and drop facts of a wrong type."""
        for name in ("model", "serial", "wwn", "firmware", "interface", "facts"):
            msgspec.structs.force_setattr(self, name, plain_all(getattr(self, name)))
        msgspec.structs.force_setattr(self, "facts", untrusted.fitting(self.facts, limits.FACTS))

    @property
    def bus(self) -> str:
        """Return the first word of its interface in small letters: `nvme`, `sata`, `sas`, `usb`, `emmc`."""
        return self.interface.split(" ", maxsplit=1)[0].lower()

    @property
    def family(self) -> str:
        """Return the usual spelling of its bus, or its interface if that names no bus of drives."""
        return BUSES.get(self.bus, self.interface)

    @property
    def scale(self) -> int:
        """Return how many IOs each IO of a scaled virtual drive counts as, or 1 for other drives."""
        scale: int = self.facts.get("scale", 1)
        return scale

    @property
    def trim_bytes(self) -> int:
        """Return the most bytes of one trim, or 0 if the drive has no trims, as a file has none."""
        most: int = self.facts.get("trim_max_bytes", 0)
        return most

    @property
    def native_bytes(self) -> int:
        """Return the native capacity if the visible one is smaller by more than 1 % (over-provisioned), else 0."""
        native: int = self.facts.get("native_bytes", 0)
        return native if native * 0.99 > self.capacity_bytes else 0


class Profile(Data, frozen=True):
    """Values that a specification version and class fix, and settings of the operator.

    `minute_s` is how long a minute of the clause lasts: 60, unless shortened (`--quick`, `--round-seconds`). `second_s`
    does the same for clauses that count in seconds. 0 means a sixtieth of `minute_s`. Repetitions and long durations
    are divided by `shorten`; `range_limit_bytes` above 0 limits the range. `share` lets a test start from the state in
    which the previous test left the drive, if both clauses require the same state. `verify` gives sequential fills
    content that is read back once. `power_saving` off keeps the drive out of its power states. `interfaces` overrides
    any of these per interface, `tests` per test. `options` holds settings of single tests.
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
    verify: bool = False
    power_saving: PowerSaving = "as-found"
    quick: bool = False
    options: dict[str, Any] = {}
    interfaces: dict[str, dict[str, Any]] = {}
    tests: dict[str, dict[str, Any]] = {}

    def minutes(self, count: float) -> Seconds:
        """Return `count` minutes of the clause as an amount of real time."""
        return Seconds(seconds=count * self.minute_s)

    def seconds(self, count: float) -> Seconds:
        """Return `count` seconds of the clause as an amount of real time."""
        return Seconds(seconds=count * (self.second_s or self.minute_s / 60))

    def repeats(self, count: float, least: int = 1) -> int:
        """Return the number of repetitions to run where the clause requires `count`."""
        return max(least, round(count / self.shorten))

    def ladder(self, values: list[Any]) -> list[Any]:
        """Return the values of a ladder to run: all of them, or only the first and last in a shortened run."""
        return [values[0], values[-1]] if self.shorten > 1 and len(values) > 2 else values

    def active_range(self, device: Identity) -> int:
        """Return the bytes that tests may touch; below 100 % a multiple of 128 KiB.

        Raise BadInput below 1 MiB, or if a scaled virtual drive simulates less than 1 MiB of them.
        """
        whole = device.capacity_bytes
        wanted = whole if self.active_range_pct == 100 else int(whole * self.active_range_pct / 100)
        if self.range_limit_bytes:
            wanted = min(wanted, self.range_limit_bytes)
        if wanted != whole:
            wanted = wanted // (128 * KiB) * (128 * KiB)
        if wanted < MiB:
            raise BadInput(Sentence("too_small", target=device.target, size=binary(wanted), least=binary(MiB)))
        if wanted < MiB * device.scale:
            most, size = wanted // MiB, binary(wanted)
            raise BadInput(Sentence("too_scaled", target=device.target, size=size, scale=device.scale, most=most))
        return wanted

    def for_drive(self, device: Identity) -> "Profile":
        """Return this profile with the overrides for the drive's interface, merged per test in `tests`."""
        return self.for_interface(device.bus)

    def for_interface(self, kind: str) -> "Profile":
        """Return this profile with the overrides for an interface such as `sata`. Raise BadInput if they do not fit."""
        fields = dict(self.interfaces.get(kind, {}))
        overrides = untrusted.converted(fields.pop("tests", {}), dict[str, dict[str, Any]], f"interfaces.{kind}.tests")
        tests = {name: self.tests.get(name, {}) | settings for name, settings in overrides.items()}
        return self.changed(fields | {"tests": self.tests | tests})

    def for_test(self, name: str, test: "Test") -> "Profile":
        """Return this profile with the overrides for a test. Raise BadInput for a setting the test does not have."""
        options = test.options
        settings = dict(self.tests.get(name, {}))
        fields = {key: settings.pop(key) for key in list(settings) if key in self.__struct_fields__}
        for key, value in settings.items():
            if key not in options:
                raise BadInput(f"the test {name} has no setting {key!r}; it has {', '.join(options) or 'none'}")
            if not _same_kind(value, options[key]):
                raise BadInput(f"{name}.{key} = {value!r} has another type than the default {options[key]!r}")
            untrusted.converted(value, test.kind_of(key), f"{name}.{key} = {value!r}")
        return self.changed(fields | {"options": options | settings})

    def changed(self, fields: dict[str, Any]) -> "Profile":
        """Return this profile with some fields replaced. Raise BadInput for an unknown field or a wrong value."""
        plain = {key: getattr(self, key) for key in self.__struct_fields__} | fields
        return untrusted.converted(plain, Profile, f"profile {self.name}")


def _same_kind(value: Any, usual: Any) -> bool:
    numbers = int | float
    if isinstance(usual, bool) or isinstance(value, bool) or not isinstance(usual, numbers):
        return type(value) is type(usual)
    return isinstance(value, numbers)


class Test(Data, frozen=True):
    """A test of the suite. `phases` draws the phases of its clause for a profile and a drive.

    `options` are the settings of this test with their defaults, `kinds` the types of those that are not like their
    default, or of which `base/limits` has none by this name. `summary` is one sentence for a list of tests. A test
    with `reads` writes nothing: the drive is opened for reading only and keeps its data. `requires` names quantities
    that a meter must read beside the load, such as `watts`.
    """

    title: str
    clause: str
    phases: Callable[[Profile, Identity], tuple[Phase, ...]]
    charts: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    summary: str = ""
    reads: bool = False
    requires: tuple[str, ...] = ()

    def kind_of(self, key: str) -> Any:
        """Return the type of one of its settings."""
        return self.kinds.get(key) or limits.option(key, self.options[key])


class Study(Data, frozen=True):
    """Tests with their profile and settings: a suite shipped with stend, or an operator's TOML file."""

    title: str
    tests: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=100)]
    profile: str = ""
    settings: dict[str, Any] = {}


class PlannedTest(Data, frozen=True):
    """A test drawn for a drive: exact steps, open only where results decide.

    `traced` describes the trace that it plays. `shared` is {phase: test} for the phases left out here because an
    earlier test of the plan runs the same ones. A test with `reads` writes nothing. `requires` is as in `Test`.
    """

    name: limits.Part
    title: str
    clause: str
    phases: tuple[Phase, ...]
    profile: Profile
    charts: tuple[str, ...] = ()
    shared: dict[str, str] = {}
    traced: Traced | None = None
    reads: bool = False
    requires: tuple[str, ...] = ()

    def phase(self, name: str) -> Phase:
        """Return the phase of this name, which it has."""
        return next(phase for phase in self.phases if phase.name == name)

    @property
    def holds(self) -> list[Hold]:
        """Return the steps of a round of each phase that load the drive."""
        return [hold for phase in self.phases for hold in phase.holds]


class Plan(Data, frozen=True):
    """Everything that a run will do: its steps, the bytes it writes, its times, and every doubt about it."""

    tests: Annotated[tuple[PlannedTest, ...], msgspec.Meta(min_length=1)]
    profile: Profile
    device: Identity
    range_bytes: limits.Count
    write_bytes: limits.Count
    longest_s: limits.Amount
    expected_s: limits.Amount
    notes: tuple[Sentence, ...] = ()
    deviations: tuple[Sentence, ...] = ()

    def test(self, name: str) -> PlannedTest:
        """Return the test of this name, which the plan has."""
        return next(test for test in self.tests if test.name == name)

    @property
    def reads_only(self) -> bool:
        """Return True if no test writes: the drive is then opened for reading and keeps its data."""
        return all(test.reads for test in self.tests)

    @property
    def sent_by_stend(self) -> frozenset[Workload]:
        """Return the loads that stend sends without fio although fio could.

        These are the loads of each phase that also has a load of a service, because their figures are compared.
        """
        phases = ([hold.workload for hold in phase.holds] for test in self.tests for phase in test.phases)
        return frozenset(load for loads in phases if any(load.serves for load in loads) for load in loads)
