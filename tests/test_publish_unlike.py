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
    ("model", "maker"),
    [
        ("8 x Intel X25-E on Intel RS2BL080", "Intel"),
        ("KINGSTON SKC2000M8500G", "Kingston"),
        ("840 PRO", ""),
        ("ST4000NM0035", ""),
        ("2 x 840 PRO", ""),
    ],
)
def test_the_maker_is_the_first_word_that_is_no_number_of_members(model: str, maker: str) -> None:
    assert maker_of(model) == maker


def test_models_that_differ_in_more_than_separators_are_different_drives() -> None:
    models = ("Alpha 970 EVO", "Alpha 970 EVO+", "Альфа 970 EVO")
    assert len({samples.drive_id(model, 500_000_000_000) for model in models}) == len(models)
    alike = ("WDC WD40EZRZ-00", "WDC_WD40EZRZ-00")
    assert {samples.drive_id(model, 4_000_000_000_000) for model in alike} == {"wdc-wd40ezrz-00-4000gb"}
