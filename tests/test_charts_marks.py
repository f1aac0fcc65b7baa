"""Axes and marks that many charts share, by arithmetic on paper: octaves, growing load, ratios, heights on a page."""

from typing import Any

import pytest

from stend.charts.parts import axis, half, marks
from stend.words import Language

EN = Language("en")


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1.0, 4.0, 16.0, 4.0], [1, 4, 16]), ([1.0, 3.0, 8.0], [1, 2, 4, 8]), ([3.0, 5.0], [2, 4, 8]),
        ([0.5, 0.75], [0.5, 1]), ([512.0, 4096.0], [512, 4096]),
    ],
)  # fmt: skip
def test_an_axis_of_octaves_has_a_tick_at_each_value_or_at_the_powers_around_them(
    values: list[float], ticks: list[float]
) -> None:
    channel = marks.octaves("n", "N", values)
    assert channel["axis"]["values"] == ticks
    assert channel["scale"] == {"type": "log", "base": 2, "nice": False, "domain": [ticks[0], ticks[-1]]}
    one = marks.octaves("n", "N", [3.0, 3.0])
    assert (one["scale"], one["axis"]["values"]) == ({"type": "linear", "zero": False}, [3.0])


def ladder(*rates: float, name: str = "a") -> list[dict[str, Any]]:
    """Rates at 1, 2, 4 and so on outstanding IOs, in the reverse order."""
    return [{"line": name, "n": 2**i, "iops": rate} for i, rate in enumerate(rates)][::-1]


@pytest.mark.parametrize(
    ("rates", "kind"),
    [
        ((100, 105, 111), "iops"), ((100, 105, 109), "depth"),  # over the last two steps
        ((50, 100, 105, 109), "depth"), ((50, 90, 95, 100), "iops"), ((100, 111), "iops"), ((100, 109), "depth"),
        ((100,), "depth"), ((1000, 1050, 1100), "iops"),
        ((500, 1100, 1000, 1300), "iops"), ((100, 300, 274, 400), "iops"), ((100, 300, 272, 400), "depth"),
    ],
)  # fmt: skip
def test_response_times_are_against_iops_only_where_these_rise_with_the_queue(
    rates: tuple[float, ...], kind: str
) -> None:
    """IOPS rise by a tenth over the last two steps, and never fall by a tenth."""
    x, order, found = marks.by_load(ladder(*rates), "line", EN)
    assert (found, x["field"], order["field"]) == (kind, "iops" if kind == "iops" else "n", "n")
    assert x["title"] == EN("axis.iops" if kind == "iops" else "axis.outstanding")
    both = ladder(100, 200, 300, name="b") + ladder(*rates)
    assert marks.by_load(both, "line", EN)[2] == kind, "each line for itself"


@pytest.mark.parametrize(
    ("low", "high", "even"),
    [(1.0, 1.0, True), (0.9, 1.2, True), (1.0, 3.5, True), (1.0, 3.55, False), (0.5, 5.0, False), (0.1, 0.9, False)],
)
def test_an_axis_of_ratios_is_linear_up_to_a_factor_of_four(low: float, high: float, even: bool) -> None:
    """It goes at least from 0.95 to 1.05, with 3 % of its logarithm at each end: 3.5 / 0.95 become 3.98."""
    channel = marks.ratio_axis(low, high, "overlay.ratio", EN)
    least, most = min(low, 0.95), max(high, 1.05)
    margin = (most / least) ** 0.03
    linear = {"zero": False, "nice": True, "domain": [least, most]}
    log = {"type": "log", "domain": [least / margin, most * margin], "nice": False}
    assert channel["scale"] == (linear if even else log)
    assert channel["title"] == EN("overlay.ratio_even" if even else "overlay.ratio")
    assert channel["axis"] == {"labelOverlap": "greedy"} | ({} if even else {"format": "~g"})


@pytest.mark.parametrize(("lowest", "room"), [(0.9, False), (1.0, True), (1.1, True)])
def test_a_level_below_all_rows_has_room_on_a_logarithmic_axis(lowest: float, room: bool) -> None:
    y = axis("y", "Y", log=True)
    channel = marks.above(1.0, y, [{"y": 7.0}, {"y": lowest}])
    assert channel == (y | {"scale": {"type": "log", "nice": True, "domainMin": 0.5}} if room else y)


@pytest.mark.parametrize(("name", "size"), [("0.5", 512), ("4", 4096), ("1,024", 1 << 20)])
def test_a_block_size_on_an_axis_is_in_kib(name: str, size: float) -> None:
    assert marks.kib(size, EN) == name


@pytest.mark.parametrize(
    ("given", "usual", "height"),
    [
        (200, 200, 200), (320, 200, 300), (150, 200, 150), (320, 130, 130), (100, 130, 100), (200, 260, 260),
        (100, 260, 160), (300, 260, 360), (40, 330, 66),
    ],
)  # fmt: skip
def test_a_plot_for_half_a_page_is_lower_or_taller_with_the_page(given: float, usual: int, height: float) -> None:
    """300 at most; lower with the page; taller by as much as the page has beyond 200, by 1.65 at most."""
    assert half.height_of(given, usual) == pytest.approx(height)
