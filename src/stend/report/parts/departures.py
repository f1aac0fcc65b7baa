"""Where the plan of a run departs from the specification that its profile names, setting by setting."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from stend import suite
from stend.model.definition import PlannedTest, Profile
from stend.model.record import Run
from stend.planning.plan import load_profile
from stend.words import Language

FIXED = ("write_cache", "active_range_pct", "rounds", "steady", "minute_s", "second_s", "shorten", "range_limit_bytes")
"""What a specification fixes for every test; threads and depth are the operator's, or of a test's own options."""
BASES = {("1.1", "enterprise"): "enterprise-1.1", ("2.0.2", "enterprise"): "enterprise-2.0.2",
         ("2.0.2", "client"): "client-2.0.2"}  # fmt: skip
"""(version, class) -> the profile that is the specification as stend reads it."""


class Departure(NamedTuple):
    """A setting of a test, its value and the one asked for; of `shared` the test whose state it goes on from."""

    setting: str
    value: Any
    usual: Any


def departures(run: Run) -> dict[str, tuple[Departure, ...]] | None:
    """Those of each PTS test of the plan, operator's changes too; None where nobody knows the specification."""
    profile = run.plan.profile
    base = BASES.get((profile.specification, profile.device_class))
    if base is None:
        return None
    asked = load_profile(base).for_drive(run.plan.device)
    tests = [test for test in run.plan.tests if test.clause.startswith("PTS")]
    return {test.name: tuple(_departures(test, asked)) for test in tests}


def _departures(test: PlannedTest, asked: Profile) -> Iterator[Departure]:
    usual = asked.for_test(test.name, suite.load(test.name).options)
    values = {name: (getattr(test.profile, name), getattr(usual, name)) for name in FIXED}
    values |= {name: (test.profile.options.get(name, told), told) for name, told in usual.options.items()}
    yield from (Departure(name, value, told) for name, (value, told) in values.items() if value != told)
    if test.shared:
        yield Departure("shared", ", ".join(dict.fromkeys(test.shared.values())), "")


def told(run: Run, words: Language) -> Iterator[tuple[str, str]]:
    """(whose, in words) for a table: what all tests have in common first."""
    found = departures(run)
    if found is None:
        return
    spec = run.plan.profile.specification
    first, *others = found.values() or ((),)
    common = [one for one in first if others and all(one in own for own in others)]
    if common:
        yield words("departure.all", spec=spec), _said(common, words)
    for name, own in found.items():
        if rest := [one for one in own if one not in common]:
            yield words("departure.of", test=name, spec=spec), _said(rest, words)
    if not any(found.values()):
        yield words("departure.title", spec=spec), words("departure.none")


def _said(found: list[Departure], words: Language) -> str:
    return "; ".join(
        words("departure.shared", test=one.value)
        if one.setting == "shared"
        else words(
            "departure.one",
            what=words.name_of("setting", one.setting),
            value=_value(one.setting, one.value, words),
            usual=_value(one.setting, one.usual, words),
        )
        for one in found
    )


def _value(setting: str, value: Any, words: Language) -> str:
    match setting:
        case "steady":
            return words.name_of("rule_short", value)
        case "write_cache":
            return words(f"header.cache_{value}")
        case "points":
            return ", ".join(f"T{threads}/Q{depth}" for threads, depth in value)
        case "mixes":
            return ", ".join(f"{read}/{100 - read}" for read in value)
    if isinstance(value, list | tuple):
        return ", ".join(_one(one, words) for one in value)
    return _one(value, words)


def _one(value: Any, words: Language) -> str:
    if isinstance(value, bool):
        return words("departure.yes" if value else "departure.no")
    return words.show(value, "n") if isinstance(value, int | float) else str(value)
