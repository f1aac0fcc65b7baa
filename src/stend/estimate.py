"""How long steps take, before anything was measured and after: one arithmetic for plans and for the time to go."""

from typing import NamedTuple

from stend.definition import Bytes, Hold, Identity, Idle, Phase, Rule, Seconds, Steady, Step

PAUSE_S = 0.05


class Speed(NamedTuple):
    """What a drive's times follow from: bytes it writes per second, and the seconds a purge takes."""

    bytes_per_s: float
    purge_s: float


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
    """How long a phase takes at this speed, for at most `rounds` rounds where steady state decides."""
    count = min(phase.rounds, rounds) if seeks_steady(phase) else phase.rounds
    total = count * round_seconds(phase, speed)
    limits = [rule_seconds(rule, speed) for rule in phase.until if not isinstance(rule, Steady)]
    return min([total, *limits])


def round_seconds(phase: Phase, speed: Speed) -> float:
    """One round of a phase."""
    return sum(step_seconds(step, speed) for step in phase.round)


def seeks_steady(phase: Phase) -> bool:
    """Whether results decide how many rounds there are."""
    return any(isinstance(rule, Steady) for rule in phase.until)


def step_seconds(step: Step, speed: Speed) -> float:
    """How long a step takes, its pause counted in."""
    match step:
        case Hold(amount=Seconds(seconds=seconds)) | Idle(seconds=seconds):
            return seconds + PAUSE_S
        case Hold(amount=Bytes(bytes=size)):
            return size / speed.bytes_per_s + PAUSE_S
        case _:
            return speed.purge_s


def rule_seconds(rule: Rule, speed: Speed) -> float:
    """When a limit of time or writing is reached."""
    match rule:
        case Seconds(seconds=seconds):
            return seconds
        case Bytes(bytes=size):
            return size / speed.bytes_per_s
        case _:
            return float("inf")
