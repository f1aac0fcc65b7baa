"""Departures of a run's plan from the specification that its profile names, setting by setting."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from stend import suite
from stend.base.units import mix_label
from stend.model.definition import PlannedTest, Profile
from stend.model.record import Run
from stend.planning.plan import load_profile
from stend.words import Language

FIXED = ("write_cache", "active_range_pct", "rounds", "steady", "minute_s", "second_s", "shorten", "range_limit_bytes")
"""Settings that a specification fixes for every test. Threads and depth are options of the operator or the test."""
BASES = {("1.1", "enterprise"): "enterprise-1.1", ("2.0.2", "enterprise"): "enterprise-2.0.2",
         ("2.0.2", "client"): "client-2.0.2"}  # fmt: skip
"""(version, class) -> the profile that is stend's reading of the specification."""


class Departure(NamedTuple):
    """A setting of a test, its value and the specified one. For `shared` the test whose state it continues from."""

    setting: str
    value: Any
    usual: Any


def departures(run: Run) -> dict[str, tuple[Departure, ...]] | None:
    """Return the departures of each PTS test, the operator's changes too, or None for an unknown specification."""
    profile = run.plan.profile
    base = BASES.get((profile.specification, profile.device_class))
    if base is None:
        return None
    specified = load_profile(base).for_drive(run.plan.device)
    tests = [test for test in run.plan.tests if test.clause.startswith("PTS")]
    return {test.name: tuple(_departures(test, specified)) for test in tests}


def _departures(test: PlannedTest, specified: Profile) -> Iterator[Departure]:
    usual = specified.for_test(test.name, suite.load(test.name))
    values = {name: (getattr(test.profile, name), getattr(usual, name)) for name in FIXED}
    values |= {name: (test.profile.options.get(name, default), default) for name, default in usual.options.items()}
    yield from (Departure(name, value, default) for name, (value, default) in values.items() if value != default)
    if test.shared:
        yield Departure("shared", ", ".join(dict.fromkeys(test.shared.values())), "")


def departure_rows(run: Run, words: Language) -> Iterator[tuple[str, str]]:
    """Yield (whose, in words) for a table. Departures common to all tests come first."""
    of_tests = departures(run)
    if not of_tests:  # an unknown specification, or no test of it: nothing was compared
        return
    spec = run.plan.profile.specification
    first, *others = of_tests.values()
    common = [departure for departure in first if others and all(departure in other for other in others)]
    if common:
        yield words("departure.all", spec=spec), _in_words(common, words)
    for name, departures_of in of_tests.items():
        if rest := [departure for departure in departures_of if departure not in common]:
            yield words("departure.of", test=name, spec=spec), _in_words(rest, words)
    if not any(of_tests.values()):
        yield words("departure.title", spec=spec), words("departure.none")


def _in_words(group: list[Departure], words: Language) -> str:
    return "; ".join(
        words("departure.shared", test=departure.value)
        if departure.setting == "shared"
        else words(
            "departure.one",
            what=words.name_of("setting", departure.setting),
            value=_value(departure.setting, departure.value, words),
            usual=_value(departure.setting, departure.usual, words),
        )
        for departure in group
    )


UNITS = {"minute_s": "time", "second_s": "time", "range_limit_bytes": "gib"}
"""Kind of number of a setting."""
NOTHING = {"minutes": "limit", "second_s": "sixtieth", "range_limit_bytes": "unlimited"}
"""Words for 0."""


def _value(setting: str, value: Any, words: Language) -> str:
    if setting in NOTHING and not value:
        return words(f"departure.{NOTHING[setting]}")
    if setting in UNITS:
        return words.show(value, UNITS[setting])
    match setting:
        case "steady" | "after":
            return words.name_of(f"value_{setting}", value)
        case "write_cache":
            return words(f"header.cache_{value}")
        case "points":
            value = [f"T{threads}/Q{depth}" for threads, depth in value]
        case "mixes":
            value = [mix_label(read) for read in value]
    if isinstance(value, list | tuple):
        return ", ".join(_listed(item, words) for item in value)
    return _plain_value(value, words)


def _listed(value: Any, words: Language) -> str:
    """Return a value of a list. Numbers have no groups of digits, because commas separate values: `1024, 0.5`."""
    return words.value(f"{value:g}") if type(value) in (int, float) else _plain_value(value, words)


def _plain_value(value: Any, words: Language) -> str:
    if isinstance(value, bool):
        return words("departure.yes" if value else "departure.no")
    return words.show(value, "n") if isinstance(value, int | float) else str(value)
