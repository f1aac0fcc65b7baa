"""Counts add up: nothing plus counts are the counts, and the order of brackets makes no difference."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from stend.model.beside import Beside
from stend.model.counts import Counts, added
from stend.model.pace import Pace
from stend.model.surveyed import MOST_UNREAD, Cell, Surveyed
from stend.model.tally import Tally

TYPES = (Tally, Counts, Pace, Beside, Cell, Surveyed)
WHOLE = st.integers(0, 40)
CELLS = 3
"""Cells of every survey, or none."""


PLAIN: dict[type, st.SearchStrategy[Any]] = {
    inspect.IntType: WHOLE,
    inspect.FloatType: WHOLE,
    inspect.BoolType: st.booleans(),
    inspect.StrType: st.sampled_from("abc"),
    inspect.NoneType: st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type of msgspec; all numbers are whole, so that sums are exact."""
    match kind:
        case inspect.Metadata():
            return values(kind.type)
        case inspect.DictType():
            return st.dictionaries(values(kind.key_type), values(kind.value_type).filter(bool), max_size=3)
        case inspect.VarTupleType():
            return st.lists(values(kind.item_type), max_size=2).map(tuple)
        case inspect.UnionType():
            return st.one_of([values(one) for one in kind.types])
        case inspect.StructType():
            fields = {one.name: values(one.type) for one in kind.fields}
            if "cells" in fields:
                whole = st.lists(of(Cell), min_size=CELLS, max_size=CELLS).map(tuple)
                fields["cells"] = st.one_of(st.just(()), whole)
            return st.builds(kind.cls, **fields)
    return PLAIN[type(kind)]


def of(kind: type) -> st.SearchStrategy[Any]:
    return values(inspect.type_info(kind))


@pytest.mark.parametrize("kind", TYPES)
@given(data=st.data())
def test_adding_has_a_neutral_element_and_is_associative(kind: Any, data: st.DataObject) -> None:
    drawn = of(kind)
    a, b, c = (data.draw(drawn) for _ in range(3))
    assert kind() + a == a
    if kind is not Pace:  # IOs that wait at the end are those of the last part
        assert a + kind() == a
    assert (a + b) + c == a + (b + c)


@given(many=st.lists(of(Counts), max_size=4))
def test_many_counts_at_once_are_the_same_as_one_by_one(many: list[Counts]) -> None:
    assert added(many) == sum(many, start=Counts())


@given(a=of(Surveyed), b=of(Surveyed))
def test_failed_reads_are_counted_beyond_those_that_are_listed(a: Surveyed, b: Surveyed) -> None:
    long = msgspec.structs.replace(a, unread=a.unread * MOST_UNREAD)
    whole = long + b
    assert whole.failed == a.failed + b.failed
    assert whole.unread == (long.unread + b.unread)[:MOST_UNREAD]
    assert whole.last == (a.last if b.last is None else b.last)
