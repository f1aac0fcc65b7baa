"""How long steps take, before anything was measured and after: one arithmetic for plans and for the time to go."""

from stend.definition import Bytes, Hold, Identity, Idle, Phase, Rule, Seconds, Steady, Step

PAUSE_S = 0.05
PURGE_S = 60

# Assumed write rates, bytes/s, for the plan's times only; during the run the drive's own rates take over.
ASSUMED_RATES = {"nvme": 1_500_000_000, "sata": 450_000_000, "sas": 800_000_000, "rotational": 150_000_000}
OTHER_RATE = 500_000_000


def assumed_rate(device: Identity) -> float:
    """Bytes per second this kind of drive is assumed to write, for times before anything was measured."""
    key = "rotational" if device.rotational else device.interface.split(" ")[0].lower()
    return ASSUMED_RATES.get(key, OTHER_RATE)


def phase_seconds(phase: Phase, bytes_per_s: float, rounds: int) -> float:
    """How long a phase takes at a write rate, for at most `rounds` rounds of those that it allows."""
    count = min(phase.rounds, rounds) if seeks_steady(phase) else phase.rounds
    total = count * round_seconds(phase, bytes_per_s)
    limits = [rule_seconds(rule, bytes_per_s) for rule in phase.until if not isinstance(rule, Steady)]
    return min([total, *limits])


def round_seconds(phase: Phase, bytes_per_s: float) -> float:
    """One round of a phase."""
    return sum(step_seconds(step, bytes_per_s) for step in phase.round)


def seeks_steady(phase: Phase) -> bool:
    """Whether results decide how many rounds there are."""
    return any(isinstance(rule, Steady) for rule in phase.until)


def step_seconds(step: Step, bytes_per_s: float) -> float:
    """How long a step takes at a write rate, its pause counted in."""
    match step:
        case Hold(amount=Seconds(seconds=seconds)) | Idle(seconds=seconds):
            return seconds + PAUSE_S
        case Hold(amount=Bytes(bytes=size)):
            return size / bytes_per_s + PAUSE_S
        case _:
            return PURGE_S


def rule_seconds(rule: Rule, bytes_per_s: float) -> float:
    """When a limit of time or writing is reached at a write rate."""
    match rule:
        case Seconds(seconds=seconds):
            return seconds
        case Bytes(bytes=size):
            return size / bytes_per_s
        case _:
            return float("inf")
