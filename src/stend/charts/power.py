"""Power: watts at rest, by load and outstanding IOs, work per watt, and watts at fixed rates."""

from collections.abc import Iterator, Sequence

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.charts.parts.metered import metered
from stend.findings.look.figures import Figures
from stend.findings.look.powered import KINDS, LOADS, RATES, loads, rests
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

HEIGHT = 220


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield watts by load, random IOs per second and watt, watts by rest, and watts by rate."""
    held, paced = loads(run, test, *LOADS), loads(run, test, RATES)
    yield from _by_depth(run, held, "watts", list(KINDS), words)
    yield from _by_depth(run, held, "iops_per_watt", ["random_read", "random_write"], words)
    rows: list[Row] = [{"rest": rest.rest_s, "watts": rest.level.mean, "kind": ""} for rest in rests(run, test.name)]
    if len(rows) > 1:
        x, y = axis("rest", words("axis.rest_power")), axis("watts", words("axis.watts"))
        chart = lines(x, y, series("kind", None, [words("power.rest")])).properties(height=HEIGHT)
        rows = [row | {"kind": words("power.rest")} for row in rows]
        yield Drawing(words("chart.power_rest"), chart, {"rows": rows}, metered(words("says.power_rest"), run, words))
    rows = [
        {"iops": row.iops, "watts": row.number("watts"), "kind": words(f"power.{name}")}
        for name, kind in KINDS.items()
        for row in (*paced, *_fastest(held, kind))
        if _kind(row) == kind and kind[0]
    ]
    if paced and rows:
        names = [words(f"power.{name}") for name in ("random_read", "random_write")]
        x, y = axis("iops", words("axis.iops"), log=True), axis("watts", words("axis.watts"))
        chart = lines(x, y, series("kind", None, names)).properties(height=HEIGHT)
        yield Drawing(words("chart.power_rates"), chart, {"rows": rows}, metered(words("says.power_rates"), run, words))


def _kind(row: Figures) -> tuple[int, int]:
    return row.workload.random_pct, row.workload.read_pct


def _fastest(held: Sequence[Figures], kind: tuple[int, int]) -> list[Figures]:
    """Return the load with the highest rate of one kind, to which the fixed rates are parts."""
    rows = [row for row in held if _kind(row) == kind]
    return [max(rows, key=lambda row: row.iops)] if rows else []


def _by_depth(
    run: Run, held: Sequence[Figures], quantity: str, names: Sequence[str], words: Language
) -> Iterator[Drawing]:
    """Yield a quantity by outstanding IOs, one line per kind of load."""
    rows: list[Row] = [
        {"n": row.workload.outstanding, "value": value, "kind": words(f"power.{name}")}
        for name in names
        for row in held
        if _kind(row) == KINDS[name] and (value := row.value(quantity)) is not None
    ]
    if rows:
        x, y = (
            octaves("n", words("axis.outstanding"), [float(row["n"]) for row in rows]),
            axis("value", words(f"axis.{quantity}")),
        )
        chart = lines(x, y, series("kind", None, [words(f"power.{name}") for name in names]))
        yield Drawing(
            words(f"chart.power_{quantity}"),
            chart,
            {"rows": rows},
            metered(words(f"says.power_{quantity}"), run, words),
        )
