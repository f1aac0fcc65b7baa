"""What a site takes from runs: which are not compared because a setting differs, and who made a drive."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from stend.many.settings import BLOCKING
from stend.publish import samples
from stend.publish.data import maker_of

NAMES = (*BLOCKING, "firmware")
VALUES = (None, "", 0, "a", "b")


def sample(**settings: Any) -> Any:
    return SimpleNamespace(outcome=SimpleNamespace(settings=settings))


@pytest.mark.parametrize(("a", "b"), list(product(VALUES, VALUES)))
def test_a_setting_that_is_not_known_makes_no_difference(a: object, b: object) -> None:
    differ = a != b and {a, b}.isdisjoint({None, ""})
    for name in NAMES:
        assert samples.unlike(sample(**{name: a}), sample(**{name: b})) == [name] * differ
    assert samples.unlike(sample(**dict.fromkeys(NAMES, a)), sample(**dict.fromkeys(NAMES, b))) == list(NAMES) * differ
    assert samples.unlike(sample(label=1), sample(label=2)) == []


@pytest.mark.parametrize(
    ("model", "maker"), [("8 x Intel X25-E on Intel RS2BL080", "Intel"), ("KINGSTON SKC2000M8500G", "Kingston")]
)
def test_the_maker_is_the_first_word_that_is_no_number_of_members(model: str, maker: str) -> None:
    assert maker_of(model) == maker
