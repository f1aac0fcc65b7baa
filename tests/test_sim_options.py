"""What is written after a virtual drive's name: another of its kind, or a sentence."""

import msgspec
import pytest

from stend.base.errors import BadInput
from stend.sim import build, load


def test_any_parameter_of_a_part_is_set_by_both_names() -> None:
    usual, other = load("x25e-raid"), load("x25e-raid?array.level=10&array.read_us=80.5&firmware=1.1")
    assert usual.array
    assert other.array == msgspec.structs.replace(usual.array, level=10, read_us=80.5)
    assert (other.firmware, other.host) == ("1.1", usual.host)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("array.levl=10", "unknown field"),
        ("array.level=ten", "expected a whole number"),
        ("array.level=7", "level 0, 1, 5 or 10"),
        ("flash.level=1", "has no parameter 'flash.level'"),
        ("sources.published=x", "has no parameter"),
        (".=1", "has no parameter"),
        ("array.=1", "unknown field"),
    ],
)
def test_a_parameter_that_there_is_not_is_a_sentence(options: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        build(load(f"x25e-raid?{options}"))
