"""One trace on several drives: how many IOs took longer, as captured and on each drive that played it alike."""

from collections.abc import Iterator, Sequence

from stend.charts.exceedance import curve
from stend.charts.headroom import drawing
from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import thin_lines
from stend.charts.parts.sides import Side, channels
from stend.findings.look.replayed import replayed
from stend.model.definition import PlannedTest
from stend.model.tally import Tally
from stend.words import Language

WAYS = ("read", "write")


def tallies(sides: Sequence[Side], words: Language) -> dict[str, tuple[Tally, Tally]]:
    """By who: reads and writes of the first drive's trace, as captured, and on drives that played it at its speed.

    A replay whose times the host did not keep is none of them.
    """
    first = sides[0].test("replay") if sides else None
    if first is None or first.traced is None:
        return {}
    found = {words("replay.captured"): (first.traced.read, first.traced.write)}
    for side in sides:
        test = side.test("replay")
        if side.run and test and test.traced and _asked(test) == _asked(first):
            pace, counts = replayed(side.run, test)
            if not pace.invalid:
                found[side.name] = counts
    return found


def replay(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """A chart for each direction."""
    told = tallies(sides, words)
    every = [Side(words("replay.captured")), *sides]
    for place, way in enumerate(WAYS):
        bins = {name: counts[place].bins for name, counts in told.items()}
        rows = [row | {"drive": row["name"]} for name, own in bins.items() for row in curve(own, name)]
        if any(row["drive"] != words("replay.captured") for row in rows):
            x = axis("ms", words("axis.latency_ms"), log=True, plain=True)
            y = axis("share", words("axis.exceedance"), log=True, plain=True)
            chart = thin_lines(x, y, channels(every, [str(row["drive"]) for row in rows]))
            title = words("beside.replay", way=words(f"direction.{way}"))
            yield Drawing(title, chart, {"rows": rows}, words("beside.replay_says"))


def headroom(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Every drive's search for how fast the trace can run."""
    yield from drawing(sides, words, words("beside.headroom"))


def _asked(test: PlannedTest) -> tuple[str, float]:
    return (test.traced.number if test.traced else "", test.profile.options["speed"])


KINDS = {"replay": replay, "headroom": headroom}
