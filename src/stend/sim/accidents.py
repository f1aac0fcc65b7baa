"""Deliberate faults of a virtual drive and their times. Tests of error handling use them."""

from stend.base.errors import StepFailed
from stend.sim.spec import Spec
from stend.words import Sentence

SILENCE_S = 30.0
"""Seconds without any answer after which a drive counts as failed."""
FAN_K = 60
"""Kelvin by which the air is warmer when the fan has stopped."""


class Course:
    """The accidents of one drive on the clock of that drive."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.accidents = spec, spec.accidents
        self.deaths = 0

    def load_dies(self, now_s: float) -> bool:
        """Return True if the program that makes the load is killed by `now_s`. Each death is reported once."""
        accidents = self.accidents
        due = self.deaths < accidents.load_deaths and _past(accidents.load_dies_at_s * (self.deaths + 1), now_s)
        self.deaths += due
        return due

    def check(self, now_s: float, unsafe_bytes: int) -> None:
        """Raise StepFailed if the drive is dead or has lost power at `now_s`, with `unsafe_bytes` in its buffer."""
        dies_at_s, loses_power_at_s = self.accidents.dies_at_s, self.accidents.loses_power_at_s
        if _past(dies_at_s, now_s):
            raise StepFailed(Sentence("sim_died", drive=self.spec.model, s=dies_at_s))
        if _past(loses_power_at_s, now_s):
            key = "sim_power_lost" if unsafe_bytes else "sim_power_off"
            raise StepFailed(Sentence(key, drive=self.spec.model, s=loses_power_at_s, lost=unsafe_bytes))

    def pieces(self, now_s: float, seconds: float) -> list[tuple[float, bool]]:
        """Split an interval into (seconds, True while the drive is silent), in order.

        Raise StepFailed once it has been silent for SILENCE_S.
        """
        begin, length = self.accidents.hangs_at_s, self.accidents.hang_s
        if not begin:
            return [(seconds, False)]
        end = now_s + seconds
        first, last = min(max(begin, now_s), end), min(max(begin + length, now_s), end)
        if last > first and last - begin >= SILENCE_S:
            raise StepFailed(Sentence("sim_silent", drive=self.spec.model, s=SILENCE_S))
        return [p for p in ((first - now_s, False), (last - first, True), (end - last, False)) if p[0] > 0]

    def silent_s(self, now_s: float) -> float:
        """Return how many seconds the drive stays silent from `now_s` on. Raise StepFailed if that is too long."""
        begin, length = self.accidents.hangs_at_s, self.accidents.hang_s
        if not begin or not begin <= now_s < begin + length:
            return 0.0
        self.pieces(now_s, min(begin + length - now_s, SILENCE_S))
        return begin + length - now_s

    def ambient_c(self, now_s: float) -> float:
        """Return the temperature of the air in degrees Celsius."""
        return self.spec.thermal.ambient_c + (FAN_K if _past(self.accidents.overheats_at_s, now_s) else 0)

    def capacity_bytes(self, now_s: float) -> int:
        """Return the capacity that the drive reports at `now_s`."""
        if not _past(self.accidents.resizes_at_s, now_s):
            return self.spec.capacity_bytes
        return self.accidents.resized_bytes or self.spec.capacity_bytes // 2

    def bad(self, now_s: float) -> tuple[int, int]:
        """Return the range [from, to) where IOs fail, in scaled bytes: bad blocks, or beyond a shrunk drive's end."""
        scale = self.spec.scale
        if self.accidents.errors_bytes:
            begin = self.accidents.errors_from_bytes
            return begin // scale, -(-(begin + self.accidents.errors_bytes) // scale)
        end = self.capacity_bytes(now_s)
        return (end // scale, 1 << 62) if end < self.spec.capacity_bytes else (0, 0)

    def slow(self) -> tuple[int, int, int, int]:
        """Return the range [from, to) where reads are late, in scaled bytes, their delay in ns, their share of 2^32."""
        accidents, scale = self.accidents, self.spec.scale
        begin, end = accidents.slow_from_bytes, accidents.slow_from_bytes + accidents.slow_bytes
        return begin // scale, -(-end // scale), round(accidents.slow_us * 1e3), int(accidents.slow_pct / 100 * 2**32)


def _past(at_s: float, now_s: float) -> bool:
    return bool(at_s) and now_s >= at_s
