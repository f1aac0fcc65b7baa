"""Against drives that the sheet names (`peers = ["kc2000"]`), by what was published of them (published.toml)."""

from collections.abc import Iterator
from statistics import mean
from typing import Any

from stend.findings import Finding, Sheet, look, side
from stend.published import published
from stend.record import Run
from stend.units import KiB

NAME = "peers"
BETTER, WORSE = 1.1, 1 / 1.1
MIX = 65
SAYS = {
    "read": (
        "Random 4 KiB reads: {own:rate} IOPS, {ratio:pct} of the {theirs:rate} published of {peer}.",
        "Случайное чтение 4 КиБ: {own:rate} IOPS — {ratio:pct} от опубликованных {theirs:rate} у {peer}.",
    ),
    "saturated": (
        "Saturated random 4 KiB writes: {own:rate} IOPS, {ratio:pct} of the {theirs:rate} published of {peer}.",
        "Случайная запись 4 КиБ в насыщении: {own:rate} IOPS — {ratio:pct} от опубликованных {theirs:rate} у {peer}.",
    ),
    "read_s": (
        "Random 4 KiB reads, one outstanding: {own:lat} on average; {theirs:lat} published of {peer}.",
        "Случайное чтение 4 КиБ, одна операция в работе: в среднем {own:lat}; у {peer} опубликовано {theirs:lat}.",
    ),
    "write_s": (
        "Random 4 KiB writes, one outstanding: {own:lat} on average; {theirs:lat} published of {peer}.",
        "Случайная запись 4 КиБ, одна операция в работе: в среднем {own:lat}; у {peer} опубликовано {theirs:lat}.",
    ),
    "mix_s": (
        "65/35 of random 4 KiB, one outstanding: {own:lat} on average; {theirs:lat} published of {peer}.",
        "65/35 случайно по 4 КиБ, одна операция в работе: в среднем {own:lat}; у {peer} опубликовано {theirs:lat}.",
    ),
    "unknown": (
        "Can't compare with {peer}: nothing published is known of it; known are {known}.",
        "Сравнить с {peer} нельзя: опубликованных данных о нём нет; известны {known}.",
    ),
}


CELLS = {
    "read": ("iops", "4K 100", 1.0),
    "saturated": ("saturation", "end", 1.0),
    "read_s": ("latency", "avg 4K 100", 1e-6),
    "write_s": ("latency", "avg 4K 0", 1e-6),
    "mix_s": ("latency", "avg 4K 65", 1e-6),
}
"""Where published.toml has each figure, and what makes it base units."""


def theirs(facts: dict[str, Any]) -> dict[str, float]:
    """The same figures as published; a published range counts with its middle."""
    told = {key: (facts.get(table, {}).get(cell), scale) for key, (table, cell, scale) in CELLS.items()}
    return {k: (mean(v) if isinstance(v, list) else v) * scale for k, (v, scale) in told.items() if v is not None}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """For each named peer, each figure that both have; conditions differ, so that none is sure."""
    own = _own(run) if sheet.get("peers") else {}
    for name in sheet.get("peers", ()):
        peer = published().get(name)
        if peer is None:
            values = {"peer": name, "known": ", ".join(published())}
            yield Finding(name=NAME, key="unknown", values=values, confidence="can't tell")
            continue
        for key, known in ((key, known) for key, known in theirs(peer).items() if key in own):
            ratio = own[key] / known
            gain = 1 / ratio if key.endswith("_s") else ratio
            values = {"own": own[key], "theirs": known, "ratio": ratio, "peer": peer["about"]["title"]}
            speaks = side(pro=gain > BETTER, con=gain < WORSE)
            yield Finding(name=NAME, key=key, values=values, confidence="medium", side=speaks)


def _own(run: Run) -> dict[str, float]:
    """The same figures of this run, as far as it has them."""
    found: dict[str, float] = {}
    for test, (_, load, counts) in look.lasting(run):
        if load.random_pct != 100 or load.block_bytes != 4 * KiB or load.block_mix:
            continue
        if load.outstanding > 1 and load.read_pct == 100:
            found["read"] = max(found.get("read", 0.0), counts.iops)
        if load.outstanding == 1 and test.name == "latency":
            key = {100: "read_s", 0: "write_s", MIX: "mix_s"}.get(load.read_pct)
            found |= {key: counts.both.mean_s} if key else {}
    for test in look.tests(run, "write-saturation"):
        phase = look.main_phase(run, test)
        loads = [r.workload for r in look.records(run, test.name, phase)]
        if loads and (loads[-1].block_bytes, loads[-1].read_pct) == (4 * KiB, 0):
            found["saturated"] = look.ended(run, test, phase).iops
    return found
