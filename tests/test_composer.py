"""Choices on the page of the composer: the limits are those of `stend run`, and messages name its options."""

from typing import get_args

import pytest

from stend import suite
from stend.base.errors import BadInput
from stend.cli import _options
from stend.live import composer
from stend.planning import plan
from stend.words import Language

LIMITS = {
    "threads": ("--threads", "1", "1024", "a whole number from 1 to 1024"),
    "depth": ("--depth", "1", "65536", "a whole number from 1 to 65536"),
    "active_range_pct": ("--active-range", "0.01", "100", "a number from 0.01 to 100"),
    "rounds": ("--rounds", "1", "100000", "a whole number from 1 to 100000"),
    "minute_s": ("--round-seconds", "0.2", "86400", "a number from 0.2 to 86400"),
}


def wished(**more: str) -> composer.Wish:
    return composer.wish([("test", "iops"), ("target", "sim:small"), *more.items()])


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_may_be_at_its_limits_and_not_beyond(name: str) -> None:
    option, least, most, words = LIMITS[name]
    for limit in (least, most):
        assert getattr(wished(**{name: limit}), name) == float(limit)
    below, above = float(least) - (1 if "whole" in words else 0.001), float(most) + 1
    for value in (f"{below:.10g}", f"{above:.10g}", "much"):
        with pytest.raises(BadInput, match=f"^{option} must be {words}$"):
            wished(**{name: value})


def test_the_limits_are_those_of_the_command_line() -> None:
    kinds = (_options.Threads, _options.Depth, _options.ActiveRange, _options.Rounds, _options.RoundSeconds)
    for (_, least, most, _), kind in zip(LIMITS.values(), kinds, strict=True):
        option = get_args(kind)[1]
        assert (float(least), float(most)) == (option.min, option.max)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ([("test", "iops")], "no drive is chosen; choose one"),
        ([("test", "iops"), ("target", "")], "no drive is chosen; choose one"),
    ],
)
def test_a_choice_without_a_drive_is_refused(query: list[tuple[str, str]], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        composer.wish(query)


@pytest.mark.parametrize("more", [{"colour": "red"}, {"quick": "perhaps"}, {"label": "x" * 101}])
def test_a_choice_that_is_not_possible_is_refused_with_its_reason(more: dict[str, str]) -> None:
    with pytest.raises(BadInput, match=r"^this choice is not possible: ."):
        wished(**more)
    assert len(wished(label="x" * 100).label) == 100


def test_what_is_empty_keeps_what_the_profile_has() -> None:
    assert wished(depth="", quick="", label="") == composer.Wish(test=["iops"], target="sim:small")
    both = composer.wish([("test", "iops"), ("test", "latency"), ("target", "sim:small"), ("quick", "true")])
    assert both == composer.Wish(test=["iops", "latency"], target="sim:small", quick=True)


ENGLISH = Language("en")


def test_the_plan_of_a_virtual_drive_is_harmless_and_its_command_has_every_option() -> None:
    made = composer.planned(wished(depth="8", rounds="3", minute_s="1.5", verify="1"), ENGLISH)
    assert made["command"] == "stend run iops --target sim:small --depth 8 --rounds 3 --round-seconds 1.5 --verify"
    assert (made["harmless"], made["reason"]) == (True, "")
    assert [test["name"] for test in made["tests"]] == ["iops"]
    assert made["longest_s"] >= made["expected_s"] > 0
    assert made["write_bytes"] > 0


def test_the_phases_of_a_test_are_counted_and_their_times_added() -> None:
    chosen = wished(minute_s="1")
    (test,) = composer.planned(chosen, ENGLISH)["tests"]
    whole = composer.planned(composer.Wish(["iops", "latency"], "sim:small", minute_s=1.0), ENGLISH)
    assert test["phases"] > 2
    assert whole["tests"][0] == test
    assert whole["expected_s"] == pytest.approx(sum(each["expected_s"] for each in whole["tests"]))


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (composer.Wish([], "sim:small"), "no test is chosen"),
        (composer.Wish(["nothing"], "sim:small"), "the test 'nothing' does not exist here"),
        (composer.Wish(["iops"], "sim:nothing"), "the drive 'sim:nothing' does not exist here"),
        (composer.Wish(["iops"], "sim:small", profile="nothing"), "the profile 'nothing' does not exist here"),
        (composer.Wish(["iops", "replay"], "sim:small"), "stend plan replay --trace FILE"),
    ],
)
def test_only_names_of_the_page_can_be_planned(wish: composer.Wish, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        composer.planned(wish, ENGLISH)


def test_every_virtual_drive_and_every_test_that_plays_no_trace_can_be_chosen() -> None:
    shown = composer.choices(ENGLISH)
    assert "sim:small" in shown["virtual"]
    names = [test["name"] for test in shown["tests"]]
    assert "iops" in names
    assert "replay" not in names
    assert shown["profiles"] == plan.profiles()
    titles = {test["name"]: test["title"] for test in shown["tests"]}
    assert [titles[name] for name in ("iops", "latency")] == [suite.load(name).title for name in ("iops", "latency")]
    russian = {test["name"]: test["title"] for test in composer.choices(Language("ru"))["tests"]}
    assert russian.keys() == {*names}
    assert russian["latency"] != suite.load("latency").title
    for study in shown["suites"]:
        assert study["name"]
        assert study["title"]
