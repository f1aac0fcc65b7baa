"""A table of the demands of each use: both bounds of every figure, and the figures of the drives on the page."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from stend.findings.judgement import HEAVY, HEAVY_DOUBTS, SAFE, demands_of
from stend.findings.judgement.uses import Demand, uses
from stend.report.parts import Table
from stend.report.story import page_one
from stend.report.story.page_one import Review, unit
from stend.words import Language

MOST_DRIVES = 3
"""Most drives whose figures the table has."""
SIGNS = ("≤", "≥")
"""Before a figure of which more is better, or less, that would be worse in a longer or fuller test."""
SHAPES = {
    **page_one.SHAPES, "stream_end": "mbs", "journal_rate": "whole", "mix": "rate", "capacity": "gb",
    "cache_share": "pct", "back": "pct", "big_share": "pct", "hot_hits": "pct", "fall": "n", "cache_fall": "n",
    "uneven": "n", "hot_gain": "n", "dwpd": "n", "plp": "", "redundant": "",
}  # fmt: skip
"""How figures are written; "" is yes or no. All others are times."""


def demands(reviews: Mapping[str, Review], words: Language) -> Iterator[Table]:
    """Yield a table of all demands of the uses that these drives are judged for, if any can be judged."""
    judged = {name: review for name, review in reviews.items() if not review.verdict.standing}
    made = {name: dict.fromkeys(demands_of(review.verdict, review.kind)) for name, review in judged.items()}
    shown = judged if len(judged) <= MOST_DRIVES else {}
    every = dict.fromkeys(chain.from_iterable(made.values()))
    rows = []
    for use, demand in sorted(every, key=lambda pair: uses().order.index(pair[0])):
        own = (_own(demand, review, words) if (use, demand) in made[name] else "" for name, review in shown.items())
        own_name = f"demands.{demand.figure}"
        named = words(own_name if words.knows(own_name) else f"figure_name.{demand.figure}")
        weight = words.show(demand.weight, "whole")
        rows.append((words(f"use_title.{use}"), named, *_bounds(demand, words), weight, *own))
    if rows:
        heads = (words("together.use"), *(words(f"demands.{key}") for key in ("figure", "met", "unmet", "weight")))
        own_heads = tuple(name or words("demands.own") for name in shown)
        numeric = tuple(range(2, len(heads) + len(own_heads)))
        signs = any(cell.startswith(SIGNS) for row in rows for cell in row[len(heads) :])
        signed = words("demands.signed", safe=SAFE) if signs else ""
        least = "".join(_least({use for use, _ in every}, words))
        note = words("demands.note", heavy=HEAVY, doubts=HEAVY_DOUBTS, signed=signed, least=least)
        yield Table(words("demands.title"), (*heads, *own_heads), tuple(rows), numeric, note)


def _least(shown: Collection[str], words: Language) -> Iterator[str]:
    """Yield a sentence for each use that is marked no better than another one."""
    for name in uses().order:
        if (other := uses().use[name].no_better) and {name, other}.issubset(shown):
            yield words("demands.least", use=words(f"use_title.{name}"), other=words(f"use_title.{other}"))


def _bounds(demand: Demand, words: Language) -> tuple[str, str]:
    """Return from where the demand is met and from where it is not; between the two is a reservation."""
    good, bad = demand.at_least or demand.at_most or (0.0, 0.0)
    if not SHAPES.get(demand.figure, "lat"):
        return _value(demand.figure, good, words), _value(demand.figure, 0.0, words) if bad else "–"
    met, unmet = ("≥", "<") if demand.at_least else ("≤", ">")
    return f"{met}\u00a0{_value(demand.figure, good, words)}", f"{unmet}\u00a0{_value(demand.figure, bad, words)}"


def _own(demand: Demand, review: Review, words: Language) -> str:
    """Return the figure of a drive, or a dash if it is unknown or cannot be used. A sign is before a mere bound."""
    known = review.verdict.known
    if (value := known.usable.get(demand.figure)) is None:
        return "–"
    sign = f"{SIGNS[not demand.at_least]}\u00a0" if demand.figure in known.bounds else ""
    return sign + _value(demand.figure, value, words)


def _value(figure: str, value: float, words: Language) -> str:
    shape = SHAPES.get(figure, "lat")
    if not shape:
        return words("story.yes" if value >= 1 else "story.no")
    return words.show(value, shape) + unit(shape)
