"""Estimate how long steps take, before and after the first measurements, for plans and for the time remaining."""

import math
from typing import NamedTuple

from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Rule, Seconds, Steady, Step, Whole, Workload

TYPICAL_ROUNDS = 7
"""Most drives settle some rounds after the first full window. The value comes from the virtual drives."""


class Speed(NamedTuple):
    """Inputs of the estimate: bytes written per second, seconds of a purge, and the pause of each step in seconds."""

    bytes_per_s: float
    purge_s: float
    pause_s: float = 0.05


# Assumed for the times of a plan only. During the run measured values replace them.
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
"""The longest time assumes a drive that writes at a fifth of the assumed speed."""


def assumed(device: Identity) -> Speed:
    """Return the assumed speed of this kind of drive, used until measurements exist."""
    interface = "rotational" if device.rotational else device.bus
    return ASSUMED.get(interface) or ASSUMED.get(device.kind, OTHER)


def slowest(device: Identity) -> Speed:
    """Return the assumed speed for the longest time."""
    usual = assumed(device)
    return usual._replace(bytes_per_s=usual.bytes_per_s * SLOWEST_SHARE)


def phase_seconds(phase: Phase, speed: Speed, rounds: int) -> float:
    """Return the seconds of a phase at this speed, with at most `rounds` rounds where results decide."""
    count = min(phase.rounds, rounds) if seeks_steady(phase) else phase.rounds
    total = count * round_seconds(phase, speed)
    limits = [rule_seconds(rule, speed) for rule in phase.until if not isinstance(rule, Steady)]
    return min([total, *limits])


def round_seconds(phase: Phase, speed: Speed) -> float:
    """Return the seconds of one round of a phase."""
    return sum(step_seconds(step, speed) for step in phase.round)


def sure_bytes(phase: Phase) -> int:
    """Return the bytes that a phase writes on any drive: its untimed writes, of the first round if results choose."""
    rounds = 1 if phase.choose else phase.rounds
    fixed = sum(
        _rounds_bytes(hold.workload, hold.amount.bytes, rounds)
        for hold in phase.holds
        if isinstance(hold.amount, Bytes) and hold.workload.read_pct == 0
    )
    played = sum(hold.amount.write_bytes for hold in phase.holds if isinstance(hold.amount, Whole))
    return fixed + rounds * played


def _rounds_bytes(load: Workload, size: int, rounds: int) -> int:
    """Return the bytes of a write in all rounds. Verified content that continues from round to round ends once."""
    if not load.verify or size > load.range_bytes:
        return size * rounds
    return min(size * rounds, load.verify_bytes(0))


def seeks_steady(phase: Phase) -> bool:
    """Return True if results decide how many rounds there are."""
    return bool(phase.choose) or phase.steady is not None


def step_seconds(step: Step, speed: Speed) -> float:
    """Return the seconds of a step, including its pause."""
    match step:
        case Hold(amount=Seconds(seconds=seconds) | Whole(seconds=seconds)) | Idle(seconds=seconds):
            return seconds + speed.pause_s
        case Hold(amount=Bytes(bytes=size)):
            return size / speed.bytes_per_s + speed.pause_s
        case _:
            return speed.purge_s


# A fresh drive takes random writes at full rate for about one capacity. Then the rate decays towards a share of it.
# The values come from the virtual drives; only the time remaining depends on them.
FULL_RATE_FILLS = 1.1
DECAY_FILLS = 0.8
FLOOR = 0.3
SLICE_FILLS = 0.05


def fresh_seconds(fills: float, more: float, seconds_a_fill: float, floor: float = FLOOR) -> float:
    """Return the seconds to write `more` capacities at random after `fills`, if one now takes `seconds_a_fill`."""
    count = max(1, round(more / SLICE_FILLS))
    ahead = (_fresh_rate(fills + more * (n + 0.5) / count, floor) for n in range(count))
    return seconds_a_fill * _fresh_rate(fills, floor) * more / count * sum(1 / rate for rate in ahead)


def _fresh_rate(fills: float, floor: float) -> float:
    return floor + (1 - floor) * math.exp(-max(fills - FULL_RATE_FILLS, 0) / DECAY_FILLS)


def rule_seconds(rule: Rule, speed: Speed) -> float:
    """Return the seconds until a limit of time or writing is reached."""
    match rule:
        case Seconds(seconds=seconds):
            return seconds
        case Bytes(bytes=size):
            return size / speed.bytes_per_s
        case _:
            return float("inf")
