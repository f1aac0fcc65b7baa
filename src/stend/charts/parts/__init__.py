"""What every chart shares: one look, colours that stay apart for everyone, axes that carry their units."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from stend.words import Language

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]

# Okabe and Ito: told apart by all common kinds of colour vision, and by lightness in grey print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
BLUE, RED, GREEN, PINK, SKY, ORANGE, BLACK, GREY = COLOURS
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 6])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
WIDTH, HEIGHT = 640, 320
MOST_POINTS = 1500


class Drawing(NamedTuple):
    """A chart as its file draws it: a title, Altair marks over named rows, and what to read from it in a sentence."""

    title: str
    chart: Any
    rows: Mapping[str, Sequence[Row]]
    says: str = ""


class Picture(NamedTuple):
    """A finished chart: its file's name, title, specification and a sentence for those who cannot see it."""

    name: str
    title: str
    spec: dict[str, Any]
    says: str


def data(name: str = "rows") -> "alt.NamedData":
    """A reference to the drawing's rows; values travel beside the chart, so Altair never has to walk them."""
    import altair as alt

    return alt.NamedData(name)


def thin(points: Sequence[Row], x: str, y: str, most: int = MOST_POINTS) -> list[Row]:
    """About `most` points of a long series: of each stretch its lowest and highest, so that no spike is lost."""
    if len(points) <= most:
        return list(points)
    size = -(-len(points) // (most // 2))
    kept: list[Row] = []
    for start in range(0, len(points), size):
        stretch = points[start : start + size]
        ends = {id(p): p for p in (min(stretch, key=lambda p: p[y]), max(stretch, key=lambda p: p[y]))}
        kept += sorted(ends.values(), key=lambda p: p[x])
    return kept


def binned(points: Sequence[Row], x: str, y: str, most: int = MOST_POINTS) -> list[Row]:
    """About `most` points of a long series: of each equal stretch of `x` the median, with its lowest and highest.

    A level stays a level, however brief it is beside the whole. `low` and `high` of a point are its lowest and highest
    tenth, for a band. The first point is kept as it is: a course begins with it.
    """
    if not points:
        return []
    width = max((points[-1][x] - points[0][x]) / most, 1e-12)
    bins: dict[int, list[Row]] = {}
    for point in points:
        bins.setdefault(int((point[x] - points[0][x]) / width), []).append(point)
    kept: list[Row] = [points[0]] if len(bins[0]) > 1 else []
    for own in bins.values():
        values = sorted(point[y] for point in own)
        tenth = (len(values) - 1) // 10
        usual = own[len(own) // 2]
        low, high = values[tenth], values[len(values) - 1 - tenth]
        kept.append({**usual, y: median(values), "low": low, "high": high})
    return kept


def time_scale(longest_s: float, words: Language) -> tuple[float, str]:
    """Seconds per unit of a time axis and the axis's title: seconds, minutes or hours as suits the length."""
    for unit, scale, limit in (("s", 1.0, 300.0), ("min", 60.0, 6 * 3600.0)):
        if longest_s <= limit:
            return scale, words(f"axis.time_{unit}")
    return 3600.0, words("axis.time_h")


def axis(
    field: str, title: str, *, log: bool = False, zero: bool = True, plain: bool = False, **more: Any
) -> dict[str, Any]:
    """A quantitative channel with its title, as Vega-Lite writes it; `plain` numbers on a log axis have no k or M."""
    scale: dict[str, Any] = {"type": "log", "nice": True} if log else {"zero": zero, "nice": True}
    shown = {"format": ",~g" if plain else "~s"} if log else {}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": {**shown, **more}}


def zoom(name: str = "zoom") -> "alt.Parameter":
    """Drag along the time axis moves it, Shift and the wheel zoom it; a plain wheel scrolls the page."""
    import altair as alt

    return alt.selection_interval(
        name=name,
        encodings=["x"],
        bind="scales",
        zoom="wheel![event.shiftKey]",
    )


def series_scale(names: Sequence[str], channel: Sequence[Any]) -> dict[str, Any]:
    """A fixed series -> colour, dash or shape mapping, so that a series looks the same in every chart.

    Where names are more than colours, the second time round a colour has another dash and another shape.
    """
    size, turned = len(channel), channel is DASHES or channel is SHAPES
    return {"domain": list(names), "range": [channel[(i + turned * (i // size)) % size] for i in range(len(names))]}


def ladder(count: int) -> list[str]:
    """`count` colours in order, dark to light but never too pale for paper (viridis)."""
    steps = ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#9fda3a")
    if count <= 1:
        return [steps[0]]
    return [steps[round(i * (len(steps) - 1) / (count - 1))] for i in range(count)]
