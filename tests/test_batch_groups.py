"""Two kinds of drives in one lot: found, named with what else sets them apart, and not seen where there is one kind."""

from typing import Any

import msgspec
import numpy as np
import pytest
from jsonschema import Draft202012Validator

from stend.charts.batched import strips
from stend.many.batch import groups
from stend.many.batch.lot import Lot, lot
from stend.many.batch.verdict import judged
from stend.many.sides import side
from stend.model.bins import bin_edges_ns, bin_index
from stend.report.parts import batched, schemas_many
from stend.words import LANGUAGES, Language
from tests.sides import load, outcome, row
from tests.test_batch import made


def two_kinds(seed: int, few: int = 6, drives: int = 12, apart: float = 0.25, quantity: str = "iops") -> Lot:
    """Of five figures two separate the first drives from the others; drives of a kind differ by about 2 %."""
    values = np.random.default_rng(seed).normal(9, 0.02, (drives, 5))
    values[:few, 1:3] -= apart
    return made(values, quantity)


def by_hand(y: list[float]) -> tuple[float, int]:
    """The largest gap in deviations within its sides, from the definition."""
    y, found = sorted(y), []
    side = max(3, -(-len(y) // 4))
    for cut in range(side, len(y) - side + 1):
        squares = sum(np.var(half) * len(half) for half in (y[:cut], y[cut:]))
        found.append((float((y[cut] - y[cut - 1]) / (squares / (len(y) - 2)) ** 0.5), cut))
    return max(found)


@pytest.mark.parametrize("count", [6, 7, 12, 13, 25])
def test_the_separation_is_the_largest_gap_between_two_sides(count: int) -> None:
    many = np.random.default_rng(count).normal(9, 1, (20, count))
    gaps, cuts = groups.separation(many)
    wanted = [by_hand([*y]) for y in many]
    assert [*cuts] == [cut for _, cut in wanted]
    assert [*gaps] == pytest.approx([gap for gap, _ in wanted])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("few", "drives"), [(6, 12), (5, 12), (12, 24), (10, 24), (5, 10)])
def test_two_kinds_are_two_groups_and_no_drive_is_an_outlier(few: int, drives: int, lang: str) -> None:
    words = Language(lang)
    batch = judged(two_kinds(few * drives, few, drives), None)
    assert batch.groups is not None
    assert batch.groups.few == tuple(range(few))
    assert batch.groups.others == drives - few
    assert batch.groups.figure in batch.lot.figures[1:3]
    assert batch.groups.ratio == pytest.approx(np.exp(-0.25), abs=0.03)
    assert batch.groups.p < 0.05
    assert batch.suspect is None
    assert batched._conclusion(batch, words) == f"{words('batched.none_odd')} {words('batched.groups')}"
    texts = list(batched._summary(batch, words))
    told = texts[1]
    assert all(f"d{i}" in told for i in range(few))
    assert f"d{few}" not in told.replace(",", " ").replace(".", " ").split()
    assert words("batched.groups_next") in texts
    (drawn,) = strips.draw(batch, words)
    kinds = {mark["kind"] for mark in drawn.rows["rows"]}
    assert (kinds - {words("batched.others")} == {f"d{i}" for i in range(few)}) == (few <= strips.MOST_MARKED)
    data = batched.plain(batch)
    Draft202012Validator(schemas_many.lot()).validate(msgspec.json.decode(msgspec.json.encode(data)))
    assert data["groups"]["drives"] == [f"d{i}" for i in range(few)]


def good(kind: str, shape: tuple[int, int], dice: np.random.Generator) -> Any:
    if kind == "skewed":
        return np.exp(0.5 * dice.standard_normal(shape))
    return dice.standard_t(4, shape) if kind == "heavy tails" else getattr(dice, kind)(size=shape)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "skewed", "exponential"])
@pytest.mark.parametrize("drives", [6, 12, 24])
def test_of_one_kind_of_drives_groups_are_stated_in_at_most_a_twentieth_of_lots(kind: str, drives: int) -> None:
    dice = np.random.default_rng(drives)
    alarms = [groups.detect(made(9 + 0.3 * good(kind, (drives, 8), dice))) is not None for _ in range(120)]
    assert sum(alarms) <= 10, "binomial of 120 and 0.05: more than 10 has a probability of 3.5 % for the worst kind"


def test_latency_bins_make_no_groups_of_drives_of_one_kind() -> None:
    for seed in range(5):
        waits = np.random.default_rng(seed).normal(-7, 0.1, (200, 5))
        middles = np.log([[sum(bin_edges_ns(bin_index(s * 1e9))) / 2e9 for s in row] for row in np.exp(waits)])
        assert groups.detect(made(middles, "p99")) is None
        assert groups.detect(made(middles - 0.5 * (np.arange(200) < 100)[:, None], "p99"))


def test_too_few_drives_a_small_difference_and_outliers_are_no_groups() -> None:
    assert groups.detect(two_kinds(1, 2, 5)) is None
    assert groups.detect(two_kinds(1, 2, 12)) is None, "less than a quarter"
    near = np.random.default_rng(3).normal(9, 0.0005, (12, 3))
    near[:6] -= 0.025
    assert groups.detect(made(near)) is None, "a rate has to differ by more than 3 %"
    near[:6] -= 0.03
    assert groups.detect(made(near)) is not None
    outliers = judged(two_kinds(1, 3, 12, apart=0.5), None)
    assert sorted(outliers.odd) == [0, 1, 2]
    assert outliers.groups is None, "each is named already"
    tail = np.full((12, 3), -7.0)
    tail[:6] += 1 / 64
    assert groups.detect(made(tail, "p99.9")) is None, "a bin apart"


def test_an_outlier_beside_two_groups_is_named_with_them() -> None:
    values = np.random.default_rng(7).normal(9, 0.02, (24, 5))
    values[:12, 1] -= 0.4
    values[20, 3] -= 0.8
    batch = judged(made(values), None)
    assert list(batch.odd) == [20]
    words = Language("en")
    assert batched._conclusion(batch, words) == "Outlier: d20. The drives are of two groups."
    assert any(text.startswith("d20 is an outlier") for text in batched._summary(batch, words))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("mixed", "unknown", "differs"), [((), (), True), ((2, 9), (), False), ((), (0,), False), ((), (11,), False)]
)
def test_a_setting_that_differs_between_the_groups_is_named(
    mixed: tuple[int, ...], unknown: tuple[int, ...], differs: bool, lang: str
) -> None:
    dice, words = np.random.default_rng(4), Language(lang)
    rates = [(7_000.0 if i < 6 else 10_000.0) * dice.normal(1, 0.01) for i in range(12)]
    runs = [outcome(f"r{i}", [row(load(), rate)], float(i), drive=f"D{i}") for i, rate in enumerate(rates)]
    firmware = ["" if i in unknown else "A1" if (i < 6) != (i in mixed) else "B2" for i in range(12)]
    runs = [run._replace(settings=run.settings | {"firmware": f}) for run, f in zip(runs, firmware, strict=True)]
    batch = judged(lot(side("", runs)), None)
    assert batch.groups is not None
    told = words("batched.groups_differ", name=words("setting.firmware"), few="A1", others="B2")
    assert (told in batched.batched(batch, lang, drawn=False).lead.texts) == differs
    assert batched.plain(batch)["groups"]["differs"] == ["firmware"] * differs
