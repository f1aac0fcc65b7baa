"""Read memory modules from dmidecode: their channels, whether these are balanced, and what would be better.

The rules and the figures of a published study are in memory.toml. They hold for any number of channels.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

BYTES_A_TRANSFER = 8
SIZES = {"MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
PLACES = (
    r"(?:CPU|PROC|NODE|P)[ _-]?(?P<cpu>\d+).*?CHANNEL[ _-]?(?P<channel>[A-Z0-9])\b",
    r"(?:CONTROLLER[ _-]?(?P<cpu>\d+)[ _-]*)?CHANNEL[ _-]?(?P<channel>[A-Z0-9])",
    r"(?:CPU|PROC|NODE|P)[ _-]?(?P<cpu>\d+)[ _-]*DIMM[ _-]?(?P<channel>[A-Z])",
    r"\bDIMM[ _-]?(?P<channel>[A-Z])[ _-]?\d",
    r"^(?P<channel>[A-Z])\d+$",
)
"""How boards name a slot: `P0 CHANNEL A`, `NODE 1 CHANNEL 2 DIMM 0`, `ChannelA-DIMM0`, `CPU1_DIMM_A1`, `DIMM_B2`."""


class Module(NamedTuple):
    """A slot of a memory module and its content. `size_bytes` is 0 for an empty slot."""

    locator: str
    cpu: str
    channel: str
    size_bytes: int
    kind: str
    rated_mt_s: int
    runs_mt_s: int
    ranks: int


@cache
def rules() -> dict[str, Any]:
    """Read memory.toml."""
    return tomllib.loads((resources.files("stend.host") / "memory.toml").read_text())


def modules(text: str) -> list[Module]:
    """Return every slot that `dmidecode --type 17` lists."""
    slots = []
    for block in text.split("\n\n"):
        if "Memory Device" in (line.strip() for line in block.splitlines()[:2]):
            pairs = (line.strip().partition(":") for line in block.splitlines())
            slots.append(_module({key: value.strip() for key, _, value in pairs}))
    return slots


def _module(fields: dict[str, str]) -> Module:
    locator = fields.get("Locator", "")
    cpu, channel = _place(locator, fields.get("Bank Locator", ""))
    number, _, unit = fields.get("Size", "").partition(" ")
    runs = fields.get("Configured Memory Speed") or fields.get("Configured Clock Speed") or ""
    return Module(
        locator=locator,
        cpu=cpu,
        channel=channel,
        size_bytes=int(number) * SIZES.get(unit, 0) if number.isdigit() else 0,
        kind=fields.get("Type", "").split()[0] if fields.get("Type") else "",
        rated_mt_s=_number(fields.get("Speed", "")),
        runs_mt_s=_number(runs) or _number(fields.get("Speed", "")),
        ranks=_number(fields.get("Rank", "")),
    )


def _place(*names: str) -> tuple[str, str]:
    """Return processor and channel of a slot. The channel is "" if the name does not contain it."""
    for name in (" ".join(names), *names):
        for pattern in PLACES:
            if match := re.search(pattern, name.upper()):
                return match.groupdict().get("cpu") or "0", match["channel"]
    return "0", ""


def _number(text: str) -> int:
    match = re.match(r"\d+", text)
    return int(match[0]) if match else 0


class Population(NamedTuple):
    """Number of modules in each channel of each processor, in order, and their combined speed."""

    counts: dict[str, tuple[int, ...]]
    """Modules by channel for each processor: (2, 1, 1)."""
    balanced: bool
    kind: str
    mt_s: int
    """Present speed of the modules."""
    peak_bytes_per_s: int
    """Peak of all channels that hold modules."""

    @property
    def words(self) -> str:
        """Return the counts as text: `2-1-1; 2-1-1`."""
        return "; ".join("-".join(map(str, counts)) for counts in self.counts.values())


def population(places: Sequence[Module]) -> Population | None:
    """Return the population of the slots, or None if names do not contain channels or no module is listed."""
    held = [p for p in places if p.size_bytes]
    if not held or not all(p.channel for p in held):
        return None
    bytes_of: Counter[tuple[str, str]] = Counter()
    count_of: Counter[tuple[str, str]] = Counter()
    for place in places:
        if place.channel:
            bytes_of[place.cpu, place.channel] += place.size_bytes
            count_of[place.cpu, place.channel] += bool(place.size_bytes)
    cpus = sorted({cpu for cpu, _ in bytes_of})
    counts = {cpu: tuple(n for (of, _), n in sorted(count_of.items()) if of == cpu) for cpu in cpus}
    mt_s = min(p.runs_mt_s for p in held)
    channels = sum(1 for n in count_of.values() if n)
    balanced = len(set(bytes_of.values())) == 1 and len(set(count_of.values())) == 1
    return Population(counts, balanced, held[0].kind, mt_s, channels * mt_s * BYTES_A_TRANSFER * 1_000_000)


def expected(population: Population) -> tuple[float, float]:
    """Return the range of the share of the peak that STREAM's triad should reach."""
    low, high = rules()["triad"]["balanced_share"]
    if population.balanced:
        return low, high
    least, most = rules()["triad"]["unbalanced_of_balanced"]
    return low * least, high * most


def advice(places: Sequence[Module]) -> Iterator[str]:
    """Yield improvements, one sentence each."""
    held_by = population(places)
    if held_by is None:
        yield "The names of the slots do not show the channels: check that every channel has the same number of modules"
        return
    held = [p for p in places if p.size_bytes]
    for cpu, counts in held_by.counts.items():
        yield from _balance(cpu, counts)
    if not held_by.balanced and len({p.size_bytes for p in held}) > 1:
        yield "The channels hold different amounts: give each the same modules"
    yield from _speed(held, max(max(counts) for counts in held_by.counts.values()))
    yield from _ranks(held)


def _balance(cpu: str, counts: tuple[int, ...]) -> Iterator[str]:
    total, channels = sum(counts), len(counts)
    if len(set(counts)) == 1:
        return
    least, most = (round(100 * (1 - share)) for share in reversed(rules()["triad"]["unbalanced_of_balanced"]))
    better = "-".join(str(total // channels) for _ in counts) if total % channels == 0 else ""
    how = f"arrange them {better}" if better else f"use a multiple of {channels} modules"
    yield (
        f"Processor {cpu} has {'-'.join(map(str, counts))} modules in its {channels} channels: {how};"
        f" such a population was measured {least} to {most} % slower than a balanced one"
    )


def _speed(held: Sequence[Module], deep: int) -> Iterator[str]:
    slow = [p for p in held if p.runs_mt_s < p.rated_mt_s]
    table = rules()["speed_by_modules_per_channel"].get(held[0].kind, [])
    if slow:
        runs, rated = slow[0].runs_mt_s, slow[0].rated_mt_s
        why = f" with {deep} in a channel" if deep > 1 else ", look at the board's settings"
        yield f"Modules for {rated} MT/s run at {runs}{why}"
    elif 1 < deep <= len(table) and held[0].runs_mt_s <= table[deep - 1]:
        yield f"{deep} modules in a channel run at {held[0].runs_mt_s} MT/s; one of twice the size might at {table[0]}"


def _ranks(held: Sequence[Module]) -> Iterator[str]:
    most = rules()["ranks_per_channel"].get(held[0].kind, 0)
    ranks: Counter[tuple[str, str]] = Counter()
    for place in held:
        ranks[place.cpu, place.channel] += place.ranks
    for (cpu, channel), count in ranks.items():
        if most and count > most:
            yield f"Channel {channel} of processor {cpu} has {count} ranks, more than the {most} of {held[0].kind}"
