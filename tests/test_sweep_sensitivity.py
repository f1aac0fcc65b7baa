"""Shares of variance against functions whose shares are known, and against what a drive's model makes of its parts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from stend.many.sweep.design import Design, Range, Written
from stend.many.sweep.sensitivity import FLAT, Effects, effects

Array = npt.NDArray[np.float64]
A = np.array([0.0, 1.0, 4.5, 9.0])
"""Of Sobol's function."""


def told(function: Callable[..., Array], drives: int, noise: float = 0.0, seed: int = 5, **parameters: Any) -> Effects:
    design = Design("design", Written("sim:small", ("iops",), {}, drives=drives, seed=seed), parameters)
    values = [point.values for point in design.points()]
    columns = {name: np.array([row[name] for row in values]) for name in parameters}
    dice = np.random.default_rng(seed)
    return effects(
        design, values, function(**columns) + dice.normal(0, noise, drives) if noise else function(**columns)
    )


def ishigami(a: Array, b: Array, c: Array) -> Array:
    whole: Array = np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)
    return whole


def sobol(**x: Array) -> Array:
    whole: Array = np.prod([(abs(4 * own - 2) + a) / (1 + a) for own, a in zip(x.values(), A, strict=True)], axis=0)
    return whole


ANGLE = Range(-float(np.pi), float(np.pi))


def test_ishigamis_function_has_its_known_shares() -> None:
    own = told(ishigami, 300, a=ANGLE, b=ANGLE, c=ANGLE)
    assert [own.first[name].value for name in "abc"] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.01)
    assert [own.total[name].value for name in "abc"] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.01)
    assert own.pairs["a", "c"].value == pytest.approx(0.2437, abs=0.01)
    assert own.explained > 0.99
    assert own.order[0] == "a"


def test_shares_do_not_depend_on_where_a_range_is() -> None:
    for low in (-1.0, 0.0, 5.0):
        own = told(lambda a, b: 3 * a + b, 100, a=Range(low, low + 2), b=Range(-1.0, 1.0))
        assert [own.first[name].value for name in "ab"] == pytest.approx([0.9, 0.1], abs=0.02)


def test_sobols_function_with_its_edges_has_about_its_known_shares() -> None:
    ends: dict[str, Any] = dict.fromkeys("wxyz", Range(0.0, 1.0))
    own = told(sobol, 1000, **ends)
    parts = 1 / 3 / (1 + A) ** 2
    whole = np.prod(1 + parts) - 1
    assert [own.first[name].value for name in "wxyz"] == pytest.approx(parts / whole, abs=0.02)
    totals = [part * np.prod(1 + np.delete(parts, i)) / whole for i, part in enumerate(parts)]
    assert [own.total[name].value for name in "wxyz"] == pytest.approx(totals, abs=0.02)


def test_values_without_an_order_and_whole_numbers_have_their_shares() -> None:
    def made(kind: Array, dies: Array) -> Array:
        return np.asarray(np.array([{"a": 0.0, "b": 2.0, "c": 0.0}[one] for one in kind]) + np.log(dies) * 0, float)

    own = told(made, 90, kind=("a", "b", "c"), dies=Range(4, 64, log=True))
    assert own.first["kind"].value == pytest.approx(1, abs=0.01)
    assert own.total["dies"].value < 0.01


def test_values_of_which_some_are_numbers_have_no_order() -> None:
    own = told(lambda room: np.array([{"4": 0.0, "9": 2.0, "all": 1.0}[one] for one in room]), 90, room=(4, 9, "all"))
    assert own.first["room"].value == pytest.approx(1, abs=0.01)


def test_an_interaction_alone_is_nobodys_own_share() -> None:
    own = told(lambda a, b: a * b, 200, a=Range(-1.0, 1.0), b=Range(-1.0, 1.0))
    assert own.first["a"].value < 0.02
    assert own.pairs["a", "b"].value == pytest.approx(1, abs=0.02)


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = 0
    for seed in range(60):
        own = told(lambda a, b: 2 * a + b, 60, noise=0.5, seed=seed, a=Range(-1.0, 1.0), b=Range(-1.0, 1.0))
        whole = (4 + 1) / 3 + 0.25
        held += own.first["a"].low <= 4 / 3 / whole <= own.first["a"].high
        held += own.first["b"].low <= 1 / 3 / whole <= own.first["b"].high
    assert 0.88 <= held / 120 <= 1


def test_noise_alone_is_explained_by_nothing() -> None:
    shares, sure = [], 0
    for seed in range(20):
        own = told(lambda a, b: a * 0, 100, noise=1.0, seed=seed, a=Range(0.0, 1.0), b=Range(0.0, 1.0))
        shares += [own.first["a"].value, own.first["b"].value]
        sure += (own.first["a"].low > 0) + (own.first["b"].low > 0)
        assert own.explained < 0.2
    assert np.mean(shares) < 0.03
    assert sure <= 3, "of 40 intervals of 95 % one in forty lies above nothing by chance"


def test_too_few_drives_and_a_figure_that_stays_say_so() -> None:
    ends: dict[str, Any] = {"a": Range(0.0, 1.0), "b": Range(0.0, 1.0)}
    assert told(lambda a, b: a, 7, **ends).why == "few"
    assert told(lambda a, b: a * 0 + 1e-5 * b, 50, **ends).why == "flat"


def test_too_few_drives_for_the_contrasts_of_a_kind_say_so() -> None:
    kinds = ("greedy", "fifo", "cost-benefit")
    assert told(lambda a, b, kind: a, 12, a=Range(0.0, 1.0), b=Range(0.0, 1.0), kind=kinds).why == "few"
    assert not told(lambda a, b, kind: a, 15, a=Range(0.0, 1.0), b=Range(0.0, 1.0), kind=kinds).why


def test_a_figure_that_moves_by_just_what_matters_does_not_stay() -> None:
    def moved(a: Array, by: float) -> Array:
        return np.where(a < 0.5, -by, by)

    for by, why in ((FLAT, ""), (np.nextafter(FLAT, 0), "flat")):
        assert told(lambda a, by=by: moved(a, by), 64, a=Range(0.0, 1.0)).why == why


def test_a_parameter_with_three_ordered_values_has_a_curve() -> None:
    own = told(lambda a, b: np.where(a == 2, 1.0, 0.0) + 0 * b, 60, a=(1, 2, 4), b=Range(0.0, 1.0))
    assert own.explained == pytest.approx(1, abs=1e-6)
    assert own.first["a"].value == pytest.approx(1, abs=1e-3)
