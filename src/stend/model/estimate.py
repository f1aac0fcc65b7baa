"""How long steps take, before anything was measured and after: one arithmetic for plans and for the time to go."""

import math
from typing import NamedTuple

from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Rule, Seconds, Steady, Step, Whole

TYPICAL_ROUNDS = 7
"""Most drives settle some rounds after the first full window; ours, from the virtual drives."""


class Speed(NamedTuple):
    """What times follow from: bytes written per second, how long a purge takes, and the pause of each step."""

    bytes_per_s: float
    purge_s: float
    pause_s: float = 0.05


# Assumed for the plan's times only; during the run the drive's own take over.
ASSUMED = {
    "nvme": Speed(1_500_000_000, 60),
    "sata": Speed(450_000_000, 60),
    "sas": Speed(800_000_000, 60),
    "rotational": Speed(150_000_000, 60),
    "file": Speed(500_000_000, 1),
    "virtual": Speed(500_000_000, 1),
}
OTHER = Speed(500_000_000, 60)
SLOWEST_SHARE = 0.2
"""The longest time supposes a drive that writes at a fifth of what its kind is assumed to do."""


def assumed(device: Identity) -> Speed:
    """What this kind of drive is assumed to do before anything was measured."""
    interface = "rotational" if device.rotational else device.interface.split(" ")[0].lower()
    return ASSUMED.get(interface) or ASSUMED.get(device.kind, OTHER)


def slowest(device: Identity) -> Speed:
    """The same for the longest time."""
    usual = assumed(device)
    return usual._replace(bytes_per_s=usual.bytes_per_s * SLOWEST_SHARE)


def phase_seconds(phase: Phase, speed: Speed, rounds: int) -> float:
    """How long a phase takes at this speed, for at most `rounds` rounds where results decide."""
    count = min(phase.rounds, rounds) if seeks_steady(phase) else phase.rounds
    total = count * round_seconds(phase, speed)
    limits = [rule_seconds(rule, speed) for rule in phase.until if not isinstance(rule, Steady)]
    return min([total, *limits])


def round_seconds(phase: Phase, speed: Speed) -> float:
    """One round of a phase."""
    return sum(step_seconds(step, speed) for step in phase.round)


def sure_bytes(phase: Phase) -> int:
    """What a phase writes whatever the drive does: its untimed writes; of rounds that results choose, of the first."""
    fixed = sum(
        s.amount.bytes
        for s in phase.round
        if isinstance(s, Hold) and isinstance(s.amount, Bytes) and s.workload.read_pct == 0
    )
    played = sum(s.amount.write_bytes for s in phase.round if isinstance(s, Hold) and isinstance(s.amount, Whole))
    return (1 if phase.choose else phase.rounds) * (fixed + played)


def seeks_steady(phase: Phase) -> bool:
    """Whether results decide how many rounds there are."""
    return bool(phase.choose) or any(isinstance(rule, Steady) for rule in phase.until)


def step_seconds(step: Step, speed: Speed) -> float:
    """How long a step takes, its pause counted in."""
    match step:
        case Hold(amount=Seconds(seconds=seconds) | Whole(seconds=seconds)) | Idle(seconds=seconds):
            return seconds + speed.pause_s
        case Hold(amount=Bytes(bytes=size)):
            return size / speed.bytes_per_s + speed.pause_s
        case _:
            return speed.purge_s


# How a fresh drive takes random writes: at full rate for about a capacity, then falling towards a share of it.
# Ours, from the virtual drives; only the time to go rests on them.
FULL_RATE_FILLS = 1.1
DECAY_FILLS = 0.8
FLOOR = 0.3
SLICE_FILLS = 0.05


def fresh_seconds(fills: float, more: float, seconds_a_fill: float, floor: float = FLOOR) -> float:
    """Seconds to write `more` capacities at random, when `fills` are written and one takes `seconds_a_fill` now."""
    count = max(1, round(more / SLICE_FILLS))
    ahead = (_fresh_rate(fills + more * (n + 0.5) / count, floor) for n in range(count))
    return seconds_a_fill * _fresh_rate(fills, floor) * more / count * sum(1 / rate for rate in ahead)


def _fresh_rate(fills: float, floor: float) -> float:
    return floor + (1 - floor) * math.exp(-max(fills - FULL_RATE_FILLS, 0) / DECAY_FILLS)


def rule_seconds(rule: Rule, speed: Speed) -> float:
    """When a limit of time or writing is reached."""
    match rule:
        case Seconds(seconds=seconds):
            return seconds
        case Bytes(bytes=size):
            return size / speed.bytes_per_s
        case _:
            return float("inf")
