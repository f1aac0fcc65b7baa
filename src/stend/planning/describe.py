"""Describe a plan in words, as it is shown before confirmation."""

from stend.base.units import binary, block_label, decimal, duration, mix_label
from stend.model.definition import (
    Bytes,
    Hold,
    Identity,
    Idle,
    Phase,
    Plan,
    PlannedTest,
    Purge,
    Rule,
    Seconds,
    Steady,
    Step,
    Whole,
    Workload,
)
from stend.model.traced import Traced
from stend.model.workload import Stream
from stend.words import Sentence
from stend.words.numbers import significant


def lines(plan: Plan) -> list[str]:
    """Return the plan as lines of text."""
    drive, profile = plan.device, plan.profile
    titles = ", ".join(test.title for test in plan.tests)
    times = f"Expected time {duration(plan.expected_s)}, longest {duration(plan.longest_s)}"
    fills = plan.write_bytes / drive.capacity_bytes if drive.capacity_bytes else 0
    written = binary(plan.write_bytes) + (f", {significant(fills, 3):,g} times the capacity" if fills >= 1 else "")
    head = [
        f"{titles} on {drive.model or drive.kind} {drive.serial} ({drive.target})",
        f"  {profile.title}; {decimal(drive.capacity_bytes)} = {drive.capacity_bytes} bytes, "
        f"range {binary(plan.range_bytes)}" + ("" if plan.reads_only else f", write cache {profile.write_cache}"),
    ]
    body = [line for test in plan.tests for line in _test(test)]
    tail = [
        "Nothing is written."
        if plan.reads_only
        else f"Writes at least {written}. Timed steps write more, as fast as the drive allows.",
        f"{times}, by assumed rates for this kind of drive.",
        *(f"Deviation: {text}" for text in plan.deviations),
        *(f"Note: {text}" for text in plan.notes),
    ]
    return [*head, *body, "", *tail]


def _test(test: PlannedTest) -> list[str]:
    mixes = dict.fromkeys(composition(hold.workload) for hold in test.holds if hold.workload.mixed)
    head = ["", f"{test.title} ({test.clause})", *(f"  MIX is {text}" for text in mixes)]
    shared = [f"  {phase}: as {source} left it" for phase, source in test.shared.items()]
    return [*head, *shared, *(line for phase in test.phases for line in _phase(phase))]


def composition(workload: Workload) -> str:
    """Return the composition of a mixed workload as text: block sizes, zones and alignment, or its streams."""
    if workload.replay:
        return f"the IOs of trace {workload.replay.trace[:8]}"
    if workload.streams:
        return ", ".join(_stream(stream) for stream in workload.streams)
    sizes = ", ".join(f"{block_label(size)} {share} %" for size, share in workload.block_mix)
    places = [f"{share} % in the next {part} %" for share, part in workload.zones]
    zones = ", ".join(places).replace("the next", "the first", 1).replace(" %,", " % of the range,", 1)
    aligned = f"aligned to {binary(workload.align_bytes)}" if workload.align_bytes else ""
    return "; ".join(text for text in (sizes, zones, aligned) if text)


def traced(trace: Traced, phases: tuple[Phase, ...], device: Identity) -> list[Sentence]:
    """Return notes on a trace that is played: its range, what is not played or changed, what it lacks."""
    plays = [hold.workload.replay for phase in phases for hold in phase.holds if hold.workload.replay]
    fit = f"trace_{plays[-1].fit}"
    notes = [Sentence(fit, name=trace.name, ios=trace.ios, time=trace.seconds, span=trace.span_bytes)]
    if device.scale > 1:
        many = max(trace.ios // device.scale, 1)
        notes.append(Sentence("trace_scaled", n=many, ios=trace.ios, scale=device.scale))
    if trace.block_bytes % device.logical_bytes:
        n, of = trace.enlarged.get(device.logical_bytes, 0), trace.read.ios + trace.write.ios
        key = "trace_enlarged_of" if n else "trace_enlarged"  # sectors of a size that is no power of two
        notes.append(Sentence(key, **({"n": n, "of": of} if n else {}), bytes=device.logical_bytes))
    if trace.discards:
        notes.append(Sentence("trace_discards", n=trace.discards))
    if trace.flushes:
        notes.append(Sentence("trace_flushes", n=trace.flushes))
    if not trace.timed:
        notes.append(Sentence("trace_silent"))
    if not trace.depth:
        notes.append(Sentence("trace_depthless"))
    if trace.lost and trace.malformed:
        notes.append(Sentence("trace_lacks", lost=trace.lost, bad=trace.malformed))
    elif trace.lost:
        notes.append(Sentence("trace_lost", n=trace.lost))
    elif trace.malformed:
        notes.append(Sentence("trace_malformed", n=trace.malformed))
    return notes


def _stream(stream: Stream) -> str:
    first, last = stream.zone
    zone = "" if (first, last) == (0, 100) else f" from {first:g} to {last:g} % of the range"
    return f"{stream.label} {stream.share:.3g} %{zone}"


def _phase(phase: Phase) -> list[str]:
    title = f"  {phase.name}: {until(phase)}"
    if phase.choose:
        title = title if phase.rounds == 1 else f"  {phase.name}: at most {until(phase)}"
        return [title, f"    steps chosen from the results so far ({phase.choose})"]
    matrix = _matrix(phase.holds) if len(phase.holds) == len(phase.round) else []
    return [title, *(matrix or _folded(phase.round))]


def until(phase: Phase) -> str:
    """Return the end condition of a phase as text."""
    rules = " or ".join(rule_words(rule) for rule in phase.until)
    count = f"{phase.rounds} round{'s' if phase.rounds > 1 else ''}"
    return f"until {rules}, at most {count}" if rules else count


def rule_words(rule: Rule) -> str:
    """Return a rule as text."""
    match rule:
        case Steady():
            return f"steady ({rule.rule}: {', '.join(w.label for w in rule.track)})"
        case Seconds():
            return duration(rule.seconds)
        case Bytes():
            return f"{binary(rule.bytes)} written"
        case _:
            return f"{rule.times:g} x capacity written"


def _matrix(holds: list[Hold]) -> list[str]:
    """Return the holds as a table of block sizes and mixes, or no rows if they are not a matrix."""
    blocks = list(dict.fromkeys(h.workload.block_bytes for h in holds))
    mixes = list(dict.fromkeys(h.workload.read_pct for h in holds))
    if len(holds) < 4 or len(blocks) * len(mixes) != len(holds) or len({h.amount for h in holds}) > 1:
        return []
    first = holds[0].workload
    kind = first.label.split()[0]
    rows = [
        f"    {len(blocks)} x {len(mixes)} matrix, {kind} T{first.threads} Q{first.depth}, {_amount(holds[0])} each, "
        "mixes outside, blocks inside",
        f"    {'R/W':<10}" + "".join(f"{mix_label(m):>8}" for m in mixes),
    ]
    cells = {(h.workload.block_bytes, h.workload.read_pct): n for n, h in enumerate(holds, start=1)}
    rows += [f"    {h / 1024:>5g} KiB " + "".join(f"{'#' + str(cells[h, m]):>8}" for m in mixes) for h in blocks]
    return rows


def _folded(steps: tuple[Step, ...]) -> list[str]:
    rows: list[tuple[str, int]] = []
    for text in map(_step, steps):
        again = rows and rows[-1][0] == text
        rows[-1:] = [(text, rows[-1][1] + 1)] if again else [*rows[-1:], (text, 1)]
    return [f"    {text}" + (f"  x {count}" if count > 1 else "") for text, count in rows]


def _step(step: Step) -> str:
    match step:
        case Purge():
            return "purge"
        case Idle():
            return f"rest {duration(step.seconds)}"
        case Hold():
            return f"{step.workload.label} for {_amount(step)}"


def _amount(hold: Hold) -> str:
    match hold.amount:
        case Seconds(seconds=seconds):
            return duration(seconds)
        case Bytes(bytes=size):
            times = size / hold.workload.range_bytes
            return f"{binary(size)} ({times:.3g} x its range)"
        case Whole(seconds=seconds):
            return f"all of it, about {duration(seconds)}"
        case amount:
            return f"{amount.times:g} x capacity"
