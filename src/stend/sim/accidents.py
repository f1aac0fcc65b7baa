"""What goes wrong on purpose, and when: the part of a virtual drive that tests of the program's nerves stand on."""

from stend.base.errors import StepFailed
from stend.base.units import binary
from stend.sim.spec import Spec

SILENCE_S = 30.0
"""A drive that has answered nothing for so long is given up."""
FAN_K = 60
"""How much warmer it is where the fan stands still."""


class Course:
    """The accidents of one drive on its own clock."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.told = spec, spec.accidents
        self.deaths = 0

    def load_dies(self, now_s: float) -> bool:
        """Return whether the program that makes the load is killed by `now_s`; each death is told once."""
        due = self.deaths < self.told.load_deaths and _past(self.told.load_dies_at_s * (self.deaths + 1), now_s)
        self.deaths += due
        return due

    def check(self, now_s: float, unsafe_bytes: int) -> None:
        """StepFailed when at `now_s` the drive is dead or has lost its power, with `unsafe_bytes` in its buffer."""
        if _past(self.told.dies_at_s, now_s):
            raise StepFailed(
                f"{self.spec.model} does not answer any more (it was told to die at {self.told.dies_at_s:g} s)"
            )
        if _past(self.told.loses_power_at_s, now_s):
            lost = f"{binary(unsafe_bytes)} that it had answered for are gone" if unsafe_bytes else "nothing is lost"
            raise StepFailed(f"{self.spec.model} lost its power at {self.told.loses_power_at_s:g} s; {lost}")

    def pieces(self, now_s: float, seconds: float) -> list[tuple[float, bool]]:
        """An interval as (length, whether the drive is silent meanwhile) in order; StepFailed once it is given up."""
        begin, length = self.told.hangs_at_s, self.told.hang_s
        if not begin:
            return [(seconds, False)]
        end = now_s + seconds
        first, last = min(max(begin, now_s), end), min(max(begin + length, now_s), end)
        if last > first and last - begin >= SILENCE_S:
            raise StepFailed(f"{self.spec.model} was silent for {SILENCE_S:g} s")
        return [p for p in ((first - now_s, False), (last - first, True), (end - last, False)) if p[0] > 0]

    def silent_s(self, now_s: float) -> float:
        """How long the drive goes on saying nothing; StepFailed when that is too long to wait for."""
        begin, length = self.told.hangs_at_s, self.told.hang_s
        if not begin or not begin <= now_s < begin + length:
            return 0.0
        self.pieces(now_s, min(begin + length - now_s, SILENCE_S))
        return begin + length - now_s

    def ambient_c(self, now_s: float) -> float:
        """The air's temperature."""
        return self.spec.thermal.ambient_c + (FAN_K if _past(self.told.overheats_at_s, now_s) else 0)

    def capacity_bytes(self, now_s: float) -> int:
        """What the drive says it holds."""
        if not _past(self.told.resizes_at_s, now_s):
            return self.spec.capacity_bytes
        return self.told.resized_bytes or self.spec.capacity_bytes // 2

    def bad(self, now_s: float) -> tuple[int, int]:
        """Where IOs fail, [from, to) in inner bytes: a range with errors, or all beyond a shrunk drive's end."""
        scale = self.spec.scale
        if self.told.errors_bytes:
            begin = self.told.errors_from_bytes
            return begin // scale, -(-(begin + self.told.errors_bytes) // scale)
        end = self.capacity_bytes(now_s)
        return (end // scale, 1 << 62) if end < self.spec.capacity_bytes else (0, 0)


def _past(at_s: float, now_s: float) -> bool:
    return bool(at_s) and now_s >= at_s
