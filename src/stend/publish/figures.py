"""Figures of a drive as the site shows them: key figures, every figure for comparisons, charts for comparisons."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stend.base.units import GiB
from stend.charts import Picture, joined
from stend.charts.beside import KINDS, Side, picture
from stend.charts.overlay.ratio_map import FACTOR, PART
from stend.charts.parts.figures import load_named
from stend.charts.parts.theme import framed
from stend.many import settings, sides
from stend.many.compare.differences import REPLAYS, quantities
from stend.many.sides import Key
from stend.model.published import PLACES, figure
from stend.model.quantities import QUANTITIES, shape
from stend.publish.samples import Sample
from stend.report.parts.summary import stamps
from stend.report.story.page_one import AT, LESS_IS_BETTER, SHAPES, Review, after, comparable, value_shown
from stend.sentences.settings import difference_reason, setting_value
from stend.words import Language
from stend.words.numbers import latency_unit, rounded, rounded_bytes, significant

ONE_SIDED = ("unmet", "late", "host", "untold", "untold_state")
"""Reasons against a figure that do not depend on the other side."""
KEY = "key"
"""First part of the id of a key figure in the ledger; that of others is their test."""
OF_PRIVATE = ("label", "serial")
UNITS = {"rate": "IOPS", "mbs": "MB/s", "gib": "GiB", "fold": "×", "watts": "W", "per_watt": "IOPS/W"}
"""Units of key figures in tables by their shape."""
IN_US = ("read_wait", "write_wait")
"""Response times that tables show in microseconds. The others are shown in milliseconds."""


class Row(NamedTuple):
    """A figure of a run: its id, key and quantity, and its value in base units."""

    id: str
    key: Key
    quantity: str
    value: float


def rows(sample: Sample) -> Iterator[Row]:
    """Yield every figure of a run that a comparison shows."""
    for key, row in sample.outcome.rows.items():
        for quantity in quantities(key):
            value = row.value(quantity)
            if value:
                number = math.exp(math.log(value))  # as `stend compare` has it, to the last digit
                yield Row(figure_id(key, quantity), key, quantity, number)


def figure_id(key: Key, quantity: str) -> str:
    """Return the id of a figure, the same for the same figure of every run."""
    return "|".join((*(str(part) for part in key), quantity))


def row_data(row: Row, sample: Sample, words: Language) -> dict[str, Any]:
    """Return a figure as the comparison in the browser shows it."""
    key, quantity = row.key, QUANTITIES[row.quantity]
    phase = words.phase(key.phase)
    side = sides.Side(sample.run.plan.device.model or sample.run.plan.device.kind, (sample.outcome,))
    reasons = [r for r in settings.obstacles(side, side, key, key) if r.key in ONE_SIDED]
    return {
        "id": row.id,
        "test": key.test,
        "test_name": words.title(key.test, key.test),
        "name": f"{phase}: {load_named(key, row.quantity, words)}",
        "state": key.state,
        "state_name": words(f"kept_state.{key.state}"),
        "quantity": row.quantity,
        "kind": quantity.kind,
        "more_is_better": quantity.more_is_better,
        "value": row.value,
        "shown": words.show(row.value, shape(row.quantity)),
        "conditions": _conditions(key, sample, words),
        "warnings": list(dict.fromkeys(difference_reason(reason, words) for reason in reasons)),
    }


def _conditions(key: Key, sample: Sample, words: Language) -> dict[str, str]:
    """Return the conditions that two figures of one id must share, as `settings.obstacles` checks them."""
    run, row = sample.outcome, sample.outcome.rows[key]
    scaled = not row.workload.replay or row.workload.replay.fit == "scale"
    part = run.share(row.workload.range_bytes) if scaled else 1.0
    said = {"part": words.show(part, "pct"), "entropy": words.show(row.workload.entropy_pct / 100, "pct")}
    played = run.played.get(key.test) if key.test in REPLAYS else None
    if played:
        said |= {"trace": f"{played.name} ({played.number[:8]})", "pace": played.pace, "mapping": played.mapping}
    return said


def setting_data(sample: Sample, words: Language) -> dict[str, Any]:
    """Return the settings of a run by name, as `settings.differing` compares them."""
    data: dict[str, Any] = {}
    for name in (*settings.BLOCKING, *settings.STATED):
        value = sample.outcome.settings.get(name)
        if value in (None, "") or name in OF_PRIVATE:
            continue
        blocks = name in settings.BLOCKING
        data[name] = {"name": words(f"setting.{name}"), "values": [setting_value(name, value, words)], "blocks": blocks}
        if name == "temperature":
            data[name] |= {"number": value, "tolerance": settings.WARM_C}
    return data


def chart_data(side: Side, words: Language) -> Iterator[dict[str, Any]]:
    """Yield the charts of a review that show several drives, of this drive alone. The browser merges their rows."""
    for kind in KINDS:
        for drawn in _alone(kind, side, words):
            every = drawn.spec["datasets"].items()
            sets = {name: [row for row in rows if row.get("drive") == side.name] for name, rows in every}
            if any(sets.values()):
                yield {"kind": kind, "title": drawn.title, "says": drawn.says, "spec": drawn.spec | {"datasets": sets}}


def _alone(kind: str, side: Side, words: Language) -> list[Picture]:
    """Return the charts of one drive; of a kind that needs two drives, beside itself without a name."""
    drawn = list(picture(kind, [side], words, ()))
    return drawn or list(picture(kind, [side, Side("", side.run, side.facts)], words, ()))


def first_chart(name: str, sample: Sample, words: Language) -> Picture | None:
    """Return the chart that represents a drive: its levels, its course, or any other that a review shows.

    It is shown without its page, and therefore has the drive's name in its title, and the stamps of the run.
    """
    stamped = joined(stamps(sample.run, words))
    for kind in ("iops_levels", "saturation_course", *KINDS):
        for drawn in picture(kind, [Side(name, sample.run)], words, stamped):
            title = after(name, drawn.title)
            spec = {**drawn.spec, "title": {**drawn.spec["title"], "text": title}}
            return framed(drawn._replace(title=title, spec=spec))
    return None


def text_of(figure: str, value: float, words: Language) -> str:
    """Return a figure by its id in the ledger, as pages show it."""
    kind, _, name = figure.partition("|")
    return (
        value_shown(value, SHAPES[name], words) if kind == KEY else words.show(value, shape(figure.rpartition("|")[2]))
    )


def change_data(words: Language) -> dict[str, Any]:
    """Return how the browser writes a change, so that it does so as `stend compare`."""
    form = words.format_of
    return {
        "factor": FACTOR,
        "part": PART,
        "part_before": words.texts["overlay.part"].partition("{")[0],
        "before": words.texts["overlay.factor"].partition("{")[0],
        "after": list(form.ratio),
        "plural": form.plural,
        "decimal": form.decimal,
        "group": form.group,
        "group_from": form.group_from,
        "percent": form.percent,
    }


def labels(words: Language, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the names of key figures, in order of importance, with their unit and what is better."""
    return {
        name: {
            "name": words(f"figure_name.{name}"),
            "unit": unit_of(name, words),
            "better": "less" if name in LESS_IS_BETTER else "more",
        }
        for name in SHAPES
        if name in names
    }


def unit_of(name: str, words: Language) -> str:
    """Return the unit in which tables show a key figure, the same for all drives, or "" if its text has one."""
    shape = SHAPES[name]
    unit = ("µs" if name in IN_US else "ms") if shape == "lat" else UNITS.get(shape, "")
    return words.format_of.units.get(unit, unit)


def bare(name: str, value: float, words: Language) -> str:
    """Return a key figure in the unit of `unit_of`, without it, rounded like `value_shown`."""
    shape = SHAPES[name]
    if shape == "lat":
        own = latency_unit(value)[0]  # rounded in the unit of running text: 148 µs, 1.5 ms
        return words.show(significant(rounded(value / own) * own / (1e-6 if name in IN_US else 1e-3), 6), "n")
    if shape == "gib":
        return words.show(round(value / GiB) if value >= 10 * GiB else significant(value / GiB, 2), "n")
    if shape not in UNITS:
        return value_shown(value, shape, words)
    return words.show(rounded_bytes(value) / 1e6 if shape == "mbs" else rounded(value), "n")


def key_figures(review: Review) -> dict[str, dict[str, Any]]:
    """Return the key figures that a run has. One that its test does not support, or that still got worse, has no place.

    `at` is the number of outstanding IOs of a figure that depends on it (`AT`).
    Writes of a run without a saturation are only those of a filled drive.
    """
    of = review.verdict.known
    known = {name: value for name in SHAPES if (value := review.figures.get(name)) and comparable(name, review)}
    lasting = {name for name in of.usable if name not in of.bounds}
    at = {name: int(review.figures.get(AT.get(name, ""), 0)) for name in known}
    return {
        name: _shown(name, value, review.words, name in lasting) | ({"at": at[name]} if at[name] else {})
        for name, value in known.items()
    }


def published_figures(facts: Mapping[str, Any], words: Language) -> dict[str, dict[str, Any]]:
    """Return the key figures that another lab published of a drive."""
    values = {name: value for name in SHAPES if name in PLACES and (value := figure(facts, name)) is not None}
    return {name: _shown(name, value, words, True) for name, value in values.items()}


def _shown(name: str, value: float, words: Language, usable: bool) -> dict[str, Any]:
    shown = value_shown(value, SHAPES[name], words)
    return {"value": value, "shown": shown, "bare": bare(name, value, words), "usable": usable}


def with_span(
    figures: dict[str, dict[str, Any]], others: Sequence[Mapping[str, Mapping[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """Return key figures with the lowest and the highest of all samples, if there are several.

    A sample that does not meet the conditions of its test is not in the range of a figure that does.
    """
    spanned = {}
    for name, own in figures.items():
        every = sorted(
            [own, *(o[name] for o in others if name in o and o[name]["usable"] >= own["usable"])],
            key=lambda each: float(each["value"]),
        )
        span = {"low": every[0]["bare"], "high": every[-1]["bare"], "samples": len(every)} if len(every) > 1 else {}
        spanned[name] = own | span
    return spanned
