"""Make a plan from tests, a profile and a drive: exact steps, bytes to write, times, and every doubt."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from stend import suite
from stend.base import checked, limits, untrusted
from stend.base.errors import BadInput, NotOnDrive
from stend.base.text import did_you_mean
from stend.base.units import GiB, mix_label
from stend.model import stats
from stend.model.definition import (
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
from stend.model.estimate import TYPICAL_ROUNDS, assumed, phase_seconds, slowest, sure_bytes
from stend.model.workload import Stream
from stend.planning import describe, verifying
from stend.planning.sharing import shared
from stend.words import Sentence, known, sentence, text

# Factors of `--quick`. Every page of such a run states them.
QUICK: dict[str, Any] = {"quick": True, "minute_s": 0.2, "second_s": 0.02, "shorten": 60, "range_limit_bytes": 4 * GiB}
"""Settings of a quick run, whatever a study sets."""
QUICK_ROUNDS = 5
IN_ORDER_ONLY = "host-managed"
"""The kernel's name (`queue/zoned`) for zoned drives that refuse a write unless it continues its zone in order."""

USUAL_PROFILE = "enterprise-2.0.2"

CHANGEABLE = tuple(key for key in Profile.__struct_fields__ if key not in ("name", "interfaces", "tests"))
"""Settings that a study or an operator may change, in addition to `tests`. Those per interface are excluded."""

MOST_STEPS = 200_000
"""Steps of a plan that fit into a run's record and into memory. The suites have some hundreds."""

UNMENTIONED = ("quick", "verify", "trace", "survey_minutes", "limit_ms", "percentile")
"""Settings that are reported elsewhere: stamp, deviation of `verifying`, note on the trace, findings."""


def profiles() -> list[str]:
    """Return the names of the profiles that come with stend."""
    folder = resources.files("stend.suite") / "profiles"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml"))


def gather(
    names: Iterable[str], profile: str | None, changes: dict[str, Any], *, quick: bool = False
) -> tuple[tuple[str, ...], Profile, tuple[Sentence, ...]]:
    """Combine tests, suites and study files with the operator's changes into tests, their profile and deviations.

    The requested profile takes precedence over the first study's, and that over the default. Settings are applied in
    order: each study's, `quick`, the operator's. Settings of stend's own suites are not deviations, unless they shorten
    the tests.
    """
    names = tuple(names)
    known = [(name, study) for name in names if (study := suite.study(name))]
    studies = [study for _, study in known]
    named = profile or next((study.profile for study in studies if study.profile), USUAL_PROFILE)
    chosen, deviations = load_profile(named), list[Sentence]()
    for name, study in known:
        settings = {key: value for key, value in study.settings.items() if not (quick and key in QUICK)}
        chosen, more = adjust(chosen, settings)
        deviations += () if name in suite.suites() and not study.settings.get("quick") else more
    if quick:
        chosen, more = quicken(chosen)
        deviations += more
    chosen, more = adjust(chosen, changes)
    return suite.expand(names), chosen, (*deviations, *more)


def load_profile(name: str) -> Profile:
    """Load a profile by name or from the operator's TOML file. Raise BadInput if it is not valid."""
    if name in profiles():
        text = (resources.files("stend.suite") / "profiles" / f"{name}.toml").read_bytes()
    elif name.endswith(".toml") or os.path.isfile(name):
        text = untrusted.read(Path(name), "the profile")
    else:
        known = f"there are {', '.join(profiles())}, and TOML files"
        raise BadInput(f"there is no profile {name!r}{did_you_mean(name, profiles(), known)}")
    fields, what = untrusted.toml(text, dict[str, Any], f"profile {name}"), f"profile {name}"
    if fields.keys() & {"profile", "settings"}:
        raise BadInput(f"{name} is a study, not a profile; name it in place of a test: stend plan {name}")
    return _sound(untrusted.converted({"name": name.removesuffix(".toml").rpartition("/")[2], **fields}, Profile, what))


def _sound(profile: Profile) -> Profile:
    """Return the profile if all its overrides for interfaces and tests fit. Raise BadInput otherwise."""
    if profile.steady not in stats.RULES:
        raise BadInput(f"profile {profile.name} has no rule {profile.steady!r}; there are {', '.join(stats.RULES)}")
    if unknown := [key for key in profile.options if key != "purge"]:
        raise BadInput(
            f"profile {profile.name} has no option {unknown[0]!r}; settings of a test belong in `[tests.NAME]`"
        )
    purge_wish(profile)
    for variant in (profile, *(profile.for_interface(kind) for kind in profile.interfaces)):
        for test in variant.tests:
            changed = variant.for_test(test, suite.load(test))
            if changed.steady not in stats.RULES:
                raise BadInput(f"{test}: there is no rule {changed.steady!r}; there are {', '.join(stats.RULES)}")
    return profile


def purge_wish(profile: Profile) -> limits.PurgeWish:
    """Return how the profile wants a drive purged. Raise BadInput if that is not valid."""
    options, what = profile.options.get("purge", {}), f"options.purge of profile {profile.name}"
    wish = untrusted.converted(options, limits.PurgeWish, what)
    if "command" in options:
        checked.checked(wish.command, f"command in {what}")
    return wish


def adjust(profile: Profile, changes: dict[str, Any]) -> tuple[Profile, tuple[Sentence, ...]]:
    """Return the profile with the operator's changes, and one deviation as text for each changed value.

    `tests` in changes is {test: {setting: value}} and overrides what the profile sets for each test.
    """
    changes = {key: value for key, value in changes.items() if value is not None}
    overrides = untrusted.converted(changes.pop("tests", {}), dict[str, dict[str, Any]], "settings of tests")
    if unknown := [key for key in changes if key not in CHANGEABLE]:
        raise BadInput(f"there is no setting {unknown[0]!r} to change; there are {', '.join(CHANGEABLE)}")
    usual = {test: profile.for_test(test, suite.load(test)) for test in overrides}
    tests = {name: {k: v for k, v in overlay.items() if k not in changes} for name, overlay in profile.tests.items()}
    tests |= {test: tests.get(test, {}) | settings for test, settings in overrides.items()}
    kinds = {kind: _unchanged(overlay, changes, overrides) for kind, overlay in profile.interfaces.items()}
    made = _sound(profile.changed(changes | {"tests": tests, "interfaces": kinds}))
    deviations = [_deviation(key, value, getattr(profile, key)) for key, value in changes.items()]
    for test, settings in overrides.items():
        deviations += [_deviation(key, value, _setting(usual[test], key), test) for key, value in settings.items()]
    return made, tuple(deviation for deviation in deviations if deviation)


def _unchanged(
    overlay: dict[str, Any], changes: dict[str, Any], overrides: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return a profile's overrides for an interface, and for tests in it, without those that the operator changes."""
    tests = {
        name: {key: value for key, value in settings.items() if key not in changes | overrides.get(name, {})}
        for name, settings in overlay.get("tests", {}).items()
    }
    return {key: value for key, value in overlay.items() if key not in changes} | {"tests": tests}


def _setting(profile: Profile, key: str) -> Any:
    return getattr(profile, key, None) if key in profile.__struct_fields__ else profile.options.get(key)


def _deviation(key: str, value: Any, usual: Any, test: str = "") -> Sentence | None:
    if value == usual or key in UNMENTIONED:
        return None
    if value and known(f"set_{key}"):
        change = Sentence(f"set_{key}", a=value)
        return Sentence("of_test", test=test, what=change) if test else change
    what = Sentence(f"named_{key}") if known(f"named_{key}") else Sentence("named_other", name=key)
    change = Sentence("changed", what=what, a=_value(key, value), b=_value(key, usual))
    return Sentence("of_test", test=test, what=change) if test else change


def _value(key: str, value: Any) -> Any:
    """Return a setting's value as a value of a sentence, mixes and points as pages name them."""
    if value in ("off", "as-found"):
        return Sentence("value_" + value.replace("-", "_"))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_value(name, part)}" for name, part in value.items())
    if key in ("point", "warm_point"):
        return "T{}/Q{}".format(*value)
    if isinstance(value, list | tuple):
        part_key = {"points": "point"}.get(key, key)
        return [mix_label(part) if key == "mixes" else str(_value(part_key, part)) for part in value] or "–"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value or "–" if isinstance(value, str) else value if isinstance(value, int | float | bool) else str(value)


def quicken(profile: Profile) -> tuple[Profile, tuple[Sentence, ...]]:
    """Return the profile shortened by fixed factors. A quick run is stamped and never called a measurement."""
    shorter, _ = adjust(profile, QUICK | {"rounds": min(profile.rounds, QUICK_ROUNDS)})
    lasting = {"s": QUICK["minute_s"], "t": QUICK["second_s"], "d": QUICK["shorten"]}
    return shorter, (Sentence("quick_whole", **lasting, n=QUICK_ROUNDS, size=QUICK["range_limit_bytes"]),)


def draw(names: Iterable[str], profile: Profile, device: Identity, *, deviations: tuple[Sentence, ...] = ()) -> Plan:
    """Draw the plan of these tests for this drive. Raise BadInput if the drive is too small for the range."""
    if profile.write_cache == "unknown":
        raise BadInput("write_cache of a profile must be enabled or disabled; only imported runs have unknown")
    notes: list[Sentence] = list(map(sentence, device.facts.get("doubts", ())))
    profile = profile.for_drive(device)
    every_test = _tests(suite.expand(tuple(names)), profile, device, notes)
    if profile.verify:
        every_test, deviations = verifying.verified(every_test, deviations)
    drawn = verifying.numbered(shared(every_test, device, notes))
    reached = (hold.workload.start_bytes + hold.workload.range_bytes for test in drawn for hold in test.holds)
    range_bytes = max([profile.active_range(device), *reached])
    if 0 < profile.range_limit_bytes <= range_bytes < device.capacity_bytes:
        notes.append(Sentence("first_only", size=range_bytes))
    elif not profile.range_limit_bytes:
        notes += [note for test in drawn for note in _smaller(test)]
    every = [phase for test in drawn for phase in test.phases]
    return Plan(
        tests=tuple(drawn),
        profile=profile,
        device=device,
        range_bytes=range_bytes,
        write_bytes=sum(sure_bytes(phase) for phase in every),
        longest_s=sum(phase_seconds(p, slowest(device), p.rounds) for p in every),
        expected_s=sum(phase_seconds(p, assumed(device), TYPICAL_ROUNDS) for p in every),
        notes=tuple(dict.fromkeys(notes)),
        deviations=deviations,
    )


def _smaller(test: PlannedTest) -> Iterator[Sentence]:
    """Yield a note if the small range of a test is smaller than its setting: its parts must fit on the drive."""
    wanted = int(test.profile.options.get("hot_gib", 0) * GiB)
    size = min((hold.workload.range_bytes for hold in test.holds), default=wanted)
    if size < wanted:
        yield Sentence("of_test", test=test.name, what=Sentence("hot_smaller", a=size, b=wanted))


def reads_only(selection: Iterable[str]) -> bool:
    """Return True if no test of the selection writes (`Plan.reads_only`, before it is drawn)."""
    return all(suite.load(name).reads for name in suite.expand(tuple(selection)))


def purged_first(plan: Plan) -> Plan:
    """Return the plan with a purge before everything, unless it begins with one."""
    first = plan.tests[0]
    if any(isinstance(step, Purge) for step in first.phases[0].round):
        return plan
    phases = (Phase(name="purge", round=(Purge(),), boundary="phase"), *first.phases)
    return msgspec.structs.replace(plan, tests=(msgspec.structs.replace(first, phases=phases), *plan.tests[1:]))


def _tests(names: tuple[str, ...], profile: Profile, device: Identity, notes: list[Sentence]) -> list[PlannedTest]:
    """Return the tests that can run on this drive, and a note for each other one. Raise NotOnDrive if none can."""
    possible, error = list[PlannedTest](), None
    for name in names:
        try:
            possible.append(_test(name, profile, device, notes))
        except NotOnDrive as reason:
            error = reason
            notes.append(Sentence("test_left_out", why=text(str(reason))))
    if error and not possible:
        raise error
    return possible


def _test(name: str, profile: Profile, device: Identity, notes: list[Sentence]) -> PlannedTest:
    test = suite.load(name)
    if device.facts.get("zoned") == IN_ORDER_ONLY and not test.reads:
        raise NotOnDrive(Sentence("needs_any_order", test=name, target=device.target))
    adapted = profile.for_test(name, test)
    phases = tuple(_drawn(phase, adapted, device, notes) for phase in test.phases(adapted, device))
    if sum(len(phase.round) for phase in phases) > MOST_STEPS:
        raise BadInput(f"{name} would have more than {MOST_STEPS} different steps; set fewer sizes, mixes or minutes")
    for hold in (hold for phase in phases for hold in phase.holds):
        if (many := sum(load.outstanding for load in (hold.workload, *hold.workload.beside))) > limits.MOST_OUTSTANDING:
            raise BadInput(Sentence("most_outstanding", test=name, n=many, most=limits.MOST_OUTSTANDING))
    for phase in phases:
        if not phase.round:
            raise BadInput(Sentence("no_block", test=name, phase=phase.name, target=device.target))
    if twice := [phase for phase, count in Counter(phase.name for phase in phases).items() if count > 1]:
        raise BadInput(f"{name} would have the phase {twice[0]} twice; remove the repeated value from its settings")
    traced = suite.traced(adapted)
    notes += [*describe.traced(traced, phases, device), *suite.trace_notes(adapted)] if traced else []
    planned = PlannedTest(
        name=name,
        title=test.title,
        clause=test.clause,
        phases=phases,
        profile=adapted,
        charts=test.charts,
        traced=traced,
        reads=test.reads,
        requires=test.requires,
    )
    untrusted.converted(msgspec.to_builtins(planned), PlannedTest, f"the plan of {name}")
    return planned


def _drawn(phase: Phase, profile: Profile, device: Identity, notes: list[Sentence]) -> Phase:
    steps = tuple(_fitted(step, profile, device, notes) for step in phase.round)
    kept = tuple(step for step in steps if _possible(step, device, notes))
    until = tuple(_resolved(rule, profile, device, notes) for rule in phase.until)
    return msgspec.structs.replace(phase, round=kept, until=until)


def _fitted(step: Step, profile: Profile, device: Identity, notes: list[Sentence]) -> Step:
    if not isinstance(step, Hold):
        return step
    amount = step.amount
    if isinstance(amount, Capacities):
        amount = _bytes(amount, profile, device)
    return msgspec.structs.replace(step, workload=_workload(step.workload, profile, device, notes), amount=amount)


def _workload(workload: Workload, profile: Profile, device: Identity, notes: list[Sentence]) -> Workload:
    """Return a workload with its range, and block sizes of a mix or a captured stream rounded up to whole sectors."""
    range_bytes = workload.range_bytes or profile.active_range(device)
    mix: dict[int, int] = {}
    for size, share in workload.block_mix:
        whole = _whole(size, device)
        mix[whole] = mix.get(whole, 0) + share
    streams, alone = _of_whole_sectors(workload.streams, device), workload.block_bytes
    block_bytes = _whole(alone, device) if "source" in profile.options else alone  # a stream of a capture
    if (tuple(mix.items()), streams, block_bytes) != (workload.block_mix, workload.streams, alone):
        notes.append(Sentence("rounded_up", bytes=device.logical_bytes))
    beside = tuple(_workload(load, profile, device, notes) for load in workload.beside)
    return msgspec.structs.replace(
        workload,
        range_bytes=range_bytes,
        block_bytes=block_bytes,
        block_mix=tuple(mix.items()),
        streams=streams,
        beside=beside,
    )


def _of_whole_sectors(streams: tuple[Stream, ...], device: Identity) -> tuple[Stream, ...]:
    """Return the streams with sizes rounded up to whole sectors. Random streams that become equal are one stream."""
    found: dict[Any, Stream] = {}
    for number, stream in enumerate(streams):
        whole = msgspec.structs.replace(stream, block_bytes=_whole(stream.block_bytes, device))
        key = (whole.label, whole.zone) if whole.random else number
        share = whole.share + (found[key].share if key in found else 0)
        found[key] = msgspec.structs.replace(whole, share=share)
    return tuple(found.values())


def _whole(size: int, device: Identity) -> int:
    return -(-size // device.logical_bytes) * device.logical_bytes


def _bytes(amount: Capacities, profile: Profile, device: Identity) -> Bytes:
    # A capped range stands for the drive; otherwise it is user capacity, whatever the range (open point 3).
    base = profile.active_range(device) if profile.range_limit_bytes else device.capacity_bytes
    return Bytes(bytes=round(amount.times * base) // device.logical_bytes * device.logical_bytes)


def _resolved(rule: Rule, profile: Profile, device: Identity, notes: list[Sentence]) -> Rule:
    match rule:
        case Capacities():
            return _bytes(rule, profile, device)
        case Steady():
            return msgspec.structs.replace(rule, track=tuple(_workload(w, profile, device, notes) for w in rule.track))
        case _:
            return rule


def _possible(step: Step, device: Identity, notes: list[Sentence]) -> bool:
    if not isinstance(step, Hold):
        return True
    if step.workload.trims and not device.trim_bytes:
        notes.append(Sentence("steps_left_out", target=device.target))
        return False
    if step.workload.mixed:
        return True
    size = step.workload.block_bytes
    if size % device.logical_bytes:
        notes.append(Sentence("no_block_size", size=size, bytes=device.logical_bytes))
    return size % device.logical_bytes == 0
