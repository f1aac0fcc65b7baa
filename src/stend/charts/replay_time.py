"""Response times of a trace over time, as captured and on this drive."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis, binned, time_scale
from stend.charts.parts.marks import thin_lines
from stend.charts.parts.sides import Side, channels
from stend.findings import look
from stend.model.counts import Counts
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield the mean of each step and sample. A trace replayed faster is shown in its own time."""
    records = look.records(run, test.name, "replay")
    if not test.traced or not records:
        return
    speed = test.profile.options["speed"] or 1.0
    scale, title = time_scale(test.traced.seconds, words)
    then, now = words("replay.captured"), words("replay.simulated" if run.plan.device.virtual else "replay.replayed")
    steps = [((s.start_s + s.end_s) / 2, Counts(s.end_s - s.start_s, 0, s.read, s.write)) for s in test.traced.steps]
    begin = records[-1].start_s
    taken = [((end - begin - c.seconds / 2) * speed, c) for end, c in look.samples(run, records[-1])]
    rows: list[Row] = []
    for name, points in ((then, steps), (now, taken)):
        means = [{"t": t / scale, "ms": c.mean_s * 1e3, "drive": name} for t, c in joined(points) if c.mean_s]
        rows += binned(means, "t", "ms", 500)
    y = axis("ms", words("axis.latency"), log=True)
    kinds = channels([Side(then), Side(now, run)], rows)  # as the other replay charts
    chart = thin_lines(axis("t", title), y, kinds)
    heading = words("chart.replay_time")
    yield Drawing(heading, chart, {"rows": rows}, words("says.replay_time"))


def joined(points: list[tuple[float, Counts]]) -> list[tuple[float, Counts]]:
    """Join a short rest at the end with the point before it, because a few IOs are not a level."""
    if len(points) < 2 or points[-1][1].seconds >= points[-2][1].seconds / 2:
        return points
    *most, (t, before), (_, last) = points
    return [*most, (t, before + last)]
