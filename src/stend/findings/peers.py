"""Against drives that the sheet names (`peers = ["kc2000"]`), by what reviews published of them (peers.toml)."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from stend.findings import Finding, Sheet, look, side
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


@cache
def published() -> dict[str, dict[str, Any]]:
    """peers.toml."""
    return tomllib.loads((resources.files("stend.findings") / "peers.toml").read_text())


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """For each named peer, each figure that both have; conditions differ, so that none is sure."""
    own = _own(run) if sheet.get("peers") else {}
    for name in sheet.get("peers", ()):
        peer = published().get(name)
        if peer is None:
            values = {"peer": name, "known": ", ".join(published())}
            yield Finding(name=NAME, key="unknown", values=values, confidence="can't tell")
            continue
        for key in (key for key in own if key in peer):
            ratio = own[key] / peer[key]
            gain = 1 / ratio if key.endswith("_s") else ratio
            values = {"own": own[key], "theirs": peer[key], "ratio": ratio, "peer": peer["title"]}
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
