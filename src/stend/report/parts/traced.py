"""A Described trace as a Page: streams, load, response times and places, and what is unknown."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from stend.charts.traced import pictures
from stend.charts.traced.named import OPERATIONS, operation, shown_share, stream
from stend.model.stats import percentile_s
from stend.model.tally import PERCENTS, Tally
from stend.report.parts import Page, Section, Table, written
from stend.report.parts.traced_plain import plain
from stend.trace.described import Described, Places, frequent
from stend.trace.form import READ, WRITE
from stend.trace.steps import Step, answered
from stend.words import Language

ENOUGH = 0.8
MOST_STREAMS, MOST_NAMED = 24, 5


def traced(trace: Described, lang: str, *, drawn: bool = True) -> Page:
    """Return the page of a trace in a language, without pictures unless `drawn`."""
    words = Language(lang)
    about = trace.about
    named = {"source": words.translated(about.source), "device": words.translated(about.device)}
    title = words("traced.title_device" if about.device else "traced.title", **named)
    return written.page("trace", title, words, _sections(trace, words, drawn=drawn))._replace(small=True)


def _sections(trace: Described, words: Language, *, drawn: bool) -> Iterator[Section]:
    yield Section.of("summary", words("traced.summary"), (*_summary(trace, words), *_warned(trace, words)))
    if drawn:
        yield Section.of("charts", words("traced.pictures"), pictures=tuple(pictures(trace, words)))
    yield Section.of("streams", words("traced.streams"), _more(trace, words), (_streams(trace, words),))
    known = [(op, tally) for op in OPERATIONS if (tally := answered(trace.of(op))).ios]
    texts = () if known else (words("traced.no_response"),)
    tables = (_times(trace, known, words),) if known else ()
    yield Section.of("times", words("traced.times"), texts, tables)
    if trace.about.timed:
        yield Section.of("load", words("traced.load"), tables=(_load(trace, words),))
    maps = (_places(trace, trace.places, words), _zones(trace.places, words)) if trace.places else ()
    yield Section.of("places", words("traced.places"), () if maps else (_placeless(trace, words),), maps)
    notes = tuple(words.translated(note) for note in trace.about.notes)
    yield Section.of("source", words("traced.source"), notes, tuple(_source(trace, words)))


def rate(step: Step) -> float:
    """Return the IOPS of a step."""
    return step.ios / (step.length_ns / 1e9) if step.length_ns else 0.0


def busiest(trace: Described) -> Step | None:
    """Return the step with the highest rate among those of full length, or None if there is only one."""
    full = [step for step in trace.steps if step.length_ns == trace.steps[0].length_ns]
    return max(full, key=rate) if len(full) > 1 else None


def _summary(trace: Described, words: Language) -> Iterator[str]:
    read, write = trace.of(READ), trace.of(WRITE)
    values = {
        "ios": trace.ios,
        "reads": shown_share(read.ios / trace.ios, words),
        "read": read.bytes,
        "written": write.bytes,
    }
    if trace.about.timed and trace.rate is None:
        yield words("traced.counts_at_once", **values)
    elif trace.about.timed:
        yield words("traced.counts", seconds=trace.end_ns / 1e9, iops=trace.rate, **values)
        if (peak := busiest(trace)) and trace.rate:
            yield words("traced.peak", seconds=peak.length_ns / 1e9, iops=rate(peak), times=rate(peak) / trace.rate)
    else:
        yield words("traced.counts_untimed", **values)
        yield words("traced.untimed")
    most = frequent(trace.parts, ENOUGH)
    names = [
        words("traced.one", name=stream(p.key, words), share=shown_share(p.tally.ios / trace.ios, words))
        for p in most[:MOST_NAMED]
    ]
    made = shown_share(sum(part.tally.ios for part in most) / trace.ios, words)
    yield words("traced.most", n=len(most), of=len(trace.parts), share=made, told=", ".join(names))
    yield from _known(trace, words)
    yield words("traced.no_data")


def _known(trace: Described, words: Language) -> Iterator[str]:
    """Yield sentences about depth, idle time, response times and places, or that they are unknown."""
    whole = trace.whole
    if whole.depth is None:
        yield words("traced.no_depth")
    else:
        yield words("traced.in_depth", depth=whole.depth)
        if trace.derived:
            yield words("traced.derived")
    if whole.idle_share is not None and trace.about.timed:
        yield words("traced.was_idle", share=shown_share(whole.idle_share, words))
    responses = [(op, tally) for op in (READ, WRITE) if (tally := answered(trace.of(op))).ios]
    for op, tally in responses:
        percentiles = {f"p{percent:g}": percentile_s(tally, percent) for percent in (50.0, 99.0)}
        values = {"op": operation(op, words).capitalize(), "mean": tally.mean_s, "most": tally.max_s}
        few = None in percentiles.values()
        yield words("traced.responded_few" if few else "traced.responded", **values, **percentiles)
    if not responses:
        yield words("traced.no_response")
    if trace.places is None:
        yield _placeless(trace, words)
        return
    hot, share = trace.places.zones[0]
    touched = trace.places.touched_bytes[2]
    yield words("traced.touched", touched=touched, span=trace.places.span_bytes, hot=hot, share=share)


def _placeless(trace: Described, words: Language) -> str:
    """Return why there are no places: statistics have no addresses, and other traces have no reads or writes."""
    return words("traced.no_places" if trace.gaps is None else "traced.nothing_placed")


def _warned(trace: Described, words: Language) -> Iterator[str]:
    """Yield sentences about missing or altered data."""
    about = trace.about
    bad = sum(about.malformed.values())
    if about.shifted:
        yield words("traced.shifted")
    if about.lost and about.lost_words:
        yield words("traced.lost", n=about.lost, why=words.translated(about.lost_words))
    elif about.lost:
        yield words("traced.lost_bare", n=about.lost)
    if bad:
        yield words("traced.bad", n=bad, of=about.lines)
    if about.late:
        yield words("traced.late", n=about.late)


def _streams(trace: Described, words: Language) -> Table:
    heads = ("stream", "ios", "share_ios", "share_sum", "share_bytes", "mean")
    head = (*(words(f"traced.{key}") for key in heads), words.show(99.0, "nines"), words("traced.depth_at"))
    so_far, rows = 0, []
    for part in trace.parts[:MOST_STREAMS]:
        so_far += part.tally.ios
        shares = (part.tally.ios / trace.ios, so_far / trace.ios, part.tally.bytes / (trace.bytes or 1))
        timed = answered(part.tally)
        times = (timed.mean_s if timed.ios else None, percentile_s(timed, 99.0))
        rows.append((
            stream(part.key, words), words.show(part.tally.ios, "whole"), *(shown_share(x, words) for x in shares),
            *(words.show(x, "lat") for x in times), words.show(part.depth, "n"),
        ))  # fmt: skip
    return Table(
        words("traced.streams_table"), head, tuple(rows), tuple(range(1, len(head))), words("traced.streams_note")
    )


def _more(trace: Described, words: Language) -> tuple[str, ...]:
    left = trace.parts[MOST_STREAMS:]
    share = sum(part.tally.ios for part in left) / trace.ios
    return (words("traced.more_streams", n=len(left), share=share),) if left else ()


def _times(trace: Described, known: Sequence[tuple[int, Tally]], words: Language) -> Table:
    heads = [words(f"traced.{key}") for key in ("operation", "ios", "answered", "mean")]
    head = (*heads, *(words.show(percent, "nines") for percent in PERCENTS.values()), words("traced.longest"))
    rows = tuple(
        (operation(op, words), words.show(trace.of(op).ios, "whole"), words.show(tally.ios, "whole"),
         words.show(tally.mean_s, "lat"), *(words.show(percentile_s(tally, p), "lat") for p in PERCENTS.values()),
         words.show(tally.max_s, "lat"))
        for op, tally in known
    )  # fmt: skip
    return Table(words("traced.times_table"), head, rows, tuple(range(1, len(head))), words("traced.times_note"))


def _load(trace: Described, words: Language) -> Table:
    pair = (words("table.item"), words("table.value"))
    rows = tuple((name, value or words("traced.unknown")) for name, value in _loaded(trace, words))
    return Table(words("traced.load_table"), pair, rows, (), words("traced.gap_note"))


def _loaded(trace: Described, words: Language) -> Iterator[tuple[str, str]]:
    whole = trace.whole
    yield words("traced.duration"), words.show(trace.end_ns / 1e9, "time")
    yield words("traced.mean_iops"), "" if trace.rate is None else words("traced.iops_value", iops=trace.rate)
    if peak := busiest(trace):
        name = words("traced.peak_iops", seconds=peak.length_ns / 1e9)
        yield name, words("traced.iops_value", iops=rate(peak))
    yield words("traced.mean_depth"), "" if whole.depth is None else words.show(whole.depth, "n")
    if whole.depths:
        yield words("traced.half_depth"), str(whole.half_depth)
        yield words("traced.most_depth"), str(max(whole.depths))
    yield words("traced.idle_share"), "" if whole.idle_share is None else shown_share(whole.idle_share, words)
    if trace.gaps and trace.gaps.ios:
        yield words("traced.gap_mean"), words.show(trace.gaps.mean_s, "lat")
        for key, percent in (("gap_half", 50.0), ("gap_99", 99.0)):
            yield words(f"traced.{key}"), words.show(percentile_s(trace.gaps, percent), "lat")
        yield words("traced.gap_most"), words.show(trace.gaps.max_s, "lat")
        if trace.gaps.mean_s:
            yield words("traced.gap_spread"), words.show(trace.gaps.deviation_s / trace.gaps.mean_s, "n")


def _places(trace: Described, places: Places, words: Language) -> Table:
    read, write, both = places.touched_bytes
    rows = [("reach", places.span_bytes), ("footprint", both), ("footprint_read", read), ("footprint_written", write)]
    facts = [(words(f"traced.{key}"), words.show(value, "gib")) for key, value in rows]
    if write:
        facts.append((words("traced.written_over"), words.show(trace.of(WRITE).bytes / write, "n")))
    facts.append((words("traced.fine"), words.show(places.fine_bytes, "gib")))
    return Table(words("traced.places_table"), (words("table.item"), words("table.value")), tuple(facts), (1,))


def _zones(places: Places, words: Language) -> Table:
    rows, before = [], (0.0, 0.0)
    for key, zone in zip(("hottest", "next", "rest"), places.zones, strict=True):
        size, share = zone[0] - before[0], zone[1] - before[1]
        rows.append((words(f"traced.zone_{key}"), words.show(size, "pct"), words.show(share, "pct")))
        before = zone
    head = tuple(words(f"traced.{key}") for key in ("zone", "zone_size", "share_ios"))
    note = words("traced.zone_note", unit=places.coarse_bytes)
    return Table(words("traced.zones_table"), head, tuple(rows), (1, 2), note)


def _source(trace: Described, words: Language) -> Iterator[Table]:
    about = trace.about
    facts = [("form", words.translated(about.source)), ("device", words.translated(about.device))]
    facts.append(("capacity", words.show(about.capacity_bytes, "gb") if about.capacity_bytes else ""))
    facts.append(("begun", words.date(about.begun_s) if about.begun_s is not None else words("traced.unknown")))
    facts.append(("lines", words.show(about.lines, "whole") if about.lines else ""))
    rows = tuple((words(f"traced.{key}"), value) for key, value in facts if value)
    yield Table(words("traced.source_table"), (words("table.item"), words("table.value")), rows)
    for key, why in (("malformed", about.malformed), ("skipped", about.skipped)):
        if why:
            counted = sorted(why.items(), key=lambda item: -item[1])
            lines = tuple((words.translated(reason), words.show(count, "whole")) for reason, count in counted)
            yield Table(words(f"traced.{key}_table"), (words("traced.reason"), words("traced.count")), lines, (1,))


def write(trace: Described, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Write `trace.html` and so on. Raise BadInput for an unknown format before any file is written."""
    return written.write("trace", forms, lang, into, lambda: traced(trace, lang), lambda: plain(trace))
