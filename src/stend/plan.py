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
    Phase,
    Plan,
    PlannedTest,
    Profile,
    Purge,
    Rule,
    Steady,
    Step,
    Workload,
)
from stend.errors import BadInput
from stend.estimate import TYPICAL_ROUNDS, assumed, phase_seconds, slowest
from stend.units import GiB, binary, block_label, duration

# What `--quick` does, each factor said on every page of such a run.
QUICK_MINUTE_S = 0.2
QUICK_SECOND_S = 0.02
QUICK_SHORTEN = 60
QUICK_ROUNDS = 5
QUICK_RANGE_BYTES = 4 * GiB

USUAL_PROFILE = "enterprise-2.0.2"

FIELD_WORDS = {
    "minute_s": "seconds to a minute",
    "second_s": "seconds to a second",
    "shorten": "repetitions divided by",
    "range_limit_bytes": "bytes of range at most",
    "active_range_pct": "active range in percent",
    "quick": "",  # a stamp of its own
}
"""Where the name of a setting does not say it to a person; none for what is said elsewhere."""


def profiles() -> list[str]:
    """Names of the profiles that come with stend."""
    folder = resources.files("stend.suite") / "profiles"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml"))


def gather(
    asked: Iterable[str], profile: str | None, changes: dict[str, Any], *, quick: bool = False
) -> tuple[tuple[str, ...], Profile, tuple[str, ...]]:
    """Names of tests, suites and study files, and what the operator changes -> tests, their profile, deviations.

    The profile asked for comes first, then the first study's, then the usual one. Settings are laid over it in order:
    each study's, `quick`, the operator's.
    """
    asked = tuple(asked)
    studies = [study for name in asked if (study := suite.study(name))]
    named = profile or next((study.profile for study in studies if study.profile), USUAL_PROFILE)
    chosen, told = load_profile(named), list[str]()
    for study in studies:
        chosen, more = adjust(chosen, dict(study.settings))
        told += more
    if quick:
        chosen, more = quicken(chosen)
        told += more
    chosen, more = adjust(chosen, changes)
    return suite.expand(asked), chosen, (*told, *more)


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
    """The profile with the operator's changes, everywhere, and one deviation in words for each that differs.

    `tests` in changes is {test: {setting: value}} and is laid over what the profile says of each test.
    """
    changes = {key: value for key, value in changes.items() if value is not None}
    own = changes.pop("tests", {})
    told = [_told(key, value, getattr(profile, key)) for key, value in changes.items()]
    tests = _without(profile.tests, changes)
    for test, settings in own.items():
        usual = profile.for_test(test, suite.load(test).options)
        told += [_told(key, value, _setting(usual, key), f"{test}: ") for key, value in settings.items()]
        tests[test] = tests.get(test, {}) | settings
    kinds = {kind: _unsaid(overlay, changes, own) for kind, overlay in profile.interfaces.items()}
    replaced = changes | {"tests": tests, "interfaces": kinds}
    try:
        made = msgspec.convert(msgspec.to_builtins(profile) | replaced, Profile)
    except msgspec.ValidationError as error:
        raise BadInput(f"profile {profile.name} cannot be changed so: {error}") from error
    return made, tuple(text for text in told if text)


def _without(overlays: dict[str, dict[str, Any]], changes: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: {k: v for k, v in overlay.items() if k not in changes} for name, overlay in overlays.items()}


def _unsaid(overlay: dict[str, Any], changes: dict[str, Any], own: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What a profile says of one kind of drive, and of single tests of it, where the operator says nothing."""
    tests = {
        name: {key: value for key, value in settings.items() if key not in changes | own.get(name, {})}
        for name, settings in overlay.get("tests", {}).items()
    }
    return {key: value for key, value in overlay.items() if key not in changes} | {"tests": tests}


def _setting(profile: Profile, key: str) -> Any:
    return getattr(profile, key, None) if key in profile.__struct_fields__ else profile.options.get(key)


def _told(key: str, value: Any, usual: Any, where: str = "") -> str:
    words = FIELD_WORDS.get(key, key.replace("_", " "))
    return "" if value == usual or not words else f"{where}{words}: {value} instead of {usual}"


def quicken(profile: Profile) -> tuple[Profile, tuple[str, ...]]:
    """The profile shortened by stated factors; a quick run is stamped and never called a measurement."""
    quick = {
        "quick": True,
        "minute_s": QUICK_MINUTE_S,
        "second_s": QUICK_SECOND_S,
        "shorten": QUICK_SHORTEN,
        "rounds": min(profile.rounds, QUICK_ROUNDS),
        "range_limit_bytes": QUICK_RANGE_BYTES,
    }
    shorter, _ = adjust(profile, quick)
    return shorter, (
        f"quick: a minute lasts {QUICK_MINUTE_S:g} s, a second {QUICK_SECOND_S:g} s; repetitions and long durations "
        f"are divided by {QUICK_SHORTEN}; "
        f"of large grids the ends are run; at most {QUICK_ROUNDS} rounds and {binary(QUICK_RANGE_BYTES)}",
    )


def draw(names: Iterable[str], profile: Profile, device: Identity, *, deviations: tuple[str, ...] = ()) -> Plan:
    """The plan of these tests for this drive. BadInput when the drive is too small to hold the range."""
    notes: list[str] = list(device.facts.get("doubts", ()))
    profile = profile.for_drive(device)
    drawn = _shared([_test(name, profile, device, notes) for name in suite.expand(tuple(names))], device, notes)
    range_bytes = profile.active_range(device)
    if 0 < profile.range_limit_bytes <= range_bytes < device.capacity_bytes:
        notes.append(f"only the first {binary(range_bytes)} of the range are used")
    every = [phase for test in drawn for phase in test.phases]
    return Plan(
        tests=tuple(drawn),
        profile=profile,
        device=device,
        range_bytes=range_bytes,
        write_bytes=sum(_sure_bytes(phase) for phase in every),
        longest_s=sum(phase_seconds(p, slowest(device), p.rounds) for p in every),
        expected_s=sum(phase_seconds(p, assumed(device), TYPICAL_ROUNDS) for p in every),
        notes=tuple(dict.fromkeys(notes)),
        deviations=deviations,
    )


def _test(name: str, profile: Profile, device: Identity, notes: list[str]) -> PlannedTest:
    test = suite.load(name)
    own = profile.for_test(name, test.options)
    phases = tuple(_drawn(phase, own, device, notes) for phase in test.phases(own, device))
    for phase in phases:
        if not phase.round:
            raise BadInput(f"{name}, {phase.name}: none of its block sizes exists on {device.target}; leave it out")
    return PlannedTest(name=name, title=test.title, clause=test.clause, phases=phases, profile=own, charts=test.charts)


def _shared(tests: list[PlannedTest], device: Identity, notes: list[str]) -> list[PlannedTest]:
    """Leave out what the drive's state holds already: phases equal to all that changed it since its last purge."""
    state: list[tuple[Phase, str]] = []
    kept = []
    for test in tests:
        count = len(state) if test.profile.share and _goes_on_from([phase for phase, _ in state], test) else 0
        left_out = {phase.name: source for phase, source in state[:count]}
        rest = test.phases[count:]
        kept.append(msgspec.structs.replace(test, phases=rest, shared=left_out))
        if count:
            saved = sum(phase_seconds(p, assumed(device), TYPICAL_ROUNDS) for p in test.phases[:count])
            size = sum(_sure_bytes(p) for p in test.phases[:count])
            notes.append(
                f"{test.name} goes on from the state that {state[count - 1][1]} leaves: {', '.join(left_out)} shared, "
                f"about {duration(saved)} saved" + (f" and {binary(size)} of writing" if size else "")
            )
        for phase in rest:
            if Purge() in phase.round:
                state = []
            if _changes_state(phase):
                state.append((phase, test.name))
    return kept


def _goes_on_from(state: list[Phase], test: PlannedTest) -> bool:
    """Whether a test begins with just these phases and can be restarted without them."""
    count = len(state)
    rest = test.phases[count:]
    return count > 0 and list(test.phases[:count]) == state and bool(rest) and all(p.boundary != "test" for p in rest)


def _changes_state(phase: Phase) -> bool:
    """Reading leaves a drive as it was; writing, purging and resting (it cleans) do not."""
    return bool(phase.choose) or not all(isinstance(s, Hold) and s.workload.read_pct == 100 for s in phase.round)


def _drawn(phase: Phase, profile: Profile, device: Identity, notes: list[str]) -> Phase:
    steps = tuple(_fitted(step, profile, device, notes) for step in phase.round)
    kept = tuple(step for step in steps if _possible(step, device, notes))
    until = tuple(_resolved(rule, profile, device, notes) for rule in phase.until)
    return msgspec.structs.replace(phase, round=kept, until=until)


def _fitted(step: Step, profile: Profile, device: Identity, notes: list[str]) -> Step:
    if not isinstance(step, Hold):
        return step
    amount = step.amount
    if isinstance(amount, Capacities):
        amount = _bytes(amount, profile, device)
    return Hold(workload=_workload(step.workload, profile, device, notes), amount=amount)


def _workload(workload: Workload, profile: Profile, device: Identity, notes: list[str]) -> Workload:
    """A workload with its range filled in, and block sizes of a mix that the sectors can hold."""
    range_bytes = workload.range_bytes or profile.active_range(device)
    mix: dict[int, int] = {}
    for size, share in workload.block_mix:
        whole = -(-size // device.logical_bytes) * device.logical_bytes
        mix[whole] = mix.get(whole, 0) + share
    if len(mix) != len(workload.block_mix):
        notes.append(f"sizes of the block mix that {device.logical_bytes}-byte sectors cannot hold are rounded up")
    return msgspec.structs.replace(workload, range_bytes=range_bytes, block_mix=tuple(mix.items()))


def _bytes(amount: Capacities, profile: Profile, device: Identity) -> Bytes:
    # A capped range stands for the drive; otherwise it is user capacity, whatever the range (open point 3).
    base = profile.active_range(device) if profile.range_limit_bytes else device.capacity_bytes
    return Bytes(bytes=round(amount.times * base) // device.logical_bytes * device.logical_bytes)


def _resolved(rule: Rule, profile: Profile, device: Identity, notes: list[str]) -> Rule:
    match rule:
        case Capacities():
            return _bytes(rule, profile, device)
        case Steady():
            return msgspec.structs.replace(rule, track=tuple(_workload(w, profile, device, notes) for w in rule.track))
        case _:
            return rule


def _possible(step: Step, device: Identity, notes: list[str]) -> bool:
    if not isinstance(step, Hold) or step.workload.block_mix:
        return True
    size = step.workload.block_bytes
    if size % device.logical_bytes:
        notes.append(f"{block_label(size)} blocks do not exist on {device.logical_bytes}-byte sectors")
    return size % device.logical_bytes == 0


def _sure_bytes(phase: Phase) -> int:
    fixed = sum(
        s.amount.bytes
        for s in phase.round
        if isinstance(s, Hold) and isinstance(s.amount, Bytes) and s.workload.read_pct == 0
    )
    return phase.rounds * fixed


def chooser(test: str, name: str) -> Callable[..., tuple[Step, ...]]:
    """The function of a test's file that makes a round from the results so far."""
    function: Callable[..., tuple[Step, ...]] = getattr(suite.module(test), name)
    return function
