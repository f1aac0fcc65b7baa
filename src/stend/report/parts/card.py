"""The first screen: five numbers a reader asks for first, from what this run measured."""

from collections.abc import Iterator

from stend.definition import PlannedTest, Workload
from stend.findings import look
from stend.findings.language import Language
from stend.record import Counts, Run
from stend.report.parts import Number
from stend.units import KiB

FIVE = 5


def numbers(run: Run, words: Language) -> tuple[Number, ...]:
    """Up to five: random read and write, sequential read and write, response times; then what else there is."""
    found: dict[str, Number] = {}
    for number in _wanted(run, words):
        found.setdefault(number.label, number)
    return tuple(found.values())[:FIVE]


def _wanted(run: Run, words: Language) -> Iterator[Number]:
    cells = [(test, load, counts) for test in look.tests(run) for _, load, counts in look.cells(run, test)]
    lasting = [(test, load, counts) for test, (_, load, counts) in look.lasting(run)]
    for key, chosen, shape in _first_choices(lasting, cells):
        if chosen:
            test, _, counts = chosen
            value = {"rate": counts.iops, "mbs": counts.bytes_per_s, "lat": counts.both.mean_s}[shape]
            yield Number(words.show(value, shape), words(f"card.{key}"), words.title(test.name, test.title))
    yield from _ends(run, words)
    yield from _others(cells, words)


Cell = tuple[PlannedTest, Workload, Counts]


def _first_choices(lasting: list[Cell], every: list[Cell]) -> Iterator[tuple[str, Cell | None, str]]:
    def best(random_pct: int, read_pct: int, block_bytes: int, *, single: bool = False) -> Cell | None:
        def fits(load: Workload) -> bool:
            return (
                (load.random_pct, load.read_pct) == (random_pct, read_pct)
                and (not block_bytes or load.block_bytes == block_bytes)
                and (load.outstanding == 1) == single
                and not load.block_mix
            )

        first, then = ([cell for cell in cells if fits(cell[1])] for cells in (lasting, every))
        return max(first or then, key=lambda cell: cell[2].bytes_per_s, default=None)

    yield "read", best(100, 100, 4 * KiB), "rate"
    yield "write", best(100, 0, 4 * KiB), "rate"
    yield "seq_read", best(0, 100, 0), "mbs"
    yield "seq_write", best(0, 0, 0), "mbs"
    yield "latency_read", best(100, 100, 4 * KiB, single=True), "lat"
    yield "latency_write", best(100, 0, 4 * KiB, single=True), "lat"
    yield "mixed", best(100, 65, 4 * KiB), "rate"


def _ends(run: Run, words: Language) -> Iterator[Number]:
    """The last level of a saturation, its worst percentile that can be carried."""
    for test in look.tests(run, "write-saturation"):
        total = look.ended(run, test, look.main_phase(run, test))
        if not total.seconds:
            continue
        yield Number(words.show(total.iops, "rate"), words("card.saturated"), words.title(test.name, test.title))
        tail = look.percentiles(total)
        carried = [(percent, value) for percent, value in tail.items() if value is not None]
        if carried:
            percent, value = carried[-1]
            yield Number(words.show(value, "lat"), words("card.tail", pct=percent), words.title(test.name, test.title))


def _others(cells: list[Cell], words: Language) -> Iterator[Number]:
    if cells:
        top = max(cells, key=lambda cell: cell[2].iops)
        yield Number(
            words.show(top[2].iops, "rate"),
            words("card.any_iops", label=top[1].label),
            words.title(top[0].name, top[0].title),
        )
        top = max(cells, key=lambda cell: cell[2].bytes_per_s)
        yield Number(
            words.show(top[2].bytes_per_s, "mbs"),
            words("card.any_mbs", label=top[1].label),
            words.title(top[0].name, top[0].title),
        )
        slow = max(cells, key=lambda cell: cell[2].both.max_s)
        yield Number(
            words.show(slow[2].both.max_s, "lat"),
            words("card.longest", label=slow[1].label),
            words.title(slow[0].name, slow[0].title),
        )
