"""Loads that keep their times on several drives: a trace as captured and as replayed, and the map of two rates."""

from collections.abc import Iterator, Sequence

from stend.base.text import small
from stend.charts.exceedance import curve, share_lines
from stend.charts.headroom import drawing
from stend.charts.parts import Drawing
from stend.charts.parts.sides import Side, channels
from stend.charts.service_map import beside
from stend.findings.look.replayed import replayed
from stend.model.definition import PlannedTest
from stend.model.tally import Tally
from stend.words import Language

WAYS = ("read", "write")


def tallies(sides: Sequence[Side], words: Language) -> dict[str, tuple[Tally, Tally]]:
    """Return name -> (reads, writes): of the first drive's trace as captured, and of drives that replayed it.

    A replay counts if it has the same trace and speed, and if the host kept its times.
    """
    first = sides[0].test("replay") if sides else None
    if first is None or first.traced is None:
        return {}
    counts_of = {words("replay.captured"): (first.traced.read, first.traced.write)}
    for side in sides:
        test = side.test("replay")
        if side.run and test and test.traced and _trace_and_speed(test) == _trace_and_speed(first):
            pace, counts = replayed(side.run, test)
            if not pace.invalid:
                counts_of[side.name] = counts
    return counts_of


def replay(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield one chart per direction."""
    counts_of = tallies(sides, words)
    every = [Side(words("replay.captured")), *sides]
    for place, way in enumerate(WAYS):
        bins = {name: counts[place].bins for name, counts in counts_of.items()}
        rows = [row | {"drive": row["name"]} for name, counted in bins.items() for row in curve(counted, name)]
        if any(row["drive"] != words("replay.captured") for row in rows):
            chart = share_lines(channels(every, rows), words)
            title = words("beside.replay", way=small(words(f"direction.{way}")))
            yield Drawing(title, chart, {"rows": rows}, words("beside.replay_says"))


def headroom(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the search of each drive for how many times as fast the trace can run."""
    yield from drawing(sides, words, words("beside.headroom"))


def _trace_and_speed(test: PlannedTest) -> tuple[str, float]:
    return (test.traced.number if test.traced else "", test.profile.options["speed"])


KINDS = {"replay": replay, "headroom": headroom, "service_map": beside}
