"""Heat of several drives: rate and temperature over the time of each load, one line per drive."""

from collections.abc import Iterator, Sequence

from stend.charts.beside.courses import MOST, over
from stend.charts.beside.powers import FEWEST
from stend.charts.parts import Drawing, Row, axis, binned, time_scale, warm
from stend.charts.parts.sides import Side
from stend.findings.look import Record
from stend.findings.look.heat import HEATING
from stend.words import Language

TEST = "heat"


def heats(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the rate of the writes and the temperature, then those of the reads, of at least two drives."""
    for phase in HEATING:
        held = {side.name: (side, records) for side in sides if (records := side.records(TEST, phase))}
        if len(held) < FEWEST:
            continue
        scale, title = time_scale(max(records[-1].end_s for _, records in held.values()), words)
        x = axis("t", title)
        rates = [
            {"t": record.end_s / scale, "value": record.counts.bytes_per_s / 1e6, "drive": name}
            for name, (_, records) in held.items()
            for record in records
        ]
        chart, sets = over(sides, rates, x, axis("value", words("axis.throughput")), words)
        yield Drawing(words("chart.heat_rate", phase=phase), chart, sets, words("beside.heat_rate_says"))
        degrees = [row for side, records in held.values() for row in _degrees(side, records, scale)]
        if degrees:
            chart, sets = over(sides, degrees, x, axis("value", words("axis.temperature"), zero=False), words)
            yield Drawing(words("chart.heat_temperature", phase=phase), chart, sets, words("says.temperature"))


def _degrees(side: Side, records: Sequence[Record], scale: float) -> list[Row]:
    read = warm.readings(side.run, records) if side.run else []
    return binned([{"t": at_s / scale, "value": c, "drive": side.name} for at_s, c in read], "t", "value", MOST)


KINDS = {"heats": heats}
