"""The search for steady state in words: rounds so far, the window against its limits, and how a search ended."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from rich.text import Text

from stend.base.units import MB, latency, places_beyond, rate
from stend.live.course import Course
from stend.model.events import Judged, Verdict
from stend.model.stats import WINDOWS

FAR = 30
"""Percent beyond every limit, which therefore need not be told from one."""
BARS = "▁▂▃▄▅▆▇█"
SHAPES: dict[str, Callable[[float], str]] = {
    "iops": rate,
    "throughput": lambda value: f"{value / MB:.4g}",
    "latency": latency,
}
"""The text of a value of each tracked quantity."""


def rounds(course: Course) -> str:
    """Return the total of rounds of the present phase: fixed, or the expected and the largest number."""
    if not course.place or course.place[1].steady is None:
        return str(course.place[1].rounds) if course.place else ""
    return f"about {course.progress.expected_rounds()}, at most {course.place[1].rounds}"


def rows(course: Course, wide: bool) -> Iterator[tuple[str, Text]]:
    """Yield the steady-state window: the values of each tracked workload, their range and slope beside the limits.

    Before the first full window, yield only the values so far.
    """
    verdicts = [verdict for verdict in course.verdicts if verdict.average]
    series = [Series(v.label, v.quantity, v.values, v) for v in verdicts] or list(_so_far(course))
    if not series:
        return
    first = verdicts[0] if verdicts else None
    names = _names([each.label for each in series])
    across = max(16, *map(len, names))
    cells = [each.text if wide else bars(each.values) for each in series]
    room = max(6, *map(len, cells))
    heads = [f"{name} (of {_pct(allowed, first)})" for name, _, allowed in _limits(first)] if first else []
    title = f"rounds {first.rounds[0]} to {first.rounds[-1]}" if first else _open(course)
    yield "window", Text("  ".join([f"{title:<{across}}", f"{'values':<{room}}", *heads]), style="dim")
    for name, each, cell in zip(names, series, cells, strict=True):
        line = Text(f"{name:<{across}}  ").append(f"{cell:<{room}}", "cyan")
        yield "", line.append_text(_judged(each.verdict, heads)) if each.verdict else line


class Series(NamedTuple):
    """The values of a tracked workload in the rounds of the window, and the verdict on them."""

    label: str
    quantity: str
    values: tuple[float, ...]
    verdict: Verdict | None = None

    @property
    def text(self) -> str:
        """Return the values as numbers."""
        return " ".join(f"{SHAPES[self.quantity](value):>7}" for value in self.values)


def _so_far(course: Course) -> Iterator[Series]:
    """Yield the tracked workloads of the present phase with their values before the first full window."""
    rule = course.place[1].steady if course.place else None
    if rule is None or not course.place:
        return
    test, phase = course.place
    for load in rule.track:
        points = course.progress.run.series(test.name, phase.name, load)
        values = tuple(counts.quantity(rule.quantity) for n, counts in points if n > course.progress.present.before)
        if values:
            yield Series(load.label, rule.quantity, values)


def _open(course: Course) -> str:
    """Return when the first window is full."""
    rule = course.place[1].steady if course.place else None
    return f"after round {course.progress.present.before + WINDOWS[rule.rule]}" if rule else ""


def _limits(verdict: Verdict) -> list[tuple[str, float, float]]:
    """Return (name, value, allowed) of range and slope, as far as the rule limits them."""
    limits = (
        ("range", verdict.excursion, verdict.excursion_allowed),
        ("slope", verdict.slope_excursion, verdict.slope_excursion_allowed),
    )
    return [(name, value, allowed) for name, value, allowed in limits if allowed is not None]


def _judged(verdict: Verdict, heads: Sequence[str]) -> Text:
    """Return range and slope below their heads, and whether the rule is met."""
    line = Text()
    for (_, value, _), head in zip(_limits(verdict), heads, strict=True):
        line.append(f"  {_pct(value, verdict):<{len(head)}}")
    return line.append("  ✓ steady" if verdict.steady else "  not yet", "green" if verdict.steady else "yellow")


def _names(labels: Sequence[str]) -> list[str]:
    """Return the labels of workloads without the settings that all have at their end."""
    ends = zip(*(label.split()[::-1] for label in labels), strict=False)
    same = sum(1 for _ in takewhile(lambda words: len({*words}) == 1, ends)) if len(labels) > 1 else 0
    return [" ".join(label.split()[: len(label.split()) - same]) for label in labels]


def bars(values: Sequence[float]) -> str:
    """Return a line of bars scaled from 0 to the largest value."""
    most = max(values, default=0)
    return "".join(BARS[round(value / most * (len(BARS) - 1))] for value in values) if most > 0 else ""


def _pct(value: float, verdict: Verdict) -> str:
    if not verdict.average:
        return ""
    shown = 100 * abs(value / verdict.average)
    places = places_beyond(shown, 1) if shown < FAR else 1
    return f"{shown:.{places}f} %" if places > 1 else f"{shown:.3g} %"


def ended(judged: Judged, course: Course) -> tuple[str, str]:
    """Return how the phase that ended last did so, as (sentence, style). The style is empty without a search."""
    steady = course.passed[-1].steady if course.passed else None
    if steady is None:
        return ("done" if judged.exhausted else f"ended by {judged.ended_by}"), ""
    if steady:
        return f"✓ steady in round {judged.where.round}", "green"
    if judged in course.progress.run.saturated:
        return f"✓ saturated by {judged.ended_by}; not steady{reason(judged.verdicts)}", "yellow"
    return f"✗ not steady by {judged.ended_by}{reason(judged.verdicts)}", "bold yellow"


def reason(verdicts: Sequence[Verdict]) -> str:
    """Return which workload missed its rule by most, as the end of a sentence, or "" if none was judged."""
    missed = [(excess, text) for verdict in verdicts if not verdict.steady for excess, text in _excess(verdict)]
    return f": {max(missed)[1]}" if missed else ""


def _excess(verdict: Verdict) -> Iterator[tuple[float, str]]:
    for name, value, allowed in _limits(verdict):
        if allowed:
            text = f"{name} of {verdict.label} {_pct(value, verdict)} of the mean, at most {_pct(allowed, verdict)}"
            yield abs(value / allowed), text
