"""Test x profile x drive -> exact steps, bytes to be written, longest and expected time, and every doubt."""

from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from stend import suite
from stend.definition import (
    Bytes,
    Capacities,
    Hold,
    Identity,
    Idle,
    Phase,
    Plan,
    PlannedTest,
    Profile,
    Rule,
    Seconds,
    Steady,
    Step,
    Workload,
)
from stend.errors import BadInput
from stend.units import GiB, KiB, binary, block_label

QUICK_MINUTE_S = 0.5
QUICK_ROUNDS = 5
QUICK_RANGE_BYTES = 4 * GiB
EXPECTED_ROUNDS = 8
"""A guess for a plan's expected time: most drives settle some rounds after the first full window."""
PAUSE_S = 0.05
PURGE_S = 60

# Assumed write rates, bytes/s, for the plan's times only; during the run the drive's own rates take over.
ASSUMED_RATES = {"nvme": 1_500_000_000, "sata": 450_000_000, "sas": 800_000_000, "rotational": 150_000_000}
OTHER_RATE = 500_000_000
SLOWEST_SHARE = 0.2


def profiles() -> list[str]:
    """Names of the profiles that come with stend."""
    folder = resources.files("stend.suite") / "profiles"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml"))


def load_profile(name: str) -> Profile:
    """A profile by name, or from a TOML file of the operator's own; BadInput says what is wrong with it."""
    if name in profiles():
        text = (resources.files("stend.suite") / "profiles" / f"{name}.toml").read_bytes()
    elif Path(name).is_file():
        text = Path(name).read_bytes()
    else:
        raise BadInput(f"there is no profile {name!r}; there are {', '.join(profiles())}, or give a TOML file")
    try:
        data = msgspec.toml.decode(text)
        return msgspec.convert({"name": Path(name).stem if name.endswith(".toml") else name, **data}, Profile)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise BadInput(f"profile {name} cannot be used: {error}") from error


def adjust(profile: Profile, changes: dict[str, Any]) -> tuple[Profile, tuple[str, ...]]:
    """The profile with the operator's changes, everywhere, and one deviation in words for each that differs."""
    changes = {key: value for key, value in changes.items() if value is not None}
    told = tuple(
        f"{key.replace('_', ' ')}: {value} instead of {getattr(profile, key)}"
        for key, value in changes.items()
        if getattr(profile, key) != value
    )
    tests = {
        test: {key: value for key, value in own.items() if key not in changes} for test, own in profile.tests.items()
    }
    return msgspec.structs.replace(profile, **changes, tests=tests), told


def quicken(profile: Profile) -> tuple[Profile, tuple[str, ...]]:
    """The profile shortened by stated factors; a quick run is stamped and never called a measurement."""
    quick = {"quick": True, "minute_s": QUICK_MINUTE_S, "rounds": min(profile.rounds, QUICK_ROUNDS)}
    shorter, told = adjust(profile, quick)
    return shorter, (f"quick: a minute lasts {QUICK_MINUTE_S} s, at most {QUICK_ROUNDS} rounds", *told[1:])


def draw(names: Iterable[str], profile: Profile, device: Identity, *, deviations: tuple[str, ...] = ()) -> Plan:
    """The plan of these tests for this drive. BadInput when the drive is too small to hold the range."""
    asked = suite.expand(tuple(names))
    notes: list[str] = []
    drawn = []
    for name in asked:
        test, own = suite.load(name), profile.for_test(name)
        range_bytes = active_range(own, device)
        phases = tuple(_drawn(phase, range_bytes, device, notes) for phase in test.phases(own, device))
        drawn.append(
            PlannedTest(name=name, title=test.title, clause=test.clause, phases=phases, profile=own, charts=test.charts)
        )
    range_bytes = active_range(profile, device)
    if range_bytes < device.capacity_bytes * profile.active_range_pct // 100 - 128 * KiB:
        notes.append(f"quick: only the first {binary(range_bytes)} of the range are used")
    every = [phase for test in drawn for phase in test.phases]
    rate = assumed_rate(device)
    return Plan(
        tests=tuple(drawn),
        profile=profile,
        device=device,
        range_bytes=range_bytes,
        write_bytes=sum(_sure_bytes(phase) for phase in every),
        longest_s=sum(phase_seconds(p, rate * SLOWEST_SHARE, p.rounds) for p in every),
        expected_s=sum(phase_seconds(p, rate, EXPECTED_ROUNDS) for p in every),
        notes=tuple(dict.fromkeys(notes)),
        deviations=deviations,
    )


def active_range(profile: Profile, device: Identity) -> int:
    """Bytes of the drive that a profile lets its tests touch; whole 128 KiB below 100 %."""
    whole = device.capacity_bytes
    wanted = whole if profile.active_range_pct == 100 else int(whole * profile.active_range_pct / 100)
    if profile.quick:
        wanted = min(wanted, QUICK_RANGE_BYTES)
    range_bytes = wanted if wanted == whole else wanted // (128 * KiB) * (128 * KiB)
    if range_bytes < 1024 * KiB:
        raise BadInput(f"{device.target} has {binary(range_bytes)} to test; at least 1 MiB is needed")
    return range_bytes


def assumed_rate(device: Identity) -> float:
    """Bytes per second this kind of drive is assumed to write, for times before anything was measured."""
    key = "rotational" if device.rotational else device.interface.split(" ")[0].lower()
    return ASSUMED_RATES.get(key, OTHER_RATE)


def _drawn(phase: Phase, range_bytes: int, device: Identity, notes: list[str]) -> Phase:
    steps = tuple(_fitted(step, range_bytes, device) for step in phase.round)
    kept = tuple(step for step in steps if _possible(step, range_bytes, device, notes))
    until = tuple(_resolved(rule, range_bytes, device) for rule in phase.until)
    return msgspec.structs.replace(phase, round=kept, until=until)


def _fitted(step: Step, range_bytes: int, device: Identity) -> Step:
    if not isinstance(step, Hold):
        return step
    amount = step.amount
    if isinstance(amount, Capacities):
        amount = _bytes(amount, range_bytes, device)
    return Hold(workload=_ranged(step.workload, range_bytes), amount=amount)


def _ranged(workload: Workload, range_bytes: int) -> Workload:
    return workload if workload.range_bytes else msgspec.structs.replace(workload, range_bytes=range_bytes)


def _bytes(amount: Capacities, range_bytes: int, device: Identity) -> Bytes:
    # A shortened range is what stands for the drive; otherwise it is user capacity, whatever the range (open point 3).
    base = range_bytes if range_bytes <= QUICK_RANGE_BYTES < device.capacity_bytes else device.capacity_bytes
    return Bytes(bytes=round(amount.times * base) // device.logical_bytes * device.logical_bytes)


def _resolved(rule: Rule, range_bytes: int, device: Identity) -> Rule:
    match rule:
        case Capacities():
            return _bytes(rule, range_bytes, device)
        case Steady():
            return msgspec.structs.replace(rule, track=tuple(_ranged(w, range_bytes) for w in rule.track))
        case _:
            return rule


def _possible(step: Step, range_bytes: int, device: Identity, notes: list[str]) -> bool:
    if not isinstance(step, Hold):
        return True
    workload = step.workload
    if workload.block_bytes < device.logical_bytes:
        notes.append(f"{block_label(workload.block_bytes)} blocks do not exist on {device.logical_bytes}-byte sectors")
        return False
    return True


def phase_seconds(phase: Phase, bytes_per_s: float, rounds: int) -> float:
    """How long a phase takes at a write rate, for at most `rounds` rounds of those that it allows."""
    judged = any(isinstance(rule, Steady) for rule in phase.until)
    count = min(phase.rounds, rounds) if judged else phase.rounds
    total = count * sum(step_seconds(step, bytes_per_s) for step in phase.round)
    limits = [rule_seconds(rule, bytes_per_s) for rule in phase.until if not isinstance(rule, Steady)]
    return min([total, *limits])


def step_seconds(step: Step, bytes_per_s: float) -> float:
    """How long a step takes at a write rate, its pause counted in."""
    match step:
        case Hold(amount=Seconds(seconds=seconds)) | Idle(seconds=seconds):
            return seconds + PAUSE_S
        case Hold(amount=Bytes(bytes=size)):
            return size / bytes_per_s + PAUSE_S
        case _:
            return PURGE_S


def rule_seconds(rule: Rule, bytes_per_s: float) -> float:
    """When a limit of time or writing is reached at a write rate."""
    match rule:
        case Seconds(seconds=seconds):
            return seconds
        case Bytes(bytes=size):
            return size / bytes_per_s
        case _:
            return float("inf")


def _sure_bytes(phase: Phase) -> int:
    fixed = sum(s.amount.bytes for s in phase.round if isinstance(s, Hold) and isinstance(s.amount, Bytes))
    return phase.rounds * fixed


def chooser(test: str, name: str) -> Callable[..., tuple[Step, ...]]:
    """The function of a test's file that makes a round from the results so far."""
    function: Callable[..., tuple[Step, ...]] = getattr(suite.module(test), name)
    return function
