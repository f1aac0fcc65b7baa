"""Named figures of a run that findings measured, if these are sure enough."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings import Finding
from stend.findings.look.fall import LOST
from stend.findings.look.figures import Figures
from stend.findings.look.hits import explains

NEAR, BRIEF_S = 0.1, 60.0
"""A first level this close to the rate of the start is that rate. No minute has the rate of a shorter one."""
ABOUT = 0.95
"""Longer rests give about as much as the best ones if each reaches this share of their rate."""
LEVEL = ("steps", "about", "first", "flat")
"""Keys of a fill whose first level is known."""


class Named(NamedTuple):
    """A figure, its value in base units (None: not measured), the test and, if it is of one, the row it comes from."""

    name: str
    value: float | None
    test: str
    row: Figures | None = None


Pairs = Iterator[Named]


def of_findings(findings: Sequence[Finding]) -> Pairs:
    """Yield every figure that a finding measured."""
    for finding in findings:
        values, test = finding.values, finding.test
        yield from (
            Named(name, values.get(at), test) for name, at in FOUND.get((finding.name, finding.key), {}).items()
        )
        match finding.name, finding.key:
            case "idle_recovery", key if "fresh" in values and key != "because":
                yield from _rests(values, test)
                most = max(values["levels"].values())  # without a gain over the level before it, too
                yield Named("rested_share", most / values["fresh"] if key == "partly" else None, test)
                yield Named("full_rest", values.get("needed"), test)
                yield Named("rested_of", values["fresh"], test)
            case "saturation", "knee" | "knees" | "falling" | "unsettled":
                yield from _knee(values, test)
            case "slc_cache", key:
                yield from _cache(key, values, test)
            case "hot_range", key if key != "short":
                yield from _hot(key, values, test)
            case "journal", key:
                yield from _journal(key, values, test)
            case "zones", key if key not in ("slower", "partly"):
                yield Named("outer", values["outer"], test)
                yield Named("inner", values["inner"], test)


def _cache(key: str, values: dict[str, Any], test: str) -> Pairs:
    """Yield size and levels of a fast cache, the ends of a gradual fall, and what a full drive takes after a rest."""
    state = values["state"]
    if state == "fresh" and key in LEVEL:
        yield Named("cache_share", values.get("share", 0.0), test)
        yield Named("cache_bytes", values.get("size", 0.0), test)
        yield Named("cache_first", values["first"], test)
        if "rest" in values:
            yield Named("cache_next", values["rest"][0], test)
            yield Named("cache_last", values["rest"][-1], test)
    elif state == "fresh" and key == "gradual":
        yield Named("cache_begin", values["first"], test)
        yield Named("cache_end", values["last"], test)
    elif state == "rested" and key in ("steps", "about", "first"):
        yield Named("rested_bytes", values["size"], test)
        yield Named("rested_first", values["first"], test)


def _hot(key: str, values: dict[str, Any], test: str) -> Pairs:
    """Yield what a hot range gained from the cache, by the share of reads. Without a gain there are no hits."""
    match values["mix"]:
        case "100/0":
            yield Named("hot_gain", values["gain"], test)
            lacks = key == "none" and explains(0.0, values["gain"])
            yield Named("hot_hits", 0.0 if lacks else values.get("hits"), test)
            yield Named("hot_bytes", values["range"], test)
        case "35/65":
            yield Named("warm_mixed", values["gain"], test)
            yield Named("warm_wait", 1 - 1 / values["gain"], test)
        case "0/100":
            yield Named("warm_writes", values["gain"], test)


def _rests(values: dict[str, Any], test: str) -> Pairs:
    """Yield the levels before and after the shortest rests and the best ones, and what longer rests than these give."""
    rests = sorted((float(rest), level) for rest, level in values["levels"].items())
    unrested = values["befores"][f"{rests[0][0]:g}"]
    yield Named("back", rests[0][1] / values["fresh"], test)
    yield Named("back_rest", rests[0][0], test)
    yield Named("back_iops", rests[0][1], test)
    yield Named("unrested", unrested, test)
    yield Named("back_gain", rests[0][1] / unrested, test)
    yield Named("rested_before", values["before"], test)
    yield Named("rested", values["best"], test)
    yield Named("rested_rest", values["best_rest"], test)
    best_rest = float(f"{values['best_rest']:g}")  # a key of the levels
    enough = dict(rests)[best_rest]
    least, rest = min(((level, rest) for rest, level in rests if rest > best_rest), default=(None, None))
    less = least is not None and least < ABOUT * enough
    yield Named("rested_enough", None if less or least is None else enough, test)
    yield Named("rested_less", least if less else None, test)
    yield Named("rested_less_rest", rest if less else None, test)
    yield Named("rested_low", values["low"], test)
    yield Named("rested_high", values["high"], test)


def _knee(values: dict[str, Any], test: str) -> Pairs:
    """Yield where the first level of a saturation ends, if its place is known and it is the rate of the start, and the
    rate and the end of the last one before the end.
    """
    if values["blur"] <= LOST and abs(values["level"] / values["start"] - 1) < NEAR:
        yield Named("knee_s", values["knee_s"], test)
        yield Named("knee_bytes", values["knee_bytes"], test)
        yield Named("brief_s", values["knee_s"] if values["knee_s"] < BRIEF_S else None, test)
        for last in (level.values for level in values["levels"][1:][-1:]):
            yield Named("later", last["rate"], test)
            yield Named("later_s", last["s"], test)


def _journal(key: str, values: dict[str, Any], test: str) -> Pairs:
    """Yield the rate and the slow writes of one writer, those beside reads, and whether a flush is free.

    `flush_free` is 1 if neither a write nor its flush waits for the medium. A write that is on the medium before its
    flush needs no protection.
    """
    if key.startswith("rate"):
        yield Named("journal_rate", values["iops"], test)
        yield Named("journal_wait", values.get("p99_s"), test)
    elif key in ("slowed", "unmoved"):
        yield Named("journal_reads", values["p99_s"], test)
    elif key == "costs" or key.startswith(("free", "through")):
        yield Named("flush_free", float(key.startswith("free")), test)


SPOT = {"spot_rate": "low", "spot_from": "low_from", "spot_to": "low_to"}
FOUND = {
    ("cache_policy", "through"): {
        "warm_hits": "hits",
        "cache_at": "depth",
        "read_warm": "gain",
        "write_through": "gain_writes",
        "buffer_wait": "shortest",
        "buffer_block": "block",
        "buffer_reads": "mix",
        "buffer_at": "outstanding",
    },
    ("cache_policy", "around"): {"warm_hits": "hits", "cache_at": "depth", "write_around": "gain_writes"},
    ("cache_policy", "back"): {"warm_hits": "hits", "write_back": "held"},
    ("cache_policy", "keeps"): {"warm_hits": "hits"},
    ("cache_policy", "none"): {"cache_at": "depth", "small_range": "gain"},
    ("zones", "spot"): SPOT,
    ("zones", "slower"): SPOT,
    **{("power", key): {"idle_watts": "watts"} for key in ("idle", "idle_active", "idle_level")},
    ("power", "load"): {"load_watts": "watts"},
    ("power", "random"): {"reads_per_watt": "reads", "writes_per_watt": "writes"},
    ("power", "random_cached"): {"reads_per_watt": "reads"},
    **{("wake", key): {"wake_wait": "after_s"} for key in ("sleeps", "sleeps_soon", "awake", "awake_host")},
    ("wake", "mixed"): {"wake_wait": "wait_s"},
}
"""Findings whose values are figures: name and key -> figures and the values that they are."""
